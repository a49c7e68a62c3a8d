package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The encodings, by their numbers in the format.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2 // of old; the same as encodingDictionary in pages of data
	encodingRLE             = 3
	encodingDelta           = 5
	encodingDeltaLength     = 6
	encodingDeltaText       = 7
	encodingDictionary      = 8
	encodingSplit           = 9
)

var errCut = errors.New("a page is cut off")

// decoder reads the next value of a page that is there, whose kind is that of the column.
type decoder func(v *Value) error

// plain reads values one after the other.
func plain(c *Column, data []byte) decoder {
	bit := 0 // of a Boolean, in the first byte
	fixed := width(c.Kind, c.length)
	return func(v *Value) error {
		n := fixed
		switch c.Kind {
		case Bool:
			if len(data) == 0 {
				return errCut
			}
			v.Number = float64(data[0] >> bit & 1)
			if bit++; bit == 8 {
				data, bit = data[1:], 0
			}
			return nil
		case Text:
			if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
				return errCut
			}
			n = int(binary.LittleEndian.Uint32(data))
			data = data[4:]
		}
		if len(data) < n {
			return errCut
		}
		v.set(data[:n:n])
		data = data[n:]
		return nil
	}
}

// set sets the value to bytes of its kind.
func (v *Value) set(b []byte) {
	if v.Kind == Text || v.Kind == Fixed {
		v.Text = b
	} else {
		v.Number = number(v.Kind, b)
	}
}

// hybrid reads numbers of a width in bits, in runs of equal ones and in packed groups of eight.
type hybrid struct {
	data  []byte
	width uint

	left   uint64 // numbers of the run
	packed bool
	same   uint32
	group  []byte // of a packed run
	bit    uint64 // in group
}

func (h *hybrid) next() (uint32, error) {
	for h.left == 0 {
		head, n := binary.Uvarint(h.data)
		if n <= 0 {
			return 0, errCut
		}
		h.data = h.data[n:]
		h.packed = head&1 == 1
		if head >>= 1; h.packed {
			size := min(head, 1<<32) * uint64(h.width)
			if size > uint64(len(h.data)) {
				size = uint64(len(h.data)) // the last group may be cut short
			}
			h.group, h.data, h.bit, h.left = h.data[:size], h.data[size:], 0, min(head, 1<<32)*8
			continue
		}
		size := int(h.width+7) / 8
		if len(h.data) < size {
			return 0, errCut
		}
		h.same = 0
		for i := range size {
			h.same |= uint32(h.data[i]) << (8 * i)
		}
		h.data, h.left = h.data[size:], head
	}
	h.left--
	if !h.packed {
		return h.same, nil
	}
	x, err := bits(h.group, h.bit, h.width)
	h.bit += uint64(h.width)
	return uint32(x), err
}

// bits reads a number of at most 64 bits from the bit at.
func bits(data []byte, at uint64, width uint) (uint64, error) {
	var x uint64
	for got := uint(0); got < width; {
		i := at / 8
		if i >= uint64(len(data)) {
			return 0, errCut
		}
		shift := uint(at % 8)
		n := min(8-shift, width-got)
		x |= uint64(data[i]>>shift&(1<<n-1)) << got
		got, at = got+n, at+uint64(n)
	}
	return x, nil
}

// indexed reads values of a dictionary.
func indexed(dictionary []Value, h *hybrid) decoder {
	return func(v *Value) error {
		i, err := h.next()
		if err != nil {
			return err
		}
		if uint64(i) >= uint64(len(dictionary)) {
			return fmt.Errorf("value %d of a dictionary of %d", i, len(dictionary))
		}
		*v = dictionary[i]
		return nil
	}
}

// flags reads Booleans in runs.
func flags(h *hybrid) decoder {
	return func(v *Value) error {
		x, err := h.next()
		v.Number = float64(x)
		return err
	}
}

// delta reads integers by their differences, in blocks of small blocks of one width each.
type delta struct {
	data  []byte
	block uint64 // numbers of a block
	small uint64 // numbers of a small block
	left  uint64 // numbers of the page

	value  int64
	first  bool
	least  int64  // difference of the block
	widths []byte // of the small blocks to come
	width  uint
	inner  uint64 // numbers left in the small block
	packed []byte
	bit    uint64
}

// newDelta reads the header of a page of at most so many values.
func newDelta(data []byte, most int) (*delta, error) {
	var head [4]uint64
	for i := range head {
		x, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, errCut
		}
		head[i], data = x, data[n:]
	}
	if head[0] == 0 || head[0] > 1<<20 || head[1] == 0 || head[1] > head[0] || head[0]%head[1] != 0 || head[2] > uint64(most) {
		return nil, fmt.Errorf("a page of %d differences in blocks of %d in %d parts", head[2], head[0], head[1])
	}
	return &delta{data: data, block: head[0], small: head[0] / head[1], left: head[2], value: unzigzag(head[3]), first: true}, nil
}

func (d *delta) integer() (int64, error) {
	if d.left == 0 {
		return 0, errCut
	}
	d.left--
	if d.first {
		d.first = false
		return d.value, nil
	}
	if d.inner == 0 {
		if err := d.part(); err != nil {
			return 0, err
		}
	}
	x, err := bits(d.packed, d.bit, d.width)
	d.bit += uint64(d.width)
	d.inner--
	d.value += d.least + int64(x)
	return d.value, err
}

// part begins the next small block.
func (d *delta) part() error {
	if len(d.widths) == 0 {
		x, n := binary.Uvarint(d.data)
		parts := int(d.block / d.small)
		if n <= 0 || len(d.data)-n < parts {
			return errCut
		}
		d.least, d.widths, d.data = unzigzag(x), d.data[n:n+parts], d.data[n+parts:]
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return errCut
	}
	size := min((d.small*uint64(d.width)+7)/8, uint64(len(d.data)))
	d.packed, d.data, d.bit, d.inner = d.data[:size], d.data[size:], 0, d.small
	return nil
}

func (d *delta) next(v *Value) error {
	x, err := d.integer()
	v.Number = float64(x)
	return err
}

// rest reads all numbers, and returns what follows them.
func (d *delta) rest() ([]int, []byte, error) {
	out := make([]int, 0, d.left)
	for d.left > 0 {
		x, err := d.integer()
		if err != nil {
			return nil, nil, err
		}
		if x < 0 || x > 1<<31 {
			return nil, nil, errCut
		}
		out = append(out, int(x))
	}
	return out, d.data, nil
}

// texts reads texts whose lengths stand before them, each after a beginning of the one before if that is shared.
func texts(data []byte, most int, shared bool) (decoder, error) {
	var shares, lengths []int
	var last []byte
	for _, to := range []*[]int{&shares, &lengths} {
		if to == &shares && !shared {
			continue
		}
		d, err := newDelta(data, most)
		if err != nil {
			return nil, err
		}
		if *to, data, err = d.rest(); err != nil {
			return nil, err
		}
	}
	if shared && len(shares) != len(lengths) {
		return nil, errCut
	}
	return func(v *Value) error {
		if len(lengths) == 0 || lengths[0] > len(data) {
			return errCut
		}
		n := lengths[0]
		text := data[:n:n]
		lengths, data = lengths[1:], data[n:]
		if shared {
			if shares[0] > len(last) {
				return errCut
			}
			text = append(last[:shares[0]:shares[0]], text...)
			shares, last = shares[1:], text
		}
		v.Text = text
		return nil
	}, nil
}

// split reads numbers whose first bytes stand first, then all second ones, and so on.
func split(c *Column, data []byte) (decoder, error) {
	w := width(c.Kind, c.length)
	if w == 0 || len(data)%w != 0 {
		return nil, fmt.Errorf("a column of %v in encoding %d", c.Kind, encodingSplit)
	}
	at, n := 0, len(data)/w
	return func(v *Value) error {
		if at >= n {
			return errCut
		}
		b := make([]byte, w)
		for i := range b {
			b[i] = data[i*n+at]
		}
		at++
		v.set(b)
		return nil
	}, nil
}
