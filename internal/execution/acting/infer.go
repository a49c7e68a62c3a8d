package acting

import (
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/versions"
)

// mostPoints bounds the points of a shared function that are looked at after each row. With few of them, all that
// follows from the rows is stated at once: questions are then easier, and fewer, than where plans have to be refuted one by one.
const mostPoints = 4096

// mostPatterns bounds the clauses that say that a number of Booleans is true.
const mostPatterns = 8

// spotAt is a point with an output that can be at it.
type spotAt struct {
	at versions.Point
	i  int
}

// region is where variables of a function have the values of a point.
type region struct {
	at    versions.Point
	fixed []int
}

func (r *region) has(at versions.Point) bool {
	return !slices.ContainsFunc(r.fixed, func(k int) bool { return r.at[k] != at[k] })
}

// infer adds clauses for all next values of shared functions that follow from the rows.
func (m *Model) infer() {
	if !m.shared || m.inferred == m.rows {
		return
	}
	m.inferred = m.rows
	for o, f := range m.functions {
		if f.points == nil {
			f.points = m.pointsOf(f)
		}
		f.points = slices.DeleteFunc(f.points, func(p spotAt) bool {
			if slices.ContainsFunc(f.said, func(r region) bool { return r.has(p.at) }) {
				return true
			}
			v := m.value(o, f, p.at)
			if v != 2 {
				m.add(f, p.i, p.at, v == 1, nil)
			}
			return v != 2
		})
	}
}

// generalise states what rows show beside what refuted plans; each question begins with it.
func (l *learner) generalise() {
	l.m.generalise()
	l.stated = l.m.rows
	for _, q := range l.queries {
		q.session = nil
	}
}

// generalise adds clauses for what rows show of learned bits of which it is known what variables they depend on, and drops clauses that
// others say more than. What refuted plans long ago says little of others.
func (m *Model) generalise() {
	if m.shared {
		return
	}
	for _, f := range m.functions {
		vars, ok := f.Decisive(m.K)
		if !ok {
			continue
		}
		points, on := f.Cells(vars)
		for i, at := range points {
			if !slices.ContainsFunc(f.said, func(r region) bool { return len(r.fixed) <= len(vars) && r.has(at) }) {
				m.add(f, 0, at, on[i], nil)
			}
		}
	}
	var keep []Clause
next:
	for i := range m.Clauses {
		for j := range m.Clauses {
			if m.Clauses[j].says(&m.Clauses[i]) {
				continue next
			}
		}
		keep = append(keep, m.Clauses[i])
	}
	m.Clauses = keep
}

// says reports whether a clause holds wherever another does, of more variables.
func (c *Clause) says(d *Clause) bool {
	if c.Output != d.Output || c.Value != d.Value || len(c.Variables) >= len(d.Variables) {
		return false
	}
	for i, v := range c.Variables {
		if j := slices.Index(d.Variables, v); j < 0 || d.Is[j] != c.Is[i] {
			return false
		}
	}
	return true
}

// pointsOf lists the points that the rules allow, each with one output; none where they are many.
func (m *Model) pointsOf(f *function) []spotAt {
	all, have := []spotAt{}, map[string]bool{}
	for i, view := range f.views {
		n := 1
		for _, v := range view {
			if n *= len(m.Variables[v].Legal); n > mostPoints {
				return []spotAt{}
			}
		}
		for x := range n {
			at := make(versions.Point, len(view))
			for k, v := range view {
				legal := m.Variables[v].Legal
				at[k] = f.codes[k][legal[x%len(legal)]]
				x /= len(legal)
			}
			if key := at.Key(); !have[key] {
				have[key] = true
				all = append(all, spotAt{at, i})
			}
		}
		if len(all) > mostPoints {
			return []spotAt{}
		}
	}
	return all
}

// patterns lists the values of the bits of a variable with which a number of them is true; nil for many.
func (v *Variable) patterns(n int) (all []uint64) {
	if len(v.Bits) > 2*mostPatterns && n > 0 && n < len(v.Bits) {
		return nil
	}
	if n == len(v.Bits) {
		return []uint64{1<<n - 1}
	}
	for x := uint64(1)<<n - 1; x < 1<<len(v.Bits); {
		if all = append(all, x); n == 0 {
			break
		}
		if len(all) > mostPatterns {
			return nil
		}
		// The next larger number with as many bits.
		low := x & -x
		up := x + low
		x = up | (x^up)>>(2+bits.TrailingZeros64(low))
	}
	return all
}
