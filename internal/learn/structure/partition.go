package structure

import (
	"math"
	mathbits "math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/problem/bnn"
)

// partition holds the rows of one output by class, that is, by the values of
// the inputs chosen so far, without the classes in which the output has one
// value only. Columns of bits follow the order of the rows.
type partition struct {
	t    *Table
	out  int
	rows []int32 // class by class
	ends []int32 // end of each class in rows
	n, k []int32 // rows of each class, and those with a true output

	words int
	y     []uint64
	cols  []uint64 // words a column
	segs  []segment
}

// segment is the part of a class that lies in one word.
type segment struct {
	word, class int32
	last        bool // of its class
	mask        uint64
}

// xlog2 tabulates x log2 x.
type xlog2 []float64

func newXlog2(n int) xlog2 {
	t := make(xlog2, n+1)
	for i := 2; i <= n; i++ {
		t[i] = float64(i) * math.Log2(float64(i))
	}
	return t
}

// bits is the entropy of n outputs of which k are true, times n.
func (x xlog2) bits(n, k int) float64 { return x[n] - x[k] - x[n-k] }

func newPartition(t *Table, rows []int32, out int) *partition {
	p := &partition{t: t, out: out}
	p.set([][]int32{rows})
	return p
}

// set takes classes of rows, and drops those that are pure.
func (p *partition) set(classes [][]int32) {
	var rows, ends, n, k []int32
	for _, c := range classes {
		ones := 0
		for _, r := range c {
			if p.t.Output(int(r), p.out) {
				ones++
			}
		}
		if ones == 0 || ones == len(c) {
			continue
		}
		rows = append(rows, c...)
		ends = append(ends, int32(len(rows)))
		n, k = append(n, int32(len(c))), append(k, int32(ones))
	}
	p.rows, p.ends, p.n, p.k = rows, ends, n, k
	p.load()
}

// columns transposes rows: the bits of each input, in whole words.
func (t *Table) columns(rows []int32) []uint64 {
	w, words := bnn.Words(t.Inputs), bnn.Words(len(rows))
	cols := make([]uint64, t.Inputs*words)
	var block [64]uint64
	for b := range words {
		for j := range w {
			clear(block[:])
			for i, r := range rows[64*b : min(64*b+64, len(rows))] {
				block[i] = t.in[int(r)*w+j]
			}
			bnn.Transpose(&block)
			for i := range min(64, t.Inputs-64*j) {
				cols[(64*j+i)*words+b] = block[i]
			}
		}
	}
	return cols
}

// column is the bits of an output in some rows.
func (t *Table) column(rows []int32, out int) []uint64 {
	y := make([]uint64, bnn.Words(len(rows)))
	for i, r := range rows {
		if t.Output(int(r), out) {
			y[i/64] |= 1 << (i % 64)
		}
	}
	return y
}

// load makes the columns and segments of the rows.
func (p *partition) load() {
	p.words, p.y, p.cols = bnn.Words(len(p.rows)), p.t.column(p.rows, p.out), p.t.columns(p.rows)
	p.segs = p.segs[:0]
	from := int32(0)
	for c, to := range p.ends {
		for at := from; at < to; {
			end := min(to, (at/64+1)*64)
			p.segs = append(p.segs, segment{at / 64, int32(c), end == to, (^uint64(0) >> (64 - (end - at))) << (at % 64)})
			at = end
		}
		from = to
	}
}

func (p *partition) col(b int) []uint64 { return p.cols[b*p.words : (b+1)*p.words] }

// errors counts the rows whose output is not the most frequent one of their class.
func (p *partition) errors() int {
	sum := 0
	for c, n := range p.n {
		sum += int(min(p.k[c], n-p.k[c]))
	}
	return sum
}

// pure reports whether no class is mixed.
func (p *partition) pure() bool { return len(p.rows) == 0 }

// gain is the information in bits that column c gives about the output, and
// the number of classes that it splits.
func (p *partition) gain(c []uint64, x xlog2) (gain float64, splits int) {
	var n1, k1 int
	for i := range p.segs {
		s := &p.segs[i]
		v := c[s.word] & s.mask
		n1 += mathbits.OnesCount64(v)
		k1 += mathbits.OnesCount64(v & p.y[s.word])
		if s.last {
			if n, k := int(p.n[s.class]), int(p.k[s.class]); n1 > 0 && n1 < n {
				gain += x.bits(n, k) - x.bits(n1, k1) - x.bits(n-n1, k-k1)
				splits++
			}
			n1, k1 = 0, 0
		}
	}
	return gain, splits
}

// gainOf is gain for the joint value of several bits; splits counts the classes
// that there are more.
func (p *partition) gainOf(bits []int, x xlog2) (gain float64, splits int) {
	counts := make([][2]int32, 1<<len(bits))
	cols := make([][]uint64, len(bits))
	for i, b := range bits {
		cols[i] = p.col(b)
	}
	for i := range p.segs {
		g := &p.segs[i]
		y := p.y[g.word]
		for m := g.mask; m != 0; m &= m - 1 {
			at := mathbits.TrailingZeros64(m)
			v := 0
			for _, c := range cols {
				v = v<<1 | int(c[g.word]>>at&1)
			}
			counts[v][y>>at&1]++
		}
		if !g.last {
			continue
		}
		parts := 0
		for k, m := range counts {
			if n := m[0] + m[1]; n > 0 {
				gain -= x.bits(int(n), int(m[1]))
				parts++
			}
			counts[k] = [2]int32{}
		}
		gain += x.bits(int(p.n[g.class]), int(p.k[g.class]))
		splits += parts - 1
	}
	return gain, splits
}

// split divides the classes by the values of bits.
func (p *partition) split(bits []int) {
	var classes [][]int32
	from := int32(0)
	parts := make([][]int32, 1<<len(bits))
	for _, to := range p.ends {
		for i := range parts {
			parts[i] = nil
		}
		for _, r := range p.rows[from:to] {
			v := 0
			for _, b := range bits {
				v = v<<1 | p.t.bit(r, b)
			}
			parts[v] = append(parts[v], r)
		}
		for _, part := range parts {
			if len(part) > 0 {
				classes = append(classes, part)
			}
		}
		from = to
	}
	p.set(classes)
}

// cells counts the joint values of inputs that rows have, and the rows whose
// output is not the one most frequent in their cell.
func (t *Table) cells(rows []int32, out int, inputs []int) (cells, errors int) {
	f := t.newRefiner(rows, out)
	for _, b := range inputs {
		f.add(b)
	}
	return f.count()
}

// refiner divides rows by the values of one input after the other.
type refiner struct {
	t     *Table
	rows  []int32
	out   int
	ids   []int32 // by row, its cell
	next  int32   // number of cells
	moved []int32 // by cell, the new one of the rows with the other value
	first []int8  // by cell, the value that comes first, whose rows keep the number
	tally []int32 // by cell, the rows with a false and with a true output
}

func (t *Table) newRefiner(rows []int32, out int) *refiner {
	return &refiner{t: t, rows: rows, out: out, ids: make([]int32, len(rows)), next: 1}
}

// clone is a refiner of the same cells.
func (f *refiner) clone() *refiner {
	return &refiner{t: f.t, rows: f.rows, out: f.out, ids: slices.Clone(f.ids), next: f.next}
}

// add divides the cells by input b.
func (f *refiner) add(b int) {
	cells := int(f.next)
	f.moved, f.first = resized(f.moved, cells), resized(f.first, cells)
	for i := range cells {
		f.moved[i], f.first[i] = -1, -1
	}
	w, word, shift := bnn.Words(f.t.Inputs), b/64, b%64
	for i, r := range f.rows {
		c, v := f.ids[i], int8(f.t.in[int(r)*w+word]>>shift&1)
		switch {
		case f.first[c] < 0:
			f.first[c] = v
		case f.first[c] != v:
			if f.moved[c] < 0 {
				f.moved[c] = f.next
				f.next++
			}
			f.ids[i] = f.moved[c]
		}
	}
}

// count is the number of cells and of rows that are exceptions in theirs.
func (f *refiner) count() (cells, errors int) {
	f.tally = resized(f.tally, 2*int(f.next))
	clear(f.tally)
	w, word, shift := bnn.Words(f.t.Outputs), f.out/64, f.out%64
	for i, r := range f.rows {
		f.tally[2*f.ids[i]+int32(f.t.out[int(r)*w+word]>>shift&1)]++
	}
	for c := range int(f.next) {
		errors += int(min(f.tally[2*c], f.tally[2*c+1]))
	}
	return int(f.next), errors
}

// resized is a slice of n elements, in the memory of s where that suffices.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, 2*n)
	}
	return s[:n]
}

// score is the description length in bits of an output given k of n inputs:
// which they are, the value of each cell, and which rows are exceptions.
func score(n, k, cells, rows, errors int) float64 {
	return rules.Log2Choose(n, k) + float64(cells) + rules.Log2Choose(rows, errors)
}
