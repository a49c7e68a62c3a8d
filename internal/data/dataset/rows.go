package dataset

import (
	"math"

	"github.com/fdplan/fdplan/internal/data/distinct"
)

// rows collects rows of values, and keeps each distinct one once.
type rows struct {
	set *distinct.Set // the bits of the values
	key []uint64
	of  []uint32 // by row, its number in set
}

func newRows(columns int) *rows {
	return &rows{set: distinct.New(columns), key: make([]uint64, columns)}
}

func (r *rows) add(row []float64) {
	for i, v := range row {
		r.key[i] = math.Float64bits(v)
	}
	k, _ := r.set.Add(r.key)
	r.of = append(r.of, uint32(k))
}

// data is a view of the rows.
func (r *rows) data(s *Schema) *Data {
	return &Data{Schema: s, Rows: len(r.of), Of: r.of, View: func(i int, row []float64) {
		for k, x := range r.set.At(int(r.of[i])) {
			row[k] = math.Float64frombits(x)
		}
	}}
}
