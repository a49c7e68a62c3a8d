package milp

import (
	"math"
	"slices"
)

// entry is a coefficient of a sparse row or column.
type entry struct {
	at int32
	a  float64
}

// factor is a basis matrix as a product of a lower and an upper triangular matrix
// and one column for each exchange since. Rows and columns that have one entry
// left come first, which leaves little of the bases of flows; the rest is taken
// column by column (Gilbert and Peierls 1988).
type factor struct {
	row, col []int32   // of the k-th pivot: its row, and its position in the basis
	diag     []float64 // its value
	lower    lists     // by pivot: rows that follow, times the pivot's
	upper    lists     // by pivot: its column's rows of earlier pivots
	across   lists     // by pivot: its row's positions of later pivots
	etas     []eta
	size     int   // entries of the etas
	built    int64 // how often it was built
}

// eta is an exchange: a position, and the column that came there in terms of the basis before.
type eta struct {
	at    int32
	pivot float64
	list  []entry // without the pivot
}

// lists are lists of entries, one after the other.
type lists struct {
	end []int32
	all []entry
}

func (l *lists) reset() { l.end, l.all = l.end[:0], l.all[:0] }

func (l *lists) of(k int) []entry {
	if k == 0 {
		return l.all[:l.end[0]]
	}
	return l.all[l.end[k-1]:l.end[k]]
}

// tiny is what counts as zero in a factor; weakest is how large a pivot is at least, against its column.
const (
	tiny    = 1e-12
	weakest = .1
)

// peel is a basis while rows and columns with one entry left are taken.
type peel struct {
	*factor
	columns    [][]entry
	inRow      [][]int32 // positions by row
	rowLeft    []int32   // entries in what is left, -1 of what is taken
	columnLeft []int32
	number     []int32 // of the pivot of a row, -1 for none
	touched    []int32 // rows of the last column
}

// build factors the columns of a basis with as many rows. It returns positions and rows that are
// left without a pivot: the matrix has those columns replaced by minus the unit columns of those rows.
func (f *factor) build(columns [][]entry) (positions, rows []int32) {
	m := len(columns)
	f.row, f.col, f.diag = f.row[:0], f.col[:0], f.diag[:0]
	f.lower.reset()
	f.upper.reset()
	f.etas, f.size = f.etas[:0], 0
	f.built++
	p := &peel{factor: f, columns: columns, inRow: make([][]int32, m), rowLeft: make([]int32, m), columnLeft: make([]int32, m), number: make([]int32, m)}
	for c, list := range columns {
		p.columnLeft[c] = int32(len(list))
		for _, e := range list {
			p.inRow[e.at] = append(p.inRow[e.at], int32(c))
			p.rowLeft[e.at]++
		}
	}
	for i := range p.number {
		p.number[i] = -1
	}
	p.takeColumns()
	p.takeRows()
	positions = p.takeRest()
	for i, k := range p.number {
		if k < 0 {
			rows = append(rows, int32(i))
		}
	}
	for k, c := range positions {
		f.pivot(rows[k], c, -1)
		p.number[rows[k]] = int32(len(f.row) - 1)
	}
	f.transpose(m, p.number)
	return positions, rows
}

// pivot ends the lists of a pivot.
func (f *factor) pivot(row, col int32, value float64) {
	f.row, f.col, f.diag = append(f.row, row), append(f.col, col), append(f.diag, value)
	f.lower.end = append(f.lower.end, int32(len(f.lower.all)))
	f.upper.end = append(f.upper.end, int32(len(f.upper.all)))
}

// take makes an entry of a column the next pivot, and what is left of the column its lower part.
func (p *peel) take(row, col int32) {
	var value float64
	for _, e := range p.columns[col] {
		if e.at == row {
			value = e.a
		}
	}
	for _, e := range p.columns[col] {
		switch {
		case e.at == row:
		case p.number[e.at] >= 0:
			p.upper.all = append(p.upper.all, e)
		default:
			p.lower.all = append(p.lower.all, entry{e.at, e.a / value})
		}
	}
	p.number[row] = int32(len(p.row))
	p.pivot(row, col, value)
	p.columnLeft[col] = -1
}

// takeColumns takes columns with one entry left.
func (p *peel) takeColumns() {
	var queue []int32
	for c, n := range p.columnLeft {
		if n == 1 {
			queue = append(queue, int32(c))
		}
	}
	for len(queue) > 0 {
		c := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if p.columnLeft[c] != 1 {
			continue
		}
		n := slices.IndexFunc(p.columns[c], func(e entry) bool { return p.number[e.at] < 0 })
		row := p.columns[c][n].at
		p.take(row, c)
		for _, other := range p.inRow[row] {
			if p.columnLeft[other] > 0 {
				if p.columnLeft[other]--; p.columnLeft[other] == 1 {
					queue = append(queue, other)
				}
			}
		}
	}
}

// takeRows takes rows with one entry left.
func (p *peel) takeRows() {
	var queue []int32
	for i, list := range p.inRow {
		p.rowLeft[i] = 0
		for _, c := range list {
			if p.columnLeft[c] >= 0 {
				p.rowLeft[i]++
			}
		}
		if p.number[i] < 0 && p.rowLeft[i] == 1 {
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		row := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if p.number[row] >= 0 || p.rowLeft[row] != 1 {
			continue
		}
		n := slices.IndexFunc(p.inRow[row], func(c int32) bool { return p.columnLeft[c] >= 0 })
		c := p.inRow[row][n]
		p.take(row, c)
		for _, e := range p.columns[c] {
			if p.number[e.at] < 0 {
				if p.rowLeft[e.at]--; p.rowLeft[e.at] == 1 {
					queue = append(queue, e.at)
				}
			}
		}
	}
}

// takeRest takes the other columns, short ones first, each with a row of few entries. It returns those that have no pivot.
func (p *peel) takeRest() (failed []int32) {
	var left []int32
	for c, n := range p.columnLeft {
		if n >= 0 {
			left = append(left, int32(c))
		}
	}
	slices.SortStableFunc(left, func(a, b int32) int { return int(p.columnLeft[a] - p.columnLeft[b]) })
	first := len(p.row)
	work, seen := make([]float64, len(p.columns)), make([]bool, len(p.columns))
	for _, c := range left {
		if !p.takeColumn(first, c, p.columns[c], work, seen) {
			failed = append(failed, c)
		}
	}
	return failed
}

// takeColumn computes a column by the pivots from first on, and makes it the next pivot's; false where nothing of it is left. work and seen are as they were.
func (p *peel) takeColumn(first int, c int32, column []entry, work []float64, seen []bool) bool {
	touched := p.touched[:0]
	touch := func(i int32, a float64) {
		if !seen[i] {
			seen[i] = true
			touched = append(touched, i)
		}
		work[i] += a
	}
	for _, e := range column {
		touch(e.at, e.a)
	}
	for k := first; k < len(p.row); k++ {
		if x := work[p.row[k]]; x != 0 {
			for _, e := range p.lower.of(k) {
				touch(e.at, -e.a*x)
			}
		}
	}
	ok := p.choose(c, work, touched)
	for _, i := range touched {
		work[i], seen[i] = 0, false
	}
	p.touched = touched
	return ok
}

// choose makes a column that is computed the next pivot's; false where nothing of it is left.
func (p *peel) choose(c int32, work []float64, touched []int32) bool {
	most := 0.0
	for _, i := range touched {
		if p.number[i] < 0 {
			most = max(most, math.Abs(work[i]))
		}
	}
	if most < 1e-9 {
		return false
	}
	row := int32(-1)
	for _, i := range touched {
		if p.number[i] < 0 && math.Abs(work[i]) >= weakest*most &&
			(row < 0 || p.rowLeft[i] < p.rowLeft[row] || p.rowLeft[i] == p.rowLeft[row] && i < row) {
			row = i
		}
	}
	for _, i := range touched {
		switch x := work[i]; {
		case i == row || math.Abs(x) < tiny:
		case p.number[i] >= 0:
			p.upper.all = append(p.upper.all, entry{i, x})
		default:
			p.lower.all = append(p.lower.all, entry{i, x / work[row]})
		}
	}
	p.number[row] = int32(len(p.row))
	p.pivot(row, c, work[row])
	return true
}

// transpose lays the upper matrix out by rows.
func (f *factor) transpose(m int, number []int32) {
	counts := make([]int32, m+1)
	for _, e := range f.upper.all {
		counts[number[e.at]+1]++
	}
	for k := range m {
		counts[k+1] += counts[k]
	}
	f.across.reset()
	f.across.all = slices.Grow(f.across.all, len(f.upper.all))[:len(f.upper.all)]
	f.across.end = append(f.across.end, counts[1:]...)
	for k := range f.row {
		for _, e := range f.upper.of(k) {
			n := number[e.at]
			f.across.all[counts[n]] = entry{f.col[k], e.a}
			counts[n]++
		}
	}
}

// solve makes x, by rows, the vector y by positions for which the basis times y is x. It returns the work, in entries.
func (f *factor) solve(x, y []float64) (work int) {
	for k, r := range f.row {
		if v := x[r]; v != 0 {
			list := f.lower.of(k)
			work += len(list)
			for _, e := range list {
				x[e.at] -= e.a * v
			}
		}
	}
	for k := len(f.row) - 1; k >= 0; k-- {
		v := x[f.row[k]]
		if x[f.row[k]] = 0; v == 0 {
			y[f.col[k]] = 0
			continue
		}
		v /= f.diag[k]
		list := f.upper.of(k)
		work += len(list)
		for _, e := range list {
			x[e.at] -= e.a * v
		}
		if math.Abs(v) < tiny {
			v = 0
		}
		y[f.col[k]] = v
	}
	for i := range f.etas {
		t := &f.etas[i]
		v := y[t.at]
		if v == 0 {
			continue
		}
		v /= t.pivot
		y[t.at] = v
		work += len(t.list)
		for _, e := range t.list {
			y[e.at] -= e.a * v
		}
	}
	return work + len(f.row)/4
}

// solveTransposed makes y, by positions, the vector x by rows for which x times the basis is y.
func (f *factor) solveTransposed(y, x []float64) (work int) {
	for i := len(f.etas) - 1; i >= 0; i-- {
		t := &f.etas[i]
		v := y[t.at]
		for _, e := range t.list {
			v -= e.a * y[e.at]
		}
		work += len(t.list)
		y[t.at] = v / t.pivot
	}
	for k, c := range f.col {
		v := y[c]
		if y[c] = 0; v == 0 {
			x[f.row[k]] = 0
			continue
		}
		v /= f.diag[k]
		list := f.across.of(k)
		work += len(list)
		for _, e := range list {
			y[e.at] -= e.a * v
		}
		x[f.row[k]] = v
	}
	for k := len(f.row) - 1; k >= 0; k-- {
		list := f.lower.of(k)
		if len(list) == 0 {
			continue
		}
		v := x[f.row[k]]
		for _, e := range list {
			v -= e.a * x[e.at]
		}
		work += len(list)
		if math.Abs(v) < tiny {
			v = 0
		}
		x[f.row[k]] = v
	}
	return work + len(f.row)/4
}

// exchange puts a column, in terms of the basis, in the place of that at a position.
func (f *factor) exchange(at int32, column []float64) {
	t := eta{at: at, pivot: column[at]}
	for i, a := range column {
		if a != 0 && int32(i) != at {
			t.list = append(t.list, entry{int32(i), a})
		}
	}
	f.etas = append(f.etas, t)
	f.size += len(t.list)
}
