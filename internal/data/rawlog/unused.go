package rawlog

import (
	"math"
	"slices"
)

// Unused is a column of actions that has no value where another one says that it is of no use, such as the speed of a machine that is
// repaired. There it has a value that stands for none.
type Unused struct {
	Column string
	Of     string   // column
	Uses   []string // values of that one with which it is of use
	None   string   // that stands for no value
	Apart  bool     // no cell had this value before
}

const (
	leastUnused = .99 // of the cells with a value that does not use a column are empty, and
	mostEmpty   = .2  // of those with another value
	leastCells  = 10  // are empty, so that it is no accident
)

// FindUnused finds the columns of actions that others make useless.
func FindUnused(t *Table, actions []string) (out []Unused) {
	var columns []*Column
	for _, name := range actions {
		if i := t.Column(name); i >= 0 && t.Columns[i].layout == "" {
			columns = append(columns, &t.Columns[i])
		}
	}
	for _, c := range columns {
		for _, of := range columns {
			if c == of || !slices.Contains(c.cells.values, missing) {
				continue
			}
			if uses := c.usedBy(of); uses != nil {
				u := Unused{Column: c.Name, Of: of.Name, Uses: uses}
				u.None, u.Apart = c.noValue()
				out = append(out, u)
				break
			}
		}
	}
	return out
}

// usedBy returns the values of another column with which a column has values, where it is empty with the others; nil where that does not tell.
func (c *Column) usedBy(of *Column) (uses []string) {
	var all, empty []int
	known := map[uint64]int{}
	var order []int // a row of each value
	for i := range c.cells.rows {
		cell := of.cells.at(i)
		k, ok := known[cell]
		if !ok {
			if k = len(order); k > maxEnum {
				return nil
			}
			known[cell] = k
			order, all, empty = append(order, i), append(all, 0), append(empty, 0)
		}
		if all[k]++; c.Missing(i) {
			empty[k]++
		}
	}
	useless := 0
	for k, i := range order {
		switch share := float64(empty[k]) / float64(all[k]); {
		case share >= leastUnused && !of.Missing(i):
			useless += empty[k]
		case share > mostEmpty || of.Missing(i):
			return nil
		default:
			uses = append(uses, of.Text(i))
		}
	}
	if useless < leastCells {
		return nil
	}
	return uses
}

// noValue is what stands for no value in a column: the text none, or a number, 0 if that is not far from the others. It also reports whether no cell
// has it.
func (c *Column) noValue() (text string, apart bool) {
	lo, hi, texts := math.Inf(1), math.Inf(-1), false
	has := map[string]bool{}
	for _, cell := range c.cells.values {
		if cell == missing {
			continue
		}
		x := math.Float64frombits(cell)
		texts = texts || isNone(cell)
		lo, hi = min(lo, x), max(hi, x)
		has[c.text(cell)] = true
	}
	switch {
	case texts:
		text = "none"
	case lo <= 0 && hi >= 0, lo > 0 && lo <= hi-lo:
		text = "0"
	default:
		text = digits(lo)
	}
	return text, !has[text]
}

// SetUnused gives the cells of a column that are of no use the value that stands for none. It does nothing to a table without these columns.
func (t *Table) SetUnused(u Unused) {
	at, by := t.Column(u.Column), t.Column(u.Of)
	if at < 0 || by < 0 {
		return
	}
	c, of := &t.Columns[at], &t.Columns[by]
	uses := map[string]bool{}
	for _, text := range u.Uses {
		uses[text] = true
	}
	old := c.cells
	c.cells = cells{}
	for i := range old.rows {
		cell := old.at(i)
		switch {
		case cell != missing || of.Missing(i) || uses[of.Text(i)]:
			c.cells.add(cell)
		default:
			c.add(u.None, false)
		}
	}
}
