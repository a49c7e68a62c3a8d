package propagate

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// packing has the rows of wide neurons, whose literals but one have the same coefficient. They are
// propagated by bits: those that are false are counted in words of 64 variables, where slacks take
// a step for each literal of each row, and another to undo it.
type packing struct {
	blocks []block
	byKey  map[string]int32 // blocks by words
	users  [][]user         // by word
	heads  [][]place        // by literal: the rows in which it is the first
}

// block is the rows over the same words.
type block struct {
	words []int32
	rows  []packed
	masks []uint64 // by row and word: literals that are variables, those that are negations
}

// packed is a row of a block: first times its first literal, if that has a greater coefficient,
// and unit times the others.
type packed struct {
	head        code // the first literal, -1 if its coefficient is not greater
	enough      bool // the first literal alone satisfies the row
	first, unit int64
	slack       int64 // with every variable open
}

// place is where a row is.
type place struct{ block, row int32 }

// user is a block with variables of a word.
type user struct {
	block int32
	mask  uint64
}

// minDensity is the least number of literals for each word from which counting bits pays.
const minDensity = 8

// pack adds a row, with descending coefficients, to a block if it can be one of it.
func (s *packing) pack(lits []code, coefs []int64, slack, k int64) bool {
	n := len(lits)
	if n < minDensity || coefs[1] != coefs[n-1] {
		return false
	}
	r := packed{head: -1, unit: coefs[1], slack: slack}
	if coefs[0] > r.unit {
		r.head, r.first, r.enough, lits = lits[0], coefs[0], coefs[0] >= k, lits[1:]
	}
	masks := map[int32][2]uint64{}
	var words []int32
	for _, l := range lits {
		m, there := masks[l>>7]
		if !there {
			if words = append(words, l>>7); minDensity*len(words) > n {
				return false
			}
		}
		if bit := uint64(1) << (l >> 1 & 63); (m[0]|m[1])&bit != 0 {
			return false // the variable occurs twice
		} else {
			m[l&1] |= bit
		}
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
	if r.head >= 0 {
		s.heads[r.head] = append(s.heads[r.head], place{id, int32(len(b.rows))})
	}
	b.rows = append(b.rows, r)
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

// counting is what a State knows of packed rows.
type counting struct {
	bits   []uint64 // by word: its variables that are false, those that are true
	queue  []int32  // blocks whose rows are to be counted
	queued []bool   // by block
	now    []uint64 // bits of a block's words
}

// enqueue has the rows of a block be counted.
func (st *State) enqueue(id int32) {
	if !st.queued[id] {
		st.queued[id] = true
		st.queue = append(st.queue, id)
	}
}

// wake counts the rows whose first literal became false, and queues the blocks of its variable.
func (st *State) wake(falsified code) bool {
	v := falsified >> 1
	for _, u := range st.sys.users[v/64] {
		if u.mask>>(v%64)&1 == 1 {
			st.enqueue(u.block)
		}
	}
	for _, at := range st.sys.heads[falsified] {
		if !st.count(at.block, at.row, at.row+1) {
			return false
		}
	}
	return true
}

// countNext counts the rows of the block that has waited longest.
func (st *State) countNext() bool {
	id := st.queue[0]
	st.queue = slices.Delete(st.queue, 0, 1)
	st.queued[id] = false
	return st.count(id, 0, int32(len(st.sys.blocks[id].rows)))
}

// count propagates some rows of a block; false is a contradiction. What follows queues the block
// again if other rows of it have the literal.
func (st *State) count(id, from, to int32) bool {
	b := &st.sys.blocks[id]
	now := st.now[:0]
	for _, w := range b.words {
		now = append(now, st.bits[2*w], st.bits[2*w+1])
	}
	st.now = now
	for i := from; i < to; i++ {
		r := &b.rows[i]
		slack, most := r.slack, r.unit
		if r.head >= 0 {
			switch st.value[r.head] {
			case 1:
				if r.enough {
					continue
				}
			case 0:
				most = r.first
			case -1:
				slack -= r.first
			}
		}
		masks := b.masks[int(i)*len(now):]
		masks = masks[:len(now)]
		falsified := 0
		for j := 0; j+1 < len(now); j += 2 {
			falsified += bits.OnesCount64(now[j]&masks[j] | now[j+1]&masks[j+1])
		}
		if slack -= r.unit * int64(falsified); slack < 0 {
			return false
		}
		if slack < most {
			st.force(b, r, masks, slack)
		}
	}
	return true
}

// force makes the open literals true whose coefficient is more than the slack.
func (st *State) force(b *block, r *packed, masks []uint64, slack int64) {
	if r.first > slack && st.value[r.head] == 0 {
		st.set(r.head)
	}
	if r.unit <= slack {
		return
	}
	for j, w := range b.words {
		open := (masks[2*j] | masks[2*j+1]) &^ (st.now[2*j] | st.now[2*j+1])
		for ; open != 0; open &= open - 1 {
			i := code(bits.TrailingZeros64(open))
			if l := (64*w+i)<<1 | code(masks[2*j+1]>>i&1); st.value[l] == 0 {
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
