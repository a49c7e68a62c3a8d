package chance

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// Kind says what an effect does to a value.
type Kind uint8

// The kinds of effects.
const (
	Add     Kind = iota // to the value before the step, or to a sum of such values; 0 keeps it
	Set                 // a value
	Predict             // adds to the value that the deterministic transition gives
)

// Effect is what an outcome does to one variable.
type Effect struct {
	Kind Kind
	By   int64 // what is added, or the value that is set
	Sum  int   // Add adds to Group.Sums[Sum-1]; 0 for the variable's own value
}

// Outcome is a value of a chance variable: an effect for each output of its group.
type Outcome struct {
	Weight  int64 // its probability is Weight / Context.Total
	Effects []Effect
}

// Context is a condition on state and action in which the outcomes have certain probabilities.
type Context struct {
	When     string // an expression of package expr; empty where it always holds
	Rows     int64  // that the probabilities were counted in; 0 where they are given
	Total    int64  // the sum of the weights
	Outcomes []Outcome
	Counts   []float64 // rows of each outcome; nil where the weights are in proportion to them

	when *expr.Expr
}

// Blocked says where the probability of an outcome goes that would leave the range of a
// variable.
type Blocked uint8

// What becomes of blocked outcomes.
const (
	Clamp  Blocked = iota // each value stays at the end of its range
	Keep                  // all variables of the group keep their values
	Others                // to the other outcomes, in proportion
	Rest                  // to the other outcomes but the most likely of all, in proportion
)

// blockedNames are the names of the values of Blocked in files.
var blockedNames = []string{"clamp", "keep", "others", "rest"}

func (b Blocked) String() string { return blockedNames[b] }

// Noise is the share of recorded values of one output that are wrong: it explains rows and is
// no part of what happens.
type Noise struct{ Wrong, Of int64 }

// Rate returns the share.
func (n Noise) Rate() float64 {
	if n.Of == 0 {
		return 0
	}
	return float64(n.Wrong) / float64(n.Of)
}

// Group is a chance variable: some state variables whose next values are drawn together. The
// first context that holds counts; where none does, all outputs are as predicted.
type Group struct {
	Outputs  []int // among the variables of the problem
	Sums     []Sum // that effects add to
	Blocked  Blocked
	Noise    []Noise // of each output
	Follows  []Follow
	Contexts []Context

	p      *factored.Problem
	inputs []input // that the contexts depend on
	table  []int32 // the context of each joint value of inputs, -1 for none; nil if they are too many
}

// input is a variable that contexts depend on, and what it adds to the index of the table.
type input struct {
	variable int
	stride   int64
}

// Model is the chance in the transitions of a problem. Build it with New.
type Model struct {
	Problem *factored.Problem
	Groups  []Group
}

const (
	maxTable  = 1 << 20 // joint values of the inputs of a group that are tabled
	maxTotal  = 1 << 31 // of the weights of a context
	maxEffect = 1 << 40 // magnitude of what is added
)

// New checks groups and prepares them for drawing. The error is about the group and, unless it
// is -1, the context that it returns beside.
func New(p *factored.Problem, groups []Group) (m *Model, group, context int, err error) {
	m = &Model{Problem: p, Groups: groups}
	taken := map[int]bool{}
	for i := range groups {
		g := &groups[i]
		if len(g.Outputs) == 0 {
			return nil, i, -1, fmt.Errorf("a group draws no variable; expected one at least")
		}
		for _, v := range g.Outputs {
			switch {
			case v < 0 || v >= len(p.Variables) || p.Variables[v].Kind != factored.State:
				return nil, i, -1, fmt.Errorf("only the next values of state variables are drawn")
			case taken[v]:
				return nil, i, -1, fmt.Errorf("%s is drawn twice; expected one group for each variable", p.Variables[v].Name)
			}
			taken[v] = true
		}
		if len(g.Noise) == 0 {
			g.Noise = make([]Noise, len(g.Outputs))
		}
		if context, err = g.prepare(p); err != nil {
			return nil, i, context, err
		}
	}
	return m, -1, -1, nil
}

// prepare checks the contexts of a group and finds which states and actions have which.
func (g *Group) prepare(p *factored.Problem) (context int, err error) {
	g.p = p
	if len(g.Contexts) == 0 {
		return -1, fmt.Errorf("the group of %s has no context; expected one at least", p.Variables[g.Outputs[0]].Name)
	}
	var reads []int
	for i := range g.Contexts {
		c := &g.Contexts[i]
		if err := c.check(g); err != nil {
			return i, err
		}
		if c.When == "" {
			if i+1 < len(g.Contexts) {
				return i + 1, fmt.Errorf("no state and action has this context: the one before holds always")
			}
			continue
		}
		if c.when, err = expr.Parse(p, c.When, expr.Options{}); err != nil {
			return i, err
		}
		if len(c.when.Constants()) > 0 {
			return i, fmt.Errorf("%s", c.when.Constants()[0])
		}
		now, _ := c.when.Variables()
		for _, v := range now {
			k := p.Index(v)
			if p.Variables[k].Kind == factored.Auxiliary {
				return i, fmt.Errorf("a context depends on %s; expected states and actions alone", v.Name)
			}
			if !slices.Contains(reads, k) {
				reads = append(reads, k)
			}
		}
	}
	for i := range g.Follows {
		if err := g.Follows[i].prepare(g); err != nil {
			return -1, err
		}
	}
	slices.Sort(reads)
	return g.tabulate(reads)
}

// check reports what is wrong with the outcomes of a context.
func (c *Context) check(g *Group) error {
	if len(c.Outcomes) == 0 {
		return fmt.Errorf("the context has no outcome; expected one at least")
	}
	if c.Rows < 0 {
		return fmt.Errorf("%d rows; expected 0 or more", c.Rows)
	}
	var sum int64
	for _, o := range c.Outcomes {
		switch {
		case o.Weight <= 0:
			return fmt.Errorf("the probability %s is not positive; expected more than 0, or no such outcome", big.NewRat(o.Weight, max(1, c.Total)).RatString())
		case o.Weight > maxTotal:
			return fmt.Errorf("a weight is %d; expected at most %d", o.Weight, int64(maxTotal))
		case len(o.Effects) != len(g.Outputs):
			return fmt.Errorf("an outcome has %d effects; expected %d", len(o.Effects), len(g.Outputs))
		}
		sum += o.Weight
		for j, e := range o.Effects {
			v := &g.p.Variables[g.Outputs[j]]
			if e.Kind == Set && (e.By < v.Lo || e.By > v.Hi) {
				return fmt.Errorf("%s cannot be %v; its range is %s", v.Name, v.Show(e.By), v.RangeText())
			}
			if e.Sum > 0 {
				if err := slices.Concat(Sum{{Variable: g.Outputs[j]}}, g.Sums[e.Sum-1]).check(g.p); err != nil {
					return err
				}
			}
			if e.By > maxEffect || e.By < -maxEffect {
				return fmt.Errorf("%s changes by %d; expected at most %d", v.Name, e.By, int64(maxEffect))
			}
		}
	}
	if sum != c.Total || sum > maxTotal {
		return fmt.Errorf("the probabilities sum to %s; expected 1", big.NewRat(sum, max(1, c.Total)).RatString())
	}
	return nil
}

// tabulate lists the context of each joint value of the inputs of a group.
func (g *Group) tabulate(reads []int) (context int, err error) {
	var size int64
	if g.inputs, size = inputsOf(g.p, reads); size == 0 {
		g.table = nil
		return -1, nil // too many
	}
	var when []*expr.Expr
	for i := range g.Contexts {
		when = append(when, g.Contexts[i].when)
	}
	if g.table, err = firstOf(g.p, g.inputs, size, when); err != nil {
		return -1, err
	}
	used := make([]bool, len(g.Contexts))
	for _, k := range g.table {
		if k >= 0 {
			used[k] = true
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		return i, fmt.Errorf("no state and action has this context; expected a condition that can hold where those before it do not")
	}
	return -1, nil
}

// holds returns the first context that holds, -1 for none.
func (g *Group) holds(val factored.Valuation) int {
	return slices.IndexFunc(g.Contexts, func(c Context) bool { return c.when == nil || c.when.Eval(val, nil) })
}

// Context returns the number of the context for the values of all variables, which must be in
// their ranges; -1 where none holds.
func (g *Group) Context(now []int64) int {
	if g.table != nil {
		i := int64(0)
		for _, in := range g.inputs {
			i += (now[in.variable] - g.p.Variables[in.variable].Lo) * in.stride
		}
		return int(g.table[i])
	}
	val := make(factored.Valuation, g.p.NumBits())
	for _, in := range g.inputs {
		if g.p.Variables[in.variable].Set(val, now[in.variable]) != nil {
			return -1
		}
	}
	return g.holds(val)
}

// Reads lists the variables that the next values of the group depend on, beside the
// prediction: those of its contexts and sums and its own that outcomes have effects on.
func (g *Group) Reads() []int {
	var all []int
	for _, in := range g.inputs {
		all = append(all, in.variable)
	}
	for j, v := range g.Outputs {
		if g.follows(j) == nil {
			all = append(all, v)
		}
	}
	for _, s := range g.Sums {
		for _, t := range s {
			all = append(all, t.Variable)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Predicts reports whether an outcome changes what the deterministic transition predicts, or
// some state and action may have no context, where that prediction holds.
func (g *Group) Predicts() bool {
	for i := range g.Contexts {
		for _, o := range g.Contexts[i].Outcomes {
			if slices.ContainsFunc(o.Effects, func(e Effect) bool { return e.Kind == Predict }) {
				return true
			}
		}
	}
	return g.Contexts[len(g.Contexts)-1].when != nil && (g.table == nil || slices.Contains(g.table, -1))
}

// Values reads the values of all variables from a valuation, appending to dst.
func (m *Model) Values(dst []int64, val factored.Valuation) []int64 {
	for i := range m.Problem.Variables {
		dst = append(dst, m.Problem.Variables[i].Value(val))
	}
	return dst
}
