package ground

import (
	"slices"

	"github.com/fdplan/fdplan/internal/rddl"
)

// Quantifiers over many values whose bodies need sparse non-fluents, as in
//
//	forall_{?x, ?y, ?z} [(LINK(?x, ?y) ^ LINK(?y, ?z)) => ~(push(?x) ^ push(?z))]
//
// are grounded by joining the groundings for which these are true. All other choices of values
// add nothing.

// Fewer choices than fewJoined are tried one after the other. A join that has more than
// mostJoined is given up.
const (
	fewJoined  = 64
	mostJoined = 1 << 21
)

// need is a non-fluent of variables without which the body of a quantifier adds nothing.
type need struct {
	v    *variable
	args []rddl.Expr
}

// needs collects the non-fluents without which e is value: false, or zero, or true. What e evaluates before
// them always has a value, so that no fault is lost.
func (g *grounder) needs(e rddl.Expr, value bool, list []need) []need {
	switch x := e.(type) {
	case *rddl.Fluent:
		v := g.vars[x.Name]
		if !value && v.decl.Kind == rddl.NonFluent && v.typ == Bool && v.hasFallback && v.fallback == 0 {
			return append(list, need{v, x.Args})
		}
	case *rddl.Unary:
		if x.Op == rddl.Not {
			return g.needs(x.X, !value, list)
		}
	case *rddl.If:
		if zero, ok := x.Else.(*rddl.Number); ok && zero.Int && zero.Value == 0 && !value {
			return g.needs(x.Cond, false, list)
		}
	case *rddl.Binary:
		left := value
		switch {
		case x.Op == rddl.And && !value, x.Op == rddl.Or && value:
		case x.Op == rddl.Implies && value:
			left = false
		case x.Op == rddl.Mul && !value:
			return g.needs(x.X, false, list)
		default:
			return list
		}
		list = g.needs(x.X, left, list)
		if total(x.X) {
			list = g.needs(x.Y, value, list)
		}
	}
	return list
}

// eachOf is each for the parameters of a quantifier, which are bound, but for choices of values for which its
// body adds nothing.
func (g *grounder) eachOf(e *rddl.Quant, f func() bool) {
	from := len(g.env) - len(e.Params)
	rows, ok := g.joined(e)
	if !ok {
		g.each(len(e.Params), f)
		return
	}
	for _, row := range rows {
		for i, value := range row {
			g.env[from+i].value = value
		}
		if g.b.err != nil || !f() {
			return
		}
	}
}

// joined lists the choices of values in the order of each; false where they are few anyway, or where no join
// makes them fewer.
func (g *grounder) joined(e *rddl.Quant) (rows [][]int, ok bool) {
	choices := 1
	for _, b := range g.env[len(g.env)-len(e.Params):] {
		choices = min(choices*len(b.list.names), mostJoined)
	}
	if e.Op > rddl.Sum || e.Op == rddl.Prod || g.b.plain || choices < g.fewJoined {
		return nil, false
	}
	list, known := g.needed[e]
	if !known {
		list = g.needs(e.Body, e.Op == rddl.Forall, nil)
		g.needed[e] = list
	}
	j := join{g: g, from: len(g.env) - len(e.Params), row: make([]int, len(e.Params))}
	for i := range j.row {
		j.row[i] = -1
	}
	if !j.plan(list) || !j.extend(0) {
		return nil, false
	}
	slices.SortStableFunc(j.rows, slices.Compare[[]int])
	return j.rows, true
}

// join is one join under way.
type join struct {
	g     *grounder
	from  int // place of the first parameter in the environment
	steps []lookup
	row   []int // values of the parameters, -1 for one that is open
	rows  [][]int
}

// lookup finds the groundings of a non-fluent that agree with what is chosen.
type lookup struct {
	need
	at    []int // by argument: its place in the environment
	known uint  // arguments that have values before
}

// plan orders the lookups: first those of which most arguments are known. It is false where there are none.
func (j *join) plan(list []need) bool {
	chosen := make([]bool, len(j.row))
	var open []lookup
	for _, n := range list {
		l := lookup{need: n}
		for k, arg := range n.args {
			x, ok := arg.(*rddl.Var)
			i := len(j.g.env) - 1
			for ; ok && i >= 0 && j.g.env[i].name != x.Name; i-- {
			}
			if !ok || i < 0 || j.g.env[i].list != n.v.params[k] {
				break
			}
			l.at = append(l.at, i)
		}
		if len(l.at) == len(n.args) && len(l.at) > 0 {
			open = append(open, l)
		}
	}
	knows := func(l *lookup) (n int) {
		l.known = 0
		for k, i := range l.at {
			if i < j.from || chosen[i-j.from] {
				l.known |= 1 << k
				n++
			}
		}
		return n
	}
	for len(open) > 0 {
		best, most := 0, -1
		for i := range open {
			if n := knows(&open[i]); n > most {
				best, most = i, n
			}
		}
		l := open[best]
		open = slices.Delete(open, best, best+1)
		for _, i := range l.at {
			if i >= j.from {
				chosen[i-j.from] = true
			}
		}
		j.steps = append(j.steps, l)
	}
	return len(j.steps) > 0
}

// value is that of a place of the environment, -1 for a parameter that is open.
func (j *join) value(i int) int {
	if i >= j.from {
		return j.row[i-j.from]
	}
	return j.g.env[i].value
}

// extend lists the rows from a lookup on; false where they are too many.
func (j *join) extend(k int) bool {
	if k == len(j.steps) {
		return j.fill(0)
	}
	l := &j.steps[k]
	key := 0
	for a, i := range l.at {
		if l.known>>a&1 != 0 {
			key = key*len(l.v.params[a].names) + j.value(i)
		}
	}
	for _, args := range j.g.holdingAt(l)[key] {
		if !j.g.visit() {
			return false
		}
		fits, set := true, j.row
		j.row = slices.Clone(set)
		for a, i := range l.at {
			switch v := j.value(i); {
			case v < 0:
				j.row[i-j.from] = args[a]
			case v != args[a]:
				fits = false
			}
		}
		if fits && !j.extend(k+1) {
			return false
		}
		j.row = set
	}
	return true
}

// fill takes all values for the parameters from one on that no lookup has chosen.
func (j *join) fill(k int) bool {
	for ; k < len(j.row) && j.row[k] >= 0; k++ {
	}
	if k == len(j.row) {
		j.rows = append(j.rows, slices.Clone(j.row))
		return len(j.rows) < mostJoined
	}
	for v := range j.g.env[j.from+k].list.names {
		j.row[k] = v
		if !j.fill(k + 1) {
			return false
		}
	}
	j.row[k] = -1
	return true
}

// holdKey is a non-fluent with the arguments by which its groundings are found.
type holdKey struct {
	v     *variable
	known uint
}

// holdingAt has the arguments for which a non-fluent is true, by those that are known.
func (g *grounder) holdingAt(l *lookup) map[int][][]int {
	key := holdKey{l.v, l.known}
	m := g.holding[key]
	if m == nil {
		m = map[int][][]int{}
		for _, args := range l.v.holding() {
			at := 0
			for a, x := range args {
				if l.known>>a&1 != 0 {
					at = at*len(l.v.params[a].names) + x
				}
			}
			m[at] = append(m[at], args)
		}
		g.holding[key] = m
	}
	return m
}
