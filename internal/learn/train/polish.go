package train

import (
	"context"
	"math/bits"
	"math/rand/v2"

	"github.com/fdplan/fdplan/problem/bnn"
)

// change is one move of the discrete search: a unit of a layer gets a new weight of one input
// and a new threshold. Either may be unchanged.
type change struct {
	layer, unit, input int
	weight             int8
	threshold          int32
}

// polisher contains a network with all its activations on some rows, so that the effect of a
// change can be found from the rows that it flips.
type polisher struct {
	net    *bnn.Network
	rows   int
	words  int        // of the rows as bits
	acts   [][]uint64 // per layer, inputs first: bits, unit by unit
	agree  [][]int32  // per layer: row by row, agreements of each unit
	cols   [][][]edge // per layer, per input: the units that read it
	want   []uint64   // outputs, unit by unit
	bad    []int32    // wrong bits of each row
	wrong  []uint64   // rows that have some
	bits   int        // wrong bits in all
	planes [2*reach + 1][]uint64
	reads  []edge  // inputs of the present unit; the unit of an edge is an input
	delta  []int32 // per unit, for the present row
	marked []bool
	lists  [2][]int32
}

type edge struct {
	unit   int32
	weight int8
}

// reach is how far the limit on agreements can move: the threshold by one, the agreements by
// one either way, and one to spare.
const reach = 3

func newPolisher(net *bnn.Network, e *Examples) *polisher {
	p := &polisher{net: cloneNetwork(net), rows: e.Rows(), words: bnn.Words(e.Rows())}
	unitwise := func(rows []uint64, units int) []uint64 {
		out := make([]uint64, units*p.words)
		for b := range p.words {
			toUnits(out, rows, units, p.words, bnn.Words(units), b, p.rows)
		}
		return out
	}
	p.acts = append(p.acts, unitwise(e.In, e.Inputs))
	p.want = unitwise(e.Out, e.Outputs)
	widest := 0
	rows, count := e.In, make([]uint16, p.rows)
	for i := range p.net.Layers {
		l := &p.net.Layers[i]
		widest = max(widest, l.Units())
		rows = p.addLayer(l, rows, count)
	}
	p.bad, p.wrong = make([]int32, p.rows), make([]uint64, p.words)
	for k, x := range p.acts[len(p.acts)-1] {
		for x ^= p.want[k]; x != 0; x &= x - 1 {
			b := k%p.words*64 + bits.TrailingZeros64(x)
			p.bad[b]++
			p.bits++
			p.wrong[b/64] |= 1 << (b % 64)
		}
	}
	for i := range p.planes {
		p.planes[i] = make([]uint64, p.words)
	}
	p.delta, p.marked = make([]int32, widest), make([]bool, widest)
	return p
}

// addLayer computes the agreements and activations of l from the rows of its
// inputs, with count as scratch, and returns the rows of its outputs.
func (p *polisher) addLayer(l *bnn.Layer, rows []uint64, count []uint16) []uint64 {
	words := bnn.Words(l.Inputs)
	sign, mask := make([]uint64, words), make([]uint64, words)
	cols := make([][]edge, l.Inputs)
	agree, acts := make([]int32, p.rows*l.Units()), make([]uint64, l.Units()*p.words)
	for j := range l.Units() {
		clear(sign)
		clear(mask)
		fan := 0
		for k, w := range l.Row(j) {
			if w == 0 {
				continue
			}
			cols[k] = append(cols[k], edge{int32(j), w})
			fan++
			mask[k/64] |= 1 << (k % 64)
			if w > 0 {
				sign[k/64] |= 1 << (k % 64)
			}
		}
		agreements(count, rows, sign, mask, fan)
		for b, a := range count {
			agree[b*l.Units()+j] = int32(a)
			if int32(a) >= l.Thresholds[j] {
				acts[j*p.words+b/64] |= 1 << (b % 64)
			}
		}
	}
	out := make([]uint64, p.rows*bnn.Words(l.Units()))
	for b := range p.words {
		toRows(out, acts, l.Units(), p.words, bnn.Words(l.Units()), b, p.rows)
	}
	p.acts, p.agree, p.cols = append(p.acts, acts), append(p.agree, agree), append(p.cols, cols)
	return out
}

func cloneNetwork(n *bnn.Network) *bnn.Network {
	out := &bnn.Network{}
	for _, l := range n.Layers {
		out.Layers = append(out.Layers, bnn.Layer{Inputs: l.Inputs, Weights: append([]int8(nil), l.Weights...), Thresholds: append([]int32(nil), l.Thresholds...)})
	}
	return out
}

// on returns input k of layer i at row b.
func (p *polisher) on(i, k, b int) bool { return p.acts[i][k*p.words+b/64]>>(b%64)&1 == 1 }

// look prepares the changes of one unit: planes[k] marks the rows with at least
// threshold + k - reach agreements.
func (p *polisher) look(layer, unit int) {
	l := &p.net.Layers[layer]
	edges := p.reads[:0]
	for k, w := range l.Row(unit) {
		if w != 0 {
			edges = append(edges, edge{int32(k), w})
		}
	}
	p.reads = edges
	least := l.Thresholds[unit] - reach
	digits := bits.Len(uint(len(edges)))
	acts := p.acts[layer]
	for w := range p.words {
		valid := ^uint64(0)
		if rest := p.rows % 64; rest != 0 && w == p.words-1 {
			valid = 1<<rest - 1
		}
		// 64 rows count at once, in binary, one word per digit.
		var count [16]uint64
		for _, e := range edges {
			carry := acts[int(e.unit)*p.words+w]
			if e.weight < 0 {
				carry = ^carry
			}
			for b := 0; carry != 0; b++ {
				count[b], carry = count[b]^carry, count[b]&carry
			}
		}
		for k := range p.planes {
			at := least + int32(k)
			switch {
			case at <= 0:
				p.planes[k][w] = valid
			case int(at) > len(edges):
				p.planes[k][w] = 0
			default:
				more, equal := uint64(0), valid
				for b := digits - 1; b >= 0; b-- {
					if at>>b&1 == 1 {
						equal &= count[b]
					} else {
						more |= equal & count[b]
						equal &^= count[b]
					}
				}
				p.planes[k][w] = more | equal
			}
		}
	}
}

// flips writes the rows whose activation c changes into dst; look has prepared the unit.
// touches reports whether a wrong row is among them.
func (p *polisher) flips(dst []uint64, c change) (touches bool) {
	l := &p.net.Layers[c.layer]
	w := l.Row(c.unit)[c.input]
	up := int(c.threshold-l.Thresholds[c.unit]) + reach
	at1, at0 := up, up
	at1 += b2i(w > 0) - b2i(c.weight > 0)
	at0 += b2i(w < 0) - b2i(c.weight < 0)
	x := p.acts[c.layer][c.input*p.words:][:p.words]
	old := p.acts[c.layer+1][c.unit*p.words:][:p.words]
	one, zero := p.planes[at1], p.planes[at0]
	var hit uint64
	for k := range dst {
		d := (x[k]&one[k] | ^x[k]&zero[k]) ^ old[k]
		dst[k] = d
		hit |= d & p.wrong[k]
	}
	// Beyond the last row everything is 0: no plane has bits there.
	return hit != 0
}

func b2i(x bool) int {
	if x {
		return 1
	}
	return 0
}

// propagate returns how many more bits of row b are wrong if a unit flips there. With commit,
// it applies the flip.
func (p *polisher) propagate(layer, unit, b int, commit bool) int {
	word, bit := b/64, uint64(1)<<(b%64)
	now := p.flipped(layer, unit, b, commit)
	sum := 0
	out := p.acts[len(p.acts)-1]
	for _, k := range now {
		at := int(k)*p.words + word
		if (out[at]^p.want[at])&bit != 0 {
			sum--
		} else {
			sum++
		}
		if commit {
			out[at] ^= bit
		}
	}
	if commit {
		p.bits += sum
		p.bad[b] += int32(sum)
		if p.wrong[word] &^= bit; p.bad[b] > 0 {
			p.wrong[word] |= bit
		}
	}
	return sum
}

// flipped returns the outputs that flip in row b if a unit flips. With commit, it
// applies the flips up to the last layer. The list is valid until the next call.
func (p *polisher) flipped(layer, unit, b int, commit bool) []int32 {
	now := append(p.lists[0][:0], int32(unit))
	next := p.lists[1][:0]
	word, bit := b/64, uint64(1)<<(b%64)
	for m := layer + 1; m < len(p.net.Layers); m++ {
		l := &p.net.Layers[m]
		agree := p.agree[m][b*l.Units() : (b+1)*l.Units()]
		acts := p.acts[m]
		next = next[:0]
		for _, u := range now {
			x := &acts[int(u)*p.words+word]
			step := int32(1) // it turns on
			if *x&bit != 0 {
				step = -1
			}
			if commit {
				*x ^= bit
			}
			for _, e := range p.cols[m][u] {
				if !p.marked[e.unit] {
					p.marked[e.unit] = true
					next = append(next, e.unit)
				}
				p.delta[e.unit] += step * int32(e.weight)
			}
		}
		kept := next[:0]
		for _, k := range next {
			d, t := p.delta[k], l.Thresholds[k]
			p.delta[k], p.marked[k] = 0, false
			if (agree[k] >= t) != (agree[k]+d >= t) {
				kept = append(kept, k)
			}
			if commit {
				agree[k] += d
			}
		}
		now, next = kept, now
	}
	p.lists[0], p.lists[1] = now, next
	return now
}

// cost returns how many more bits are wrong if a unit flips in the given rows. It stops, with
// a value above most, if there are more than that.
func (p *polisher) cost(layer, unit int, flips []uint64, most int) int {
	sum := 0
	for k, x := range flips { // wrong rows first: only they can lower the sum
		for x &= p.wrong[k]; x != 0; x &= x - 1 {
			sum += p.propagate(layer, unit, 64*k+bits.TrailingZeros64(x), false)
		}
	}
	if sum > most {
		return sum
	}
	for k, x := range flips {
		for x &^= p.wrong[k]; x != 0; x &= x - 1 {
			if sum += p.propagate(layer, unit, 64*k+bits.TrailingZeros64(x), false); sum > most {
				return sum
			}
		}
	}
	return sum
}

// apply makes the change with the given flips.
func (p *polisher) apply(c change, flips []uint64) {
	l := &p.net.Layers[c.layer]
	w := l.Row(c.unit)[c.input]
	if w != c.weight {
		d1, d0 := int32(b2i(c.weight > 0)-b2i(w > 0)), int32(b2i(c.weight < 0)-b2i(w < 0))
		agree := p.agree[c.layer]
		for b := range p.rows {
			if p.on(c.layer, c.input, b) {
				agree[b*l.Units()+c.unit] += d1
			} else {
				agree[b*l.Units()+c.unit] += d0
			}
		}
		col := p.cols[c.layer][c.input][:0]
		for _, e := range p.cols[c.layer][c.input] {
			if int(e.unit) != c.unit {
				col = append(col, e)
			}
		}
		if c.weight != 0 {
			col = append(col, edge{int32(c.unit), c.weight})
		}
		p.cols[c.layer][c.input] = col
		l.Row(c.unit)[c.input] = c.weight
	}
	l.Thresholds[c.unit] = c.threshold
	for k, x := range flips {
		for ; x != 0; x &= x - 1 {
			p.propagate(c.layer, c.unit, 64*k+bits.TrailingZeros64(x), true)
		}
	}
}

// legal reports whether the threshold of c fits the remaining fan-in.
func (p *polisher) legal(c change, fan int) bool {
	w := p.net.Layers[c.layer].Row(c.unit)[c.input]
	fan += b2i(c.weight != 0) - b2i(w != 0)
	return c.threshold >= 0 && int(c.threshold) <= fan+1
}

// repair searches for changes that leave fewer bits wrong: the best for one unit at a time,
// units in random order, until nothing is wrong or no change helps. Then it makes a change of
// cost 0, at most sideways times in all, never changing the same weight twice. It returns the
// number of changes.
func (p *polisher) repair(ctx context.Context, rng *rand.Rand, binary bool, sideways int) (changes int, err error) {
	var places []place
	for i := range p.net.Layers {
		for j := range p.net.Layers[i].Units() {
			places = append(places, place{i, j})
		}
	}
	s := repairing{polisher: p, rng: rng, tabu: map[weight]bool{}, flips: make([]uint64, p.words), values: []int8{-1, 0, 1}}
	if binary {
		s.values = []int8{-1, 1}
	}
	for p.bits > 0 {
		rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		improved := false
		s.evens = 0
		for _, at := range places {
			if p.bits == 0 {
				break
			}
			if err := ctx.Err(); err != nil {
				return changes, err
			}
			p.look(at.layer, at.unit)
			if best, gain := s.best(at); gain < 0 {
				p.flips(s.flips, best)
				p.apply(best, s.flips)
				changes++
				improved = true
			}
		}
		if improved {
			continue
		}
		if sideways--; sideways < 0 || s.evens == 0 {
			break
		}
		even := s.even
		p.look(even.layer, even.unit)
		p.flips(s.flips, even)
		p.apply(even, s.flips)
		s.tabu[weight{even.layer, even.unit, even.input}] = true
		changes++
	}
	return changes, nil
}

// place is a unit, weight one of its inputs.
type (
	place  struct{ layer, unit int }
	weight struct{ layer, unit, input int }
)

// repairing is the state of a repair.
type repairing struct {
	*polisher
	rng    *rand.Rand
	values []int8          // what a weight may be
	tabu   map[weight]bool // weights that were changed at cost 0
	flips  []uint64        // scratch
	even   change          // one of the changes of cost 0, drawn at random
	evens  int             // how many there were
}

// best returns the change of a unit that leaves the fewest bits wrong, and by how
// many they change: at most 0. It draws among changes of cost 0 as it goes.
func (s *repairing) best(at place) (best change, gain int) {
	l := &s.net.Layers[at.layer]
	fan := l.FanIn(at.unit)
	for i, w := range l.Row(at.unit) {
		for _, v := range s.values {
			for d := int32(-1); d <= 1; d++ {
				c := change{at.layer, at.unit, i, v, l.Thresholds[at.unit] + d}
				if v == w && (i > 0 || d == 0) || !s.legal(c, fan) || !s.polisher.flips(s.flips, c) {
					continue
				}
				// A tie is useful as long as nothing better is known.
				switch cost := s.cost(at.layer, at.unit, s.flips, min(gain, 0)); {
				case cost < gain:
					best, gain = c, cost
				case cost == 0 && gain == 0 && !s.tabu[weight{at.layer, at.unit, i}]:
					if s.evens++; s.rng.IntN(s.evens) == 0 {
						s.even = c
					}
				}
			}
		}
	}
	return best, gain
}
