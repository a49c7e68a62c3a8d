package propagate

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
)

// packing has the neurons of many inputs. They are propagated by bits: inputs that are false, and
// those that are true, are counted in words of 64 variables, where slacks take a step for each
// input of each neuron, and another to undo it.
type packing struct {
	blocks []block
	byKey  map[string]int32 // blocks by words
	users  [][]user         // by word
	outs   [][]place        // by variable: the neurons of which it is the output
}

// block is the neurons over the same words.
type block struct {
	words   []int32
	neurons []neuron
	masks   []uint64 // by neuron and word: inputs that are variables, those that are negations
}

// neuron is true if at least on of its inputs are true, and false if at least off of them are false.
type neuron struct {
	out     code
	on, off int
}

// place is where a neuron is.
type place struct{ block, neuron int32 }

// user is a block with variables of a word.
type user struct {
	block int32
	mask  uint64
}

// minDensity is the least number of inputs for each word from which counting bits pays.
const minDensity = 8

// pack adds a neuron to a block if it can be one of it.
func (s *packing) pack(n *model.Neuron) bool {
	on, off := n.Threshold, len(n.Inputs)-n.Threshold+1
	if on <= 0 || off <= 0 || len(n.Inputs) < minDensity {
		return false
	}
	masks := map[int32][2]uint64{}
	var words []int32
	for _, x := range n.Inputs {
		l := encode(x)
		m, there := masks[l>>7]
		if !there {
			if words = append(words, l>>7); minDensity*len(words) > len(n.Inputs) {
				return false
			}
		}
		bit := uint64(1) << (l >> 1 & 63)
		if (m[0]|m[1])&bit != 0 {
			return false // the variable occurs twice
		}
		m[l&1] |= bit
		masks[l>>7] = m
	}
	slices.Sort(words)
	id := s.blockOf(words)
	b := &s.blocks[id]
	for _, w := range words {
		m := masks[w]
		b.masks = append(b.masks, m[0], m[1])
		s.use(id, w, m[0]|m[1])
	}
	out := encode(n.Out)
	s.outs[out>>1] = append(s.outs[out>>1], place{id, int32(len(b.neurons))})
	b.neurons = append(b.neurons, neuron{out, int(on), off})
	return true
}

// blockOf is the block over some words.
func (s *packing) blockOf(words []int32) int32 {
	var key []byte
	for _, w := range words {
		key = binary.LittleEndian.AppendUint32(key, uint32(w))
	}
	id, there := s.byKey[string(key)]
	if !there {
		id = int32(len(s.blocks))
		s.byKey[string(key)] = id
		s.blocks = append(s.blocks, block{words: words})
	}
	return id
}

// use notes that a block has variables of a word.
func (s *packing) use(id, w int32, mask uint64) {
	for i, u := range s.users[w] {
		if u.block == id {
			s.users[w][i].mask |= mask
			return
		}
	}
	s.users[w] = append(s.users[w], user{id, mask})
}

// counting is what a State knows of packed neurons.
type counting struct {
	bits   []uint64 // by word: its variables that are false, those that are true
	queue  []int32  // blocks whose neurons are to be counted
	queued []bool   // by block
	now    []uint64 // bits of a block's words
	counts []bool   // by variable: its neuron's inputs gave its value, and nothing looked at that yet
}

// enqueue has the neurons of a block be counted.
func (st *State) enqueue(id int32) {
	if !st.queued[id] {
		st.queued[id] = true
		st.queue = append(st.queue, id)
	}
}

// wake queues the blocks of a variable that was assigned, and counts the neurons of which it is
// the output, unless it is that of one alone, and has its value by these inputs.
func (st *State) wake(v int32) bool {
	for _, u := range st.sys.users[v/64] {
		if u.mask>>(v%64)&1 == 1 {
			st.enqueue(u.block)
		}
	}
	outs := st.sys.outs[v]
	if st.counts[v] {
		st.counts[v] = false
		if len(outs) == 1 {
			return true
		}
	}
	for _, at := range outs {
		if !st.count(at.block, at.neuron, at.neuron+1) {
			return false
		}
	}
	return true
}

// countNext counts the neurons of the block that has waited longest.
func (st *State) countNext() bool {
	id := st.queue[0]
	st.queue = slices.Delete(st.queue, 0, 1)
	st.queued[id] = false
	return st.count(id, 0, int32(len(st.sys.blocks[id].neurons)))
}

// count propagates some neurons of a block; false is a contradiction. What follows queues the block
// again if other neurons of it have the literal.
func (st *State) count(id, from, to int32) bool {
	b := &st.sys.blocks[id]
	now := st.now[:0]
	for _, w := range b.words {
		now = append(now, st.bits[2*w], st.bits[2*w+1])
	}
	st.now = now
	for i := from; i < to; i++ {
		n := &b.neurons[i]
		masks := b.masks[int(i)*len(now):]
		masks = masks[:len(now)]
		falses, trues := 0, 0
		for j := 0; j+1 < len(now); j += 2 {
			falses += bits.OnesCount64(now[j]&masks[j] | now[j+1]&masks[j+1])
			trues += bits.OnesCount64(now[j+1]&masks[j] | now[j]&masks[j+1])
		}
		switch st.value[n.out] {
		case 0:
			if falses >= n.off {
				st.set(n.out ^ 1)
				st.counts[n.out>>1] = true
			} else if trues >= n.on {
				st.set(n.out)
				st.counts[n.out>>1] = true
			}
		case 1:
			if falses >= n.off {
				return false
			}
			if falses == n.off-1 && trues < n.on {
				st.force(b, masks, 0)
			}
		case -1:
			if trues >= n.on {
				return false
			}
			if trues == n.on-1 && falses < n.off {
				st.force(b, masks, 1)
			}
		}
	}
	return true
}

// force makes the open inputs true, or false where negated is 1.
func (st *State) force(b *block, masks []uint64, negated code) {
	for j, w := range b.words {
		open := (masks[2*j] | masks[2*j+1]) &^ (st.now[2*j] | st.now[2*j+1])
		for ; open != 0; open &= open - 1 {
			i := code(bits.TrailingZeros64(open))
			if l := (64*w+i)<<1 | code(masks[2*j+1]>>i&1) ^ negated; st.value[l] == 0 {
				st.set(l)
			}
		}
	}
}

// forgetQueue empties the queue.
func (st *State) forgetQueue() {
	for _, id := range st.queue {
		st.queued[id] = false
	}
	st.queue = st.queue[:0]
}
