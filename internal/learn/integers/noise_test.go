package integers

import (
	"context"
	"math/rand/v2"
	"testing"
)

// BenchmarkNoise looks for a function where there is none: machines wear now and then.
func BenchmarkNoise(b *testing.B) {
	const machines = 8
	rng := rand.New(rand.NewPCG(1, 2))
	s := &Sample{}
	for i := range machines {
		s.Variables = append(s.Variables, Variable{Bits: []int{2*i + 1, 2 * i}})
	}
	s.Variables = append(s.Variables, Variable{Bits: []int{2*machines + 3, 2*machines + 2, 2*machines + 1, 2 * machines}})
	state := make([]uint64, machines)
	for range 1000 {
		fix, in := rng.Uint64N(machines+1), uint64(0)
		for i, x := range state {
			in |= x << (2 * i)
		}
		in |= fix << (2 * machines)
		for i := range state {
			switch {
			case fix == uint64(i)+1:
				if rng.Float64() < .9 {
					state[i] = 0
				}
			case state[i] < 3 && rng.Float64() < .1+.05*float64(state[i]):
				state[i]++
			}
		}
		s.In, s.Out = append(s.In, []uint64{in}), append(s.Out, int(state[0]))
	}
	for b.Loop() {
		if e, wrong := Learn(context.Background(), s); e != nil && 20*wrong < len(s.Out) {
			b.Fatalf("%d of %d rows are missed; expected no function", wrong, len(s.Out))
		}
	}
}
