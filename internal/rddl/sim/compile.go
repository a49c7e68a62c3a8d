package sim

import (
	"math"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/source"
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

// refuse records the first error of the compilation.
func (c *compiler) refuse(n *ground.Node, format string, args ...any) {
	if n == nil {
		n = &ground.Node{}
	}
	if c.err == nil {
		c.err = source.Errorf(n.Pos.File, n.Pos.Line, n.Pos.Col, format, args...)
	}
}

func (c *compiler) arity(n *ground.Node, least, most int) bool {
	if len(n.Args) >= least && len(n.Args) <= most {
		return true
	}
	if least == most {
		c.refuse(n, "%s has %d arguments, expected %d", opName(n), len(n.Args), least)
	} else {
		c.refuse(n, "%s has %d arguments, expected at least %d", opName(n), len(n.Args), least)
	}
	return false
}

const many = math.MaxInt

// num compiles n to a numeric value.
func (c *compiler) num(n *ground.Node) num {
	if f, ok := c.nums[n]; ok {
		return f
	}
	var f num
	if n == nil {
		c.refuse(n, "an expression is missing")
	} else {
		f = c.compileNum(n)
	}
	if f == nil { // refused; err is set
		f = func(*machine) float64 { return 0 }
	}
	c.nums[n] = f
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
	case ground.Add, ground.Mul, ground.Min, ground.Max, ground.Sub, ground.Div, ground.Neg, ground.Func:
		return c.operation(n)
	case ground.If:
		if !c.arity(n, 3, 3) {
			return nil
		}
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
		c.stochastic = c.stochastic || n.Name != "KronDelta" && n.Name != "DiracDelta"
		return c.distribution(n)
	}
	c.refuse(n, "the simulator does not know operation %d", n.Op)
	return nil
}

func (c *compiler) ref(n *ground.Node) num {
	if !c.refers(n) {
		return nil
	}
	i := n.Fluent
	if n.Primed && c.p.Fluents[i].Kind == ground.State {
		return func(m *machine) float64 { return m.next[i] }
	}
	return func(m *machine) float64 { return m.vals[i] }
}

func (c *compiler) refers(n *ground.Node) bool {
	if n.Fluent < 0 || n.Fluent >= len(c.p.Fluents) {
		c.refuse(n, "the expression refers to fluent number %d of %d", n.Fluent, len(c.p.Fluents))
		return false
	}
	return true
}

// switching compiles a switch: the first pair whose value equals the argument.
func (c *compiler) switching(n *ground.Node) num {
	if !c.arity(n, 2, many) {
		return nil
	}
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
		if rest[i].Op != ground.Const {
			c.refuse(rest[i], "a case of switch is not a constant")
			return nil
		}
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

// opName returns the name of n's operation in messages.
func opName(n *ground.Node) string {
	if o := n.Operator(); o != nil {
		return o.Name
	}
	if n.Op == ground.Func || n.Op == ground.Random {
		return n.Name
	}
	names := [...]string{"constant", "fluent", "~", "^", "|", "=>", "<=>", "==", "~=", "<", "<=", ">", ">="}
	if int(n.Op) < len(names) {
		return names[n.Op]
	}
	return map[ground.Op]string{ground.If: "if", ground.Case: "switch"}[n.Op]
}
