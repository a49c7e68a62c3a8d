package dataset

import (
	"math"

	"github.com/fdplan/fdplan/internal/data/distinct"
)

// Data is a data set in memory, which keeps equal rows once: its rows, in the order in which Add
// was given them, or a view of rows that are kept in another form.
type Data struct {
	Schema *Schema
	Rows   int
	// View sets row to the values of row i, counted from 0; nil if the rows were added.
	View func(i int, row []float64)
	// Of numbers the rows by their values: rows of the same number are equal, and the numbers count
	// from 0 as they first occur. It is nil of a view whose equal rows are not known.
	Of []uint32
	// Rewards has the reward of each row if the file has them, NaN where it has none; else nil.
	Rewards []float64
	// Line returns the line of row i in a file of text; nil if that is unknown.
	Line func(i int) int
	// Entity names the machine that row i is about; nil if that is unknown.
	Entity func(i int) string
	// Begins has the numbers of the rows that begin an episode, in order; nil if that is unknown.
	Begins []int32

	rows *distinct.Set // the bits of the values
	key  []uint64
}

// NewData returns a data set of rows, given one after the other.
func NewData(s *Schema, values []float64) *Data {
	d := &Data{Schema: s}
	d.Add(values)
	return d
}

// Add appends rows, given one after the other.
func (d *Data) Add(values []float64) {
	n := len(d.Schema.Columns)
	if d.rows == nil {
		d.rows, d.key = distinct.New(n), make([]uint64, n)
	}
	for ; len(values) > 0; values = values[n:] {
		for i, v := range values[:n] {
			d.key[i] = math.Float64bits(v)
		}
		k, _ := d.rows.Add(d.key)
		d.Of = append(d.Of, uint32(k))
		d.Rows++
	}
}

// Distinct is the number of different rows that were added.
func (d *Data) Distinct() int {
	if d.rows == nil {
		return 0
	}
	return d.rows.Len()
}

// Row returns a copy of row i, counted from 0.
func (d *Data) Row(i int) []float64 {
	row := make([]float64, len(d.Schema.Columns))
	d.Read(i, row)
	return row
}

// Read sets row to the values of row i, counted from 0.
func (d *Data) Read(i int, row []float64) {
	if d.View != nil {
		d.View(i, row)
		return
	}
	for k, x := range d.rows.At(int(d.Of[i])) {
		row[k] = math.Float64frombits(x)
	}
}

// Each calls do for each row in turn, which is valid until do returns. It returns the first
// error.
func (d *Data) Each(do func(i int, row []float64) error) error {
	row := make([]float64, len(d.Schema.Columns))
	for i := range d.Rows {
		d.Read(i, row)
		if err := do(i, row); err != nil {
			return err
		}
	}
	return nil
}
