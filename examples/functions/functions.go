package main

import (
	"fmt"
	"math/rand/v2"
)

// function is a Boolean function of so many bits, the kind that contests in learning logic
// use. Groups are the bits of its numbers, most significant first; other inputs stand alone.
type function struct {
	kind, name string
	inputs     int
	groups     [][]int
	value      func(x []int) bool
}

// number reads bits, the most significant first.
func number(x []int) uint64 {
	var v uint64
	for _, b := range x {
		v = v<<1 | uint64(b)
	}
	return v
}

func ones(x []int) int {
	n := 0
	for _, b := range x {
		n += b
	}
	return n
}

// operands are two numbers of k bits each.
func operands(k int) [][]int {
	out := make([][]int, 2)
	for i := range 2 * k {
		out[i/k] = append(out[i/k], i)
	}
	return out
}

// functions are the forty: arithmetic, comparisons, multiplexers, symmetric functions and
// parities, some of them among irrelevant inputs.
func functions() []function {
	var all []function
	add := func(kind string, inputs int, groups [][]int, value func(x []int) bool, format string, args ...any) {
		all = append(all, function{kind, fmt.Sprintf(format, args...), inputs, groups, value})
	}
	for _, k := range []int{2, 4, 6, 8, 12, 16} {
		add("adder", 2*k, operands(k), func(x []int) bool { return (number(x[:k])+number(x[k:]))>>k == 1 }, "carry of %d bits", k)
	}
	for _, k := range []int{4, 6, 8, 12} {
		add("adder", 2*k, operands(k), func(x []int) bool { return (number(x[:k])+number(x[k:]))>>(k/2)&1 == 1 }, "middle bit of a sum of %d bits", k)
	}
	for _, k := range []int{3, 4, 6, 8, 10, 12} {
		add("comparator", 2*k, operands(k), func(x []int) bool { return number(x[:k]) < number(x[k:]) }, "less, %d bits", k)
	}
	for _, k := range []int{3, 4} {
		add("comparator", 2*k, operands(k), func(x []int) bool { return number(x[:k]) == number(x[k:]) }, "equal, %d bits", k)
	}
	for _, k := range []int{1, 2, 3, 4} {
		for _, more := range []int{0, 16} {
			add("multiplexer", k+1<<k+more, nil, func(x []int) bool { return x[k+int(number(x[:k]))] == 1 }, "%d of %d inputs, %d more", 1, 1<<k, more)
		}
	}
	for _, n := range []int{7, 11, 15, 21} {
		add("symmetric", n, nil, func(x []int) bool { return 2*ones(x) > n }, "majority of %d", n)
	}
	for i, n := range []int{8, 10, 12, 16} {
		rng := rand.New(rand.NewPCG(uint64(i), 40))
		values := make([]bool, n+1)
		for k := range values {
			values[k] = rng.IntN(2) == 1
		}
		add("symmetric", n, nil, func(x []int) bool { return values[ones(x)] }, "random, of %d", n)
	}
	for _, c := range [][2]int{{2, 16}, {3, 32}, {4, 32}, {6, 32}, {8, 24}, {12, 24}} {
		add("parity", c[1], nil, func(x []int) bool { return ones(x[:c[0]])%2 == 1 }, "of %d among %d", c[0], c[1])
	}
	return all
}

// sample is so many random rows of a function, and their values.
type sample struct {
	in  [][]int
	out []bool
}

func draw(f *function, rows int, seed uint64) *sample {
	rng := rand.New(rand.NewPCG(seed, 6400))
	s := &sample{}
	for range rows {
		x := make([]int, f.inputs)
		for i := range x {
			x[i] = rng.IntN(2)
		}
		s.in, s.out = append(s.in, x), append(s.out, f.value(x))
	}
	return s
}
