package factored

import (
	"fmt"
	"math/bits"
	"slices"
)

// Function gives the next value of a state: a tree of conditions whose leaves are linear. What a leaf gives is rounded to
// the nearest integer, halves to the even one, and clamped to Lo..Hi. Functions are part of the known T: DefineFunctions adds
// the constraints that say the same.
type Function struct {
	Variable int // a state
	Root     *FunctionNode
	Lo, Hi   int64  // within the range of the variable
	Text     string // as it was written; empty for none
}

// FunctionNode is a leaf, or a condition: Low holds where its sum is at most 0.
type FunctionNode struct {
	Sum       Affine
	Low, High *FunctionNode // nil for a leaf
}

// Affine is (sum of Coef*value + K) / Den.
type Affine struct {
	Terms []Summand
	K     int64
	Den   int64 // >= 1
}

// Summand is a multiple of the value of a state or action or, with Is, of whether it has the value Value.
type Summand struct {
	Coef     int64
	Variable int
	Is       bool
	Value    int64
}

// of returns the sum for the values of all variables, times Den.
func (a *Affine) of(values []int64) int64 {
	sum := a.K
	for _, t := range a.Terms {
		switch x := values[t.Variable]; {
		case !t.Is:
			sum += t.Coef * x
		case x == t.Value:
			sum += t.Coef
		}
	}
	return sum
}

// Next returns the next value for the values of all variables, by their index; those of states and actions are read.
func (f *Function) Next(values []int64) int64 {
	n := f.Root
	for n.Low != nil {
		if n.Sum.of(values) <= 0 {
			n = n.Low
		} else {
			n = n.High
		}
	}
	return min(max(roundEven(n.Sum.of(values), n.Sum.Den), f.Lo), f.Hi)
}

// Reads lists the variables that the next value depends on, in order.
func (f *Function) Reads() []int {
	var all []int
	var walk func(n *FunctionNode)
	walk = func(n *FunctionNode) {
		if n == nil {
			return
		}
		for _, t := range n.Sum.Terms {
			all = append(all, t.Variable)
		}
		walk(n.Low)
		walk(n.High)
	}
	walk(f.Root)
	slices.Sort(all)
	return slices.Compact(all)
}

// WithoutFunctions returns a copy of p without its functions and their constraints, for whoever computes what they give.
func (p *Problem) WithoutFunctions() *Problem {
	q := p.Clone()
	follows := func(c Constraint) bool { return c.Function }
	q.Global, q.Transition, q.Functions = slices.DeleteFunc(q.Global, follows), slices.DeleteFunc(q.Transition, follows), nil
	return q
}

// roundEven returns a/b rounded to the nearest integer, halves to the even one.
func roundEven(a, b int64) int64 {
	q := floorDiv(a, b)
	switch rest := 2 * (a - q*b); {
	case rest > b, rest == b && q&1 != 0:
		return q + 1
	}
	return q
}

// SetNext sets the bits in next of all states with functions. values are those of all variables before the step.
func (p *Problem) SetNext(next Valuation, values []int64) {
	for i := range p.Functions {
		f := &p.Functions[i]
		v := &p.Variables[f.Variable]
		x := f.Next(values)
		for k := range v.Width {
			next[int(v.First)+k] = x>>(v.Width-1-k)&1 == 1
		}
	}
}

// bounds returns the least and greatest sum, times Den, for values in their ranges; an error if that may leave 58 bits.
func (p *Problem) bounds(a *Affine) (least, most int64, err error) {
	least, most = a.K, a.K
	total := absU(a.K)
	for _, t := range a.Terms {
		v := &p.Variables[t.Variable]
		lo, hi := v.Lo, v.Hi
		if t.Is {
			lo, hi = 0, 1
		}
		over, size := bits.Mul64(absU(t.Coef), max(absU(lo), absU(hi)))
		if total += size; over > 0 || size > maxSum/4 || total > maxSum/4 || a.Den > maxSum/4 {
			return 0, 0, fmt.Errorf("its sum may leave 58 bits")
		}
		least, most = least+min(t.Coef*lo, t.Coef*hi), most+max(t.Coef*lo, t.Coef*hi)
	}
	return least, most, nil
}

// checkFunctions reports functions that are none of a state, or two of the same, or of bits that are learned.
func (p *Problem) checkFunctions() error {
	given := make([]bool, len(p.Variables))
	for _, b := range p.Outputs {
		given[p.owner[b]] = true
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		v := &p.Variables[f.Variable]
		switch {
		case v.Kind != State:
			return fmt.Errorf("%s has a function and is no state variable", v.Name)
		case given[f.Variable]:
			return fmt.Errorf("%s has a function and is given otherwise too", v.Name)
		case f.Lo > f.Hi || f.Lo < v.Lo || f.Hi > v.Hi:
			return fmt.Errorf("the function of %s is clamped outside its range", v.Name)
		}
		given[f.Variable] = true
	}
	return nil
}

// DefineFunction adds a function, and the constraints that say the same.
func (p *Problem) DefineFunction(f Function) error {
	d := definer{p: p, f: &f, v: &p.Variables[f.Variable], origin: "function of " + p.Variables[f.Variable].Name}
	p.Functions = append(p.Functions, f)
	if err := p.checkFunctions(); err != nil {
		return err
	}
	least, most, err := p.reach(f.Root)
	if err != nil {
		return fmt.Errorf("the function of %s: %w", d.v.Name, err)
	}
	if most > f.Hi {
		d.over = d.auxiliary("")
	}
	if least < f.Lo {
		d.under = d.auxiliary("")
	}
	d.clamp()
	d.node(f.Root, nil)
	return nil
}

// reach returns bounds of the values of a tree, rounded and not clamped.
func (p *Problem) reach(n *FunctionNode) (least, most int64, err error) {
	a, b, err := p.bounds(&n.Sum)
	if n.Low == nil || err != nil {
		return roundEven(a, max(1, n.Sum.Den)), roundEven(b, max(1, n.Sum.Den)), err
	}
	if least, most, err = p.reach(n.Low); err != nil {
		return 0, 0, err
	}
	a, b, err = p.reach(n.High)
	return min(least, a), max(most, b), err
}

// definer writes the constraints of a function. Each leaf has two, on its sum L and the next value s of the variable:
//
//	-D + (s mod 2) <= 2(L - D s) <= D - (s mod 2)
//
// which is s = L/D rounded, halves to the even number. They hold where the conditions above the leaf do, and not where s
// is clamped: the auxiliary over says that the rounded value is at least Hi, and under that it is at most Lo.
type definer struct {
	p           *Problem
	f           *Function
	v           *Variable
	origin      string
	over, under []Term // one literal each; nil for none
	fresh       int
}

// auxiliary adds a Boolean auxiliary variable and returns its literal.
func (d *definer) auxiliary(meaning string) []Term {
	for {
		d.fresh++
		name := fmt.Sprintf("%s#%d", d.origin, d.fresh)
		if _, taken := d.p.Lookup(name); taken {
			continue
		}
		id, err := d.p.AddVariable(Variable{Name: name, Kind: Auxiliary, Bool: true, Meaning: meaning})
		if err != nil {
			continue // the name is taken
		}
		d.v = &d.p.Variables[d.f.Variable] // it may have moved
		return []Term{{Coef: 1, Lit: Lit{Bit: d.p.Variables[id].First}}}
	}
}

// next appends factor times the next value.
func (d *definer) next(terms []Term, factor int64) []Term {
	for i := range d.v.Width {
		terms = append(terms, Term{Coef: factor * d.v.Weight(i), Lit: Lit{Bit: d.v.First + Bit(i), Next: true}})
	}
	return terms
}

// sum appends factor times a sum without its constant.
func (d *definer) sum(terms []Term, a *Affine, factor int64) []Term {
	for _, t := range a.Terms {
		v := &d.p.Variables[t.Variable]
		if t.Is {
			terms = append(terms, d.is(t.Variable, t.Value, factor*t.Coef)...)
			continue
		}
		for i := range v.Width {
			terms = append(terms, Term{Coef: factor * t.Coef * v.Weight(i), Lit: Lit{Bit: v.First + Bit(i)}})
		}
	}
	return terms
}

// is returns coef times whether a variable has a value: a literal of its one bit, or an auxiliary Boolean.
func (d *definer) is(variable int, value, coef int64) []Term {
	v := d.p.Variables[variable]
	match := func(i int) Lit {
		return Lit{Bit: v.First + Bit(i), Neg: value>>(v.Width-1-i)&1 == 0}
	}
	if v.Width == 1 {
		return []Term{{Coef: coef, Lit: match(0)}}
	}
	z := d.auxiliary(fmt.Sprintf("%s == %v", v.Name, v.Show(value)))
	all := make([]Term, v.Width, v.Width+1)
	for i := range all {
		all[i] = Term{Coef: 1, Lit: match(i)}
	}
	w := int64(v.Width)
	d.add(append(all[:v.Width:v.Width], Term{Coef: -w, Lit: z[0].Lit}), GE, 0)
	d.add(append(all[:v.Width:v.Width], Term{Coef: -1, Lit: z[0].Lit}), LE, w-1)
	z[0].Coef = coef
	return z
}

// add adds a constraint to T, or to C if it defines an auxiliary variable.
func (d *definer) add(terms []Term, op Op, k int64) {
	c := Constraint{Terms: terms, Op: op, K: k, Origin: d.origin, Function: true}
	for _, t := range terms {
		if t.Lit.Next {
			d.p.Transition = append(d.p.Transition, c)
			return
		}
	}
	c.Defines = true
	if d.p.HasAction(&c) {
		d.p.Global = append(d.p.Global, c)
	} else {
		d.p.Transition = append(d.p.Transition, c) // C would hold at H+1 too
	}
}

// guarded adds sum op k where the guards hold, each a literal, and the exceptions do not.
func (d *definer) guarded(terms []Term, op Op, k int64, guards, exceptions []Term) {
	least, most := extent(terms)
	slack := max(0, most-k)
	if op == GE {
		slack = min(0, least-k)
	}
	if slack == 0 {
		return
	}
	for _, g := range guards { // slack*(1-g)
		terms, k = append(terms, Term{Coef: slack, Lit: g.Lit}), k+slack
	}
	for _, e := range exceptions {
		terms = append(terms, Term{Coef: -slack, Lit: e.Lit})
	}
	d.add(terms, op, k)
}

// extent bounds a sum over all values of its bits.
func extent(terms []Term) (least, most int64) {
	for _, t := range terms {
		least, most = least+min(t.Coef, 0), most+max(t.Coef, 0)
	}
	return least, most
}

// clamp says what over and under say of the next value.
func (d *definer) clamp() {
	s := d.next(nil, 1)
	least, most := extent(s)
	if d.over != nil {
		d.add(append(s[:len(s):len(s)], Term{Coef: least - d.f.Hi, Lit: d.over[0].Lit}), GE, least)
	}
	if d.under != nil {
		d.add(append(s[:len(s):len(s)], Term{Coef: most - d.f.Lo, Lit: d.under[0].Lit}), LE, most)
	}
	if d.f.Hi < most {
		d.add(s, LE, d.f.Hi)
	}
	if d.f.Lo > least {
		d.add(s, GE, d.f.Lo)
	}
}

// node adds the constraints of a tree where the guards hold.
func (d *definer) node(n *FunctionNode, guards []Term) {
	if n.Low == nil {
		d.leaf(&n.Sum, guards)
		return
	}
	low := d.auxiliary("")
	terms := d.sum(nil, &n.Sum, 1)
	d.guarded(terms[:len(terms):len(terms)], LE, -n.Sum.K, low, nil)
	high := []Term{{Coef: 1, Lit: low[0].Lit.Not()}}
	d.guarded(terms[:len(terms):len(terms)], GE, 1-n.Sum.K, high, nil)
	d.node(n.Low, append(guards[:len(guards):len(guards)], low...))
	d.node(n.High, append(guards[:len(guards):len(guards)], high...))
}

// leaf adds the constraints of a leaf.
func (d *definer) leaf(a *Affine, guards []Term) {
	sum := d.sum(nil, a, 2)
	whole := func() []Term { return d.next(sum[:len(sum):len(sum)], -2*a.Den) }
	last := Lit{Bit: d.v.First + Bit(d.v.Width-1), Next: true}
	d.guarded(merge(append(whole(), Term{Coef: 1, Lit: last})), LE, a.Den-2*a.K, guards, d.over)
	d.guarded(merge(append(whole(), Term{Coef: -1, Lit: last})), GE, -a.Den-2*a.K, guards, d.under)
	if d.over != nil { // the rounded value is at least Hi
		k := 2*a.Den*d.f.Hi - a.Den + d.f.Hi&1 - 2*a.K
		d.threshold(sum, k, guards, d.over[0].Lit)
	}
	if d.under != nil { // it is not at least Lo+1
		k := 2*a.Den*(d.f.Lo+1) - a.Den + (d.f.Lo+1)&1 - 2*a.K
		d.threshold(sum, k, guards, d.under[0].Lit.Not())
	}
}

// threshold says that z holds exactly where sum >= k, where the guards hold.
func (d *definer) threshold(sum []Term, k int64, guards []Term, z Lit) {
	with := func(l Lit) []Term { return append(guards[:len(guards):len(guards)], Term{Coef: 1, Lit: l}) }
	d.guarded(sum[:len(sum):len(sum)], LE, k-1, with(z.Not()), nil)
	d.guarded(sum[:len(sum):len(sum)], GE, k, with(z), nil)
}

// merge joins terms of the same literal.
func merge(terms []Term) []Term {
	at := map[Lit]int{}
	var out []Term
	for _, t := range terms {
		if i, ok := at[t.Lit]; ok {
			out[i].Coef += t.Coef
			continue
		}
		at[t.Lit] = len(out)
		out = append(out, t)
	}
	return out
}
