package train

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/fdplan/fdplan/problem/bnn"
)

// unit is batch normalization of one unit in the form that is folded.
type unit struct {
	gamma, beta, mean, variance float64
	scale, epsilon              float64 // of the weights, and of the variance
}

// active reports whether the unit is on if its sum of weights -1, 0, +1 times inputs is d; a
// tie counts as on.
func (u unit) active(d float64) bool {
	return u.gamma*(u.scale*d-u.mean)/math.Sqrt(u.variance+u.epsilon)+u.beta >= 0
}

// threshold folds u over fan-in n. With negate, the unit's weights change sign.
// The unit is then active if and only if at least p of its inputs agree.
func (u unit) threshold(n int) (p int, negate bool) {
	// The formula determines the threshold up to one, because of rounding. The decision is by
	// active itself, which is monotone in d.
	at := func(a int) bool { return u.active(float64(2*a - n)) }
	switch {
	case u.gamma == 0:
		if u.beta >= 0 {
			return 0, false
		}
		return n + 1, false
	case u.gamma > 0:
		p = u.guess(n)
		for p > 0 && at(p-1) {
			p--
		}
		for p <= n && !at(p) {
			p++
		}
		return p, false
	}
	// Active with at most a agreements is active with at least n-a when weights
	// are negated.
	a := u.guess(n)
	for a <= n && at(a) {
		a++
	}
	for a > 0 && !at(a-1) {
		a--
	}
	return n - (a - 1), true
}

// guess returns where the normalised sum changes sign, in agreements.
func (u unit) guess(n int) int {
	x := math.Ceil((float64(n) + (u.mean-u.beta*math.Sqrt(u.variance+u.epsilon)/u.gamma)/u.scale) / 2)
	return int(min(max(x, 0), float64(n+1)))
}

func (p *params) unit(j int) unit {
	return unit{float64(p.Gamma[j]), float64(p.Beta[j]), p.Mean[j], p.Var[j], 1, epsilon}
}

// fold returns layer l of a network: its effective weights and the thresholds that follow
// from batch normalization.
func (l *layer) fold() bnn.Layer {
	out := bnn.Layer{Inputs: l.Inputs, Weights: make([]int8, len(l.q)), Thresholds: make([]int32, l.Units)}
	copy(out.Weights, l.q)
	for j := range l.Units {
		p, negate := l.unit(j).threshold(l.fan[j])
		out.Thresholds[j] = int32(p)
		if negate {
			for i, w := range out.Row(j) {
				out.Row(j)[i] = -w
			}
		}
	}
	return out
}

// calibrationRows bounds the rows that determine means and variances.
const calibrationRows = 8192

// calibrate sets the mean and variance of every unit to those on the examples, layer by
// layer, and folds. If there are many examples, it uses every k-th row.
func (s *stepper) calibrate() *bnn.Network { return s.calibrateAs(nil) }

// calibrateAs is calibrate. It also calls set, if not nil, for each unit between computing
// its mean and variance and its activations.
func (s *stepper) calibrateAs(set func(l *layer, i, j int)) *bnn.Network {
	every := max(1, (s.ex.Rows()+calibrationRows-1)/calibrationRows)
	n := (s.ex.Rows() + every - 1) / every
	wi := s.layers[0].words
	rows := make([]uint64, n*wi)
	for k := range n {
		copy(rows[k*wi:(k+1)*wi], s.ex.Input(k*every))
	}
	net := &bnn.Network{}
	for i, l := range s.layers {
		words := bnn.Words(l.Units)
		unitWords := (n + 63) / 64
		byUnit := make([]uint64, l.Units*unitWords)
		last := l.bits == nil
		spread(s.c.Threads, l.Units, func(from, to, _ int) {
			a := make([]uint16, n)
			for j := from; j < to; j++ {
				agreements(a, rows, l.sign[j*l.words:(j+1)*l.words], l.mask[j*l.words:(j+1)*l.words], l.fan[j])
				l.Mean[j], l.Var[j] = moments(a, l.fan[j])
				if set != nil {
					set(l, i, j)
				}
				if last {
					continue
				}
				u := l.unit(j)
				on := make([]bool, l.fan[j]+1)
				for k := range on {
					on[k] = u.active(float64(2*k - l.fan[j]))
				}
				for b, k := range a {
					if on[k] {
						byUnit[j*unitWords+b/64] |= 1 << (b % 64)
					}
				}
			}
		})
		net.Layers = append(net.Layers, l.fold())
		if last {
			break
		}
		rows = make([]uint64, n*words)
		spread(s.c.Threads, unitWords, func(from, to, _ int) {
			for b := from; b < to; b++ {
				toRows(rows, byUnit, l.Units, unitWords, words, b, n)
			}
		})
	}
	return net
}

// Float is a network before folding: batch normalization of sums of weights times inputs, in
// float64.
type Float struct {
	Layers []FloatLayer
}

// FloatLayer is one layer of a Float. A unit is active, +1 instead of -1, if and only if
// Gamma (Scale d - Mean) / sqrt(Var + Epsilon) + Beta >= 0, where d is the sum of its weights
// times its inputs. Var + Epsilon and Scale are positive.
type FloatLayer struct {
	Inputs                 int
	Weights                []int8 // as in bnn.Layer
	Gamma, Beta, Mean, Var []float64
	Scale                  []float64 // by unit; nil means 1 everywhere
	Epsilon                float64
}

// Fold returns the network of integer thresholds.
func (f *Float) Fold() *bnn.Network {
	net := &bnn.Network{}
	for _, l := range f.Layers {
		out := bnn.Layer{Inputs: l.Inputs, Weights: append([]int8(nil), l.Weights...), Thresholds: make([]int32, len(l.Gamma))}
		for j := range out.Thresholds {
			p, negate := l.unit(j).threshold(out.FanIn(j))
			out.Thresholds[j] = int32(p)
			if negate {
				for i, w := range out.Row(j) {
					out.Row(j)[i] = -w
				}
			}
		}
		net.Layers = append(net.Layers, out)
	}
	return net
}

func (l *FloatLayer) unit(j int) unit {
	u := unit{l.Gamma[j], l.Beta[j], l.Mean[j], l.Var[j], 1, l.Epsilon}
	if l.Scale != nil {
		u.scale = l.Scale[j]
	}
	return u
}

// float returns the network that calibrate folded.
func (s *stepper) float() *Float {
	f := &Float{}
	wide := func(x []float32) []float64 {
		out := make([]float64, len(x))
		for i := range x {
			out[i] = float64(x[i])
		}
		return out
	}
	for _, l := range s.layers {
		f.Layers = append(f.Layers, FloatLayer{
			Inputs: l.Inputs, Weights: append([]int8(nil), l.q...),
			Gamma: wide(l.Gamma), Beta: wide(l.Beta), Mean: append([]float64(nil), l.Mean...), Var: append([]float64(nil), l.Var...), Epsilon: epsilon,
		})
	}
	return f
}

// forward evaluates f on packed inputs by the definition.
func (f *floatEval) forward(in []uint64) []uint64 {
	for i := range f.layers {
		l := &f.layers[i]
		out := l.out
		clear(out)
		for j, edges := range l.edges {
			d := 0.0
			for _, e := range edges {
				d += float64(e.weight) * float64(int(in[e.unit/64]>>(e.unit%64)&1)*2-1)
			}
			if l.units[j].active(d) {
				out[j/64] |= 1 << (j % 64)
			}
		}
		in = out
	}
	return in
}

// floatEval lists the nonzero weights of a Float, with buffers for one goroutine.
type floatEval struct {
	layers []floatLayer
}

type floatLayer struct {
	edges [][]edge // per unit; the unit of an edge is an input here
	units []unit
	out   []uint64
}

func newFloatEval(f *Float) *floatEval {
	ev := &floatEval{}
	for i := range f.Layers {
		l := &f.Layers[i]
		out := floatLayer{out: make([]uint64, bnn.Words(len(l.Gamma)))}
		for j := range l.Gamma {
			var edges []edge
			for k, w := range l.Weights[j*l.Inputs : (j+1)*l.Inputs] {
				if w != 0 {
					edges = append(edges, edge{int32(k), w})
				}
			}
			out.edges, out.units = append(out.edges, edges), append(out.units, l.unit(j))
		}
		ev.layers = append(ev.layers, out)
	}
	return ev
}

// CheckFold compares a network with the one that it was folded from, on every
// row of e. Any bit that differs is an error.
func CheckFold(f *Float, net *bnn.Network, e *Examples, threads int) error {
	threads = max(1, threads)
	wo := bnn.Words(e.Outputs)
	got := make([]uint64, e.Rows()*wo)
	ev := bnn.NewEvaluator(net)
	ev.ForwardMany(got, e.In, e.Rows(), ev.NewScratch())
	wrong := make([]int, threads)
	spread(threads, e.Rows(), func(from, to, thread int) {
		ev := newFloatEval(f)
		for i := from; i < to; i++ {
			for k, x := range ev.forward(e.Input(i)) {
				wrong[thread] += bits.OnesCount64(x ^ got[i*wo+k])
			}
		}
	})
	sum := 0
	for _, n := range wrong {
		sum += n
	}
	if sum > 0 {
		return fmt.Errorf("folding batch normalization changed %d output bits of %d rows, expected none", sum, e.Rows())
	}
	return nil
}
