package veripb

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// packing propagates linear constraints such as those of neurons, whose literals but one have the
// same weight, by bits: it counts those that are false in words of 64 variables. Counters take a
// step for each literal of each constraint, and another to undo it.
type packing struct {
	bits   []uint64          // by word: its variables that are false, those that are true
	users  [][]user          // by word
	heads  [][]place         // by literal: the rows in which it is the first
	blocks map[string]*block // by words
	queue  []*block          // whose rows are to be counted
	packed int               // number of literals on the trail that were processed
}

// block is the rows over the same words.
type block struct {
	words  []int32
	rows   []row
	masks  []uint64 // by row and word: literals that are variables, those that are negations
	now    []uint64 // bits of the words when the rows are counted
	queued bool
}

// row is a constraint of a block: first times its first literal, if that has more weight, and
// unit times the others.
type row struct {
	c           *constraint // nil once deleted
	head        lit         // the first literal, -1 if it has no more weight
	first, unit int64
	slack       int64 // without any false literal
	enough      bool  // the first literal alone satisfies the constraint
	// The constraint that has all literals negated, of a neuron: what it implies for the first
	// literal satisfies this one. Nil if there is none.
	other *constraint
}

// place is where a row is.
type place struct {
	*block
	at int
}

// user is a block with variables of a word.
type user struct {
	*block
	mask uint64
}

// minDensity is the least number of literals for each word from which counting bits pays.
const minDensity = 8

// pack makes a linear constraint a row if it can be one.
func (p *propagator) pack(c *constraint) {
	n := len(c.lits)
	if c.shape != linear || n < minDensity || c.weights[1] != c.weights[n-1] {
		return
	}
	r := row{c: c, head: -1, unit: c.weights[1]}
	lits := c.lits
	if c.weights[0] > r.unit {
		r.head, r.first, lits = lits[0], c.weights[0], lits[1:]
		r.enough = r.first == c.degree.small
	}
	masks := map[int32][2]uint64{}
	var words []int32
	for _, l := range lits {
		w := int32(l.variable() / 64)
		m, there := masks[w]
		if !there {
			if words = append(words, w); minDensity*len(words) > n {
				return
			}
		}
		m[l&1] |= 1 << (l.variable() % 64)
		masks[w] = m
	}
	slices.Sort(words)
	var key []byte
	for _, w := range words {
		key = binary.LittleEndian.AppendUint32(key, uint32(w))
	}
	b := p.blocks[string(key)]
	if b == nil {
		b = &block{words: words, now: make([]uint64, 2*len(words))}
		p.blocks[string(key)] = b
	}
	for _, w := range words {
		m := masks[w]
		b.masks = append(b.masks, m[0], m[1])
		p.use(b, w, m[0]|m[1])
	}
	c.shape, c.place = packed, place{b, len(b.rows)}
	r.slack = -c.degree.small
	for _, w := range c.weights {
		r.slack += w
	}
	b.rows = append(b.rows, r)
	b.pair()
	if r.head >= 0 {
		p.heads[r.head] = append(p.heads[r.head], c.place)
	}
}

// pair notes whether the last two rows are of one neuron.
func (b *block) pair() {
	n, m := len(b.rows), 2*len(b.words)
	if n < 2 || b.rows[n-2].c == nil {
		return
	}
	r, o := &b.rows[n-1], &b.rows[n-2]
	exact := r.enough && o.enough && r.head == o.head.not() && r.unit == 1 && o.unit == 1 && r.first+o.first == int64(len(r.c.lits))
	masks := b.masks[(n-2)*m:]
	for i := 0; exact && i < m; i++ {
		exact = masks[i] == masks[m+i^1]
	}
	if exact {
		r.other, o.other = o.c, r.c
	}
}

// use notes that a block has variables of a word.
func (p *propagator) use(b *block, w int32, mask uint64) {
	for i, u := range p.users[w] {
		if u.block == b {
			p.users[w][i].mask |= mask
			return
		}
	}
	p.users[w] = append(p.users[w], user{b, mask})
}

// visitRows queues the blocks with the variable of f, which has become false, and counts the rows
// of which it is the first literal.
func (p *propagator) visitRows(f lit) *constraint {
	v := f.variable()
	for _, u := range p.users[v/64] {
		if u.mask>>(v%64)&1 == 1 && !u.queued {
			u.queued = true
			p.queue = append(p.queue, u.block)
		}
	}
	for _, at := range p.heads[f] {
		if o := at.rows[at.at].other; o != nil && o == p.reason[v] {
			continue
		}
		if c := p.countOne(at); c != nil {
			return c
		}
	}
	return nil
}

// countOne propagates one row.
func (p *propagator) countOne(at place) *constraint {
	at.read(p.bits)
	return p.count(at.block, at.at, at.at+1)
}

// countNext propagates the rows of the block that has waited longest.
func (p *propagator) countNext() *constraint {
	b := p.queue[0]
	p.queue = slices.Delete(p.queue, 0, 1)
	b.queued = false
	b.read(p.bits)
	return p.count(b, 0, len(b.rows))
}

func (b *block) read(all []uint64) {
	for i, w := range b.words {
		b.now[2*i], b.now[2*i+1] = all[2*w], all[2*w+1]
	}
}

// count propagates some rows of a block that was read. What follows from one queues the block
// again if others have it.
func (p *propagator) count(b *block, from, to int) *constraint {
	now := b.now
	for i := from; i < to; i++ {
		r := &b.rows[i]
		if r.c == nil {
			continue
		}
		slack, most := r.slack, r.unit
		if r.head >= 0 {
			switch p.value[r.head] {
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
		masks := b.masks[i*len(now):]
		masks = masks[:len(now)]
		falsified := 0
		for j := 0; j+1 < len(now); j += 2 {
			falsified += bits.OnesCount64(now[j]&masks[j] | now[j+1]&masks[j+1])
		}
		slack -= r.unit * int64(falsified)
		if slack < 0 {
			return r.c
		}
		if slack < most {
			p.forceRow(b, r, masks, slack)
		}
	}
	return nil
}

// forceRow assigns the open literals of more weight than the slack.
func (p *propagator) forceRow(b *block, r *row, masks []uint64, slack int64) {
	if r.first > slack && p.value[r.head] == 0 {
		p.assign(r.head, r.c)
	}
	if r.unit <= slack {
		return
	}
	for j, w := range b.words {
		open := (masks[2*j] | masks[2*j+1]) &^ (b.now[2*j] | b.now[2*j+1])
		for ; open != 0; open &= open - 1 {
			i := bits.TrailingZeros64(open)
			l := (lit(w)*64 + lit(i)) << 1
			if p.value[l] == 0 {
				p.assign(l|lit(masks[2*j+1]>>i&1), r.c)
			}
		}
	}
}

// forgetQueue empties the queue.
func (p *propagator) forgetQueue() {
	for _, b := range p.queue {
		b.queued = false
	}
	p.queue = p.queue[:0]
}

// sweepRows removes the rows of deleted constraints.
func (p *propagator) sweepRows() {
	for l := range p.heads {
		p.heads[l] = p.heads[l][:0]
	}
	for _, b := range p.blocks {
		n := 0
		for i, r := range b.rows {
			if r.c == nil {
				continue
			}
			b.rows[n] = r
			copy(b.masks[n*len(b.now):][:len(b.now)], b.masks[i*len(b.now):])
			r.c.at = n
			if r.head >= 0 {
				p.heads[r.head] = append(p.heads[r.head], r.c.place)
			}
			n++
		}
		b.rows, b.masks = slices.Delete(b.rows, n, len(b.rows)), b.masks[:n*len(b.now)]
	}
}
