package bnn

import (
	"math/bits"
	"slices"
)

// Words is the number of 64-bit words that hold n packed bits; bit i is bit
// i%64 of word i/64, true for +1.
func Words(n int) int { return (n + 63) / 64 }

// Pack returns bits as words, bit i in word i/64 as its bit i%64.
func Pack(bits []bool) []uint64 {
	words := make([]uint64, Words(len(bits)))
	PackInto(words, bits)
	return words
}

// PackInto is Pack into words that are there.
func PackInto(words []uint64, bits []bool) {
	clear(words[:Words(len(bits))])
	for i, x := range bits {
		if x {
			words[i/64] |= 1 << (i % 64)
		}
	}
}

// packed is a layer ready for evaluation: unit j is active if and only if the
// number of ones in (x XOR disagree) AND mask is at most slack. XOR marks the
// inputs that disagree with their weights, so this is the XNOR and popcount of
// Hubara and others (2016) counted from the other side.
type packed struct {
	words int // of one input row
	units int
	dense bool     // no weight is 0: rows hold no masks
	rows  []uint64 // per unit: words of weights (1 for +1), then words of mask
	slack []int32  // fan-in minus threshold; -1 for a unit that is never active
}

// Evaluator runs a network on packed bits. It holds no buffers and may be used
// by many goroutines, each with its own Scratch.
type Evaluator struct {
	inputs, outputs int
	layers          []packed
	lanes           []laneLayer
	width           int // words of the widest layer
	widest          int // units of the widest layer, inputs included
	useLanes        bool
}

// Scratch holds the buffers of one goroutine's evaluations.
type Scratch struct {
	a, b           []uint64
	lanesA, lanesB []uint64
}

// NewEvaluator packs n, which must pass Check.
func NewEvaluator(n *Network) *Evaluator {
	e := &Evaluator{inputs: n.Inputs(), outputs: n.Outputs(), width: Words(n.Inputs()), widest: n.Inputs()}
	words := 0
	for i := range n.Layers {
		l := &n.Layers[i]
		e.layers = append(e.layers, newPacked(l))
		e.lanes = append(e.lanes, newLaneLayer(l))
		words += 64 * Words(l.Inputs) * l.Units()
		e.width = max(e.width, Words(l.Units()))
		e.widest = max(e.widest, l.Units())
	}
	// An edge costs a lane about as much as its bit of a word costs the popcount; lanes win
	// when words are not full (BenchmarkForward).
	e.useLanes = 5*n.Edges() < 4*words
	return e
}

// newPacked lays out one layer.
func newPacked(l *Layer) packed {
	w := Words(l.Inputs)
	p := packed{words: w, units: l.Units(), dense: !slices.Contains(l.Weights, 0), slack: make([]int32, l.Units())}
	stride := 2 * w
	if p.dense {
		stride = w
	}
	p.rows = make([]uint64, stride*l.Units())
	for j := range l.Units() {
		row := p.rows[stride*j : stride*(j+1)]
		for i, x := range l.Row(j) {
			if x != 0 && !p.dense {
				row[w+i/64] |= 1 << (i % 64)
			}
			if x > 0 {
				row[i/64] |= 1 << (i % 64)
			}
		}
		p.slack[j] = int32(l.FanIn(j)) - l.Thresholds[j]
	}
	return p
}

// NewScratch allocates buffers for one goroutine.
func (e *Evaluator) NewScratch() *Scratch {
	return &Scratch{
		a: make([]uint64, e.width), b: make([]uint64, e.width),
		lanesA: make([]uint64, 2*e.widest), lanesB: make([]uint64, 2*e.widest),
	}
}

// Forward runs the network on the Words(inputs) words of in and writes
// Words(outputs) words to out. Bits of in beyond the inputs do not matter.
func (e *Evaluator) Forward(out, in []uint64, s *Scratch) {
	x, y := s.a, s.b
	// Rows without masks need clean padding; layers write clean words.
	copy(x, in[:Words(e.inputs)])
	if rest := e.inputs % 64; rest != 0 {
		x[e.inputs/64] &= 1<<rest - 1
	}
	for i := range e.layers {
		if i == len(e.layers)-1 {
			y = out
		}
		e.layers[i].forward(y, x)
		x, y = y, x
	}
}

func (p *packed) forward(out, in []uint64) {
	for base := 0; base < p.units; base += 64 {
		slack := p.slack[base:min(base+64, p.units)]
		switch {
		case p.dense && p.words == 1:
			out[base/64] = dense1(p.rows[base:], slack, in[0])
		case p.dense && p.words == 2:
			out[base/64] = dense2(p.rows[2*base:], slack, in[0], in[1])
		case p.words == 1:
			out[base/64] = masked1(p.rows[2*base:], slack, in[0])
		case p.words == 2:
			out[base/64] = masked2(p.rows[4*base:], slack, in[0], in[1])
		case p.dense:
			out[base/64] = denseN(p.rows[p.words*base:], slack, in[:p.words])
		default:
			out[base/64] = maskedN(p.rows[2*p.words*base:], slack, in[:p.words])
		}
	}
}

// The kernels return the activations of up to 64 units as one word. Those for one and two
// words keep the inputs in registers: nearly all layers have at most 128 inputs.

func dense1(rows []uint64, slack []int32, x uint64) (word uint64) {
	rows = rows[:len(slack)]
	for j, r := range rows {
		word = word>>1 | active(slack[j], bits.OnesCount64(x^r))
	}
	return word >> (64 - uint(len(slack)))
}

func dense2(rows []uint64, slack []int32, x, y uint64) (word uint64) {
	for j, s := range slack {
		q := rows[2*j : 2*j+2 : 2*j+2]
		word = word>>1 | active(s, bits.OnesCount64(x^q[0])+bits.OnesCount64(y^q[1]))
	}
	return word >> (64 - uint(len(slack)))
}

func masked1(rows []uint64, slack []int32, x uint64) (word uint64) {
	for j, s := range slack {
		q := rows[2*j : 2*j+2 : 2*j+2]
		word = word>>1 | active(s, bits.OnesCount64((x^q[0])&q[1]))
	}
	return word >> (64 - uint(len(slack)))
}

func masked2(rows []uint64, slack []int32, x, y uint64) (word uint64) {
	for j, s := range slack {
		q := rows[4*j : 4*j+4 : 4*j+4]
		word = word>>1 | active(s, bits.OnesCount64((x^q[0])&q[2])+bits.OnesCount64((y^q[1])&q[3]))
	}
	return word >> (64 - uint(len(slack)))
}

func denseN(rows []uint64, slack []int32, in []uint64) (word uint64) {
	for j, s := range slack {
		d := 0
		for i, r := range rows[len(in)*j : len(in)*(j+1)] {
			d += bits.OnesCount64(in[i] ^ r)
		}
		word = word>>1 | active(s, d)
	}
	return word >> (64 - uint(len(slack)))
}

func maskedN(rows []uint64, slack []int32, in []uint64) (word uint64) {
	w := len(in)
	for j, s := range slack {
		row := rows[2*w*j : 2*w*(j+1)]
		d := 0
		for i, x := range in {
			d += bits.OnesCount64((x ^ row[i]) & row[w+i])
		}
		word = word>>1 | active(s, d)
	}
	return word >> (64 - uint(len(slack)))
}

// active is the top bit when disagreements <= slack, without a branch. Kernels
// shift units in from the top: a shift by a constant is cheaper than one by
// the unit's number.
func active(slack int32, disagreements int) uint64 {
	return ^uint64(int(slack)-disagreements) &^ (1<<63 - 1)
}
