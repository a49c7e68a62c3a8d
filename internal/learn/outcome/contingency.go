package outcome

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// contingency counts what happens in rows by a value of theirs, divided into classes in several ways.
type contingency struct {
	values []int32   // that rows have, in order
	counts []float64 // of each
	by     []cells   // by way, of value and class
	all    []side    // by way, of all values
	terms  []float64 // n log n of each number of rows
}

// cells are counts by value and class.
type cells struct {
	n     int // classes
	count []float64
	whole []float64 // of each class in all rows, n log n
}

// side has the counts of the classes on one side of a test.
type side struct {
	count []float64
	sum   float64
}

// add adds the counts of the classes at a value.
func (s *side) add(row []float64) {
	for j, c := range row {
		s.count[j] += c
		s.sum += c
	}
}

// adder takes a test, how many rows pass it, and what it tells of each way to divide rows.
type adder = func(q test, n float64, gain func(c int) float64)

// reset makes t one of values without counts, and of so many ways to divide rows into n classes. The memory of an earlier one is used again.
func (t *contingency) reset(values []int32, ways int, n func(c int) int) {
	t.values, t.counts = values, zeros(t.counts, len(values))
	if len(t.by) != ways {
		t.by = make([]cells, ways)
	}
	for c := range t.by {
		t.by[c] = cells{n: n(c), count: zeros(t.by[c].count, len(values)*n(c)), whole: t.by[c].whole[:0]}
	}
}

// zeros returns n zeros, in the memory of list if they fit.
func zeros(list []float64, n int) []float64 {
	if cap(list) < n {
		return make([]float64, n)
	}
	clear(list[:n])
	return list[:n]
}

// tabulate counts rows by a value below values. The next call overwrites what it returns.
func (x *view) tabulate(rows []int32, classes []class, values int, of func(r int32) int) *contingency {
	if len(x.place) < values {
		x.place = make([]int32, values)
	}
	var seen []int32
	for _, r := range rows {
		if v := of(r); x.place[v] == 0 {
			x.place[v] = 1
			seen = append(seen, int32(v))
		}
	}
	slices.Sort(seen)
	for i, v := range seen {
		x.place[v] = int32(i)
	}
	t := &x.table
	t.terms = x.terms
	t.reset(seen, len(classes), func(c int) int { return classes[c].n })
	for i, r := range rows {
		at, weight := int(x.place[of(r)]), x.weight[r]
		t.counts[at] += weight
		for c := range classes {
			t.by[c].count[at*classes[c].n+int(classes[c].of[i])] += weight
		}
	}
	for _, v := range seen {
		x.place[v] = 0
	}
	t.sum()
	return t
}

// sum sets the counts of all values.
func (t *contingency) sum() {
	t.all = t.none()
	for c := range t.by {
		for at := range t.counts {
			t.all[c].add(t.row(c, at))
		}
		for _, n := range t.all[c].count {
			t.by[c].whole = append(t.by[c].whole, t.terms[int(n)])
		}
	}
}

// none has no counts, by way.
func (t *contingency) none() []side {
	out := make([]side, len(t.by))
	for c := range out {
		out[c].count = make([]float64, t.by[c].n)
	}
	return out
}

// row has the counts of the classes at a value, by its place.
func (t *contingency) row(c, at int) []float64 {
	n := t.by[c].n
	return t.by[c].count[at*n : (at+1)*n]
}

// gain is the information, in bits of all rows, of being on a side.
func (t *contingency) gain(c int, inside *side) float64 {
	g, all := 0.0, &t.all[c]
	for j, n := range inside.count {
		g += t.terms[int(n)] + t.terms[int(all.count[j]-n)] - t.by[c].whole[j]
	}
	return g - t.terms[int(inside.sum)] - t.terms[int(all.sum-inside.sum)] + t.terms[int(all.sum)]
}

// gainOf is that of having a value, by its place.
func (t *contingency) gainOf(c, at int) float64 {
	inside := side{count: t.row(c, at)}
	for _, n := range inside.count {
		inside.sum += n
	}
	return t.gain(c, &inside)
}

// each calls visit for the place of each value, with how many rows have it or a lower one, and what having one of these tells.
func (t *contingency) each(visit func(at int, below float64, gain func(c int) float64)) {
	n, below := 0.0, t.none()
	for at, count := range t.counts {
		n += count
		for c := range below {
			below[c].add(t.row(c, at))
		}
		visit(at, n, func(c int) float64 { return t.gain(c, &below[c]) })
	}
}

// byRemainder counts by the remainder of the value instead.
func (t *contingency) byRemainder(stride int32) *contingency {
	out := &contingency{terms: t.terms}
	out.reset(integer.Below[int32](int(stride)), len(t.by), func(c int) int { return t.by[c].n })
	for at, n := range t.counts {
		rest := int(t.values[at] % stride)
		out.counts[rest] += n
		for c := range t.by {
			to := out.row(c, rest)
			for j, n := range t.row(c, at) {
				to[j] += n
			}
		}
	}
	out.sum()
	return out
}

func xlogx(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log2(x)
}
