package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/packed"
)

// The compressions, by their numbers in the format.
const (
	uncompressed = 0
	codecSnappy  = 1
	codecGzip    = 2
	codecBrotli  = 4
	codecZstd    = 6
	codecLZ4     = 7
)

// unpack decompresses a page to so many bytes.
func unpack(codec int64, data []byte, size int64) ([]byte, error) {
	var out []byte
	var err error
	switch codec {
	case uncompressed:
		out = data
	case codecSnappy:
		out, err = unsnappy(data, size)
	case codecGzip:
		var z io.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			out, err = upTo(z, size)
		}
	case codecBrotli:
		out, err = packed.Brotli(data, size)
	case codecZstd:
		var z io.ReadCloser
		if z, _, err = packed.Reader(bytes.NewReader(data)); err == nil {
			out, err = upTo(z, size)
			z.Close()
		}
	case codecLZ4:
		out, err = unlz4(data, size)
	default:
		return nil, fmt.Errorf("pages of an unknown compression (%d); expected Snappy, gzip, Brotli, Zstandard or LZ4_RAW", codec)
	}
	if err != nil {
		return nil, fmt.Errorf("decompressing a page: %w", err)
	}
	if int64(len(out)) != size {
		return nil, fmt.Errorf("a page unpacks to %d bytes; expected %d", len(out), size)
	}
	return out, nil
}

// upTo reads at most a byte more than size.
func upTo(r io.Reader, size int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, size+1))
}

// copyBack appends n bytes of out from offset back, which may overlap the copy.
func copyBack(out []byte, offset, n int, size int64) ([]byte, error) {
	if offset <= 0 || offset > len(out) || int64(len(out)+n) > size {
		return nil, errCut
	}
	for from := len(out) - offset; n > 0; n-- {
		out = append(out, out[from])
		from++
	}
	return out, nil
}

// unsnappy decompresses a block of Snappy (github.com/google/snappy, format_description.txt).
func unsnappy(data []byte, size int64) ([]byte, error) {
	claimed, k := binary.Uvarint(data)
	if k <= 0 || claimed != uint64(size) {
		return nil, errCut
	}
	data = data[k:]
	out := make([]byte, 0, min(size, int64(len(data))*64))
	for len(data) > 0 {
		tag := data[0]
		if tag&3 == 0 {
			n, extra := int(tag>>2)+1, 0
			if n > 60 {
				extra = n - 60
				if len(data) <= extra {
					return nil, errCut
				}
				n = 0
				for i := range extra {
					n |= int(data[1+i]) << (8 * i)
				}
				n++
			}
			if data = data[1+extra:]; n > len(data) || int64(len(out)+n) > size {
				return nil, errCut
			}
			out, data = append(out, data[:n]...), data[n:]
			continue
		}
		extra := [...]int{0, 1, 2, 4}[tag&3]
		if len(data) <= extra {
			return nil, errCut
		}
		var n, offset int
		switch tag & 3 {
		case 1:
			n, offset = 4+int(tag>>2&7), int(tag>>5)<<8|int(data[1])
		case 2:
			n, offset = 1+int(tag>>2), int(binary.LittleEndian.Uint16(data[1:]))
		case 3:
			n, offset = 1+int(tag>>2), int(binary.LittleEndian.Uint32(data[1:]))
		}
		data = data[1+extra:]
		var err error
		if out, err = copyBack(out, offset, n, size); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unlz4 decompresses a block of LZ4 (github.com/lz4/lz4, lz4_Block_format.md).
func unlz4(data []byte, size int64) ([]byte, error) {
	out := make([]byte, 0, min(size, int64(len(data))*64))
	// length reads the rest of a length whose first part is x.
	length := func(x int) (int, error) {
		for more := x == 15; more; {
			if len(data) == 0 || int64(x) > size {
				return 0, errCut
			}
			x, more = x+int(data[0]), data[0] == 255
			data = data[1:]
		}
		return x, nil
	}
	for len(data) > 0 {
		tag := data[0]
		data = data[1:]
		n, err := length(int(tag >> 4))
		if err != nil || n > len(data) || int64(len(out)+n) > size {
			return nil, errCut
		}
		if out, data = append(out, data[:n]...), data[n:]; len(data) == 0 {
			break // the last sequence has no copy
		}
		if len(data) < 2 {
			return nil, errCut
		}
		offset := int(binary.LittleEndian.Uint16(data))
		data = data[2:]
		if n, err = length(int(tag & 15)); err != nil {
			return nil, err
		}
		if out, err = copyBack(out, offset, n+4, size); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// snappy compresses a block.
func snappy(data []byte) []byte {
	out := binary.AppendUvarint(nil, uint64(len(data)))
	const tableBits = 14
	var table [1 << tableBits]int32 // place after the last that had the hash; 0 for none
	literal := func(text []byte) {
		for len(text) > 0 {
			n := min(len(text), 1<<16)
			switch {
			case n <= 60:
				out = append(out, byte(n-1)<<2)
			case n <= 1<<8:
				out = append(out, 60<<2, byte(n-1))
			default:
				out = append(out, 61<<2, byte(n-1), byte((n-1)>>8))
			}
			out, text = append(out, text[:n]...), text[n:]
		}
	}
	start, at := 0, 0
	for at+4 <= len(data) {
		x := binary.LittleEndian.Uint32(data[at:])
		slot := &table[x*0x1e35a7bd>>(32-tableBits)]
		from := int(*slot) - 1
		*slot = int32(at + 1)
		if from < 0 || at-from > math16 || binary.LittleEndian.Uint32(data[from:]) != x {
			at++
			continue
		}
		literal(data[start:at])
		n := 4
		for at+n < len(data) && data[from+n] == data[at+n] {
			n++
		}
		for left := n; left > 0; {
			k := min(left, 64)
			out = append(out, byte(k-1)<<2|2, byte(at-from), byte((at-from)>>8))
			left -= k
		}
		at += n
		start = at
	}
	literal(data[start:])
	return out
}

// math16 is the longest way back of a copy with two bytes of offset.
const math16 = 1<<16 - 1
