package pattern

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/factored"
)

// Never is the cost where no way leads to the goal. Costs of ways are far less.
const Never = math.MaxInt64 / 4

// variable has a few values. Of a set, there is one for each bit that may be true, in
// order, after one for none, where none may be; of an integer, the value is what its bits
// spell.
type variable struct {
	bits   []factored.Bit
	isSet  bool
	none   int // of a set: the number of values for no true bit, 0 or 1
	family string
	size   int      // number of values
	moves  [][]move // by value: the other values that a step may lead to
	seen   [][]move // by value: moves of steps that were found, with the least cost seen; until moves are listed
	change sat.Lit  // implies that the step changes the variable
}

// move is a change of one variable.
type move struct {
	to   int
	cost int64 // the least of a step that makes it
}

// Sizes beyond which variables are left out.
const (
	maxValues    = 256
	maxVariables = 200
)

// literals are those that hold at a step if the variable has a value.
func (q *oneStep) literals(x *variable, step, value int) []sat.Lit {
	if x.isSet && value >= x.none {
		return []sat.Lit{q.at(step, x.bits[value-x.none])}
	}
	var out []sat.Lit
	for i, b := range x.bits {
		l := q.at(step, b)
		if x.isSet || value>>i&1 == 0 {
			l = l.Not()
		}
		out = append(out, l)
	}
	return out
}

// valueIn is the value that a variable has where of gives the bits.
func (x *variable) valueIn(of func(factored.Bit) bool) int {
	value := 0
	for i, b := range x.bits {
		switch {
		case !of(b):
		case x.isSet:
			return i + x.none
		default:
			value |= 1 << i
		}
	}
	return value
}

// variables are the sets and the integers of a problem, and the Booleans that
// are in no set.
func variables(p *factored.Problem, sets []set) (out []*variable) {
	covered := map[factored.Bit]bool{}
	for i := range sets {
		x := &variable{bits: sets[i].bits, isSet: true, none: 1, family: sets[i].family}
		if sets[i].one {
			x.none = 0
		}
		if x.size = len(x.bits) + x.none; x.size <= maxValues {
			out = append(out, x)
			for _, b := range sets[i].bits {
				covered[b] = true
			}
		}
	}
	for _, v := range p.OfKind(factored.State) {
		if v.Width > 8 || covered[v.First] {
			continue
		}
		out = append(out, &variable{family: v.Name, size: 1 << v.Width, bits: v.Bits()})
	}
	return out
}

// watch has the steps that are found show moves of variables.
func (q *oneStep) watch(all []*variable) {
	for _, x := range all {
		x.seen = make([][]move, x.size)
	}
	q.vars = all
}

// see notes the moves of the step that was found last.
func (q *oneStep) see() {
	cost := int64(-1)
	value := func(x *variable, step int) int {
		return x.valueIn(func(b factored.Bit) bool { return q.s.Value(q.at(step, b)) })
	}
	for _, x := range q.vars {
		if x.seen == nil {
			continue
		}
		v, w := value(x, 1), value(x, 2)
		if v == w {
			continue
		}
		if cost < 0 {
			cost = q.cost()
		}
		i := slices.IndexFunc(x.seen[v], func(m move) bool { return m.to == w })
		if i < 0 {
			x.seen[v] = append(x.seen[v], move{w, cost})
		} else {
			x.seen[v][i].cost = min(x.seen[v][i].cost, cost)
		}
	}
}

// list lists the moves of a variable that is watched. It is false where there are too many
// questions to ask.
func (q *oneStep) list(x *variable) bool {
	q.defineChange(x)
	x.moves = make([][]move, x.size)
	yes, exact := q.possible(x.change)
	if !yes {
		return true
	}
	floor := int64(0)
	if exact {
		floor = q.least([]sat.Lit{x.change}, q.cost(), 0)
	}
	for v := range x.size {
		now := q.literals(x, 1, v)
		other := q.s.NewVar() // the next value is none of those that were found
		q.isNot(other, x, v)
		for n := 0; ; n++ {
			if q.exhausted() {
				return false
			}
			if n == len(x.seen[v]) {
				if yes, exact := q.possible(append(slices.Clone(now), other)...); !exact {
					return false
				} else if !yes {
					break
				}
			}
			w := x.seen[v][n].to
			cost := q.least(append(slices.Clone(now), q.literals(x, 2, w)...), x.seen[v][n].cost, floor)
			x.moves[v] = append(x.moves[v], move{w, cost})
			q.isNot(other, x, w)
		}
	}
	x.seen = nil
	return true
}

// isNot adds that guard implies another value at step 2.
func (q *oneStep) isNot(guard sat.Lit, x *variable, value int) {
	clause := []sat.Lit{guard.Not()}
	for _, l := range q.literals(x, 2, value) {
		clause = append(clause, l.Not())
	}
	q.s.AddClause(clause...)
}

// defineChange makes the literal that implies a change of the variable.
func (q *oneStep) defineChange(x *variable) {
	x.change = q.s.NewVar()
	clause := []sat.Lit{x.change.Not()}
	for _, b := range x.bits {
		d, now, after := q.s.NewVar(), q.at(1, b), q.at(2, b)
		q.s.AddClause(d.Not(), now, after)
		q.s.AddClause(d.Not(), now.Not(), after.Not())
		clause = append(clause, d)
	}
	q.s.AddClause(clause...)
}
