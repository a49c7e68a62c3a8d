package measure

import (
	"fmt"
	"math"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// Each adds each row of some data sets of which all is known to the counter that pick chooses, nil for none: of
// rows that are alike for all of them together, as train.EachAlike has them. It returns how many rows lack a
// value. Errors are those of train.EachRow.
func Each(p *factored.Problem, pick func(*train.Row) *Counter, sources ...train.Source) (incomplete int, err error) {
	return addEach(p, func(row func(*train.Row)) error { return train.EachAlike(p, row, sources...) }, pick, sources)
}

// EachRow is Each, row by row.
func EachRow(p *factored.Problem, pick func(*train.Row) *Counter, sources ...train.Source) (incomplete int, err error) {
	return addEach(p, func(row func(*train.Row)) error { return train.EachRow(p, row, sources...) }, pick, sources)
}

func addEach(p *factored.Problem, each func(func(*train.Row)) error, pick func(*train.Row) *Counter, sources []train.Source) (incomplete int, err error) {
	units := make([]*units, len(sources))
	for i, s := range sources {
		if s.Stored != nil {
			if units[i], err = newUnits(p, s.Stored); err != nil {
				return 0, err
			}
		}
	}
	err = each(func(r *train.Row) {
		if r.InKnown != nil {
			incomplete += r.Count
			return
		}
		c := pick(r)
		if c == nil {
			return
		}
		if u := units[r.Source]; u != nil {
			u.read(r.Index)
			c.Add(r, &u.values, u.outside() || len(r.Outside) > 0)
			return
		}
		c.Add(r, nil, len(r.Outside) > 0)
	})
	return incomplete, err
}

// units reads a data set's quantities in their own units.
type units struct {
	data      *dataset.Data
	now, next []int // columns of the variables that are predicted
	bounded   []int // columns of quantities
	row       []float64
	values    Values
}

func newUnits(p *factored.Problem, d *dataset.Data) (*units, error) {
	u := &units{data: d, row: make([]float64, len(d.Schema.Columns))}
	column := map[string]int{}
	for i := range d.Schema.Columns {
		c := &d.Schema.Columns[i]
		v, ok := p.Find(strings.TrimSuffix(c.Name, "'"))
		if !ok {
			continue
		}
		if c.Role == dataset.Next {
			column[v.Name+"'"] = i
		} else {
			column[v.Name] = i
		}
		if v.Real() {
			u.bounded = append(u.bounded, i)
		}
	}
	for _, v := range NewCounter(p, nil).Variables() {
		now, ok1 := column[v.Name]
		next, ok2 := column[v.Name+"'"]
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("the data has no columns %s and %s', expected them of each fluent that the network gives", v.Name, v.Name)
		}
		u.now, u.next = append(u.now, now), append(u.next, next)
	}
	u.values = Values{make([]float64, len(u.now)), make([]float64, len(u.now))}
	return u, nil
}

// read sets the values to those of row i.
func (u *units) read(i int) {
	u.data.Read(i, u.row)
	for k := range u.now {
		u.values.Now[k], u.values.Next[k] = u.row[u.now[k]], u.row[u.next[k]]
	}
}

// outside reports whether a quantity of the row is outside its range.
func (u *units) outside() bool {
	for _, i := range u.bounded {
		c, x := &u.data.Schema.Columns[i], u.row[i]
		if !math.IsNaN(x) && !c.Contains(x) {
			return true
		}
	}
	return false
}
