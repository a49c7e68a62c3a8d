package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/integer"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 99)) }

func bit(words []uint64, i int) bool { return words[i/64]>>(i%64)&1 == 1 }

// TestKernels compares every kernel with its definition, at sizes around words.
func TestKernels(t *testing.T) {
	rng := random(1)
	for _, inputs := range []int{1, 7, 63, 64, 65, 128, 129, 200} {
		for _, n := range []int{1, 63, 64, 65, 256} {
			const units = 9
			stride := (n + 63) / 64 * 64
			l := newLayer(newParams(inputs, units, rng), false, 0.5, stride, false)
			l.in, l.inBits = make([]uint64, stride*l.words), make([]uint64, inputs*stride/64)
			for b := range n {
				for k := range inputs {
					l.in[b*l.words+k/64] |= rng.Uint64() & (1 << (k % 64))
				}
			}
			for b := range (n + 63) / 64 {
				toUnits(l.inBits, l.in, inputs, stride/64, l.words, b, n)
			}
			back := make([]uint64, len(l.in))
			for b := range (n + 63) / 64 {
				toRows(back, l.inBits, inputs, stride/64, l.words, b, n)
			}
			if !slices.Equal(back, l.in) {
				t.Fatalf("%d inputs, %d rows: bits do not come back", inputs, n)
			}
			for j := range units {
				mean, variance := l.count(j, n)
				sum, squares := 0.0, 0.0
				for b := range n {
					d := 0
					for k, w := range l.q[j*inputs : (j+1)*inputs] {
						if bit(l.in[b*l.words:], k) {
							d += int(w)
						} else {
							d -= int(w)
						}
					}
					if got := 2*int(l.agree[j*stride+b]) - l.fan[j]; got != d {
						t.Fatalf("%d inputs, unit %d, row %d: sum %d, want %d", inputs, j, b, got, d)
					}
					sum += float64(d)
					squares += float64(d * d)
				}
				m := sum / float64(n)
				if v := squares/float64(n) - m*m; math.Abs(m-mean) > 1e-9 || math.Abs(v-variance) > 1e-9 {
					t.Fatalf("mean %v and variance %v, want %v and %v", mean, variance, m, v)
				}
			}
			g := make([]float32, stride)
			for b := range n {
				g[b] = rng.Float32() - 0.5
			}
			got := make([]float32, inputs)
			signedSums(got, g, l.inBits, stride/64, (n+63)/64)
			for k := range got {
				want := 0.0
				for b := range n {
					if bit(l.in[b*l.words:], k) {
						want += float64(g[b])
					} else {
						want -= float64(g[b])
					}
				}
				if math.Abs(want-float64(got[k])) > 1e-4 {
					t.Fatalf("%d inputs, %d rows: signed sum %v, want %v", inputs, n, got[k], want)
				}
			}
		}
	}
	g := make([]float32, 12*8)
	for i := range g {
		g[i] = float32(int(rng.Uint32()%64) - 32)
	}
	for cut := range 13 {
		var plus, minus []int32
		want := make([]float32, 7)
		for j := range 12 {
			for k := range want {
				if j < cut {
					want[k] += g[j*8+k]
				} else {
					want[k] -= g[j*8+k]
				}
			}
			if j < cut {
				plus = append(plus, int32(j))
			} else {
				minus = append(minus, int32(j))
			}
		}
		got := make([]float32, 7)
		addRows(got, g, 8, plus, minus)
		if !slices.Equal(got, want) {
			t.Errorf("%d rows added, the others taken away: %v, want %v", cut, got, want)
		}
	}
}

// TestGradients compares a step's gradients with differences of the loss, which is
// implemented again in float64 with continuously varying sums.
func TestGradients(t *testing.T) {
	rng := random(2)
	b := NewBuilder(6, 3)
	for range 20 {
		in, out := make([]bool, 6), make([]bool, 3)
		for i := range in {
			in[i] = rng.IntN(2) == 1
		}
		for i := range out {
			out[i] = rng.IntN(2) == 1
		}
		b.Add(in, out)
	}
	e := b.Examples()
	n := e.Rows()
	for i := range e.Count {
		e.Count[i] = int32(1 + i%3)
	}
	c, err := Config{Hidden: []int{5}, WeightThreshold: 0.3, Multiplicity: 1, Threads: 1}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	ps := []*params{newParams(6, 5, rng), newParams(5, 3, rng)}
	for _, q := range ps {
		for j := range q.Gamma {
			q.Gamma[j], q.Beta[j] = rng.Float32()*2-0.7, rng.Float32()-0.5
		}
	}
	s := newStepper(c, ps, e, n)
	rows := integer.Below[int32](n)
	s.load(rows)
	for _, l := range s.layers {
		for j := range l.Units {
			l.forward(j, n, s.luts[0])
			if l.bits == nil {
				s.hinge(l, j, s.luts[0])
			}
		}
		if l.bits != nil {
			toRows(l.rows, l.bits, l.Units, s.stride/64, 1, 0, n)
		}
	}
	// normal is batch normalization of d, followed by act.
	normal := func(d []float64, gamma, beta float64) []float64 {
		mean, variance := 0.0, 0.0
		for _, x := range d {
			mean += x / float64(n)
		}
		for _, x := range d {
			variance += (x - mean) * (x - mean) / float64(n)
		}
		y := make([]float64, n)
		for b, x := range d {
			y[b] = gamma*(x-mean)/math.Sqrt(variance+epsilon) + beta
		}
		return y
	}
	loss := func(j int, d []float64, gamma, beta float64) float64 {
		sum := 0.0
		for b, y := range normal(d, gamma, beta) {
			if !bit(e.Output(b), j) {
				y = -y
			}
			short := max(1-y, 0)
			sum += short * short * float64(s.weights[b])
		}
		return sum / float64(n*e.Outputs)
	}
	near := func(what string, got float32, up, down, h float64) {
		t.Helper()
		if want := (up - down) / (2 * h); math.Abs(want-float64(got)) > 1e-4+1e-2*math.Abs(want) {
			t.Errorf("%s: gradient %v, want %v", what, got, want)
		}
	}
	sums := func(l *layer, j int) []float64 {
		d := make([]float64, n)
		for b := range d {
			d[b] = float64(2*int(l.agree[j*l.stride+b]) - l.fan[j])
		}
		return d
	}
	const h = 1e-4
	top, low := s.layers[1], s.layers[0]
	for j := range top.Units {
		d, gamma, beta := sums(top, j), float64(top.Gamma[j]), float64(top.Beta[j])
		near("gamma", top.dGamma[j], loss(j, d, gamma+h, beta), loss(j, d, gamma-h, beta), h)
		near("beta", top.dBeta[j], loss(j, d, gamma, beta+h), loss(j, d, gamma, beta-h), h)
		for b := range d {
			x := d[b]
			d[b] = x + h
			up := loss(j, d, gamma, beta)
			d[b] = x - h
			near("sum", top.grad[j*top.stride+b], up, loss(j, d, gamma, beta), h)
			d[b] = x
		}
	}
	// Below, the loss is treated as linear in the activations, and an activation as the tanh
	// of the normalised sum.
	for k := range low.Units {
		d, gamma, beta := sums(low, k), float64(low.Gamma[k]), float64(low.Beta[k])
		low.gather(top, k, n, s.luts[0])
		up := make([]float64, n)
		for b := range up {
			for j := range top.Units {
				up[b] += float64(top.q[j*top.Inputs+k]) * float64(top.grad[j*top.stride+b])
			}
			if math.Abs(up[b]-float64(low.grad[k*low.stride+b])) > 1e-6 {
				t.Fatalf("gradient %v of an activation, want %v", low.grad[k*low.stride+b], up[b])
			}
		}
		low.hidden(k, n, Ternary, s.luts[0])
		value := func(gamma, beta float64) float64 {
			sum := 0.0
			for b, y := range normal(d, gamma, beta) {
				sum += up[b] * math.Tanh(y)
			}
			return sum
		}
		near("hidden gamma", low.dGamma[k], value(gamma+h, beta), value(gamma-h, beta), h)
		near("hidden beta", low.dBeta[k], value(gamma, beta+h), value(gamma, beta-h), h)
		for b := range d {
			x := d[b]
			d[b] = x + h
			v := value(gamma, beta)
			d[b] = x - h
			near("hidden sum", low.grad[k*low.stride+b], v, value(gamma, beta), h)
			d[b] = x
		}
	}
	if w := surrogate(Binary, 1.01); w != 0 || surrogate(Binary, -0.99) != 1 {
		t.Error("the gradient of BinaryNet is not cut off at 1")
	}
}

// TestFoldUnit tries every number of agreements, including ties.
func TestFoldUnit(t *testing.T) {
	rng := random(3)
	for range 20000 {
		n := rng.IntN(30)
		u := unit{rng.NormFloat64(), rng.NormFloat64() * 2, rng.NormFloat64() * 10, rng.Float64() * 30, 1, epsilon}
		switch rng.IntN(6) {
		case 0:
			u.gamma = 0
		case 1: // a tie at a whole number of agreements
			u.beta, u.mean = 0, float64(2*rng.IntN(n+1)-n)
		case 2:
			u.variance = 0
		case 4: // scaled weights, as of networks trained elsewhere
			u.scale, u.epsilon = []float64{0.5, 3, 0.1}[rng.IntN(3)], 1e-3
			u.mean = u.scale * float64(rng.IntN(2*n+1)-n)
			u.beta = float64(rng.IntN(2)) * u.beta
		case 3: // ties except for rounding
			u.mean = float64(rng.IntN(2*n+1) - n)
			u.beta = u.gamma / math.Sqrt(u.variance+epsilon) * float64(rng.IntN(5)-2)
		}
		p, negate := u.threshold(n)
		if p < 0 || p > n+1 {
			t.Fatalf("threshold %d of fan-in %d", p, n)
		}
		for a := range n + 1 {
			want := u.gamma*(u.scale*float64(2*a-n)-u.mean)/math.Sqrt(u.variance+u.epsilon)+u.beta >= 0
			agreeing := a
			if negate {
				agreeing = n - a
			}
			if got := agreeing >= p; got != want {
				t.Fatalf("%+v, %d of %d agree: active %v, want %v", u, a, n, got, want)
			}
		}
	}
	if p, negate := (unit{1, 0, 1, 4, 1, epsilon}).threshold(5); p != 3 || negate {
		t.Errorf("a tie does not count as active: threshold %d", p)
	}
	if p, negate := (unit{-1, 0, 1, 4, 1, epsilon}).threshold(5); p != 2 || !negate {
		t.Errorf("a tie does not count as active: threshold %d of negated weights", p)
	}
}

// TestFold folds networks with units of all kinds and compares on all inputs.
func TestFold(t *testing.T) {
	rng := random(4)
	all := NewBuilder(7, 4)
	for x := range 128 {
		in := make([]bool, 7)
		for i := range in {
			in[i] = x>>i&1 == 1
		}
		all.Add(in, make([]bool, 4))
	}
	e := all.Examples()
	for range 30 {
		f := &Float{}
		inputs := 7
		for _, units := range []int{70, 9, 4} {
			l := FloatLayer{Inputs: inputs}
			for range units {
				for range inputs {
					l.Weights = append(l.Weights, int8(rng.IntN(3)-1))
				}
				l.Gamma = append(l.Gamma, float64(rng.IntN(3)-1)*rng.Float64())
				l.Beta = append(l.Beta, float64(rng.IntN(3)-1))
				l.Mean = append(l.Mean, float64(rng.IntN(9)-4))
				l.Var = append(l.Var, rng.Float64()*9)
			}
			f.Layers = append(f.Layers, l)
			inputs = units
		}
		net := f.Fold()
		if err := net.Check(); err != nil {
			t.Fatal(err)
		}
		if err := CheckFold(f, net, e, 2); err != nil {
			t.Fatal(err)
		}
		last := &net.Layers[2]
		last.Thresholds[0] = 0
		always := CheckFold(f, net, e, 2)
		last.Thresholds[0] = int32(last.FanIn(0)) + 1
		if always == nil && CheckFold(f, net, e, 2) == nil {
			t.Fatal("another threshold goes unnoticed")
		}
	}
}
