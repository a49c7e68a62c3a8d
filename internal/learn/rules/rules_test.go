package rules

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn is a sample of random rows of a function.
func drawn(inputs, rows int, seed uint64, f func(x []int) bool) *Sample {
	rng := rand.New(rand.NewPCG(seed, 9))
	s := &Sample{Inputs: inputs, Own: -1}
	for range rows {
		in, x := make([]uint64, (inputs+63)/64), make([]int, inputs)
		for i := range x {
			x[i] = rng.IntN(2)
			in[i/64] |= uint64(x[i]) << (i % 64)
		}
		s.In, s.Out = append(s.In, in), append(s.Out, f(x))
	}
	return s
}

func value(x []int, g []int) int {
	v := 0
	for _, b := range g {
		v = 2*v + x[b]
	}
	return v
}

func ones(x []int) int {
	n := 0
	for _, v := range x {
		n += v
	}
	return n
}

func wrong(f *Sum, s *Sample) (n int) {
	for r, in := range s.In {
		if f.Eval(in) != s.Out[r] {
			n++
		}
	}
	return n
}

// TestLearn: functions that few rules describe are learned from few rows, and are right on
// others.
func TestLearn(t *testing.T) {
	a, b := []int{0, 1, 2}, []int{3, 4, 5}
	set := []int{10, 11, 12, 13, 14}
	for _, c := range []struct {
		name string
		own  int
		f    func(x []int) bool
	}{
		{"constant", -1, func([]int) bool { return true }},
		{"disjunction of conjunctions", -1, func(x []int) bool { return x[7]&x[8] == 1 || x[9]&(1-x[16]) == 1 || x[17]&x[18] == 1 }},
		{"conjunction of disjunctions", -1, func(x []int) bool { return x[7]|x[8] == 1 && x[9]|(1-x[16]) == 1 && x[17]|x[18] == 1 }},
		{"multiplexer", -1, func(x []int) bool { return x[20+value(x, []int{7, 8, 9})] == 1 }},
		{"a change of the own bit", 6, func(x []int) bool { return x[6] == 1 != (x[7]&x[8]&x[9] == 1 || x[16]&x[17] == 1) }},
		{"own bit, set and cleared", 6, func(x []int) bool { return x[6] == 1 && x[7]&x[8] == 0 || x[6] == 0 && x[9]|x[16] == 1 }},
		{"equal numbers", -1, func(x []int) bool { return value(x, a) == value(x, b) }},
		{"next number, or one bit", -1, func(x []int) bool { return value(x, a)+1 == value(x, b) || x[7]&x[8] == 1 }},
		{"at least five", -1, func(x []int) bool { return value(x, a) >= 5 && x[7] == 1 }},
		{"none of a set", 6, func(x []int) bool { return x[6] == 1 != (x[10]|x[11]|x[12]|x[13]|x[14] == 0 && x[7] == 1) }},
	} {
		s := drawn(30, 1500, 1, c.f)
		s.Groups, s.Sets, s.Own = [][]int{a, b}, [][]int{set}, c.own
		f := Learn(context.Background(), s)
		if f == nil {
			t.Errorf("%s: no rules", c.name)
			continue
		}
		if n := wrong(f, s); n > 0 {
			t.Errorf("%s: %d rows wrong that it was learned from", c.name, n)
		}
		if n := wrong(f, drawn(30, 3000, 2, c.f)); n > 0 {
			t.Errorf("%s: %d of 3000 other rows wrong", c.name, n)
		}
	}
}

// TestContradictory: rows that contradict each other have no rules and no count.
func TestContradictory(t *testing.T) {
	s := drawn(8, 100, 1, func(x []int) bool { return x[0] == 1 })
	s.In, s.Out = append(s.In, s.In[0]), append(s.Out, !s.Out[0])
	if f := Learn(context.Background(), s); f != nil {
		t.Errorf("rules %+v, expected none", f)
	}
	if f := Count(context.Background(), s, []int{0}); f != nil {
		t.Errorf("count %+v, expected none", f)
	}
}

// TestCount: functions of a number of literals are found among inputs that do not matter, and
// other functions are not taken for such.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		name   string
		from   []int
		inputs []int // expected; nil for no function
		f      func(x []int) bool
	}{
		{"majority of all", nil, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, func(x []int) bool { return 2*ones(x) > 15 }},
		{"majority of seven, some negated", []int{0, 1, 2}, []int{0, 1, 2, 3, 4, 5, 6}, func(x []int) bool { return x[0]+x[1]+x[2]+x[3]+3-x[4]-x[5]-x[6] >= 4 }},
		{"parity", []int{1, 3, 5, 7, 9, 11}, []int{1, 3, 5, 7, 9, 11}, func(x []int) bool { return x[1]^x[3]^x[5]^x[7]^x[9]^x[11] == 1 }},
		{"two of five", []int{0, 1, 2, 3, 4}, []int{0, 1, 2, 3, 4}, func(x []int) bool { return ones(x[:5]) == 2 }},
		{"multiplexer", []int{0, 1, 2, 3, 4, 5}, nil, func(x []int) bool { return x[2+value(x, []int{0, 1})] == 1 }},
	} {
		s := drawn(15, 2000, 3, c.f)
		f := Count(context.Background(), s, c.from)
		if c.inputs == nil {
			if f != nil {
				t.Errorf("%s: inputs %v, expected no function", c.name, f.Inputs())
			}
			continue
		}
		if f == nil {
			t.Errorf("%s: no function", c.name)
			continue
		}
		if !slices.Equal(f.Inputs(), c.inputs) || wrong(f, drawn(15, 2000, 4, c.f)) > 0 {
			t.Errorf("%s: inputs %v, expected %v", c.name, f.Inputs(), c.inputs)
		}
	}
}
