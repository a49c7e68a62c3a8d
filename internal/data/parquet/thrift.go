package parquet

import (
	"encoding/binary"
	"errors"
)

// Bounds on metadata: its parts, and the levels of parts within parts.
const (
	maxParts = 1 << 22
	maxDepth = 32
)

var errBroken = errors.New("broken metadata")

// fields is a structure in Thrift's compact protocol (Apache Thrift, thrift-compact-protocol.md),
// by the numbers of its fields. Values are int64, bool, []byte, []any and fields; others are
// left out.
type fields map[int16]any

func (f fields) int(id int16) int64 {
	n, _ := f[id].(int64)
	return n
}

func (f fields) text(id int16) string {
	b, _ := f[id].([]byte)
	return string(b)
}

func (f fields) structure(id int16) fields {
	s, _ := f[id].(fields)
	return s
}

// structures are the structures of a list.
func (f fields) structures(id int16) []fields {
	list, _ := f[id].([]any)
	out := make([]fields, 0, len(list))
	for _, v := range list {
		s, _ := v.(fields)
		out = append(out, s)
	}
	return out
}

// thriftReader reads structures. It takes memory in proportion to the text alone, whatever that
// claims.
type thriftReader struct {
	text  []byte
	at    int
	parts int
}

func (r *thriftReader) take(n uint64) ([]byte, error) {
	if n > uint64(len(r.text)-r.at) {
		return nil, errBroken
	}
	r.at += int(n)
	return r.text[r.at-int(n) : r.at], nil
}

func (r *thriftReader) varint() (uint64, error) {
	x, n := binary.Uvarint(r.text[r.at:])
	if n <= 0 {
		return 0, errBroken
	}
	r.at += n
	return x, nil
}

func (r *thriftReader) integer() (int64, error) {
	x, err := r.varint()
	return unzigzag(x), err
}

func unzigzag(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }

// structure reads fields until the end of a structure.
func (r *thriftReader) structure(depth int) (fields, error) {
	out, id := fields{}, int16(0)
	for {
		b, err := r.take(1)
		if err != nil || b[0] == 0 {
			return out, err
		}
		if step := int16(b[0] >> 4); step > 0 {
			id += step
		} else {
			n, err := r.integer()
			if err != nil {
				return nil, err
			}
			id = int16(n)
		}
		kind := b[0] & 15
		if kind == 1 || kind == 2 {
			out[id] = kind == 1
			continue
		}
		v, err := r.value(kind, depth)
		if err != nil {
			return nil, err
		}
		out[id] = v
	}
}

// value reads a value of a kind.
func (r *thriftReader) value(kind byte, depth int) (any, error) {
	if r.parts++; r.parts > maxParts || depth > maxDepth {
		return nil, errBroken
	}
	switch kind {
	case 1, 2, 3:
		b, err := r.take(1)
		if err != nil {
			return nil, err
		}
		return int64(int8(b[0])), nil
	case 4, 5, 6:
		return r.integer()
	case 7:
		_, err := r.take(8)
		return nil, err
	case 8:
		n, err := r.varint()
		if err != nil {
			return nil, err
		}
		return r.take(n)
	case 9, 10:
		return r.list(depth)
	case 11:
		return nil, r.pairs(depth)
	case 12:
		return r.structure(depth + 1)
	case 13:
		_, err := r.take(16)
		return nil, err
	}
	return nil, errBroken
}

func (r *thriftReader) list(depth int) ([]any, error) {
	b, err := r.take(1)
	if err != nil {
		return nil, err
	}
	n := uint64(b[0] >> 4)
	if n == 15 {
		n, err = r.varint()
	}
	if err != nil || n > uint64(len(r.text)-r.at) {
		return nil, errBroken
	}
	var out []any
	for range n {
		v, err := r.value(b[0]&15, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// pairs skips a map.
func (r *thriftReader) pairs(depth int) error {
	n, err := r.varint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := r.take(1)
	if err != nil || n > uint64(len(r.text)-r.at) {
		return errBroken
	}
	for range n {
		for _, kind := range []byte{kinds[0] >> 4, kinds[0] & 15} {
			if _, err := r.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// thriftWriter writes structures.
type thriftWriter struct {
	text []byte
	last []int16 // field of each open structure
}

func (w *thriftWriter) field(id int16, kind byte) {
	last := &w.last[len(w.last)-1]
	w.text = append(w.text, byte(id-*last)<<4|kind)
	*last = id
}

func (w *thriftWriter) integer(n int64) {
	w.text = binary.AppendUvarint(w.text, uint64(n<<1)^uint64(n>>63))
}

func (w *thriftWriter) bytes(text string) {
	w.text = append(binary.AppendUvarint(w.text, uint64(len(text))), text...)
}

func (w *thriftWriter) i32(id int16, n int) { w.field(id, 5); w.integer(int64(n)) }
func (w *thriftWriter) i64(id int16, n int) { w.field(id, 6); w.integer(int64(n)) }

func (w *thriftWriter) string(id int16, text string) { w.field(id, 8); w.bytes(text) }

// structure writes a structure without its number.
func (w *thriftWriter) structure(write func()) {
	w.last = append(w.last, 0)
	write()
	w.text = append(w.text, 0)
	w.last = w.last[:len(w.last)-1]
}

func (w *thriftWriter) child(id int16, write func()) { w.field(id, 12); w.structure(write) }

// list writes a list of n values of a kind.
func (w *thriftWriter) list(id int16, kind byte, n int, write func(i int)) {
	w.field(id, 9)
	if n < 15 {
		w.text = append(w.text, byte(n)<<4|kind)
	} else {
		w.text = binary.AppendUvarint(append(w.text, 15<<4|kind), uint64(n))
	}
	for i := range n {
		write(i)
	}
}
