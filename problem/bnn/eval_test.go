package bnn

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// randomNetwork has the given layer sizes, input first. A share density of its weights is
// nonzero, and its thresholds cover their whole range.
func randomNetwork(r *rand.Rand, density float64, sizes ...int) *Network {
	n := &Network{}
	for i, units := range sizes[1:] {
		l := Layer{Inputs: sizes[i], Weights: make([]int8, units*sizes[i]), Thresholds: make([]int32, units)}
		for j := range l.Weights {
			if r.Float64() < density {
				l.Weights[j] = int8(2*r.IntN(2) - 1)
			}
		}
		for j := range l.Thresholds {
			// Mostly near the middle, where outputs vary; sometimes the ends.
			f := l.FanIn(j)
			switch r.IntN(6) {
			case 0:
				l.Thresholds[j] = int32(r.IntN(f + 2))
			default:
				l.Thresholds[j] = int32(min(f/2+r.IntN(3), f+1))
			}
		}
		n.Layers = append(n.Layers, l)
	}
	return n
}

// naive implements the definition of Layer literally.
func naive(n *Network, in []bool) []bool {
	for i := range n.Layers {
		l := &n.Layers[i]
		out := make([]bool, l.Units())
		for j := range out {
			agree := 0
			for k, w := range l.Row(j) {
				if w == 1 && in[k] || w == -1 && !in[k] {
					agree++
				}
			}
			out[j] = agree >= int(l.Thresholds[j])
		}
		in = out
	}
	return in
}

func TestForwardEqualsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shapes := [][]int{{1, 1}, {3, 2, 5}, {13, 36, 36, 9}, {64, 64, 64}, {65, 63, 1}, {20, 128, 128, 128, 15}, {29, 128, 128, 25}, {130, 200, 3}, {300, 7, 129}}
	for _, shape := range shapes {
		for _, density := range []float64{1, 0.5, 0.05} {
			n := randomNetwork(r, density, shape...)
			if err := n.Check(); err != nil {
				t.Fatal(err)
			}
			e := NewEvaluator(n)
			s := e.NewScratch()
			wi, wo := Words(n.Inputs()), Words(n.Outputs())
			const count = 150 // two whole blocks of lanes and a rest
			in, out, many := make([]uint64, count*wi), make([]uint64, wo), make([]uint64, count*wo)
			for i := range in {
				in[i] = r.Uint64() // bits beyond the inputs are noise on purpose
			}
			e.ForwardMany(many, in, count, s)
			for k := range count {
				x := make([]bool, n.Inputs())
				for i := range x {
					x[i] = in[k*wi+i/64]>>(i%64)&1 == 1
				}
				want := naive(n, x)
				e.Forward(out, in[k*wi:(k+1)*wi], s)
				for j, v := range want {
					if got := out[j/64]>>(j%64)&1 == 1; got != v {
						t.Fatalf("%v density %v input %d output %d: Forward says %v, definition %v", shape, density, k, j, got, v)
					}
					if got := many[k*wo+j/64]>>(j%64)&1 == 1; got != v {
						t.Fatalf("%v density %v input %d output %d: ForwardMany says %v, definition %v", shape, density, k, j, got, v)
					}
				}
			}
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	good := func() *Network { return randomNetwork(rand.New(rand.NewPCG(3, 4)), 1, 3, 4, 2) }
	for name, spoil := range map[string]func(*Network){
		"no layer":            func(n *Network) { n.Layers = nil },
		"weight":              func(n *Network) { n.Layers[0].Weights[2] = 2 },
		"missing weights":     func(n *Network) { n.Layers[1].Weights = n.Layers[1].Weights[1:] },
		"layers do not fit":   func(n *Network) { n.Layers[1].Inputs = 5 },
		"negative threshold":  func(n *Network) { n.Layers[0].Thresholds[0] = -1 },
		"threshold too large": func(n *Network) { n.Layers[0].Thresholds[0] = 5 },
	} {
		n := good()
		spoil(n)
		if n.Check() == nil {
			t.Errorf("%s: Check accepted it", name)
		}
	}
	if err := good().Check(); err != nil {
		t.Error(err)
	}
}

// BenchmarkForward has the published SysAdmin(5) shape and a sparse one.
func BenchmarkForward(b *testing.B) {
	for _, density := range []float64{1, 0.1} {
		n := randomNetwork(rand.New(rand.NewPCG(5, 6)), density, 20, 128, 128, 128, 15)
		e := NewEvaluator(n)
		s := e.NewScratch()
		const count = 4096
		in, out := make([]uint64, count), make([]uint64, count)
		r := rand.New(rand.NewPCG(7, 8))
		for i := range in {
			in[i] = r.Uint64()
		}
		b.Run(fmt.Sprintf("one/density=%v", density), func(b *testing.B) {
			for i := range b.N {
				k := i % count
				e.Forward(out[k:k+1], in[k:k+1], s)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "passes/s")
		})
		b.Run(fmt.Sprintf("many/density=%v", density), func(b *testing.B) {
			for range b.N {
				e.ForwardMany(out, in, count, s)
			}
			b.ReportMetric(count*float64(b.N)/b.Elapsed().Seconds(), "passes/s")
		})
	}
}
