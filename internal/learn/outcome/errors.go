package outcome

import (
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/problem/chance"
)

// Reading tells what rows that deviate from the most likely outcome look like. Where a step is
// followed by another one, the next state tells: after chance it follows from the value that
// was recorded, after a wrong record from the value that was predicted.
type Reading struct {
	Deviations          int     // rows in which some output is not as predicted
	Recorded, Predicted int     // of those that tell, by what the next step follows from
	Consecutive         bool    // whether most rows are the step after the row before
	Worst               float64 // the share of the rows that one output deviates in, of the one that does most
}

// Errors is the share of the deviations that are wrong records. A wrong cell makes two
// deviations where it stands before and after a step, of which one looks like chance.
func (r *Reading) Errors() float64 {
	if r.Recorded+r.Predicted == 0 {
		return 0
	}
	return min(1, 2*float64(r.Predicted)/float64(r.Recorded+r.Predicted))
}

// fewest is how many deviations must tell before they decide.
const fewest = 10

// fewestDrawn is how many rows with another next value than most rows of the same state and action are no accident.
const fewestDrawn = 3

// Decided reports whether the rows tell wrong records and chance apart.
func (r *Reading) Decided() bool { return r.Consecutive && r.Recorded+r.Predicted >= fewest }

// Read compares rows with what groups of one output each predict.
func Read(t *Table, groups []*Group) *Reading {
	r := &Reading{}
	own := make([]int, len(t.Variables)) // the output that a variable is, -1 for none
	for v := range own {
		own[v] = slices.Index(t.Outputs, v)
	}
	linked, wrong := 0, make([]int, len(t.Outputs))
	now, other := make([]int32, len(t.Variables)), make([]int32, len(t.Variables))
	for i := 0; i+1 < t.Rows(); i++ {
		// The outputs that the next row begins with.
		same := 0
		for o, v := range t.Outputs {
			if t.Now[v][i+1] == t.Next[o][i] {
				same++
			}
		}
		follows := !t.Begins[i+1]
		if follows && same == len(t.Outputs) {
			linked++
		}
		for v := range now {
			now[v] = t.Now[v][i]
		}
		deviates := false
		for _, g := range groups {
			o := g.Outputs[0]
			predicted, recorded := g.likely(t, now), t.Next[o][i]
			if predicted == recorded {
				continue
			}
			deviates, wrong[o] = true, wrong[o]+1
			here := t.Now[t.Outputs[o]][i+1]
			if !follows || same < len(t.Outputs)-1 || same == len(t.Outputs)-1 && here == recorded {
				continue
			}
			if here == predicted {
				r.Predicted++
				continue
			}
			if here != recorded {
				continue
			}
			for v := range other {
				other[v] = t.Now[v][i+1]
			}
			switch as, not := t.follows(groups, other, t.Outputs[o], predicted, i+1); {
			case as && !not:
				r.Recorded++
			case not && !as:
				r.Predicted++
			}
		}
		if deviates {
			r.Deviations++
		}
	}
	r.Consecutive = 2*linked >= t.Rows()-1
	r.Worst = float64(slices.Max(append(wrong, 0))) / float64(max(1, t.Rows()))
	return r
}

// follows tells whether a row is as predicted from its state, and from the one with another value, in
// the outputs that this value makes a difference to.
func (t *Table) follows(groups []*Group, now []int32, v int, value int32, row int) (as, other bool) {
	recorded := now[v]
	as, other = true, true
	differ := false
	for _, g := range groups {
		now[v] = recorded
		a := g.likely(t, now)
		now[v] = value
		b := g.likely(t, now)
		if a != b {
			differ = true
			as, other = as && t.Next[g.Outputs[0]][row] == a, other && t.Next[g.Outputs[0]][row] == b
		}
	}
	now[v] = recorded
	return as && differ, other && differ
}

// Told returns how many bits likelier the rows after those that groups take for wrong records are if the records are right, and how many of them say that they are right, and that
// they are wrong. Where the next step does not depend on what was recorded, they tell nothing.
func (t *Table) Told(groups []*Group) (bits float64, right, wrong int) {
	for i := 0; i+1 < t.Rows(); i++ {
		if t.Begins[i+1] || len(t.differ(i, i+1)) > 0 {
			continue
		}
		now, then := t.state(i), t.state(i+1)
		for _, g := range groups {
			for o, out := range g.x.outputs {
				if g.explains(t, now, o, i) {
					continue
				}
				v := t.Outputs[out]
				recorded := then[v]
				gain := t.likelihood(groups, then, i+1)
				then[v] = g.most(t, now, o)
				gain -= t.likelihood(groups, then, i+1)
				then[v] = recorded
				switch bits += gain; {
				case gain >= 1:
					right++
				case gain <= -1:
					wrong++
				}
			}
		}
	}
	return bits, right, wrong
}

// likelihood is the logarithm to base 2 of the probability of the next values of a row, were its state and action those of now.
func (t *Table) likelihood(groups []*Group, now []int32, row int) (bits float64) {
	for _, g := range groups {
		m := g.leaf(t, now).fit
		sum, unlike := 0.0, 1.0
		for o := range g.x.outputs {
			unlike *= m.noise[o] / g.x.size[o]
		}
		for k, e := range m.effects {
			p := m.p[k]
			for o, out := range g.x.outputs {
				if g.gives(t, now, e, o) == t.Next[out][row] {
					p *= 1 - m.noise[o] + m.noise[o]/g.x.size[o]
				} else {
					p *= m.noise[o] / g.x.size[o]
				}
			}
			sum += p
		}
		if len(m.effects) == 0 {
			sum = unlike
		}
		bits += math.Log2(max(sum, 1e-300))
	}
	return bits
}

// leaf returns the leaf for the values of all variables.
func (g *Group) leaf(t *Table, now []int32) *node {
	n := g.tree
	for n.yes != nil {
		if n.test.is(t, now) {
			n = n.yes
		} else {
			n = n.no
		}
	}
	return n
}

// gives returns what an effect of a leaf makes of an output, which stays in its range.
func (g *Group) gives(t *Table, now []int32, effect int32, o int) int32 {
	v := t.Outputs[g.Outputs[o]]
	e := g.x.effects[effect][o]
	if e.Kind == chance.Set {
		return int32(e.By)
	}
	from := now[v]
	if e.Sum > 0 {
		from = g.x.sums[o].value(t, g.Outputs[o], func(v int) int32 { return now[v] })
	}
	return min(max(from+int32(e.By), 0), t.Variables[v].Values-1)
}

// likely returns the most likely next value of a group of one output.
func (g *Group) likely(t *Table, now []int32) int32 { return g.most(t, now, 0) }

// most returns the next value of an output that the most likely effect gives.
func (g *Group) most(t *Table, now []int32, o int) int32 {
	m := g.leaf(t, now).fit
	if len(m.effects) == 0 {
		return now[t.Outputs[g.Outputs[o]]]
	}
	best := 0
	for i, p := range m.p {
		if p > m.p[best] {
			best = i
		}
	}
	return g.gives(t, now, m.effects[best], o)
}

// explains reports whether some outcome in the state and action of now gives the next value of an output in a row.
func (g *Group) explains(t *Table, now []int32, o, row int) bool {
	return slices.ContainsFunc(g.leaf(t, now).fit.effects, func(e int32) bool { return g.gives(t, now, e, o) == t.Next[g.x.outputs[o]][row] })
}

// allows reports whether some outcome leads from the values of all variables to those that a row begins with.
func (g *Group) allows(t *Table, now []int32, row int) bool {
	effects := g.leaf(t, now).fit.effects
	for o, out := range g.x.outputs {
		then := t.Now[t.Outputs[out]][row]
		effects = slices.DeleteFunc(slices.Clone(effects), func(e int32) bool { return g.gives(t, now, e, o) != then })
	}
	return len(effects) > 0
}

// Agreed is what a log says where the state after a step is recorded twice, after it and again before the next one.
type Agreed struct {
	*Table         // the rows whose records before and after the step are alike, as far as there are two
	Kept   []int   // which these are
	Share  float64 // the largest share of steps after which the records of one output differ
	// Drawn reports whether rows with one state and action have different next values more often than wrong records that
	// are alike make it.
	Drawn bool
}

// Agreed returns the rows whose records agree, nil if records do not differ, as where next states are taken from the rows
// after, or if few rows are left. Where most outputs differ, another run begins.
func (t *Table) Agreed() *Agreed {
	const differ, alike = 1, 2
	link := make([]int, t.Rows()+1) // of a row with the one before it
	wrong, steps, some, runs := make([]int, len(t.Outputs)), 0, 0, 0
	for i := 1; i < t.Rows(); i++ {
		if t.Begins[i] || t.Apart != nil && t.Apart[i] {
			continue
		}
		others := t.differ(i-1, i)
		if 2*len(others) > len(t.Outputs) {
			runs++
			continue
		}
		steps, some = steps+1, some+min(1, len(others))
		link[i] = alike
		for _, o := range others {
			wrong[o]++
			link[i] = differ
		}
	}
	if !slices.ContainsFunc(wrong, func(n int) bool { return n >= fewest }) || 2*steps < t.Rows() || float64(some) < 2*float64(runs)*t.alike() {
		return nil
	}
	a := &Agreed{Table: t.without()}
	chance := 0.0 // that both records of some output before or after a step are wrong and alike
	for o, n := range wrong {
		share := float64(n) / float64(steps)
		a.Share = max(a.Share, share)
		chance += share * share / 2 / float64(max(1, t.Variables[t.Outputs[o]].Values-1))
	}
	both := t.without() // rows of which both states are recorded twice
	for i := range t.Rows() {
		if link[i] == differ || link[i+1] == differ {
			continue
		}
		a.add(t.state(i), t.next(i))
		a.Kept = append(a.Kept, i)
		if link[i] == alike && link[i+1] == alike {
			both.add(t.state(i), t.next(i))
		}
	}
	if 4*a.Rows() < t.Rows() {
		return nil
	}
	repeated, others := both.others()
	expected := chance * float64(repeated)
	a.Drawn = float64(others) > fewestDrawn+expected+3*math.Sqrt(expected)
	return a
}

// differ are the outputs of which one row ends with another value than another row begins with.
func (t *Table) differ(row, next int) (outputs []int) {
	for o, v := range t.Outputs {
		if t.Now[v][next] != t.Next[o][row] {
			outputs = append(outputs, o)
		}
	}
	return outputs
}

// alike is how often a run begins like the last one ended in some outputs, but in half of them or more, for each that does in fewer: as often as
// rows that are far from each other. In a grid one of two coordinates is often the same.
func (t *Table) alike() float64 {
	some, few := 0, 0
	for i := range t.Rows() {
		switch n := len(t.differ(i, (i+t.Rows()/2)%t.Rows())); {
		case 2*n > len(t.Outputs):
			few++
		case n > 0:
			some++
		}
	}
	return float64(some) / float64(max(1, few))
}

// others counts the rows whose state and action other rows have, too, and those of them whose next values are not those that most of these have.
func (t *Table) others() (repeated, others int) {
	seen := map[string]map[string]int{}
	for i := range t.Rows() {
		key := fmt.Sprint(t.state(i))
		if seen[key] == nil {
			seen[key] = map[string]int{}
		}
		seen[key][fmt.Sprint(t.next(i))]++
	}
	for _, nexts := range seen {
		sum, most := 0, 0
		for _, n := range nexts {
			sum, most = sum+n, max(most, n)
		}
		if sum > 1 {
			repeated, others = repeated+sum, others+sum-most
		}
	}
	return repeated, others
}

// Confirmed returns the rows whose state is an outcome of the row before, which these are, and how many are not: wrong records before a
// step are not among them. Of the first row of a run, the next state must be an outcome.
func (t *Table) Confirmed(groups []*Group) (out *Table, kept []int, refuted int) {
	out = t.without()
	for i := range t.Rows() {
		from, to := i-1, i
		if i == 0 || t.Begins[i] {
			from, to = i, i+1
		}
		if to == t.Rows() || t.Begins[to] {
			continue
		}
		now := t.state(from)
		if slices.ContainsFunc(groups, func(g *Group) bool { return !g.allows(t, now, to) }) {
			refuted++
			continue
		}
		kept = append(kept, i)
		out.add(t.state(i), t.next(i))
	}
	return out, kept, refuted
}

// Recount makes the noise of groups at least the share of the rows' next values that no outcome gives.
func (t *Table) Recount(groups []*Group) {
	for _, g := range groups {
		wrong := make([]int64, len(g.x.outputs))
		for i := range t.Rows() {
			now := t.state(i)
			for o := range g.x.outputs {
				if !g.explains(t, now, o, i) {
					wrong[o]++
				}
			}
		}
		for o := range wrong {
			if n := (chance.Noise{Wrong: wrong[o], Of: int64(t.Rows())}); n.Rate() > g.Noise[o].Rate() {
				g.Noise[o] = n
			}
		}
	}
}
