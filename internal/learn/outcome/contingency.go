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

// tabulate counts rows by a value below values.
func (x *view) tabulate(rows []int32, classes []class, values int, of func(r int32) int) *contingency {
	t := &contingency{counts: make([]float64, values), by: make([]cells, len(classes))}
	for c := range classes {
		t.by[c] = cells{n: classes[c].n, count: make([]float64, values*classes[c].n)}
	}
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

// byRemainder counts by the remainder of the value instead.
func (t *contingency) byRemainder(stride int32) *contingency {
	out := &contingency{counts: make([]float64, stride), by: make([]cells, len(t.by))}
	for c := range t.by {
		out.by[c] = cells{n: t.by[c].n, count: make([]float64, int(stride)*t.by[c].n)}
	}
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
