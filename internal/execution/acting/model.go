package acting

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/versions"
	"github.com/fdplan/fdplan/problem/factored"
)

// Variable is one of the variables that next values are functions of: a group of Booleans of which the rules allow
// at most one to be true, an integer, or a Boolean.
type Variable struct {
	Name string
	Bits []factored.Bit
	// Legal are the values that the rules allow, bit i for Bits[i].
	Legal []uint64

	code map[uint64]uint16
}

// mostValues bounds the legal values of a variable. The bits of an integer with more are variables.
const mostValues = 256

// Clause says that a next bit has a value wherever variables have values.
type Clause struct {
	Output int // place among the learned bits
	Value  bool
	// Variables and At are places among the variables and their legal values.
	Variables []int
	At        []uint16
}

// Model is what is known of a system: the known part of its problem, and what follows from the rows.
type Model struct {
	Free      *factored.Problem // without the clauses: learned bits have any next value
	Outputs   []factored.Bit    // learned
	Variables []Variable
	K         int // most variables of a function
	Clauses   []Clause

	functions []*versions.Function // by output
	have      map[string]bool      // clauses
	settled   map[string]int8      // by point and output: value of all functions; -1 for open at rows
	rows      int
}

// NewModel returns what is known of a problem before anything was observed, if next values depend on at most k
// variables.
func NewModel(p *factored.Problem, k int) (*Model, error) {
	m := &Model{Free: p.Clone(), Outputs: p.Outputs, K: k, have: map[string]bool{}, settled: map[string]int8{}}
	m.Free.Inputs, m.Free.Outputs = nil, nil
	m.Variables = variablesOf(p)
	if len(m.Variables) > versions.MaxVariables {
		return nil, fmt.Errorf("next values may depend on %d variables; at most %d are supported", len(m.Variables), versions.MaxVariables)
	}
	m.K = min(k, len(m.Variables))
	m.renew()
	return m, nil
}

// renew starts the version spaces.
func (m *Model) renew() {
	var domain []int
	for i := range m.Variables {
		domain = append(domain, len(m.Variables[i].Legal))
	}
	m.functions = nil
	for range m.Outputs {
		m.functions = append(m.functions, versions.New(domain))
	}
}

// variablesOf lists what next values are functions of.
func variablesOf(p *factored.Problem) []Variable {
	var out []Variable
	grouped := map[factored.Bit]bool{}
	for _, g := range exclusive(p) {
		v := Variable{Name: p.BitName(g.bits[0]) + "…", Bits: g.bits}
		for i := range g.bits {
			v.Legal = append(v.Legal, 1<<i)
			grouped[g.bits[i]] = true
		}
		if !g.exactly {
			v.Legal = append(v.Legal, 0)
		}
		out = append(out, v)
	}
	fixed := fixedBits(p)
	for at := 0; at < len(p.Inputs); {
		of, i := p.Owner(p.Inputs[at])
		v := Variable{Name: of.Name}
		for ; at < len(p.Inputs); at++ {
			if o, j := p.Owner(p.Inputs[at]); o != of || j != i+len(v.Bits) {
				break
			}
			v.Bits = append(v.Bits, p.Inputs[at])
		}
		switch {
		case grouped[v.Bits[0]]:
		case len(v.Bits) == of.Width && of.Hi-of.Lo < mostValues:
			for x := of.Lo; x <= of.Hi; x++ {
				if pattern := patternOf(of, x); allowed(pattern, v.Bits, fixed) {
					v.Legal = append(v.Legal, pattern)
				}
			}
			out = append(out, v)
		default:
			for _, b := range v.Bits {
				out = append(out, Variable{Name: p.BitName(b), Bits: []factored.Bit{b}, Legal: []uint64{0, 1}})
			}
		}
	}
	for i := range out {
		out[i].code = map[uint64]uint16{}
		for c, x := range out[i].Legal {
			out[i].code[x] = uint16(c)
		}
	}
	return out
}

// patternOf is a value with bit i for the i-th bit of the variable, the most significant first.
func patternOf(v *factored.Variable, x int64) (pattern uint64) {
	for i := range v.Width {
		pattern |= uint64(x) >> (v.Width - 1 - i) & 1 << i
	}
	return pattern
}

func allowed(pattern uint64, of []factored.Bit, fixed map[factored.Bit]bool) bool {
	for i, b := range of {
		if v, ok := fixed[b]; ok && v != (pattern>>i&1 == 1) {
			return false
		}
	}
	return true
}

// fixedBits are the bits that a rule on them alone fixes.
func fixedBits(p *factored.Problem) map[factored.Bit]bool {
	fixed := map[factored.Bit]bool{}
	val := make(factored.Valuation, p.NumBits())
	for i := range p.Global {
		c := &p.Global[i]
		if len(c.Terms) != 1 || c.Terms[0].Lit.Next {
			continue
		}
		b := c.Terms[0].Lit.Bit
		off := c.Holds(val, nil)
		val[b] = true
		if on := c.Holds(val, nil); on != off {
			fixed[b] = on
		}
		val[b] = false
	}
	return fixed
}

type group struct {
	bits    []factored.Bit
	exactly bool // one is true
}

// exclusive lists groups of Boolean inputs of which the rules allow at most one to be true, the largest
// first; no bit is in two of them.
func exclusive(p *factored.Problem) []group {
	var all []group
	for i := range p.Global {
		c := &p.Global[i]
		g := group{exactly: c.Op == factored.EQ}
		sign := int64(1)
		if c.Op == factored.GE {
			sign = -1
		}
		ok := c.K == sign && len(c.Terms) > 1 && len(c.Terms) <= 64
		for _, t := range c.Terms {
			v, _ := p.Owner(t.Lit.Bit)
			ok = ok && v.Bool && !t.Lit.Neg && !t.Lit.Next && t.Coef == sign && slices.Contains(p.Inputs, t.Lit.Bit)
			g.bits = append(g.bits, t.Lit.Bit)
		}
		if ok {
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b group) int { return len(b.bits) - len(a.bits) })
	used := map[factored.Bit]bool{}
	var out []group
	for _, g := range all {
		if slices.ContainsFunc(g.bits, func(b factored.Bit) bool { return used[b] }) {
			continue
		}
		slices.Sort(g.bits)
		if len(slices.Compact(slices.Clone(g.bits))) < len(g.bits) {
			continue
		}
		for _, b := range g.bits {
			used[b] = true
		}
		out = append(out, g)
	}
	return out
}

// point is a state with an action as values of the variables.
func (m *Model) point(now factored.Valuation) versions.Point {
	at := make(versions.Point, len(m.Variables))
	for i := range m.Variables {
		v := &m.Variables[i]
		var x uint64
		for j, b := range v.Bits {
			if now[b] {
				x |= 1 << j
			}
		}
		c, ok := v.code[x]
		if !ok { // a value that the rules do not allow
			c = uint16(len(v.code))
			v.code[x] = c
		}
		at[i] = c
	}
	return at
}

// Observe takes a row, which must not contradict another. It reports whether K grew, so that the clauses are void.
func (m *Model) Observe(now, next factored.Valuation) (grew bool, err error) {
	at := m.point(now)
	m.rows++
	k := m.K
	for o, f := range m.functions {
		if !f.Add(at, next[m.Outputs[o]]) {
			return false, fmt.Errorf("%w: %s had two next values where all that it may depend on was alike", ErrSystem, m.Free.BitName(m.Outputs[o]))
		}
		k = max(k, f.Least(len(m.Variables)))
	}
	if grew = k > m.K; grew {
		m.Widen(k)
	}
	return grew, nil
}

// Least is the least number of variables of functions of an output that agree with the rows.
func (m *Model) Least(output int) int { return m.functions[output].Least(len(m.Variables)) }

// Widen has next values depend on at most k variables, more than before.
func (m *Model) Widen(k int) {
	m.K = k
	m.Clauses, m.have, m.settled = nil, map[string]bool{}, map[string]int8{}
}

// value is the next value of an output at a point: 0 or 1 if all functions have it, and 2 if it is open.
func (m *Model) value(o int, at versions.Point) int8 {
	key := fmt.Sprint(o, at)
	if v, ok := m.settled[key]; ok {
		return v
	}
	zero, one := m.functions[o].Values(m.K, at)
	switch {
	case zero && one:
		return 2
	case one:
		m.settled[key] = 1
	default:
		m.settled[key] = 0
	}
	return m.settled[key]
}

// Refute adds clauses for the next values of a plan that no function has, and reports whether there are any.
func (m *Model) Refute(tr *factored.Trace) (any bool) {
	for t := range tr.Horizon() {
		at := m.point(tr.Steps[t])
		for o, b := range m.Outputs {
			if v := m.value(o, at); v != 2 && (v == 1) != tr.Steps[t+1][b] {
				m.add(o, at, v == 1)
				any = true
			}
		}
	}
	return any
}

// add adds a clause for a next value that all functions have at a point.
func (m *Model) add(o int, at versions.Point, value bool) {
	c := Clause{Output: o, Value: value, Variables: m.functions[o].Cube(m.K, at, value)}
	for _, v := range c.Variables {
		c.At = append(c.At, at[v])
	}
	if key := fmt.Sprint(c); !m.have[key] {
		m.have[key] = true
		m.Clauses = append(m.Clauses, c)
	}
}

// Literals is a clause over bits: one of them holds at every step.
func (m *Model) Literals(c *Clause) []factored.Lit {
	lits := []factored.Lit{{Bit: m.Outputs[c.Output], Neg: !c.Value, Next: true}}
	for i, v := range c.Variables {
		lits = append(lits, m.Variables[v].differs(c.At[i])...)
	}
	return lits
}

// differs lists literals one of which holds where the variable has another value than the given legal one.
func (v *Variable) differs(code uint16) (lits []factored.Lit) {
	x := v.Legal[code]
	if v.isGroup() && x != 0 {
		return []factored.Lit{{Bit: v.Bits[bits.TrailingZeros64(x)], Neg: true}}
	}
	for i, b := range v.Bits {
		lits = append(lits, factored.Lit{Bit: b, Neg: x>>i&1 == 1})
	}
	return lits
}

// isGroup reports whether at most one bit of each legal value is true.
func (v *Variable) isGroup() bool {
	return !slices.ContainsFunc(v.Legal, func(x uint64) bool { return bits.OnesCount64(x) > 1 })
}

// Optimistic is the problem with the clauses: no plan of the system has a better reward than the best of its plans.
func (m *Model) Optimistic() *factored.Problem {
	p := m.Free.Clone()
	for i := range m.Clauses {
		c := factored.Constraint{Op: factored.GE, K: 1, Origin: "learned"}
		for _, l := range m.Literals(&m.Clauses[i]) {
			c.Terms = append(c.Terms, factored.Term{Coef: 1, Lit: l})
		}
		p.Transition = append(p.Transition, c)
	}
	return p
}
