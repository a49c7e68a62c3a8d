package coverage

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// kind is the representation of a Set's rows, and the first word of its text.
type kind string

const (
	legal kind = "legal"
	list  kind = "rows"
	table kind = "map"
	bloom kind = "bloom"
)

// MaxBytes bounds the data of a Set before base64 encoding: its text is at most a few bytes
// longer than 64 KiB.
const MaxBytes = 48 << 10

// bloomBits is the number of bits per row in a Bloom filter, if there is room: one row in
// 2,000 is then falsely admitted.
const bloomBits = 16

// Set records which rows of input bits were seen. Rows are packed into words as in package
// bnn: bit i is bit i%64 of word i/64.
type Set struct {
	kind   kind
	inputs int    // bits of a row
	rows   int    // distinct
	hashes int    // of a Bloom filter
	data   []byte // keys in increasing order, a table of bits, or a Bloom filter
}

// Legal returns the set of all legal rows of a problem, given their number. Only the problem
// can tell which rows these are.
func Legal(inputs, rows int) *Set { return &Set{kind: legal, inputs: inputs, rows: rows} }

// Of returns the set of the given distinct rows of at least one bit each, one after the other
// in words. It is exact if it fits in MaxBytes. The order of the rows does not matter.
func Of(inputs int, words []uint64) *Set {
	width := (inputs + 63) / 64
	s := &Set{kind: bloom, inputs: inputs, rows: len(words) / width}
	most, whole := MaxBytes+1, MaxBytes+1
	if s.rows <= 8*MaxBytes/inputs {
		most = (s.rows*inputs + 7) / 8
	}
	if size := tableBytes(inputs); size > 0 {
		whole = size
	}
	switch {
	case most <= MaxBytes && most <= whole:
		s.kind = list
		s.list(words)
		return s
	case whole <= MaxBytes:
		s.kind = table
		s.data = make([]byte, whole)
	default:
		s.data = make([]byte, min(MaxBytes, bloomBits/8*s.rows))
		// The number of hashes that leaves half of the bits 0: ln 2 times the bits per row.
		s.hashes = max(1, (8*len(s.data)*693+s.rows*500)/(s.rows*1000))
	}
	for i := range s.rows {
		for _, at := range s.places(s.key(words[i*width:])) {
			s.data[at/8] |= 0x80 >> (at % 8)
		}
	}
	return s
}

// list makes the data of a list of rows.
func (s *Set) list(words []uint64) {
	width := (s.inputs + 63) / 64
	keys := make([]string, s.rows)
	for i := range keys {
		keys[i] = string(s.key(words[i*width:]))
	}
	slices.Sort(keys)
	s.data = []byte(strings.Join(keys, ""))
}

// Cells lists the rows, of at most 64 bits, in increasing order; nil of a set that does not
// list them, and of one with so many that their text would be longer than MaxBytes.
func (s *Set) Cells() []uint64 {
	if s.inputs > 64 || s.kind != list && s.kind != table || s.kind == list && s.rows > 8*MaxBytes/s.inputs {
		return nil
	}
	cells := make([]uint64, 0, s.rows)
	if s.kind == list {
		n := (s.inputs + 7) / 8
		for i := range s.rows {
			cells = append(cells, number64(s.data[i*n:(i+1)*n], s.inputs))
		}
	} else {
		for i := range 8 * len(s.data) {
			if s.data[i/8]&(0x80>>(i%8)) != 0 {
				cells = append(cells, bits.Reverse64(uint64(i))>>(64-s.inputs))
			}
		}
	}
	slices.Sort(cells)
	return cells
}

// number64 reads a key, bit 0 of the row first.
func number64(key []byte, inputs int) uint64 {
	var x uint64
	for i := range inputs {
		if key[i/8]&(0x80>>(i%8)) != 0 {
			x |= 1 << i
		}
	}
	return x
}

// tableBytes returns the size of a table of all rows, or 0 if it is too large.
func tableBytes(inputs int) int {
	if inputs > 30 || (1<<inputs+7)/8 > MaxBytes {
		return 0
	}
	return (1<<inputs + 7) / 8
}

// Inputs is the number of bits of a row.
func (s *Set) Inputs() int { return s.inputs }

// Rows is the number of distinct rows that the set was made of.
func (s *Set) Rows() int { return s.rows }

// AllLegal reports whether the rows are the problem's legal ones; Has cannot tell them.
func (s *Set) AllLegal() bool { return s.kind == legal }

// Exact reports whether Has returns true only for rows of the set.
func (s *Set) Exact() bool { return s.kind != bloom }

// Has reports whether a row may have been seen: never false for one that was. If AllLegal is
// true, it is true for every row.
func (s *Set) Has(row []uint64) bool {
	key := s.key(row)
	switch s.kind {
	case legal:
		return true
	case list:
		n := len(key)
		i := sort.Search(s.rows, func(i int) bool { return bytes.Compare(s.data[i*n:(i+1)*n], key) >= 0 })
		return i < s.rows && bytes.Equal(s.data[i*n:(i+1)*n], key)
	}
	return !slices.ContainsFunc(s.places(key), func(at uint64) bool { return s.data[at/8]&(0x80>>(at%8)) == 0 })
}

// key packs a row into bytes, bit 0 first and most significant, so that keys sort like rows.
func (s *Set) key(row []uint64) []byte {
	key := make([]byte, (s.inputs+7)/8)
	for i := range s.inputs {
		if row[i/64]>>(i%64)&1 == 1 {
			key[i/8] |= 0x80 >> (i % 8)
		}
	}
	return key
}

// places returns the bits of a table or a Bloom filter that represent a key.
func (s *Set) places(key []byte) []uint64 {
	if s.kind == table {
		var n uint64
		for _, b := range key {
			n = n<<8 | uint64(b)
		}
		return []uint64{n >> (8*len(key) - s.inputs)}
	}
	// Two hashes serve as well as many (Kirsch and Mitzenmacher, Less Hashing, Same
	// Performance, 2006).
	sum := sha256.Sum256(key)
	a, b := binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])
	out := make([]uint64, s.hashes)
	for i := range out {
		out[i] = (a + uint64(i)*b) % uint64(8*len(s.data))
	}
	return out
}
