package zstd

import "encoding/binary"

// forward reads bits from the lowest of the first byte on.
type forward struct {
	data []byte
	at   int // bits
}

// peek returns the next n bits, at most 32; bits after the end are 0.
func (f *forward) peek(n int) int { return int(bitsAt(f.data, f.at, n)) }

// backward reads bits from the end: the highest bit that is set marks the first one.
type backward struct {
	data []byte
	at   int // bits that are left; negative if more were read
}

func newBackward(data []byte) (backward, error) {
	if len(data) == 0 || data[len(data)-1] == 0 {
		return backward{}, corrupt("a stream of bits has no end")
	}
	return backward{data, 8*(len(data)-1) + highest(int(data[len(data)-1]))}, nil
}

// read returns the next n bits, at most 32; those before the beginning are 0.
func (b *backward) read(n int) int {
	b.at -= n
	return b.seen(b.at, n)
}

// peek is read that leaves the bits.
func (b *backward) peek(n int) int { return b.seen(b.at-n, n) }

func (b *backward) seen(at, n int) int {
	switch {
	case at >= 0:
		return int(bitsAt(b.data, at, n))
	case n+at <= 0:
		return 0
	}
	return int(bitsAt(b.data, 0, n+at)) << -at
}

// bitsAt returns n bits from the one of number at.
func bitsAt(data []byte, at, n int) uint64 {
	i, mask := at>>3, uint64(1)<<n-1
	if i+8 <= len(data) {
		return binary.LittleEndian.Uint64(data[i:]) >> (at & 7) & mask
	}
	var word uint64
	for k := i; k < len(data); k++ {
		word |= uint64(data[k]) << (8 * (k - i))
	}
	return word >> (at & 7) & mask
}
