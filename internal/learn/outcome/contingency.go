package outcome

import "math"

// contingency counts what happens in rows by a value of theirs, divided into classes in several ways.
type contingency struct {
	counts []float64 // by value
	by     []cells   // by way, of value and class
	all    []side    // by way, of all values
}

// cells are counts by value and class.
type cells struct {
	n     int // classes
	count []float64
	whole []float64 // of each class in all rows, x log x
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

// newContingency has no counts yet, of values below values and of so many ways to divide rows into n classes.
func newContingency(values, ways int, n func(c int) int) *contingency {
	t := &contingency{counts: make([]float64, values), by: make([]cells, ways)}
	for c := range t.by {
		t.by[c] = cells{n: n(c), count: make([]float64, values*n(c))}
	}
	return t
}

// tabulate counts rows by a value below values.
func (x *view) tabulate(rows []int32, classes []class, values int, of func(r int32) int) *contingency {
	t := newContingency(values, len(classes), func(c int) int { return classes[c].n })
	for i, r := range rows {
		value, weight := of(r), x.weight[r]
		t.counts[value] += weight
		for c := range classes {
			t.by[c].count[value*classes[c].n+int(classes[c].of[i])] += weight
		}
	}
	t.sum()
	return t
}

// sum sets the counts of all values.
func (t *contingency) sum() {
	t.all = t.none()
	for c := range t.by {
		for value := range t.counts {
			t.all[c].add(t.row(c, value))
		}
		for _, n := range t.all[c].count {
			t.by[c].whole = append(t.by[c].whole, xlogx(n))
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

// row has the counts of the classes at a value.
func (t *contingency) row(c, value int) []float64 {
	n := t.by[c].n
	return t.by[c].count[value*n : (value+1)*n]
}

// gain is the information, in bits of all rows, of being on a side.
func (t *contingency) gain(c int, inside *side) float64 {
	g, all := 0.0, &t.all[c]
	for j, n := range inside.count {
		g += xlogx(n) + xlogx(all.count[j]-n) - t.by[c].whole[j]
	}
	return g - xlogx(inside.sum) - xlogx(all.sum-inside.sum) + xlogx(all.sum)
}

// gainOf is that of having a value.
func (t *contingency) gainOf(c, value int) float64 {
	inside := side{count: t.row(c, value)}
	for _, n := range inside.count {
		inside.sum += n
	}
	return t.gain(c, &inside)
}

// each calls visit for each value that rows have, with how many have it or a lower one, and what having one of these tells.
func (t *contingency) each(visit func(value int, below float64, gain func(c int) float64)) {
	n, below := 0.0, t.none()
	for value, count := range t.counts {
		if n += count; count == 0 {
			continue
		}
		for c := range below {
			below[c].add(t.row(c, value))
		}
		visit(value, n, func(c int) float64 { return t.gain(c, &below[c]) })
	}
}

// byRemainder counts by the remainder of the value instead.
func (t *contingency) byRemainder(stride int32) *contingency {
	out := newContingency(int(stride), len(t.by), func(c int) int { return t.by[c].n })
	for value, n := range t.counts {
		if n == 0 {
			continue
		}
		rest := value % int(stride)
		out.counts[rest] += n
		for c := range t.by {
			to := out.row(c, rest)
			for j, n := range t.row(c, value) {
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
