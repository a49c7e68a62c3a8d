package train

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
)

// Confusion counts the rows in which some output bits should be Truth and are
// Predicted, both read as one number, the first of the bits the most significant.
type Confusion struct {
	Truth, Predicted uint64
	Rows             int // distinct
	Total            int // with multiplicities
}

// Confusions returns the confusion matrix of net on e for each group of output bits, such as
// those of one integer: the cells that are not 0, by truth and then by what is predicted. A
// group has at most 64 bits.
func Confusions(net *bnn.Network, e *Examples, groups [][]int) ([][]Confusion, error) {
	if net.Inputs() != e.Inputs || net.Outputs() != e.Outputs {
		return nil, fmt.Errorf("a network %s for rows of %d input bits and %d output bits", net.Shape(), e.Inputs, e.Outputs)
	}
	for _, g := range groups {
		if len(g) > 64 {
			return nil, fmt.Errorf("a group of %d output bits, expected at most 64", len(g))
		}
		for _, b := range g {
			if b < 0 || b >= e.Outputs {
				return nil, fmt.Errorf("there is no output bit %d, expected 0..%d", b, e.Outputs-1)
			}
		}
	}
	ev := bnn.NewEvaluator(net)
	s := ev.NewScratch()
	wi, wo := bnn.Words(e.Inputs), bnn.Words(e.Outputs)
	out := make([]uint64, measureBlock*wo)
	counts := make([]map[[2]uint64]*Confusion, len(groups))
	for i := range counts {
		counts[i] = map[[2]uint64]*Confusion{}
	}
	for from := 0; from < e.Rows(); from += measureBlock {
		n := min(measureBlock, e.Rows()-from)
		ev.ForwardMany(out, e.In[from*wi:], n, s)
		for k := range n {
			for i, g := range groups {
				at := [2]uint64{number(e.Output(from+k), g), number(out[k*wo:], g)}
				c := counts[i][at]
				if c == nil {
					c = &Confusion{Truth: at[0], Predicted: at[1]}
					counts[i][at] = c
				}
				c.Rows++
				c.Total += int(e.Count[from+k])
			}
		}
	}
	cells := make([][]Confusion, len(groups))
	for i, m := range counts {
		for _, c := range m {
			cells[i] = append(cells[i], *c)
		}
		slices.SortFunc(cells[i], func(x, y Confusion) int {
			return cmp.Or(cmp.Compare(x.Truth, y.Truth), cmp.Compare(x.Predicted, y.Predicted))
		})
	}
	return cells, nil
}

// number reads bits of a row as a number, the first of them the most significant.
func number(row []uint64, bits []int) uint64 {
	var x uint64
	for _, b := range bits {
		x = x<<1 | row[b/64]>>(b%64)&1
	}
	return x
}
