package zstd

// fse is a table of finite-state entropy, section 4.1 of the RFC.
type fse struct {
	log   int
	cells []cell
}

// cell is a state: its symbol, and the next state, to which some bits are added.
type cell struct {
	symbol, bits uint8
	base         uint16
}

// constant is the table that has one symbol alone.
func constant(symbol uint8) *fse { return &fse{0, []cell{{symbol: symbol}}} }

// readFSE reads the distribution of symbols up to most from the beginning of data, and returns how many
// bytes it has.
func readFSE(data []byte, most, mostLog int) (*fse, int, error) {
	in := forward{data: data}
	log := in.peek(4) + 5
	in.at = 4
	if log > mostLog {
		return nil, 0, corrupt("a table of 2^%d states; expected at most 2^%d", log, mostLog)
	}
	var counts []int
	for left := 1 << log; left > 0; {
		if len(counts) > most || in.at > 8*len(data) {
			return nil, 0, corrupt("a distribution of symbols does not end")
		}
		n := highest(left+1) + 1
		value, lower, threshold := in.peek(n), 1<<(n-1)-1, 1<<n-2-left
		in.at += n
		if value&lower < threshold {
			in.at--
			value &= lower
		} else if value > lower {
			value -= threshold
		}
		count := value - 1
		counts = append(counts, count)
		left -= max(count, -count)
		for more := count == 0; more; {
			zeros := in.peek(2)
			in.at += 2
			counts = append(counts, make([]int, zeros)...)
			more = zeros == 3 && len(counts) <= most
		}
		if left < 0 {
			return nil, 0, corrupt("a distribution of symbols is too large")
		}
	}
	n := (in.at + 7) / 8
	if len(counts) > most+1 || n > len(data) {
		return nil, 0, corrupt("a distribution of symbols has too many")
	}
	return newFSE(counts, log), n, nil
}

// newFSE makes the table of a distribution, in which -1 stands for less than one state. The counts' sum is 2^log.
func newFSE(counts []int, log int) *fse {
	size := 1 << log
	t := &fse{log, make([]cell, size)}
	next := make([]int, len(counts))
	high := size
	for s, n := range counts {
		if n < 0 {
			high--
			t.cells[high].symbol, next[s] = uint8(s), 1
		}
	}
	at := 0
	for s, n := range counts {
		for range n {
			t.cells[at].symbol, next[s] = uint8(s), n
			for at = (at + size>>1 + size>>3 + 3) & (size - 1); at >= high; {
				at = (at + size>>1 + size>>3 + 3) & (size - 1)
			}
		}
	}
	for i := range t.cells {
		c := &t.cells[i]
		n := next[c.symbol]
		next[c.symbol]++
		c.bits = uint8(log - highest(n))
		c.base = uint16(n<<c.bits - size)
	}
	return t
}

// state is where a decoder is in a table.
type state struct {
	*fse
	at int
}

func (t *fse) begin(in *backward) state { return state{t, in.read(t.log)} }

func (s *state) symbol() int { return int(s.cells[s.at].symbol) }

func (s *state) step(in *backward) {
	c := &s.cells[s.at]
	s.at = int(c.base) + in.read(int(c.bits))
}
