// Package zstd decompresses Zstandard (RFC 8878), without dictionaries.
package zstd

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// maxBlock bounds what a block becomes, in bytes.
const maxBlock = 128 << 10

// corrupt is an error of the data.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("Zstandard: "+format, args...)
}

// reader decompresses frame after frame.
type reader struct {
	in     *bufio.Reader
	most   uint64 // bytes of a window
	err    error
	out    []byte // of this frame, what matches can refer to at least
	read   int    // of out, by the caller
	window uint64
	size   uint64 // that the frame announces, if known
	known  bool
	total  uint64 // bytes of this frame so far
	check  bool
	last   bool // the last block of the frame was decompressed
	sum    digest
	block
}

// NewReader decompresses in; windows of more than most bytes are refused.
func NewReader(in *bufio.Reader, most uint64) io.Reader {
	return &reader{in: in, most: most, last: true}
}

// Read is that of io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for r.read == len(r.out) && r.err == nil {
		r.err = r.next()
	}
	if r.read == len(r.out) {
		return 0, r.err
	}
	n := copy(p, r.out[r.read:])
	r.read += n
	return n, nil
}

// next decompresses a block, or begins a frame.
func (r *reader) next() error {
	if r.last {
		return r.begin()
	}
	if keep := int(r.window); len(r.out) > keep+keep/4+8*maxBlock {
		r.out = append(r.out[:0], r.out[len(r.out)-keep:]...)
	}
	from := len(r.out)
	r.read = from
	if err := r.nextBlock(); err != nil {
		r.out = r.out[:from]
		return noEnd(err)
	}
	made := r.out[from:]
	r.total += uint64(len(made))
	if r.check {
		r.sum.write(made)
	}
	if !r.last {
		return nil
	}
	if r.known && r.total != r.size {
		return corrupt("a frame has %d bytes; expected %d", r.total, r.size)
	}
	if r.check {
		var sum [4]byte
		if _, err := io.ReadFull(r.in, sum[:]); err != nil {
			return noEnd(err)
		}
		if binary.LittleEndian.Uint32(sum[:]) != uint32(r.sum.sum()) {
			return corrupt("the checksum of a frame is wrong")
		}
	}
	return nil
}

// noEnd is an error of data that end too early.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// number reads a number of n bytes, the lowest first.
func (r *reader) number(n int) (uint64, error) {
	var b [8]byte
	_, err := io.ReadFull(r.in, b[:n])
	return binary.LittleEndian.Uint64(b[:]), err
}

// begin reads the header of a frame; io.EOF at the end.
func (r *reader) begin() error {
	magic, err := r.number(4)
	if err != nil {
		return err // io.EOF where there is no byte, io.ErrUnexpectedEOF otherwise
	}
	if magic&^0xf == 0x184d2a50 { // of a frame to skip
		n, err := r.number(4)
		if err == nil {
			_, err = io.CopyN(io.Discard, r.in, int64(n))
		}
		return noEnd(err)
	}
	if magic != 0xfd2fb528 {
		return corrupt("no frame begins after the last")
	}
	return noEnd(r.header())
}

func (r *reader) header() error {
	b, err := r.in.ReadByte()
	if err != nil {
		return err
	}
	single := b&0x20 != 0
	if b&8 != 0 {
		return corrupt("a reserved bit is set")
	}
	r.window = 0
	if !single {
		w, err := r.in.ReadByte()
		if err != nil {
			return err
		}
		r.window = 1 << (10 + w>>3)
		r.window += r.window / 8 * uint64(w&7)
	}
	dictionary, err := r.number([]int{0, 1, 2, 4}[b&3])
	if err != nil {
		return err
	}
	if dictionary != 0 {
		return corrupt("dictionary %d is missing; expected data without one", dictionary)
	}
	r.known = single || b>>6 > 0
	if r.size = 0; r.known {
		if r.size, err = r.number(1 << (b >> 6)); err != nil {
			return err
		}
		if b>>6 == 1 {
			r.size += 256
		}
	}
	if single {
		r.window = r.size
	}
	if r.window > r.most {
		return corrupt("a window of %d bytes; expected at most %d", r.window, r.most)
	}
	r.out, r.read, r.total, r.last, r.check, r.sum = r.out[:0], 0, 0, false, b&4 != 0, newDigest()
	r.block = block{offsets: [3]int{1, 4, 8}, body: r.body, literals: r.literals}
	return nil
}

// nextBlock appends what a block becomes to out.
func (r *reader) nextBlock() error {
	h, err := r.number(3)
	if err != nil {
		return err
	}
	r.last = h&1 != 0
	n := int(h >> 3)
	if n > maxBlock {
		return corrupt("a block of %d bytes; expected at most %d", n, maxBlock)
	}
	switch h >> 1 & 3 {
	case 0:
		at := len(r.out)
		r.out = append(r.out, make([]byte, n)...)
		_, err := io.ReadFull(r.in, r.out[at:])
		return err
	case 1:
		c, err := r.in.ReadByte()
		for range n {
			r.out = append(r.out, c)
		}
		return err
	case 2:
		r.body = append(r.body[:0], make([]byte, n)...)
		if _, err := io.ReadFull(r.in, r.body); err != nil {
			return err
		}
		r.out, err = r.decode(r.out)
		return err
	}
	return corrupt("a block of a reserved type")
}

// highest is the number of the highest bit of x, which is not 0.
func highest(x int) int { return bits.Len(uint(x)) - 1 }
