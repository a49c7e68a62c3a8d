package zstd

import "slices"

// block is what blocks of a frame leave for the next, and room to decompress one.
type block struct {
	body     []byte // of this block
	literals []byte
	codes    *huffman
	tables   [3]*fse // of lengths of literals, offsets, lengths of matches
	offsets  [3]int  // that were used last
}

// number is a code's first value, and the bits that are added.
type number struct{ base, bits int }

// kind is one of the three numbers of a sequence.
type kind struct {
	log     int // at most
	numbers []number
	usual   *fse
}

// kinds are those of sections 3.1.1.3.2.1 and 3.1.1.3.2.2 of the RFC.
var kinds = [3]kind{
	{9, numbers(0, 16, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
		newFSE([]int{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}, 6)},
	{8, offsetNumbers(),
		newFSE([]int{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}, 5)},
	{9, numbers(3, 32, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
		newFSE(append(append([]int{1, 4, 3, 2, 2, 2, 2, 2, 2}, slices.Repeat([]int{1}, 37)...), -1, -1, -1, -1, -1, -1, -1), 6)},
}

// numbers are n single values from first on, and then ranges of so many bits.
func numbers(first, n int, bits ...int) (out []number) {
	for i := range n + len(bits) {
		b := 0
		if i >= n {
			b = bits[i-n]
		}
		out = append(out, number{first, b})
		first += 1 << b
	}
	return out
}

func offsetNumbers() (out []number) {
	for i := range 32 {
		out = append(out, number{1 << i, i})
	}
	return out
}

// decode appends what the block becomes to out, which matches refer to.
func (b *block) decode(out []byte) ([]byte, error) {
	n, err := b.readLiterals()
	if err != nil {
		return out, err
	}
	data := b.body[n:]
	count, data, err := b.readTables(data)
	if err != nil {
		return out, err
	}
	if count == 0 {
		return append(out, b.literals...), nil
	}
	in, err := newBackward(data)
	if err != nil {
		return out, err
	}
	var states [3]state
	for i := range states {
		states[i] = b.tables[i].begin(&in)
	}
	literals, most := b.literals, len(out)+maxBlock
	for k := range count {
		var value [3]int // in the order of the bits: offset, match, literals
		for _, i := range [3]int{1, 2, 0} {
			x := kinds[i].numbers[states[i].symbol()]
			value[i] = x.base + in.read(x.bits)
		}
		offset, err := b.offset(value[1], value[0])
		if err != nil {
			return out, err
		}
		if value[0] > len(literals) || offset > len(out)+value[0] || len(out)+value[0]+value[2] > most {
			return out, corrupt("a match refers to what is not there, or is too long")
		}
		out, literals = append(out, literals[:value[0]]...), literals[value[0]:]
		out = repeat(out, offset, value[2])
		if k < count-1 {
			for _, i := range [3]int{0, 2, 1} {
				states[i].step(&in)
			}
		}
		if in.at < 0 {
			return out, corrupt("the matches of a block are cut off")
		}
	}
	if in.at != 0 || len(out)+len(literals) > most {
		return out, corrupt("a block is too long")
	}
	return append(out, literals...), nil
}

// repeat appends n bytes that stand so far before the end; they may be among those that are appended.
func repeat(out []byte, offset, n int) []byte {
	for from := len(out) - offset; n > 0; {
		part := out[from:min(from+n, len(out))]
		out, n = append(out, part...), n-len(part)
	}
	return out
}

// offset is the distance of a match, which may be one of the last three.
func (b *block) offset(value, literals int) (int, error) {
	at := value - 1
	if literals == 0 {
		at++
	}
	var offset int
	switch {
	case value > 3:
		offset, at = value-3, 2
	case at == 3:
		offset, at = b.offsets[0]-1, 2
	default:
		offset = b.offsets[at]
	}
	if offset <= 0 {
		return 0, corrupt("a match has no distance")
	}
	copy(b.offsets[1:at+1], b.offsets[:at])
	b.offsets[0] = offset
	return offset, nil
}

// readLiterals reads the literals of the block, and returns how many bytes they take.
func (b *block) readLiterals() (int, error) {
	head := forward{data: b.body}
	kind, form := head.peek(2), head.peek(4)>>2
	if kind < 2 {
		bits, bytes := []int{5, 12, 5, 20}[form], []int{1, 2, 1, 3}[form]
		head.at = 4
		if form&1 == 0 {
			head.at = 3
		}
		n := head.peek(bits)
		end := bytes + n
		if kind == 1 {
			end = bytes + 1
		}
		if n > maxBlock || end > len(b.body) {
			return 0, corrupt("the literals of a block are cut off")
		}
		b.literals = append(b.literals[:0], b.body[bytes:end]...)
		if kind == 1 {
			b.literals = append(b.literals[:0], slices.Repeat(b.body[bytes:end], n)...)
		}
		return end, nil
	}
	bits, bytes := []int{10, 10, 14, 18}[form], []int{3, 3, 4, 5}[form]
	head.at = 4
	n := head.peek(bits)
	head.at += bits
	end := bytes + head.peek(bits)
	if n > maxBlock || end > len(b.body) {
		return 0, corrupt("the literals of a block are cut off")
	}
	data := b.body[bytes:end]
	if kind == 2 {
		t, used, err := readHuffman(data)
		if err != nil {
			return 0, err
		}
		b.codes, data = t, data[used:]
	}
	if b.codes == nil {
		return 0, corrupt("a block has literals in the codes of none before")
	}
	var err error
	b.literals, err = b.codes.streams(b.literals[:0], data, n, form != 0)
	return end, err
}

// streams appends n literals of one stream or of four.
func (t *huffman) streams(out, data []byte, n int, four bool) ([]byte, error) {
	if !four {
		return t.decode(out, data, n)
	}
	part := (n + 3) / 4
	if len(data) < 6 || n < 6 {
		return out, corrupt("four streams of %d literals", n)
	}
	jump, rest := forward{data: data[:6]}, data[6:]
	for i := range 4 {
		m, size := part, len(rest)
		if i == 3 {
			m = n - 3*part
		} else if size = jump.peek(16); size > len(rest) {
			return out, corrupt("a stream of literals is cut off")
		}
		jump.at += 16
		var err error
		if out, err = t.decode(out, rest[:size], m); err != nil {
			return out, err
		}
		rest = rest[size:]
	}
	return out, nil
}

// readTables reads how many sequences there are and their tables, and returns the bits of the sequences.
func (b *block) readTables(data []byte) (count int, rest []byte, err error) {
	head := forward{data: append(append([]byte{}, data[:min(4, len(data))]...), 0, 0, 0)}
	first := head.peek(8)
	used := 1
	switch {
	case len(data) == 0 || first == 0 && len(data) > 1:
		return 0, nil, corrupt("the sequences of a block are missing")
	case first == 0:
		return 0, nil, nil
	case first < 128:
		count = first
	case first < 255:
		count, used = (first-128)<<8+int(head.data[1]), 2
	default:
		count, used = int(head.data[1])+int(head.data[2])<<8+0x7f00, 3
	}
	if len(data) <= used || data[used]&3 != 0 {
		return 0, nil, corrupt("the tables of a block are missing")
	}
	modes := data[used]
	data = data[used+1:]
	for i := range b.tables {
		k, n := &kinds[i], 0
		switch modes >> (6 - 2*i) & 3 {
		case 0:
			b.tables[i] = k.usual
		case 1:
			if len(data) == 0 || int(data[0]) >= len(k.numbers) {
				return 0, nil, corrupt("a table of one symbol has none")
			}
			b.tables[i], n = constant(data[0]), 1
		case 2:
			if b.tables[i], n, err = readFSE(data, len(k.numbers)-1, k.log); err != nil {
				return 0, nil, err
			}
		case 3:
			if b.tables[i] == nil {
				return 0, nil, corrupt("a block has the tables of none before")
			}
		}
		data = data[n:]
	}
	return count, data, nil
}
