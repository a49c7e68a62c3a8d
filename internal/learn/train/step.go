package train

import (
	"math"

	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/problem/bnn"
)

// stepper takes training steps on batches of rows.
type stepper struct {
	c       Config
	layers  []*layer
	luts    []*lut // one a thread
	ex      *Examples
	weights []float32 // of the loss, by row
	stride  int

	n       int       // rows of the batch
	in      []uint64  // packed
	targets []uint64  // packed outputs
	want    []uint64  // the same bits, output by output
	rw      []float32 // weights
	loss    []float64 // by output
	scale   float32   // of the loss
	adam    adam
}

func newStepper(c Config, ps []*params, ex *Examples, largest int) *stepper {
	s := &stepper{c: c, ex: ex, stride: (largest + 63) / 64 * 64}
	widest := 0
	for i, q := range ps {
		l := newLayer(q, c.Weights == Binary, c.WeightThreshold, s.stride, i == len(ps)-1)
		if i == 0 {
			s.in = make([]uint64, s.stride*l.words)
			l.in, l.inBits = s.in, make([]uint64, l.Inputs*s.stride/64)
		} else {
			l.in, l.inBits = s.layers[i-1].rows, s.layers[i-1].bits
		}
		s.layers = append(s.layers, l)
		widest = max(widest, l.Inputs, l.Units)
	}
	for range c.Threads {
		s.luts = append(s.luts, newLUT(widest))
	}
	s.targets, s.want = make([]uint64, s.stride*bnn.Words(ex.Outputs)), make([]uint64, ex.Outputs*s.stride/64)
	s.rw, s.loss = make([]float32, s.stride), make([]float64, ex.Outputs)
	s.weights = lossWeights(ex, c.Multiplicity)
	return s
}

// lossWeights returns row weights of mean 1.
func lossWeights(ex *Examples, power float64) []float32 {
	w := make([]float64, ex.Rows())
	sum := 0.0
	for i, c := range ex.Count {
		w[i] = math.Pow(float64(c), power)
		if ex.Weight != nil {
			w[i] *= float64(max(1, ex.Weight[i]))
		}
		sum += w[i]
	}
	out := make([]float32, len(w))
	for i := range w {
		out[i] = float32(w[i] * float64(len(w)) / sum)
	}
	return out
}

// step learns from the given rows; rate is Adam's for this step. It returns the
// batch's loss, summed over rows and averaged over outputs.
func (s *stepper) step(rows []int32, rate float64) float64 {
	s.load(rows)
	s.adam.next(rate)
	last := len(s.layers) - 1
	for i, l := range s.layers {
		spread(s.c.Threads, l.Units, func(from, to, thread int) {
			u := s.luts[thread]
			for j := from; j < to; j++ {
				l.forward(j, s.n, u)
				if i == last {
					s.hinge(l, j, u)
				}
			}
		})
		if i < last {
			spread(s.c.Threads, (s.n+63)/64, func(from, to, _ int) {
				for b := from; b < to; b++ {
					toRows(l.rows, l.bits, l.Units, s.stride/64, bnn.Words(l.Units), b, s.n)
				}
			})
		}
	}
	for i := last; i > 0; i-- {
		l, below := s.layers[i], s.layers[i-1]
		spread(s.c.Threads, below.Units, func(from, to, thread int) {
			u := s.luts[thread]
			for k := from; k < to; k++ {
				below.gather(l, k, s.n, u)
				below.hidden(k, s.n, s.c.Weights, u)
			}
		})
	}
	units := 0
	for _, l := range s.layers {
		units += l.Units
	}
	spread(s.c.Threads, units, func(from, to, thread int) {
		base := 0
		for _, l := range s.layers {
			for j := max(from-base, 0); j < min(to-base, l.Units); j++ {
				s.update(l, j, s.luts[thread])
			}
			base += l.Units
		}
	})
	loss := 0.0
	for _, x := range s.loss {
		loss += x
	}
	return loss / float64(len(s.loss))
}

// spread calls body for parts of 0..n on so many goroutines, where thread identifies the goroutine. The result must not depend on
// which of them processes an index.
func spread(threads, n int, body func(from, to, thread int)) {
	if threads = min(threads, n); threads <= 1 {
		body(0, n, 0)
		return
	}
	var group routine.Group
	for i := range threads {
		group.Go(func() { body(n*i/threads, n*(i+1)/threads, i) })
	}
	group.Wait()
}

// load sets the batch.
func (s *stepper) load(rows []int32) {
	s.n = len(rows)
	s.scale = 2 / (float32(s.n) * float32(s.ex.Outputs))
	l := s.layers[0]
	wi, wo := l.words, bnn.Words(s.ex.Outputs)
	for b, r := range rows {
		copy(s.in[b*wi:(b+1)*wi], s.ex.In[int(r)*wi:])
		copy(s.targets[b*wo:(b+1)*wo], s.ex.Out[int(r)*wo:])
		s.rw[b] = s.weights[r]
	}
	for b := range (s.n + 63) / 64 {
		toUnits(l.inBits, s.in, l.Inputs, s.stride/64, wi, b, s.n)
		toUnits(s.want, s.targets, s.ex.Outputs, s.stride/64, wo, b, s.n)
	}
}

// hinge sets the loss of output j and its gradient: the square of the amount by which the
// normalised sum falls short of 1 in the target's direction.
func (s *stepper) hinge(l *layer, j int, u *lut) {
	for a := range l.fan[j] + 1 {
		u.hat[a] = l.normal(j, a)
		y := l.output(j, u.hat[a])
		short := max(1-y, 0)
		u.lossP[a], u.plus[a] = float32(short*short), -s.scale*short
		short = max(1+y, 0)
		u.lossM[a], u.minus[a] = float32(short*short), s.scale*short
	}
	counts, g := l.agree[j*l.stride:][:s.n], l.grad[j*l.stride:][:l.stride]
	want := s.want[j*s.stride/64:]
	loss := 0.0
	for b, a := range counts {
		if want[b/64]>>(b%64)&1 == 1 {
			g[b] = float32(u.plus[a] * s.rw[b])
			loss += float64(u.lossP[a] * s.rw[b])
		} else {
			g[b] = float32(u.minus[a] * s.rw[b])
			loss += float64(u.lossM[a] * s.rw[b])
		}
	}
	s.loss[j] = loss
	l.normalise(j, s.n, u)
}

// gather sets the gradient of output k of layer l from that of the layer above.
func (l *layer) gather(above *layer, k, n int, u *lut) {
	plus, minus := u.list[0][:0], u.list[1][:0]
	for j := range above.Units {
		switch above.q[j*above.Inputs+k] {
		case 1:
			plus = append(plus, int32(j))
		case -1:
			minus = append(minus, int32(j))
		}
	}
	u.list[0], u.list[1] = plus, minus
	g := l.grad[k*l.stride:][:n]
	clear(g)
	addRows(g, above.grad, above.stride, plus, minus)
}

// hidden converts the gradient of unit j from its activation to its sum: through the
// surrogate of the sign and through batch normalization.
func (l *layer) hidden(j, n int, w Weights, u *lut) {
	for a := range l.fan[j] + 1 {
		u.hat[a] = l.normal(j, a)
		u.slope[a] = surrogate(w, l.output(j, u.hat[a]))
	}
	g, counts := l.grad[j*l.stride:][:n], l.agree[j*l.stride:][:n]
	for b, a := range counts {
		g[b] *= u.slope[a]
	}
	l.normalise(j, n, u)
}

// normalise converts the gradient of unit j from its normalised sum to the sum itself, and
// sets those of gamma and beta. u.hat must be set.
func (l *layer) normalise(j, n int, u *lut) {
	g, counts := l.grad[j*l.stride:][:n], l.agree[j*l.stride:][:n]
	sum, dot := float32(0), float32(0)
	for b, a := range counts {
		sum += g[b]
		dot += float32(g[b] * u.hat[a])
	}
	l.dGamma[j], l.dBeta[j] = dot, sum
	k := l.Gamma[j] * l.inv[j]
	for a := range l.fan[j] + 1 {
		u.rest[a] = float32(k * (sum + float32(dot*u.hat[a])) / float32(n))
	}
	for b, a := range counts {
		g[b] = float32(k*g[b]) - u.rest[a]
	}
	clear(l.grad[j*l.stride+n : (j+1)*l.stride])
}

// update moves the parameters of unit j.
func (s *stepper) update(l *layer, j int, u *lut) {
	sums := u.sums[:l.Inputs]
	words := l.stride / 64
	signedSums(sums, l.grad[j*l.stride:(j+1)*l.stride], l.inBits, words, (s.n+63)/64)
	l.Gamma[j] -= s.adam.move(l.dGamma[j], &l.MGamma[j], &l.VGamma[j])
	l.Beta[j] -= s.adam.move(l.dBeta[j], &l.MBeta[j], &l.VBeta[j])
	w := l.W[j*l.Inputs:][:l.Inputs]
	m, v := l.MW[j*l.Inputs:][:l.Inputs], l.VW[j*l.Inputs:][:l.Inputs]
	for i, g := range sums {
		w[i] = min(max(w[i]-s.adam.move(g, &m[i], &v[i]), -1), 1)
	}
	l.quantise(j)
}

// surrogate replaces the derivative of the sign: that of tanh or, for BinaryNet, that of the
// identity cut off at -1 and 1.
func surrogate(w Weights, y float32) float32 {
	if w == Binary {
		if y < -1 || y > 1 {
			return 0
		}
		return 1
	}
	e := math.Exp(-2 * math.Abs(float64(y)))
	return float32(4 * e / ((1 + e) * (1 + e)))
}
