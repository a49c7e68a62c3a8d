// Package factored implements the deterministic factored planning problem of Say and Sanner,
// the tuple <S, A, C, T, I, G, R> (section "Problem Definition"), with its variables and
// their bits, plans and traces.
//
// Every variable is a row of bits (paper, "Real or Binary Input Layer"), and everything else
// is defined over bits: C, I, G and the known part of T are linear constraints with integer
// coefficients, and R is a linear sum. The learned part of T is a binarized neural network.
// This package knows only the bits that the network reads and writes (the paper's In and
// Out).
//
// Steps are numbered as in the paper: actions exist at steps 1..H, states and auxiliary
// variables at steps 1..H+1.
package factored

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// Kind is the kind of a variable.
type Kind uint8

// The kinds of variables.
const (
	State     Kind = iota // in S
	Action                // in A
	Auxiliary             // defined by constraints; exists at every step, is not part of a plan
)

func (k Kind) String() string {
	switch k {
	case State:
		return "state"
	case Action:
		return "action"
	default:
		return "auxiliary"
	}
}

// Bit is the index of one bit among all bits of a Problem.
type Bit int32

// Variable is a state, action or auxiliary variable: Boolean, or an integer in Lo..Hi. An
// integer is unsigned if Lo >= 0 and in two's complement if Lo < 0; its most significant bit
// comes first.
type Variable struct {
	Name   string
	Kind   Kind
	Bool   bool  // printed as true and false
	Lo, Hi int64 // inclusive; 0 and 1 for a Boolean
	// Default is the value that a plan step leaves out: for an action, to do nothing. It is
	// 0 unless set. There is none if it is outside the range: then no value does nothing, and
	// every step has one; see HasDefault.
	Default int64
	View    *View // what the values of an integer mean; nil for the integer itself
	// Meaning is the condition that an auxiliary Boolean is equivalent to, for messages; empty
	// if there is none to show.
	Meaning string
	// Clock is the number of the step, from 1, at which a Boolean state is true, and at no
	// other; 0 for all other variables. See Problem.AddClock.
	Clock int
	Lag   Lag // of a state variable that has the value of another one some steps before
	// Given marks a state variable that the system reads and does not decide: what it is next comes from outside.
	Given bool
	// Ends marks a state variable whose Lo and Hi stand for all that is outside its range, Lo+1..Hi-1, which rules keep it in.
	Ends  bool
	First Bit // its most significant bit; set by Problem.AddVariable
	Width int // number of bits; set by Problem.AddVariable
}

// widthOf returns the number of bits needed for lo..hi.
func widthOf(lo, hi int64) int {
	if lo >= 0 {
		return bits.Len64(uint64(hi))
	}
	w := bits.Len64(uint64(^lo)) // bits of -lo-1
	if hi > 0 {
		w = max(w, bits.Len64(uint64(hi)))
	}
	return w + 1
}

// Weight is the weight of the i-th bit (0 is the most significant) in the sum that is the
// variable's value: -2^(m-1), 2^(m-2), …, 1 for a signed integer.
func (v *Variable) Weight(i int) int64 {
	w := int64(1) << (v.Width - 1 - i)
	if v.Lo < 0 && i == 0 {
		return -w
	}
	return w
}

// Lit is a bit or its negation, at a step or, with Next, at the following step.
type Lit struct {
	Bit  Bit
	Neg  bool
	Next bool
}

// Not returns the negation of l.
func (l Lit) Not() Lit { l.Neg = !l.Neg; return l }

// Op is the relation of a linear constraint.
type Op uint8

// The relations.
const (
	LE Op = iota // <=
	GE           // >=
	EQ           // ==
)

func (o Op) String() string { return [...]string{"<=", ">=", "=="}[o] }

// Term is one summand of a linear constraint.
type Term struct {
	Coef int64
	Lit  Lit
}

// Constraint is sum of Coef*Lit {<=,>=,==} K, where a literal counts 1 when true.
type Constraint struct {
	Terms  []Term
	Op     Op
	K      int64
	Origin string // its place of origin, for messages: FILE:LINE or similar
	// Written is the condition that the constraint, with the definitions of its auxiliary variables,
	// was made of; nil if it says itself what it means. Checkers evaluate it beside the constraint.
	Written Statement `json:"-"`
	// Defines marks a constraint of I or C that belongs to the definition of an auxiliary
	// variable. These constraints alone exclude no state or action.
	Defines bool
	// Gate marks such a constraint of T: the definition reads actions or the next state, and excludes no step.
	Gate bool `json:"-"`
	// Function marks a constraint that says what Functions say too.
	Function bool
}

// Statement is a condition as it was written.
type Statement interface {
	// Holds evaluates it in a step: now has the state and action, next the next state.
	Holds(now, next Valuation) bool
	// Reads calls visit for each variable that it mentions.
	Reads(visit func(v *Variable, next bool))
	String() string
}

// Payment is a reward as it was written.
type Payment interface {
	// Worth is the reward of a step, in the user's unit; nil where it is not defined.
	Worth(now, next Valuation) *big.Rat
	String() string
}

// RewardTerm adds Weight to the reward of a step when Lit is true.
type RewardTerm struct {
	Lit    Lit
	Weight int64
}

// Reward is the function R of one step, an integer sum over a common scale: (Constant + sum
// of the weights of true literals) / Scale. Weights are integers so that no engine ever
// compares rounded numbers.
type Reward struct {
	Terms    []RewardTerm
	Constant int64
	Scale    int64 // >= 1
	// Written is the expression that the terms were made of; nil if there is none. Checkers
	// evaluate it beside them.
	Written Payment `json:"-"`
}

// Float converts a sum of scaled weights to the user's unit.
func (r *Reward) Float(sum int64) float64 {
	if r.Scale <= 1 {
		return float64(sum)
	}
	return float64(sum) / float64(r.Scale)
}

// Problem is the tuple <S, A, C, T, I, G, R>. Build it with AddVariable and the exported
// fields, then call Check.
type Problem struct {
	Name      string
	Variables []Variable

	Initial    []Constraint // I: over state bits at step 1
	Global     []Constraint // C: with an action bit at steps 1..H, else at 1..H+1
	Goal       []Constraint // G: over state (and auxiliary) bits at step H+1
	Transition []Constraint // known part of T: over steps t and t+1, t = 1..H
	Reward     Reward       // R
	Functions  []Function   // of states, whose constraints are in C and T; see DefineFunction
	Horizon    int          // the instance's own; 0 if it has none

	// The learned part of T: the network reads Inputs at step t and determines Outputs at
	// step t+1. Both are empty if nothing is learned.
	Inputs, Outputs []Bit

	owner  []int32 // variable of each bit
	byName map[string]int
	byForm map[string]int // 1 + index by Canonical name; -1 where two variables share one
}

// NewProblem returns an empty problem.
func NewProblem(name string) *Problem {
	return &Problem{Name: name, Reward: Reward{Scale: 1}, byName: map[string]int{}, byForm: map[string]int{}}
}

// ErrDuplicate is wrapped by AddVariable's error for a name that exists.
var ErrDuplicate = errors.New("declared twice")

// maxWidth keeps the weights of bits, and small sums of them, well inside 64 bits.
const maxWidth = 40

// AddVariable appends v, allocates its bits, and adds to Global the constraints that keep its
// value inside Lo..Hi. It returns the variable's index.
func (p *Problem) AddVariable(v Variable) (int, error) {
	if v.Name == "" {
		return 0, errors.New("a variable needs a name")
	}
	if _, ok := p.byName[v.Name]; ok {
		return 0, fmt.Errorf("variable %s is %w", v.Name, ErrDuplicate)
	}
	if v.Bool {
		v.Lo, v.Hi = 0, 1
	}
	if v.Lo > v.Hi {
		return 0, fmt.Errorf("variable %s has the empty range %d..%d", v.Name, v.Lo, v.Hi)
	}
	if err := v.checkView(); err != nil {
		return 0, err
	}
	v.Width = widthOf(v.Lo, v.Hi)
	if v.Width > maxWidth {
		return 0, fmt.Errorf("variable %s needs %d bits for %d..%d; at most %d are supported", v.Name, v.Width, v.Lo, v.Hi, maxWidth)
	}
	v.First = Bit(len(p.owner))
	id := len(p.Variables)
	p.Variables = append(p.Variables, v)
	p.byName[v.Name] = id
	if form := Canonical(v.Name); p.byForm[form] == 0 {
		p.byForm[form] = id + 1
	} else {
		p.byForm[form] = -1
	}
	for range v.Width {
		p.owner = append(p.owner, int32(id))
	}
	w := &p.Variables[id]
	lo, hi := w.Inside()
	origin := "range of " + w.Name
	if w.Ends { // a rule, which a system can break
		origin = w.Stays()
	}
	p.Global = append(p.Global, w.Within(lo, hi, origin)...)
	return id, nil
}

// Stays says that the value stays in its range.
func (v *Variable) Stays() string { return v.Name + " stays in " + v.RangeText() }

// Inside is the range without the values that stand for all outside of it.
func (v *Variable) Inside() (lo, hi int64) {
	if v.Ends {
		return v.Lo + 1, v.Hi - 1
	}
	return v.Lo, v.Hi
}

// Within returns the constraints that the value of v is in lo..hi, without those that all bit patterns satisfy.
func (v *Variable) Within(lo, hi int64, origin string) (out []Constraint) {
	var least, most int64
	terms := make([]Term, v.Width)
	for i := range terms {
		w := v.Weight(i)
		terms[i] = Term{Coef: w, Lit: Lit{Bit: v.First + Bit(i)}}
		least += min(w, 0)
		most += max(w, 0)
	}
	if lo > least {
		out = append(out, Constraint{Terms: terms, Op: GE, K: lo, Origin: origin, Defines: v.Kind == Auxiliary})
	}
	if hi < most {
		out = append(out, Constraint{Terms: terms, Op: LE, K: hi, Origin: origin, Defines: v.Kind == Auxiliary})
	}
	return out
}

// InitialBits returns the bits that constraints of I on one bit alone fix, and which these are.
func (p *Problem) InitialBits() (val Valuation, given []bool) {
	val, given = make(Valuation, p.NumBits()), make([]bool, p.NumBits())
	for i := range p.Initial {
		if c := &p.Initial[i]; len(c.Terms) == 1 {
			b := c.Terms[0].Lit.Bit
			val[b] = true
			on := c.Holds(val, nil)
			val[b] = false
			given[b] = given[b] || on != c.Holds(val, nil)
			val[b] = on
		}
	}
	return val, given
}

// NumBits is the number of bits of all variables at one step.
func (p *Problem) NumBits() int { return len(p.owner) }

// Owner returns the variable that bit b belongs to and the position of b in it, 0 being the
// most significant.
func (p *Problem) Owner(b Bit) (v *Variable, i int) {
	v = &p.Variables[p.owner[b]]
	return v, int(b - v.First)
}

// Index returns the place of a variable of p, or of a copy of it, among Variables.
func (p *Problem) Index(v *Variable) int { return int(p.owner[v.First]) }

// Kind returns the kind of the variable that bit b belongs to.
func (p *Problem) Kind(b Bit) Kind { return p.Variables[p.owner[b]].Kind }

// Lookup finds a variable by its exact name.
func (p *Problem) Lookup(name string) (*Variable, bool) {
	i, ok := p.byName[name]
	if !ok {
		return nil, false
	}
	return &p.Variables[i], true
}

// Find finds a variable by its name as a person may write it: exactly, or with other spaces
// and brackets, such as robot-at[ x14, y20 ] for robot-at(x14,y20), if that is unambiguous.
func (p *Problem) Find(name string) (*Variable, bool) {
	if v, ok := p.Lookup(name); ok {
		return v, true
	}
	if i := p.byForm[Canonical(name)]; i > 0 {
		return &p.Variables[i-1], true
	}
	return nil, false
}

// OfKind gives the variables of one kind with their places, in order.
func (p *Problem) OfKind(k Kind) iter.Seq2[int, *Variable] {
	return func(yield func(int, *Variable) bool) {
		for i := range p.Variables {
			if v := &p.Variables[i]; v.Kind == k && !yield(i, v) {
				return
			}
		}
	}
}

// Bits lists the bits of all variables of one kind, in order.
func (p *Problem) Bits(k Kind) []Bit {
	var out []Bit
	for b := range p.owner {
		if p.Kind(Bit(b)) == k {
			out = append(out, Bit(b))
		}
	}
	return out
}

// HasAction reports whether c mentions an action bit. Such a constraint holds at steps 1..H,
// any other at 1..H+1.
func (p *Problem) HasAction(c *Constraint) bool {
	return slices.ContainsFunc(c.Terms, func(t Term) bool { return p.Kind(t.Lit.Bit) == Action })
}

// Clone returns a copy of p. Adding or replacing variables and constraints in the copy does
// not change p.
func (p *Problem) Clone() *Problem {
	q := *p
	q.Variables = slices.Clone(p.Variables)
	q.Initial, q.Global = slices.Clone(p.Initial), slices.Clone(p.Global)
	q.Goal, q.Transition, q.Functions = slices.Clone(p.Goal), slices.Clone(p.Transition), slices.Clone(p.Functions)
	q.owner = slices.Clone(p.owner)
	q.byName, q.byForm = maps.Clone(p.byName), maps.Clone(p.byForm)
	return &q
}

// Check reports faults that make the problem meaningless: a literal of a bit that does not
// exist, a next-step literal where none is allowed, sums that could leave 64 bits, a state
// bit that is learned twice.
func (p *Problem) Check() error {
	groups := []struct {
		name string
		cs   []Constraint
	}{{"initial", p.Initial}, {"global", p.Global}, {"goal", p.Goal}, {"transition", p.Transition}}
	for _, g := range groups {
		for i := range g.cs {
			if err := p.checkConstraint(&g.cs[i], g.name); err != nil {
				return fmt.Errorf("%s constraint %s: %w", g.name, g.cs[i].Origin, err)
			}
		}
	}
	learned := make([]bool, p.NumBits())
	for _, b := range p.Outputs {
		if p.Kind(b) != State {
			return fmt.Errorf("the network's output %s is not a state variable", p.BitName(b))
		}
		if learned[b] {
			return fmt.Errorf("the network outputs %s twice", p.BitName(b))
		}
		learned[b] = true
	}
	read := make([]bool, p.NumBits())
	for _, b := range p.Inputs {
		if p.Kind(b) == Auxiliary {
			return fmt.Errorf("the network's input %s is an auxiliary variable", p.BitName(b))
		}
		if read[b] {
			return fmt.Errorf("the network reads %s twice", p.BitName(b))
		}
		read[b] = true
	}
	if err := p.checkFunctions(); err != nil {
		return err
	}
	return p.checkReward()
}

func (p *Problem) checkConstraint(c *Constraint, group string) error {
	var sum uint64
	for _, t := range c.Terms {
		if t.Lit.Bit < 0 || int(t.Lit.Bit) >= p.NumBits() {
			return fmt.Errorf("bit %d does not exist", t.Lit.Bit)
		}
		kind := p.Kind(t.Lit.Bit)
		if t.Lit.Next && (group != "transition" || kind != State) {
			return fmt.Errorf("%s' stands where only the present step can", p.BitName(t.Lit.Bit))
		}
		if kind == Action && group == "goal" || kind != State && group == "initial" {
			return fmt.Errorf("%s is an %s variable; only state variables can stand here", p.BitName(t.Lit.Bit), kind)
		}
		sum += absU(t.Coef)
		if sum > maxSum {
			return errors.New("its coefficients sum to more than 2^60")
		}
	}
	if absU(c.K) > maxSum {
		return errors.New("its right-hand side is beyond 2^60")
	}
	return nil
}

// maxSum bounds the sums of one constraint or one step's reward, so that
// slacks and negated right-hand sides stay inside 64 bits.
const maxSum = 1 << 60

func (p *Problem) checkReward() error {
	if p.Reward.Scale < 1 {
		return fmt.Errorf("the reward's scale is %d, it must be at least 1", p.Reward.Scale)
	}
	sum := absU(p.Reward.Constant)
	for _, t := range p.Reward.Terms {
		if t.Lit.Next && p.Kind(t.Lit.Bit) != State {
			return fmt.Errorf("the reward mentions %s', which is not a state variable", p.BitName(t.Lit.Bit))
		}
		sum += absU(t.Weight)
		if sum > maxSum {
			return errors.New("the reward's weights, scaled to integers, sum to more than 2^60")
		}
	}
	return nil
}

// MaxHorizon is the longest horizon whose summed reward is certain to fit in 64 bits.
func (p *Problem) MaxHorizon() int {
	sum := absU(p.Reward.Constant)
	for _, t := range p.Reward.Terms {
		sum += absU(t.Weight)
	}
	if sum == 0 {
		return math.MaxInt32
	}
	return int(min(math.MaxInt32, (1<<62)/sum))
}

func absU(x int64) uint64 {
	if x < 0 {
		return uint64(-(x + 1)) + 1
	}
	return uint64(x)
}
