package rawlog

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/leastsquares"
)

// What columns are compared by.
const (
	mostLooked = 4_000 // steps that are looked at
	enoughRows = 50    // with others like them
	mostCells  = 64    // different cells of a column that rows are compared by
	fewCells   = 8     // of numbers that have a term each
	mostTerms  = 40    // of a linear function
	mostBent   = 150   // of one that is curved
	bends      = 6     // parts of a number's range
)

// explained has the columns of a log by what they are, and the rows in which they are looked at.
type explained struct {
	states, actions, ends []*Column // actions with inputs
	before, own, next     []int     // rows that have one before them, with that and the one after; -1 where none follows
	numeric               map[*Column]bool
}

func newExplained(t *Table, fluents []Fluent, r Reading) *explained {
	x := &explained{numeric: map[*Column]bool{}}
	for i := range fluents {
		c := &t.Columns[t.Column(fluents[i].Column)]
		switch fluents[i].Use {
		case AsState:
			x.states = append(x.states, c)
		case AsAction, AsInput:
			x.actions = append(x.actions, c)
		case AsEnd:
			x.ends = append(x.ends, c)
		default:
			continue
		}
		x.numeric[c] = isNumeric(c)
	}
	follows := map[int]int{}
	for now, then := range Steps(t, r) {
		if follows[now] = then; len(x.own) == mostLooked {
			break
		}
		x.before, x.own = append(x.before, now), append(x.own, then)
	}
	for _, i := range x.own {
		then, ok := follows[i]
		if !ok {
			then = -1
		}
		x.next = append(x.next, then)
	}
	return x
}

// look is columns in rows.
func (x *explained) look(rows []int, columns []*Column) (out []looked) {
	for _, c := range columns {
		out = append(out, looked{c, rows, x.numeric[c]})
	}
	return out
}

// left returns the share of the variation of a column that is left where others are known.
func (x *explained) left(c *Column, by []looked) float64 {
	left := c.leftByGroups(x.own, by)
	if x.numeric[c] {
		left = min(left, c.leftByLine(x.own, by, false), c.leftByLine(x.own, by, true))
	}
	return left
}

// looked is a column, and the rows in which it is looked at.
type looked struct {
	c       *Column
	rows    []int
	numeric bool
}

// at returns the cell in the k-th of the rows.
func (l *looked) at(k int) uint64 {
	if l.rows[k] < 0 {
		return missing
	}
	return l.c.cells.at(l.rows[k])
}

// leftByGroups returns the share of the variation of a column in rows that is left in groups of rows with equal cells of others; 1 if too few rows share theirs.
func (c *Column) leftByGroups(rows []int, by []looked) float64 {
	groups := map[string]*variation{}
	var key []byte
	for k, row := range rows {
		if c.Missing(row) {
			continue
		}
		key = key[:0]
		for i := range by {
			if len(by[i].c.cells.values) <= mostCells {
				key = binary.LittleEndian.AppendUint64(key, by[i].at(k))
			}
		}
		if groups[string(key)] == nil {
			groups[string(key)] = &variation{cells: map[uint64]float64{}}
		}
		groups[string(key)].add(c, row)
	}
	all := variation{cells: map[uint64]float64{}}
	within, free := 0.0, 0.0
	for _, g := range groups {
		if g.n > 1 {
			all.join(g)
			within += g.of()
			free += g.n - 1
		}
	}
	if all.n < enoughRows || 2*all.n < float64(len(rows)) || all.of() <= 0 {
		return 1
	}
	return within / free / (all.of() / (all.n - 1))
}

// variation is how much the cells of some rows vary: numbers by their squared deviations, texts by how often two differ.
type variation struct {
	n, sum, squares float64
	cells           map[uint64]float64 // of texts: rows
}

func (v *variation) add(c *Column, row int) {
	v.n++
	if x, ok := c.Number(row); ok {
		v.sum += x
		v.squares += x * x
	} else {
		v.cells[c.cells.at(row)]++
	}
}

func (v *variation) join(o *variation) {
	v.n += o.n
	v.sum += o.sum
	v.squares += o.squares
	for cell, n := range o.cells {
		v.cells[cell] += n
	}
}

// of is the variation of all rows together.
func (v *variation) of() float64 {
	if len(v.cells) == 0 {
		return v.squares - v.sum*v.sum/v.n
	}
	same := 0.0
	for _, n := range v.cells {
		same += n * n
	}
	return v.n - same/v.n
}

// leftByLine returns the share of the variation of a column in rows that the best linear function of others leaves: of their numbers, and of whether
// they have each of a few cells; where it may be curved, also of products of two numbers, and of what numbers are beyond some levels.
func (c *Column) leftByLine(rows []int, by []looked, curved bool) float64 {
	terms := termsOf(by)
	if curved {
		if terms = bentTerms(by, terms, len(rows)); terms == nil {
			return 1
		}
	}
	m := len(terms) + 1
	if !curved && m > mostTerms || len(rows) < 2*m {
		return 1
	}
	a, b, z := make([]float64, m*m), make([]float64, m), make([]float64, m)
	var all variation
	for k, row := range rows {
		y, ok := c.Number(row)
		if !ok {
			continue
		}
		all.add(c, row)
		z[0] = 1
		for i := range terms {
			z[i+1] = terms[i].at(k)
		}
		for i, x := range z {
			if x != 0 {
				b[i] += x * y
				for j, w := range z[:i+1] {
					a[i*m+j] += x * w
				}
			}
		}
	}
	if all.n < enoughRows || all.n < float64(2*m) || all.of() <= 0 {
		return 1
	}
	explained := 0.0
	for i, beta := range leastsquares.Solve(a, slices.Clone(b)) {
		explained += beta * b[i]
	}
	return max(all.squares-explained, 0) / (all.n - float64(m)) / (all.of() / (all.n - 1))
}

// term is a part of a linear function: the number of a column or whether it has a cell, that number beyond a level, or times that of another one.
type term struct {
	*looked
	cell   uint64 // that counts 1; 0 for the number
	beyond float64
	bent   bool // what is above the level
	times  *looked
}

// at is a term in the k-th of the rows.
func (t *term) at(k int) float64 {
	if t.cell != 0 {
		if t.looked.at(k) == t.cell {
			return 1
		}
		return 0
	}
	x := t.number(k)
	switch {
	case t.bent:
		return max(0, x-t.beyond)
	case t.times != nil:
		return x * t.times.number(k)
	}
	return x
}

// number is that of the column in the k-th of the rows, 0 for none.
func (l *looked) number(k int) float64 {
	if x := math.Float64frombits(l.at(k)); !math.IsNaN(x) {
		return x
	}
	return 0
}

// termsOf are the terms that are not curved.
func termsOf(by []looked) (terms []term) {
	for i := range by {
		l := &by[i]
		if l.numeric {
			terms = append(terms, term{looked: l})
		}
		if values := l.c.cells.values; len(values) <= fewCells || !l.numeric && len(values) <= mostCells {
			for _, cell := range values {
				if cell != 0 && cell != missing {
					terms = append(terms, term{looked: l, cell: cell})
				}
			}
		}
	}
	return terms
}

// bentTerms adds curved ones; nil for none, or too many.
func bentTerms(by []looked, terms []term, rows int) []term {
	var numbers []*looked
	for i := range by {
		if by[i].numeric {
			numbers = append(numbers, &by[i])
		}
	}
	if n := len(numbers); n == 0 || len(terms)+n*(n+1)/2+n*(bends-1) > mostBent {
		return nil
	}
	for i, x := range numbers {
		for _, y := range numbers[:i+1] {
			terms = append(terms, term{looked: x, times: y})
		}
		for _, level := range x.levels(rows) {
			terms = append(terms, term{looked: x, beyond: level, bent: true})
		}
	}
	return terms
}

// levels are some of the numbers in the rows, by their order.
func (l *looked) levels(rows int) (out []float64) {
	all := make([]float64, rows)
	for k := range all {
		all[k] = l.number(k)
	}
	slices.Sort(all)
	for q := 1; q < bends; q++ {
		if x := all[q*rows/bends]; x > all[0] && (len(out) == 0 || x > out[len(out)-1]) {
			out = append(out, x)
		}
	}
	return out
}
