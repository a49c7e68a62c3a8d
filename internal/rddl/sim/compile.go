package sim

import (
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// machine is the state of compiled expressions: the fluents' values in this step, the next
// states, and the first fault.
type machine struct {
	vals  []float64 // by fluent: states and actions of this step, and values computed in it
	next  []float64 // by fluent: next states
	rng   *rand.Rand
	fork  *fork // in place of rng while the outcomes of draws are enumerated; else nil
	fault fault
}

// fault is an evaluation error before it is formatted, so that expressions that may fail cost
// nothing while they succeed.
type fault struct {
	node *ground.Node
	what string
	args [3]float64
	n    int
}

// fail records the first fault and returns a harmless value to continue with.
func (m *machine) fail(n *ground.Node, what string, args ...float64) float64 {
	if m.fault.node == nil {
		m.fault.node, m.fault.what = n, what
		m.fault.n = copy(m.fault.args[:], args)
	}
	return 0
}

type (
	num  func(m *machine) float64
	pred func(m *machine) bool
)

// compiler translates nodes into closures. A shared node is compiled once.
type compiler struct {
	p          *ground.Problem
	nums       map[*ground.Node]num
	preds      map[*ground.Node]pred
	stochastic bool
	near       bool // the problem's reals have steps: nearly equal numbers are equal
	err        error
}

func newCompiler(p *ground.Problem) *compiler {
	return &compiler{p: p, near: p.Unrounded != nil, nums: map[*ground.Node]num{}, preds: map[*ground.Node]pred{}}
}

// num compiles n to a numeric value.
func (c *compiler) num(n *ground.Node) num {
	f, ok := c.nums[n]
	if !ok {
		f = c.compileNum(n)
		c.nums[n] = f
	}
	return f
}

func (c *compiler) all(nodes []*ground.Node) []num {
	out := make([]num, len(nodes))
	for i, n := range nodes {
		out[i] = c.num(n)
	}
	return out
}

func (c *compiler) compileNum(n *ground.Node) num {
	switch n.Op {
	case ground.Const:
		v := n.Val
		return func(*machine) float64 { return v }
	case ground.Ref:
		return c.ref(n)
	case ground.Not, ground.And, ground.Or, ground.Implies, ground.Iff,
		ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		p := c.pred(n)
		return func(m *machine) float64 {
			if p(m) {
				return 1
			}
			return 0
		}
	case ground.If:
		cond, then, other := c.pred(n.Args[0]), c.num(n.Args[1]), c.num(n.Args[2])
		return func(m *machine) float64 {
			if cond(m) {
				return then(m)
			}
			return other(m)
		}
	case ground.Case:
		return c.switching(n)
	case ground.Random:
		c.stochastic = true
		return c.distribution(n)
	}
	return c.operation(n)
}

func (c *compiler) ref(n *ground.Node) num {
	i := n.Fluent
	if n.Primed && c.p.Fluents[i].Kind == ground.State {
		return func(m *machine) float64 { return m.next[i] }
	}
	return func(m *machine) float64 { return m.vals[i] }
}

// switching compiles a switch: the first pair whose value equals the argument.
func (c *compiler) switching(n *ground.Node) num {
	on := c.num(n.Args[0])
	rest := n.Args[1:]
	var other num
	if len(rest)%2 == 1 { // the last is the default, or nil for none
		if d := rest[len(rest)-1]; d != nil {
			other = c.num(d)
		}
		rest = rest[:len(rest)-1]
	}
	var values []float64
	var results []num
	for i := 0; i < len(rest); i += 2 {
		values = append(values, rest[i].Val)
		results = append(results, c.num(rest[i+1]))
	}
	return func(m *machine) float64 {
		x := on(m)
		for i, v := range values {
			if v == x {
				return results[i](m)
			}
		}
		if other == nil {
			return m.fail(n, "no case of the switch has the value and there is no default", x)
		}
		return other(m)
	}
}
