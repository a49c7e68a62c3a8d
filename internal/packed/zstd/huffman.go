package zstd

// huffman is a table of the symbols that the next log bits begin with, section 4.2 of the RFC.
type huffman struct {
	log   int
	cells []cell // symbol and bits
}

// mostCode bounds the lengths of codes, in bits.
const mostCode = 11

// readHuffman reads a table from the beginning of data, and returns how many bytes it has.
func readHuffman(data []byte) (*huffman, int, error) {
	if len(data) == 0 {
		return nil, 0, corrupt("a table of codes is missing")
	}
	n := int(data[0])
	var weights []uint8
	if n >= 128 {
		count := n - 127
		if n = (count + 1) / 2; 1+n > len(data) {
			return nil, 0, corrupt("a table of codes is cut off")
		}
		for i := range count {
			weights = append(weights, data[1+i/2]>>(4*(1-i%2))&15)
		}
	} else {
		if 1+n > len(data) {
			return nil, 0, corrupt("a table of codes is cut off")
		}
		var err error
		if weights, err = readWeights(data[1 : 1+n]); err != nil {
			return nil, 0, err
		}
	}
	t, err := newHuffman(weights)
	return t, 1 + n, err
}

// readWeights reads weights that two states of one table give in turn.
func readWeights(data []byte) ([]uint8, error) {
	t, n, err := readFSE(data, mostCode+1, 6)
	if err != nil {
		return nil, err
	}
	in, err := newBackward(data[n:])
	if err != nil {
		return nil, err
	}
	states := [2]state{t.begin(&in), t.begin(&in)}
	var out []uint8
	for i := 0; ; i ^= 1 {
		if len(out) > 254 {
			return nil, corrupt("a table has too many codes")
		}
		out = append(out, uint8(states[i].symbol()))
		if states[i].step(&in); in.at < 0 {
			return append(out, uint8(states[i^1].symbol())), nil
		}
	}
}

// newHuffman makes a table of weights; that of the last symbol follows from the others.
func newHuffman(weights []uint8) (*huffman, error) {
	sum := 0
	for _, w := range weights {
		if w > mostCode {
			return nil, corrupt("a code is too long")
		}
		sum += 1 << w >> 1
	}
	if sum == 0 {
		return nil, corrupt("a table has no codes")
	}
	log := highest(sum) + 1
	left := 1<<log - sum
	if log > mostCode || left&(left-1) != 0 {
		return nil, corrupt("the codes of a table do not fit")
	}
	weights = append(weights, uint8(highest(left)+1))
	t := &huffman{log, make([]cell, 0, 1<<log)}
	for w := 1; w <= log; w++ {
		for s, x := range weights {
			if int(x) != w {
				continue
			}
			for range 1 << w >> 1 {
				t.cells = append(t.cells, cell{symbol: uint8(s), bits: uint8(log + 1 - w)})
			}
		}
	}
	return t, nil
}

// decode appends n symbols of a stream.
func (t *huffman) decode(out, data []byte, n int) ([]byte, error) {
	in, err := newBackward(data)
	if err != nil {
		return out, err
	}
	for range n {
		c := t.cells[in.peek(t.log)]
		in.at -= int(c.bits)
		out = append(out, c.symbol)
	}
	if in.at != 0 {
		return out, corrupt("a stream of literals has %d bits left", in.at)
	}
	return out, nil
}
