package train

import (
	"math"
	"math/rand/v2"

	"github.com/fdplan/fdplan/problem/bnn"
)

// params are the learned parameters of a layer, with Adam's moments; a checkpoint contains
// them.
type params struct {
	Inputs, Units  int
	W              []float32 // latent weights, Units rows of Inputs
	Gamma, Beta    []float32
	MW, VW         []float32
	MGamma, VGamma []float32
	MBeta, VBeta   []float32
	// Mean and Var are those of agreements times two minus fan-in in the folded network; set
	// by fold.
	Mean, Var []float64
}

// epsilon is added to a variance before dividing by its root.
const epsilon = 1e-5

func newParams(inputs, units int, rng *rand.Rand) *params {
	p := &params{Inputs: inputs, Units: units}
	for _, s := range []*[]float32{&p.W, &p.MW, &p.VW} {
		*s = make([]float32, inputs*units)
	}
	for _, s := range []*[]float32{&p.Gamma, &p.Beta, &p.MGamma, &p.VGamma, &p.MBeta, &p.VBeta} {
		*s = make([]float32, units)
	}
	p.Mean, p.Var = make([]float64, units), make([]float64, units)
	for i := range p.W {
		p.W[i] = 2*rng.Float32() - 1
	}
	for i := range p.Gamma {
		p.Gamma[i], p.Var[i] = 1, 1
	}
	return p
}

// layer is a layer processing a batch.
type layer struct {
	*params
	words     int  // of a row of inputs
	binary    bool // no weight is 0
	threshold float32
	q         []int8 // effective weights
	sign      []uint64
	mask      []uint64
	fan       []int

	in     []uint64 // rows of inputs
	inBits []uint64 // the same bits, input by input
	rows   []uint64 // rows of outputs; nil for the last layer
	bits   []uint64 // outputs, unit by unit

	stride int      // rows of the largest batch, a multiple of 64
	agree  []uint16 // unit by unit
	// grad is, unit by unit, the derivative of the loss with respect to the sum of weights
	// times inputs; 0 beyond the batch.
	grad []float32
	mean []float32 // of the batch
	inv  []float32 // 1 / sqrt(variance + epsilon)

	dGamma, dBeta []float32
}

func newLayer(p *params, binary bool, threshold float64, stride int, last bool) *layer {
	l := &layer{params: p, words: bnn.Words(p.Inputs), binary: binary, threshold: float32(threshold), stride: stride}
	l.q = make([]int8, len(p.W))
	l.sign, l.mask = make([]uint64, p.Units*l.words), make([]uint64, p.Units*l.words)
	l.fan = make([]int, p.Units)
	l.agree, l.grad = make([]uint16, p.Units*stride), make([]float32, p.Units*stride)
	l.mean, l.inv = make([]float32, p.Units), make([]float32, p.Units)
	l.dGamma, l.dBeta = make([]float32, p.Units), make([]float32, p.Units)
	if !last {
		l.rows, l.bits = make([]uint64, stride*bnn.Words(p.Units)), make([]uint64, p.Units*stride/64)
	}
	for j := range p.Units {
		l.quantise(j)
	}
	return l
}

// quantise computes the effective weights of unit j from the latent ones.
func (l *layer) quantise(j int) {
	sign, mask := l.sign[j*l.words:(j+1)*l.words], l.mask[j*l.words:(j+1)*l.words]
	clear(sign)
	clear(mask)
	fan := 0
	w, q := l.W[j*l.Inputs:(j+1)*l.Inputs], l.q[j*l.Inputs:(j+1)*l.Inputs]
	for i, x := range w {
		switch {
		case l.binary && x >= 0, !l.binary && x >= l.threshold:
			q[i] = 1
			sign[i/64] |= 1 << (i % 64)
		case l.binary, x <= -l.threshold:
			q[i] = -1
		default:
			q[i] = 0
			continue
		}
		mask[i/64] |= 1 << (i % 64)
		fan++
	}
	l.fan[j] = fan
}

// count sets the agreements of unit j over n rows, and their mean and variance, as weighted
// sums.
func (l *layer) count(j, n int) (mean, variance float64) {
	a := l.agree[j*l.stride:][:n]
	agreements(a, l.in, l.sign[j*l.words:(j+1)*l.words], l.mask[j*l.words:(j+1)*l.words], l.fan[j])
	return moments(a, l.fan[j])
}

// moments returns the mean and variance of 2a - fan. The sums are integers, so that nothing
// is rounded before the end.
func moments(a []uint16, fan int) (mean, variance float64) {
	sum, squares := 0, 0
	for _, x := range a {
		sum += int(x)
		squares += int(x) * int(x)
	}
	n := len(a)
	mean = 2*float64(sum)/float64(n) - float64(fan)
	variance = 4 * (float64(n)*float64(squares) - float64(sum)*float64(sum)) / (float64(n) * float64(n))
	return mean, variance
}

// lut tabulates, for one unit, functions of the number of agreements.
type lut struct {
	hat   []float32 // normalised sum
	slope []float32 // derivative of the activation
	plus  []float32 // derivative of the loss if the target is 1
	minus []float32 // if it is 0
	lossP []float32
	lossM []float32
	rest  []float32
	sums  []float32 // per input, of the weights' gradient
	list  [2][]int32
}

func newLUT(widest int) *lut {
	u := &lut{}
	for _, s := range []*[]float32{&u.hat, &u.slope, &u.plus, &u.minus, &u.lossP, &u.lossM, &u.rest, &u.sums} {
		*s = make([]float32, widest+1)
	}
	return u
}

// forward computes unit j over n rows. For a hidden layer it sets the bits of the
// outputs.
func (l *layer) forward(j, n int, u *lut) {
	mean, variance := l.count(j, n)
	l.mean[j], l.inv[j] = float32(mean), float32(1/math.Sqrt(variance+epsilon))
	if l.bits == nil {
		return
	}
	for a := range l.fan[j] + 1 {
		u.rest[a] = l.output(j, l.normal(j, a))
	}
	counts := l.agree[j*l.stride:][:n]
	bits := l.bits[j*l.stride/64:][:l.stride/64]
	clear(bits)
	for b, a := range counts {
		if u.rest[a] >= 0 {
			bits[b/64] |= 1 << (b % 64)
		}
	}
}

// normal returns the normalised sum at a agreements.
func (l *layer) normal(j, a int) float32 {
	return (float32(2*a-l.fan[j]) - l.mean[j]) * l.inv[j]
}

// output returns the batch-normalised sum. The conversion keeps the compiler from fusing the
// product with the sum, which would change the rounding.
func (l *layer) output(j int, hat float32) float32 {
	return float32(l.Gamma[j]*hat) + l.Beta[j]
}
