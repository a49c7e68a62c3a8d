package sim_test

import (
	"fmt"
	"strconv"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// builder builds one problem. Every node and declaration has a line of its own in the file
// test.rddl, so that messages can be told apart.
type builder struct {
	P    *ground.Problem
	line int
}

// newBuilder returns an empty problem with horizon 10, discount 1 and reward 0.
func newBuilder(name string) *builder {
	b := &builder{P: &ground.Problem{Domain: name, Instance: name, ByName: map[string]int{}, MaxActions: -1, Horizon: 10, Discount: 1}}
	b.P.Reward = b.C(0)
	return b
}

func (b *builder) pos() ground.Pos {
	b.line++
	return ground.Pos{File: "test.rddl", Line: b.line, Col: 1}
}

func (b *builder) add(f ground.Fluent) {
	f.Base = f.Name
	for i := range f.Name {
		if f.Name[i] == '(' {
			f.Base = f.Name[:i]
			break
		}
	}
	f.Pos = b.pos()
	b.P.ByName[f.Name] = len(b.P.Fluents)
	b.P.Fluents = append(b.P.Fluents, f)
}

// State adds a state fluent; CPF sets its cpf. Values are those of an enumeration.
func (b *builder) State(name string, t ground.Type, initial float64, values ...string) {
	b.add(ground.Fluent{Name: name, Kind: ground.State, Type: t, Initial: initial, Values: values})
}

// Action adds an action fluent.
func (b *builder) Action(name string, t ground.Type, def float64, values ...string) {
	b.add(ground.Fluent{Name: name, Kind: ground.Action, Type: t, Default: def, Values: values})
}

// Computed adds an intermediate or observation fluent with its cpf.
func (b *builder) Computed(name string, k ground.Kind, t ground.Type, cpf *ground.Node) {
	b.add(ground.Fluent{Name: name, Kind: k, Type: t})
	b.CPF(name, cpf)
}

// CPF sets a cpf and appends the fluent to the order of evaluation.
func (b *builder) CPF(name string, cpf *ground.Node) {
	i := b.index(name)
	b.P.Fluents[i].CPF = cpf
	b.P.Order = append(b.P.Order, i)
}

func (b *builder) index(name string) int {
	i, ok := b.P.ByName[name]
	if !ok {
		panic("no fluent " + name)
	}
	return i
}

// C is a constant of type Int or Real.
func (b *builder) C(v float64) *ground.Node {
	t := ground.Real
	if v == float64(int64(v)) {
		t = ground.Int
	}
	return &ground.Node{Op: ground.Const, Type: t, Val: v, Pos: b.pos()}
}

// T is a Boolean constant.
func (b *builder) T(v bool) *ground.Node {
	n := &ground.Node{Op: ground.Const, Type: ground.Bool, Pos: b.pos()}
	if v {
		n.Val = 1
	}
	return n
}

// Ref is a reference to a fluent, with a prime at the end of the name for the next state.
func (b *builder) Ref(name string) *ground.Node {
	primed := name[len(name)-1] == '\''
	if primed {
		name = name[:len(name)-1]
	}
	i := b.index(name)
	f := &b.P.Fluents[i]
	return &ground.Node{Op: ground.Ref, Type: f.Type, Values: f.Values, Fluent: i, Primed: primed, Name: name, Pos: b.pos()}
}

// Op is an operation. Its type is Bool for logic and comparisons, Real for divisions, and
// otherwise the widest type of the arguments.
func (b *builder) Op(op ground.Op, args ...*ground.Node) *ground.Node {
	n := &ground.Node{Op: op, Args: args, Pos: b.pos()}
	switch {
	case op <= ground.Ge:
		n.Type = ground.Bool
	case op == ground.Div:
		n.Type = ground.Real
	case op == ground.If:
		n.Type = wider(args[1:])
	case op == ground.Case:
		n.Type = wider(args[2:])
	default:
		n.Type = max(ground.Int, wider(args))
	}
	return n
}

func wider(args []*ground.Node) ground.Type {
	var t ground.Type
	for _, a := range args {
		if a != nil {
			t = max(t, a.Type)
		}
	}
	return t
}

// Func is a function of type Real.
func (b *builder) Func(name string, args ...*ground.Node) *ground.Node {
	return &ground.Node{Op: ground.Func, Type: ground.Real, Name: name, Args: args, Pos: b.pos()}
}

// Random is a distribution of the given type.
func (b *builder) Random(t ground.Type, name string, args ...*ground.Node) *ground.Node {
	return &ground.Node{Op: ground.Random, Type: t, Name: name, Args: args, Pos: b.pos()}
}

func (b *builder) condition(text string, n *ground.Node) ground.Condition {
	return ground.Condition{Expr: n, Pos: b.pos(), Text: text}
}

// Precondition, Invariant and Termination add conditions with their text.
func (b *builder) Precondition(text string, n *ground.Node) {
	b.P.Preconditions = append(b.P.Preconditions, b.condition(text, n))
}

// Invariant adds a state invariant.
func (b *builder) Invariant(text string, n *ground.Node) {
	b.P.Invariants = append(b.P.Invariants, b.condition(text, n))
}

// Termination adds a termination condition.
func (b *builder) Termination(text string, n *ground.Node) {
	b.P.Termination = append(b.P.Termination, b.condition(text, n))
}

// sysAdmin is a deterministic problem similar to the paper's, with n computers in a ring:
// running(ci), age(ci) in 0..3, reboot(ci), at most most reboots at once, all running at
// every step, minus the number of reboots as the reward.
func sysAdmin(n, most int) *ground.Problem {
	b := newBuilder("sysadmin-" + strconv.Itoa(n))
	name := func(base string, i int) string { return fmt.Sprintf("%s(c%d)", base, (i+n)%n+1) }
	for i := range n {
		b.State(name("running", i), ground.Bool, 1)
	}
	for i := range n {
		b.State(name("age", i), ground.Int, 0)
	}
	for i := range n {
		b.Action(name("reboot", i), ground.Bool, 0)
	}
	var reboots []*ground.Node
	for i := range n {
		running, age, reboot := b.Ref(name("running", i)), b.Ref(name("age", i)), b.Ref(name("reboot", i))
		// age * (1 - (left + right) / 3) <= 1.5
		load := b.Op(ground.Mul, age, b.Op(ground.Sub, b.C(1), b.Op(ground.Div,
			b.Op(ground.Add, b.Ref(name("running", i-1)), b.Ref(name("running", i+1))), b.C(3))))
		b.CPF(name("running", i), b.Op(ground.Or, reboot, b.Op(ground.And, running,
			b.Op(ground.Or, b.Op(ground.Le, age, b.C(1)), b.Op(ground.Le, load, b.C(0.5))))))
		b.CPF(name("age", i), b.Op(ground.If, b.Op(ground.Or, b.Op(ground.Not, running), reboot), b.C(0),
			b.Op(ground.Min, b.C(3), b.Op(ground.Add, age, b.C(1)))))
		b.Invariant(name("running", i), running)
		reboots = append(reboots, reboot)
	}
	b.P.Reward = b.Op(ground.Neg, b.Op(ground.Add, reboots...))
	b.P.MaxActions = most
	return b.P
}
