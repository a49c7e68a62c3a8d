package quantity

import "slices"

// ownBins and otherBins are the numbers of bins of a quantity and of what acts on it.
const (
	ownBins   = 10
	otherBins = 4
)

// binned predicts a quantity as one who knows it in bins alone: the middle of the bin that most often follows.
type binned struct {
	t     *Table
	out   int
	edges map[int][]float64
	reads []int
	most  map[string][]int // how often each bin follows
	mid   []float64
}

// newBinned counts the bins of rows.
func newBinned(t *Table, out int, rows []int) *binned {
	b := &binned{t: t, out: out, edges: map[int][]float64{}, most: map[string][]int{}}
	for k := range t.Columns {
		n := otherBins
		if k == out {
			n = ownBins
		} else if t.Columns[k].Role == State || len(b.reads) > 3 {
			continue
		}
		values := make([]float64, len(rows))
		for i, r := range rows {
			values[i] = t.Columns[k].Now[r]
		}
		slices.Sort(values)
		for e := 1; e < n; e++ {
			b.edges[k] = append(b.edges[k], values[e*len(values)/n])
		}
		b.edges[k] = slices.Compact(b.edges[k])
		b.reads = append(b.reads, k)
		if k == out {
			ends := append(append([]float64{values[0]}, b.edges[k]...), values[len(values)-1])
			for e := range len(ends) - 1 {
				b.mid = append(b.mid, (ends[e]+ends[e+1])/2)
			}
		}
	}
	for _, r := range rows {
		key := b.key(r, t.Columns[out].Now[r])
		if b.most[key] == nil {
			b.most[key] = make([]int, len(b.mid))
		}
		b.most[key][b.bin(out, t.Columns[out].Next[r])]++
	}
	return b
}

func (b *binned) bin(column int, x float64) int {
	k, found := slices.BinarySearch(b.edges[column], x)
	if found {
		k++
	}
	return k
}

// key has the bins of a row, with another value of the quantity.
func (b *binned) key(row int, own float64) string {
	key := make([]byte, len(b.reads))
	for i, c := range b.reads {
		x := b.t.Columns[c].Now[row]
		if c == b.out {
			x = own
		}
		key[i] = byte(b.bin(c, x))
	}
	return string(key)
}

// next is the prediction from a value at a row.
func (b *binned) next(row int, own float64) float64 {
	most := b.most[b.key(row, own)]
	if most == nil {
		return b.mid[b.bin(b.out, own)]
	}
	return b.mid[slices.Index(most, slices.Max(most))]
}
