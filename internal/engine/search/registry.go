package search

import (
	"math/bits"

	"github.com/fdplan/fdplan/internal/data/distinct"
)

// registry is a state registry: it numbers distinct keys of so many words 0, 1, 2, … in the order in which they come.
type registry struct {
	*distinct.Set
	words int
}

func newRegistry(words int) *registry { return &registry{distinct.New(max(words, 1)), words} }

func (t *registry) key(i uint32) []uint64 { return t.At(int(i)) }

// find returns the number of key and whether it was there.
func (t *registry) find(key []uint64) (uint32, bool) {
	id, ok := t.Find(key[:t.Width()])
	return uint32(id), ok
}

// add returns the number of key, a new one if it was not there.
func (t *registry) add(key []uint64) uint32 {
	id, _ := t.Add(key[:t.Width()])
	return uint32(id)
}

// hash breaks ties between states.
func hash(key []uint64) uint64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, k := range key {
		hi, lo := bits.Mul64(h^k, 0xD6E8FEB86659FD93)
		h = hi ^ lo ^ k<<1
	}
	return h ^ h>>29
}

// pages are ways in pages of pageWays: a long list is not copied when it grows. What at returns is good until the next add.
type pages struct {
	of [][]way
	n  int
}

const pageWays = 1 << 10

func (p *pages) at(id uint32) *way { return &p.of[id/pageWays][id%pageWays] }

func (p *pages) add(w way) {
	if p.n%pageWays == 0 {
		var page []way
		if p.n > 0 { // it will be full; the first grows
			page = make([]way, 0, pageWays)
		}
		p.of = append(p.of, page)
	}
	last := &p.of[len(p.of)-1]
	*last = append(*last, w)
	p.n++
}

// bytes is the memory that the ways hold.
func (p *pages) bytes() (n int64) {
	for _, page := range p.of {
		n += 40 * int64(cap(page))
	}
	return n
}
