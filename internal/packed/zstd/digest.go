package zstd

import (
	"encoding/binary"
	"math/bits"
)

// The primes of xxHash64, whose lowest 32 bits with seed 0 are the checksum of a frame.
const (
	prime1 = 0x9e3779b185ebca87
	prime2 = 0xc2b2ae3d27d4eb4f
	prime3 = 0x165667b19e3779f9
	prime4 = 0x85ebca77c2b2ae63
	prime5 = 0x27d4eb2f165667c5
)

// digest is a sum under way.
type digest struct {
	lanes [4]uint64
	rest  []byte // fewer than 32 bytes
	total uint64
}

func newDigest() digest {
	one, two := uint64(prime1), uint64(prime2)
	return digest{lanes: [4]uint64{one + two, two, 0, -one}}
}

func round(lane, word uint64) uint64 { return bits.RotateLeft64(lane+word*prime2, 31) * prime1 }

func (d *digest) write(p []byte) {
	d.total += uint64(len(p))
	if len(d.rest) > 0 {
		n := min(len(p), 32-len(d.rest))
		d.rest, p = append(d.rest, p[:n]...), p[n:]
		if len(d.rest) < 32 {
			return
		}
		d.take(d.rest)
		d.rest = d.rest[:0]
	}
	for ; len(p) >= 32; p = p[32:] {
		d.take(p)
	}
	d.rest = append(d.rest, p...)
}

func (d *digest) take(p []byte) {
	for i := range d.lanes {
		d.lanes[i] = round(d.lanes[i], binary.LittleEndian.Uint64(p[8*i:]))
	}
}

func (d *digest) sum() uint64 {
	h := d.lanes[2] + prime5
	if d.total >= 32 {
		h = 0
		for i, l := range d.lanes {
			h += bits.RotateLeft64(l, []int{1, 7, 12, 18}[i])
		}
		for _, l := range d.lanes {
			h = (h^round(0, l))*prime1 + prime4
		}
	}
	h += d.total
	p := d.rest
	for ; len(p) >= 8; p = p[8:] {
		h = bits.RotateLeft64(h^round(0, binary.LittleEndian.Uint64(p)), 27)*prime1 + prime4
	}
	if len(p) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(p))*prime1, 23)*prime2 + prime3
		p = p[4:]
	}
	for _, b := range p {
		h = bits.RotateLeft64(h^uint64(b)*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}
