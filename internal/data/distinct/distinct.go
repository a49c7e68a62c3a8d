// Package distinct keeps distinct rows of packed bits.
package distinct

import (
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// pageRows is the number of rows of a page, except of the last one: a table of many rows is not copied
// when it grows.
const pageRows = 1 << 12

// Set is a set of rows of the same number of words: a hash table with open addressing.
type Set struct {
	width int
	pages [][]uint64 // row by row
	rows  int
	index []uint64 // the number of a row plus 1 below 32 bits of its hash, or 0; at most three quarters of it are in use
}

// New returns an empty set of rows of width words.
func New(width int) *Set { return &Set{width: width, index: make([]uint64, 1<<10)} }

// At returns the words of row i, in the order of adding.
func (s *Set) At(i int) []uint64 {
	at := i % pageRows * s.width
	return s.pages[i/pageRows][at : at+s.width]
}

// Width is the number of words of a row.
func (s *Set) Width() int { return s.width }

// Len is the number of rows.
func (s *Set) Len() int { return s.rows }

// Bytes is the memory that the set holds.
func (s *Set) Bytes() int64 {
	n := 8 * len(s.index)
	for _, p := range s.pages {
		n += 8 * cap(p)
	}
	return int64(n)
}

// Find returns the number of a row and whether it is there.
func (s *Set) Find(row []uint64) (i int, found bool) {
	at, _ := s.slot(row)
	k := uint32(s.index[at])
	return int(k) - 1, k != 0
}

// Add returns the number of a row, which is added if it is new.
func (s *Set) Add(row []uint64) (i int, added bool) {
	at, h := s.slot(row)
	if k := uint32(s.index[at]); k != 0 {
		return int(k - 1), false
	}
	if s.rows%pageRows == 0 {
		var page []uint64
		if s.rows > 0 { // a page will be full; the first grows
			page = make([]uint64, 0, pageRows*s.width)
		}
		s.pages = append(s.pages, page)
	}
	last := len(s.pages) - 1
	s.pages[last] = append(s.pages[last], row...)
	s.rows++
	s.index[at] = uint64(h)<<32 | uint64(s.rows)
	if 4*s.rows > 3*len(s.index) {
		s.grow()
	}
	return s.rows - 1, true
}

// grow doubles the table.
func (s *Set) grow() {
	before := s.index
	s.index = make([]uint64, 2*len(before))
	for _, k := range before {
		if k != 0 {
			at := int(k>>32) & (len(s.index) - 1)
			for s.index[at] != 0 {
				at = (at + 1) & (len(s.index) - 1)
			}
			s.index[at] = k
		}
	}
}

// slot returns where the table has a row, or would have it, and its hash. Only rows of the same hash are looked at.
func (s *Set) slot(row []uint64) (at int, hash uint32) {
	var h uint64
	for _, w := range row {
		h = (h ^ w) * 0x9e37_79b9_7f4a_7c15
		h ^= h >> 32
	}
	hash = uint32(h)
	for at = int(hash) & (len(s.index) - 1); ; at = (at + 1) & (len(s.index) - 1) {
		if k := s.index[at]; k == 0 || uint32(k>>32) == hash && slices.Equal(s.At(int(uint32(k))-1), row) {
			return at, hash
		}
	}
}

// Order returns the numbers of the rows, sorted by their words.
func (s *Set) Order() []int32 {
	order := integer.Below[int32](s.rows)
	slices.SortFunc(order, func(x, y int32) int { return slices.Compare(s.At(int(x)), s.At(int(y))) })
	return order
}
