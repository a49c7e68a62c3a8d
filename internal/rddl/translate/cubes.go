package translate

import (
	"math/bits"

	"github.com/fdplan/fdplan/internal/cubes"
)

// cover finds an irredundant sum of cubes that is true in all rows of low and false in all
// rows outside high. In row r, input i is true if bit i of r is set. It returns ok = false
// if more than most cubes are needed.
func cover(low, high []bool, most int) (found []cubes.Cube, ok bool) {
	return cubes.Cover(rowsOf(low), rowsOf(high), most)
}

// rowsOf is the set of the rows of a truth table that are true.
func rowsOf(table []bool) cubes.Set {
	s := cubes.New(bits.Len(uint(len(table))) - 1)
	for r, is := range table {
		if is {
			s.Add(uint64(r))
		}
	}
	return s
}
