package structure

import (
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/problem/bnn"
)

const (
	// screenInputs is how many inputs all are candidates for every output, and screenAlways how
	// many are even if rows are more: the time of a search grows with the inputs of each output,
	// and all outputs together with their square.
	screenInputs = 512
	screenAlways = 4096
	// screened is the most candidates of an output that are chosen by what each tells of its value,
	// and as many by what each tells of whether it changes.
	screened = 24
)

// screens reports whether candidates are chosen for each output before its inputs are searched for.
func (t *Table) screens() bool {
	return t.Inputs > screenInputs && t.Rows() < t.Inputs || t.Inputs > screenAlways
}

// screen chooses candidates among the inputs of a wide table, on some of its rows.
type screen struct {
	t     *Table
	rows  []int32
	words int
	cols  []uint64  // words a column, the rows in their order
	ones  []int     // by column
	scale []float64 // by column, the inverse of the product of its ones and its zeros; 0 if one value is absent
	found [][]int   // by output, its candidates; nil before they are asked for
}

// screenOf is the screen for some rows; it is made once for the same ones.
func (l *learner) screenOf(rows []int32) *screen {
	l.screening.Lock()
	defer l.screening.Unlock()
	for _, s := range l.screens {
		if len(s.rows) == len(rows) && (len(rows) == 0 || &s.rows[0] == &rows[0]) {
			return s
		}
	}
	s := newScreen(l.t, rows)
	l.screens = append(l.screens, s)
	return s
}

// newScreen packs the columns of some rows.
func newScreen(t *Table, rows []int32) *screen {
	s := &screen{t: t, rows: rows, words: (len(rows) + 63) / 64, ones: make([]int, t.Inputs), scale: make([]float64, t.Inputs), found: make([][]int, t.Outputs)}
	s.cols = t.columns(rows)
	for b := range t.Inputs {
		for _, x := range s.col(b) {
			s.ones[b] += bits.OnesCount64(x)
		}
		if n := s.ones[b]; n > 0 && n < len(rows) {
			s.scale[b] = 1 / (float64(n) * float64(len(rows)-n))
		}
	}
	return s
}

func (s *screen) col(b int) []uint64 { return s.cols[b*s.words : (b+1)*s.words] }

// candidates lists inputs that may tell an output, in increasing order: its own bits, those that
// tell most of its value, and those that tell most of where it changes.
func (s *screen) candidates(o int) []int {
	if s.found[o] == nil {
		s.found[o] = s.choose(o)
	}
	return s.found[o]
}

func (s *screen) choose(o int) []int {
	own := -1
	if s.t.Own != nil {
		own = s.t.Own(o)
	}
	var list []int
	if own >= 0 {
		if list = []int{own}; s.t.group[own] >= 0 {
			list = slices.Clone(s.t.Groups[s.t.group[own]])
		}
	}
	y := s.t.column(s.rows, o)
	list = append(list, s.telling(y)...)
	if own >= 0 {
		for w, x := range s.col(own) {
			y[w] ^= x
		}
		list = append(list, s.telling(y)...)
	}
	if len(list) == 0 {
		list = []int{0} // a table has an input
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// telling lists the columns that differ most, by a chi-squared statistic, between the rows of a set and
// the others; of equal ones the first.
func (s *screen) telling(set []uint64) []int {
	total := 0
	for _, x := range set {
		total += bits.OnesCount64(x)
	}
	if total == 0 || total == len(s.rows) {
		return nil
	}
	type scored struct {
		input int
		value float64
	}
	best := make([]scored, 0, screened+1)
	share, least := float64(total)/float64(len(s.rows)), 0.0
	for b, scale := range s.scale {
		if scale == 0 {
			continue
		}
		both, c := 0, s.cols[b*s.words:]
		for w, x := range set {
			both += bits.OnesCount64(x & c[w])
		}
		d := float64(both) - share*float64(s.ones[b])
		value := d * d * scale
		if value <= least {
			continue
		}
		at := len(best)
		for at > 0 && best[at-1].value < value {
			at--
		}
		best = append(best, scored{b, value})
		copy(best[at+1:], best[at:])
		if best[at] = (scored{b, value}); len(best) > screened {
			best = best[:screened]
			least = best[screened-1].value
		}
	}
	list := make([]int, len(best))
	for i, x := range best {
		list[i] = x.input
	}
	return list
}

// narrow makes a table of output o alone, and of its candidates: to are these. It has the rows in
// which the output is known.
func (s *screen) narrow(o int) (n *Table, to []int) {
	t := s.t
	to = s.candidates(o)
	at := make(map[int]int, len(to))
	for i, b := range to {
		at[b] = i
	}
	inside := func(lists [][]int) (some [][]int) {
		for _, list := range lists {
			var bits []int
			for _, b := range list {
				if i, ok := at[b]; ok {
					bits = append(bits, i)
				}
			}
			if len(bits) > 1 {
				some = append(some, bits)
			}
		}
		return some
	}
	var near [][]int
	for i, b := range to {
		if g := t.group[b]; g >= 0 && (i == 0 || t.group[to[i-1]] != g) {
			near = append(near, t.Groups[g])
		}
	}
	n = NewTable(len(to), 1, inside(near))
	n.alone, n.among, n.Sets = true, t.Inputs, inside(t.Sets)
	n.Contradictory, n.Missing, n.Repeated = t.Contradictory, t.Missing, t.Repeated
	if t.Rank != nil {
		n.Rank = func(_, input int) int { return t.Rank(o, to[input]) }
	}
	if t.Own != nil {
		n.Own = func(int) int {
			if i, ok := at[t.Own(o)]; ok {
				return i
			}
			return -1
		}
	}
	s.fill(n, o, to)
	return n, to
}

// fill copies the rows.
func (s *screen) fill(n *Table, o int, to []int) {
	t, w := s.t, bnn.Words(len(to))
	in, known := make([]uint64, w), make([]uint64, w)
	for i, r := range s.rows {
		if !t.Knows(int(r), o) {
			continue
		}
		clear(in)
		clear(known)
		for k, b := range to {
			in[k/64] |= s.cols[b*s.words+i/64] >> (i % 64) & 1 << (k % 64)
			if t.inKnown == nil || t.inKnown[int(r)*bnn.Words(t.Inputs)+b/64]>>(b%64)&1 == 1 {
				known[k/64] |= 1 << (k % 64)
			}
		}
		out := []uint64{0}
		if t.Output(int(r), o) {
			out[0] = 1
		}
		if t.inKnown == nil {
			n.Add(in, out, nil, nil)
		} else {
			n.Add(in, out, known, nil)
		}
	}
}

// named lists the inputs that candidates stand for.
func named(to, candidates []int) []int {
	list := make([]int, len(candidates))
	for i, c := range candidates {
		list[i] = to[c]
	}
	return list
}

// candidates is the number of inputs that those of the table were chosen from: it tells what it takes to name one.
func (t *Table) candidates() int { return max(t.Inputs, t.among) }

// thin reports whether rows tell so little of a screened output that no table of four inputs is
// worth naming: what would explain it was then found by chance.
func (s *search) thin() bool {
	const inputs = 4
	return s.t.among > 0 && rules.Log2Choose(len(s.rows), s.choice(nil).errors) < rules.Log2Choose(s.t.among, inputs)+1<<inputs
}

// moves reports whether an output that differs from its most frequent value in so many rows is not
// nearly always what it was before.
func (s *search) moves(errors int) bool {
	const kept = 4 // times as many exceptions as of a copy
	own := -1
	if s.t.Own != nil {
		own = s.t.Own(s.out)
	}
	return errors > 0 && (own < 0 || kept*s.choice([]int{own}).errors >= errors)
}
