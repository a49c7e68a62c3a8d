package synthesis

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/problem/bnn"
)

// randomFunction is a threshold function of n of the inputs with some cells
// turned round and some of no interest.
func randomFunction(rng *rand.Rand, inputs, n int, turned, free float64) Function {
	f := Function{Inputs: rng.Perm(inputs)[:n]}
	slices.Sort(f.Inputs)
	weights := make([]int, n)
	for i := range weights {
		weights[i] = rng.IntN(5) - 2
	}
	for v := range uint64(1) << n {
		if rng.Float64() < free {
			continue
		}
		sum := 0
		for i, w := range weights {
			sum += w * int(v>>i&1)
		}
		f.take(Cube{Care: mask(n), Value: v}, sum > 0 != (rng.Float64() < turned))
	}
	return f
}

// cubes is a function of three cubes: the cells of the first are true, those of
// the others, as far as they are disjoint from it, false.
func cubesOf(rng *rand.Rand, inputs, n int) Function {
	f := Function{Inputs: rng.Perm(inputs)[:n]}
	slices.Sort(f.Inputs)
	for i := range 6 {
		c := Cube{Care: rng.Uint64() & mask(n)}
		c.Value = rng.Uint64() & c.Care
		if i%2 == 0 {
			f.On = append(f.On, c)
		} else {
			f.Off = append(f.Off, c)
		}
	}
	f.Off = slices.DeleteFunc(f.Off, func(c Cube) bool {
		return slices.ContainsFunc(f.On, func(d Cube) bool { return (c.Value^d.Value)&c.Care&d.Care == 0 })
	})
	return f
}

// check evaluates the network in every cell of every function, free inputs drawn
// at random.
func check(t *testing.T, rng *rand.Rand, net *bnn.Network, fs []Function) {
	t.Helper()
	ev := bnn.NewEvaluator(net)
	s := ev.NewScratch()
	in, out := make([]uint64, bnn.Words(net.Inputs())), make([]uint64, bnn.Words(net.Outputs()))
	for o, f := range fs {
		for k, c := range slices.Concat(f.On, f.Off) {
			for range 3 {
				for w := range in {
					in[w] = rng.Uint64()
				}
				if n := net.Inputs() % 64; n > 0 {
					in[len(in)-1] &= 1<<n - 1
				}
				for i, b := range f.Inputs {
					if c.Care>>i&1 == 1 {
						in[b/64] = in[b/64]&^(1<<(b%64)) | c.Value>>i&1<<(b%64)
					}
				}
				ev.Forward(out, in, s)
				if got := out[o/64]>>(o%64)&1 == 1; got != (k < len(f.On)) {
					t.Fatalf("output %d is %v in the cell %+v", o, got, c)
				}
			}
		}
	}
}

// TestExact: networks of random functions are right in every cell, before and
// after shrinking, and shrinking does not make them larger.
func TestExact(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		inputs := 6 + rng.IntN(80)
		var fs []Function
		for range 1 + rng.IntN(6) {
			if rng.IntN(3) == 0 {
				fs = append(fs, cubesOf(rng, inputs, min(inputs, 3+rng.IntN(30))))
			} else {
				fs = append(fs, randomFunction(rng, inputs, rng.IntN(7), 0.1*float64(rng.IntN(4)), 0.2*float64(rng.IntN(4))))
			}
		}
		size := 0
		for _, effort := range []int{0, 1} {
			net, err := Network(context.Background(), inputs, fs, Options{Seed: seed, Effort: effort})
			if err != nil {
				t.Fatal(err)
			}
			check(t, rng, net, fs)
			now := net.Edges() + net.Hidden()
			if effort > 0 && now > size {
				t.Errorf("seed %d: shrinking went from %d to %d", seed, size, now)
			}
			size = now
		}
	}
}

// TestSizes: functions whose least networks are known.
func TestSizes(t *testing.T) {
	table := func(n int, f func(v uint64) bool) []Function {
		x := Function{}
		for i := range n {
			x.Inputs = append(x.Inputs, i)
		}
		for v := range uint64(1) << n {
			x.take(Cube{Care: mask(n), Value: v}, f(v))
		}
		return []Function{x}
	}
	for _, c := range []struct {
		name   string
		fs     []Function
		hidden int
	}{
		{"true", table(3, func(uint64) bool { return true }), 0},
		{"and", table(4, func(v uint64) bool { return v == 15 }), 0},
		{"majority of 9", table(9, func(v uint64) bool { return ones(v) >= 5 }), 0},
		{"xor", table(2, func(v uint64) bool { return ones(v)%2 == 1 }), 2},
		{"4 of 9", table(9, func(v uint64) bool { return ones(v) == 4 }), 2},
		{"parity of 8", table(8, func(v uint64) bool { return ones(v)%2 == 1 }), 8},
	} {
		net, err := Network(context.Background(), len(c.fs[0].Inputs), c.fs, Options{Effort: 2})
		if err != nil {
			t.Fatal(err)
		}
		check(t, rand.New(rand.NewPCG(1, 1)), net, c.fs)
		if net.Hidden() > c.hidden {
			t.Errorf("%s: %s, expected %d hidden units", c.name, net.Shape(), c.hidden)
		}
	}
}

func ones(v uint64) int {
	n := 0
	for ; v != 0; v &= v - 1 {
		n++
	}
	return n
}

// TestThreads: the network does not depend on the number of threads.
func TestThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var fs []Function
	for range 8 {
		fs = append(fs, randomFunction(rng, 20, 6, 0.1, 0.3))
	}
	var one *bnn.Network
	for threads := 1; threads <= 3; threads++ {
		net, err := Network(context.Background(), 20, fs, Options{Seed: 3, Threads: threads, Effort: 2})
		if err != nil {
			t.Fatal(err)
		}
		if one == nil {
			one = net
		} else if !reflect.DeepEqual(net, one) {
			t.Errorf("%d threads give another network", threads)
		}
	}
}

// TestStops: a context that has ended stops the shrinking, not the answer.
func TestStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	fs := []Function{randomFunction(rng, 12, 10, 0.2, 0)}
	ctx, cancel := context.WithCancel(context.Background())
	net, err := Network(ctx, 12, fs, Options{Effort: 1 << 20, Progress: func(float64, int) { cancel() }})
	if err != nil {
		t.Fatal(err)
	}
	check(t, rng, net, fs)
	if _, err := Network(ctx, 12, fs, Options{}); err == nil {
		t.Error("no error where nothing could be begun")
	}
	if net, err = Network(context.Background(), 12, fs, Options{Effort: 1 << 20, Until: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	check(t, rng, net, fs)
}

// TestSums: outputs that are sums of given units are those sums, beside others that are
// shrunk.
func TestSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const inputs = 9
	for range 20 {
		var fs []Function
		for range 4 {
			s := &rules.Sum{Threshold: rng.IntN(4) - 1}
			for range 1 + rng.IntN(5) {
				var lits []int
				for i := range inputs {
					if rng.IntN(3) == 0 {
						lits = append(lits, 2*i+rng.IntN(2))
					}
				}
				s.Units = append(s.Units, rules.Unit{Literals: lits, Threshold: rng.IntN(len(lits) + 2)})
				s.Weights = append(s.Weights, int8(1-2*rng.IntN(2)))
			}
			// A unit counts once for an output.
			for i := range s.Units {
				s.Units[i].Literals = append(s.Units[i].Literals, 2*(inputs+i))
			}
			fs = append(fs, Function{Inputs: s.Inputs(), Sum: s}, randomFunction(rng, inputs, 4, 0.1, 0.2))
		}
		net, err := Network(context.Background(), inputs+5, fs, Options{Seed: 1, Effort: 1})
		if err != nil {
			t.Fatal(err)
		}
		ev := bnn.NewEvaluator(net)
		scratch, out := ev.NewScratch(), make([]uint64, bnn.Words(len(fs)))
		for v := range uint64(1) << (inputs + 5) {
			ev.Forward(out, []uint64{v}, scratch)
			for o, f := range fs {
				if f.Sum != nil && f.Sum.Eval([]uint64{v}) != (out[0]>>o&1 == 1) {
					t.Fatalf("output %d is %d for the inputs %b", o, out[0]>>o&1, v)
				}
			}
		}
	}
}
