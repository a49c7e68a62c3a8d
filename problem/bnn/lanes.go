package bnn

import "math/bits"

// laneLayer evaluates a layer on 64 inputs at once. Word 2i holds input i of all 64, and word
// 2i+1 its complement, so that an edge of weight +1 or -1 is one load. A unit counts its
// agreeing inputs in bit-sliced counters, built from carry-save adders (Harley and Seal). The
// cost is thus proportional to the fan-in over 64, whereas the popcount of one input at a
// time pays for the whole row.
type laneLayer struct {
	start  []int32  // first edge of each unit, then the end
	edges  []uint32 // input i with weight +1: 2i; with weight -1: 2i+1
	thresh []int32
}

func newLaneLayer(l *Layer) laneLayer {
	ll := laneLayer{start: []int32{0}, thresh: l.Thresholds}
	for j := range l.Units() {
		for i, w := range l.Row(j) {
			switch {
			case w > 0:
				ll.edges = append(ll.edges, uint32(2*i))
			case w < 0:
				ll.edges = append(ll.edges, uint32(2*i+1))
			}
		}
		ll.start = append(ll.start, int32(len(ll.edges)))
	}
	return ll
}

// ForwardMany runs the network on n inputs packed one after another, each
// Words(inputs) words, and writes n outputs of Words(outputs) words to out.
func (e *Evaluator) ForwardMany(out, in []uint64, n int, s *Scratch) {
	wi, wo := Words(e.inputs), Words(e.outputs)
	for from := 0; from < n; from += 64 {
		count := min(64, n-from)
		if !e.useLanes || count < 16 { // the cost of lanes does not depend on how many are used
			for k := from; k < from+count; k++ {
				e.Forward(out[k*wo:(k+1)*wo], in[k*wi:(k+1)*wi], s)
			}
			continue
		}
		e.forward64(out[from*wo:(from+count)*wo], in[from*wi:(from+count)*wi], count, s)
	}
}

// forward64 transposes up to 64 inputs into lanes, evaluates, and transposes
// back.
func (e *Evaluator) forward64(out, in []uint64, count int, s *Scratch) {
	var block [64]uint64
	wi, wo := Words(e.inputs), Words(e.outputs)
	x, y := s.lanesA, s.lanesB
	for w := range wi {
		for k := range block {
			block[k] = 0
			if k < count {
				block[k] = in[k*wi+w]
			}
		}
		Transpose(&block)
		for i, v := range block[:min(64, e.inputs-64*w)] {
			x[2*(64*w+i)], x[2*(64*w+i)+1] = v, ^v
		}
	}
	for i := range e.lanes {
		e.lanes[i].forward(y, x)
		x, y = y, x
	}
	for w := range wo {
		for j := range block {
			block[j] = 0
			if 64*w+j < e.outputs {
				block[j] = x[2*(64*w+j)]
			}
		}
		Transpose(&block)
		for k := range count {
			out[k*wo+w] = block[k]
		}
	}
}

func (l *laneLayer) forward(out, in []uint64) {
	for j := range l.thresh {
		v := countLanes(in, l.edges[l.start[j]:l.start[j+1]], int(l.thresh[j]))
		out[2*j], out[2*j+1] = v, ^v
	}
}

// countLanes returns the lanes in which at least p of the edges agree.
func countLanes(in []uint64, edges []uint32, p int) uint64 {
	// The counter starts at 2^k - p, so that the sum reaches 2^k exactly
	// when p inputs agree: the comparison is the carry into bit k.
	k := bits.Len(uint(max(len(edges), p)))
	var c [33]uint64
	bias := 1<<k - p
	for i := range k {
		if bias>>i&1 == 1 {
			c[i] = ^uint64(0)
		}
	}
	var reached uint64
	if bias>>k&1 == 1 {
		reached = ^uint64(0)
	}
	i := 0
	for ; i+7 <= len(edges); i += 7 {
		e := edges[i : i+7 : i+7]
		// Seven inputs and the counter's lowest bit: four full adders.
		s1, c1 := add3(c[0], in[e[0]], in[e[1]])
		s2, c2 := add3(s1, in[e[2]], in[e[3]])
		s3, c3 := add3(s2, in[e[4]], in[e[5]])
		carry4 := s3 & in[e[6]]
		c[0] = s3 ^ in[e[6]]
		if k == 1 {
			reached |= c1 | c2 | c3 | carry4
			continue
		}
		t1, d1 := add3(c[1], c1, c2)
		t2, d2 := add3(t1, c3, carry4)
		c[1] = t2
		if k == 2 {
			reached |= d1 | d2
			continue
		}
		u, carry := add3(c[2], d1, d2)
		c[2] = u
		for b := 3; b < k; b++ {
			carry, c[b] = carry&c[b], carry^c[b]
		}
		reached |= carry
	}
	for ; i < len(edges); i++ {
		carry := in[edges[i]]
		for b := range k {
			carry, c[b] = carry&c[b], carry^c[b]
		}
		reached |= carry
	}
	return reached
}

// add3 is a full adder in each lane.
func add3(a, b, c uint64) (sum, carry uint64) {
	x := a ^ b
	return x ^ c, a&b | x&c
}

// Transpose exchanges rows and columns of a 64x64 bit matrix (Warren, Hacker's
// Delight, section 7-3): bit j of word i becomes bit i of word j.
func Transpose(m *[64]uint64) {
	mask := uint64(0x00000000FFFFFFFF)
	for j := 32; j != 0; j, mask = j>>1, mask^(mask<<(j>>1)) {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (m[k]>>j ^ m[k+j]) & mask
			m[k] ^= t << j
			m[k+j] ^= t
		}
	}
}
