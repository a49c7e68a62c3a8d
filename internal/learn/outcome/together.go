package outcome

import "slices"

const (
	sumBits  = 3 // bits to say that a test is about two variables together
	fullSums = 2 // such tests that are tried by a fit, the best by each simple score
	// mostSummed bounds the whole numbers of which all pairs are added up; of more, those with an output.
	mostSummed = 6
	// mostPaired bounds the whole numbers of which some are added up.
	mostPaired = 16
)

// asking is what it takes to say which test a node asks.
type asking struct{ plain, sum float64 }

func (a asking) of(q test) float64 {
	if q.sign != 0 {
		return a.sum
	}
	return a.plain
}

// together is what a test compares with its value: the sum or the difference of two variables.
func (t *Table) together(q test, x, y int32) int64 {
	return int64(x) + t.Variables[q.variable].Base + int64(q.sign)*(int64(y)+t.Variables[q.other].Base)
}

// pairs lists the whole numbers that are added up, or subtracted, as a shelf is full when what lies there and what comes is so much.
func (t *Table) pairs(outputs []int) (all []test) {
	var whole []int
	for v := range t.Variables {
		if x := &t.Variables[v]; x.Whole && x.Kind >= 0 && x.Values > 2 {
			whole = append(whole, v)
		}
	}
	if len(whole) > mostPaired {
		return nil
	}
	for i, a := range whole {
		for _, b := range whole[:i] {
			if len(whole) <= mostSummed || slices.ContainsFunc(outputs, func(o int) bool { return t.Outputs[o] == a || t.Outputs[o] == b }) {
				all = append(all, test{variable: b, other: a, sign: 1}, test{variable: b, other: a, sign: -1})
			}
		}
	}
	return all
}

// sums reports whether a tree asks for two variables together.
func (n *node) sums() bool {
	return n.yes != nil && (n.test.sign != 0 || n.yes.sums() || n.no.sums())
}

// tighten adds a condition on two variables, in place of one that it says more than.
func tighten(list []Condition, c Condition) []Condition {
	i := slices.IndexFunc(list, func(o Condition) bool {
		return c.Sign != 0 && o.Sign == c.Sign && o.Variable == c.Variable && o.Other == c.Other && o.Equal == c.Equal
	})
	switch {
	case i < 0:
		return append(list, c)
	case c.Equal:
		list[i].Value = min(list[i].Value, c.Value)
	default:
		list[i].Value = max(list[i].Value, c.Value)
	}
	return list
}

// together adds the tests of two variables added up.
func (g *grower) together(rows []int32, classes []class, add adder) {
	x := g.f.x
	for _, q := range x.t.pairs(x.outputs) {
		a, b := x.t.Now[q.variable], x.t.Now[q.other]
		low := x.t.together(q, 0, 0)
		if q.sign < 0 {
			low = x.t.together(q, 0, x.t.Variables[q.other].Values-1)
		}
		values := int(x.t.Variables[q.variable].Values + x.t.Variables[q.other].Values - 1)
		t := x.tabulate(rows, classes, values, func(r int32) int { return int(x.t.together(q, a[r], b[r]) - low) })
		t.each(func(at int, below float64, gain func(c int) float64) {
			if value := t.values[at]; int(value) < values-1 {
				q.value = int32(low) + value
				add(q, below, gain)
			}
		})
	}
}
