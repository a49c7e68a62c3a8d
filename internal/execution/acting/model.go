package acting

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/versions"
	"github.com/fdplan/fdplan/problem/factored"
)

// Shared is a function that several learned bits have in common, such as those of all objects of a type: each reads
// variables of its own, which stand for each other by their places.
type Shared struct {
	Outputs []factored.Bit
	Views   [][]Variable // by output
}

// function is the version space of some learned bits.
type function struct {
	*versions.Function
	outputs []factored.Bit
	views   [][]int             // by output, places among the variables
	codes   []map[uint64]uint16 // by place in a view; legal values come first
	legal   [][]uint64          // by place in a view and code
	points  []spotAt            // of which nothing is known to follow; nil before they were listed
	said    []region            // in which clauses say the next value
}

// Model is what is known of a system: the known part of its problem, and what follows from the rows.
type Model struct {
	Free      *factored.Problem // without the clauses: learned bits have any next value
	Outputs   []factored.Bit    // learned
	Variables []Variable
	K         int // most variables of a function
	Clauses   []Clause
	Reward    *Reward // nil if the problem's reward is right

	functions []*function
	shared    bool                  // they are of several outputs
	of        map[factored.Bit]spot // by learned bit
	have      map[string]bool       // clauses
	settled   map[string]int8       // by point and output: value of all functions; -1 for open at rows
	rows      int
	inferred  int // rows of which all that follows was stated
}

// spot is a function with the place of an output among its own, its own place, and a point or nil.
type spot struct {
	f  *function
	i  int
	o  int
	at versions.Point
}

// NewModel returns what is known of a problem before anything was observed, if next values depend on at most k
// variables: of shared functions where there are some, else each learned bit has a function of all variables.
func NewModel(p *factored.Problem, k int, shared []Shared) (*Model, error) {
	m := &Model{Free: p.Clone(), Outputs: p.Outputs, K: k, have: map[string]bool{}, settled: map[string]int8{}, of: map[factored.Bit]spot{}, shared: shared != nil}
	m.Free.Inputs, m.Free.Outputs = nil, nil
	if shared == nil {
		m.Variables = Variables(p)
		all := integer.Below[int](len(m.Variables))
		for _, b := range p.Outputs {
			m.functions = append(m.functions, &function{outputs: []factored.Bit{b}, views: [][]int{all}})
		}
	}
	for _, s := range shared {
		f := &function{outputs: s.Outputs}
		for _, view := range s.Views {
			var places []int
			for _, v := range view {
				places = append(places, m.place(v))
			}
			f.views = append(f.views, places)
		}
		m.functions = append(m.functions, f)
	}
	for o, f := range m.functions {
		if n := len(f.views[0]); n > versions.MaxVariables {
			return nil, fmt.Errorf("next values may depend on %d variables; at most %d are supported", n, versions.MaxVariables)
		}
		m.prepare(o, f)
	}
	m.K = min(k, m.Most())
	return m, nil
}

// Pooled is a shared function with the places of the variables of its views.
type Pooled struct {
	Outputs []factored.Bit
	Places  [][]int
}

// Shared lists the functions that learned bits share; nil where each has its own.
func (m *Model) Shared() (all []Pooled) {
	for _, f := range m.functions {
		if m.shared {
			all = append(all, Pooled{f.outputs, f.views})
		}
	}
	return all
}

// place adds a variable, unless it is there.
func (m *Model) place(v Variable) int {
	if i := slices.IndexFunc(m.Variables, func(w Variable) bool {
		return w.Count == v.Count && slices.Equal(w.Bits, v.Bits) && slices.Equal(w.Legal, v.Legal)
	}); i >= 0 {
		return i
	}
	m.Variables = append(m.Variables, v)
	return len(m.Variables) - 1
}

// Most is the number of variables that a next value may depend on.
func (m *Model) Most() (n int) {
	for _, f := range m.functions {
		n = max(n, len(f.views[0]))
	}
	return n
}

// prepare numbers the values of a function's variables.
func (m *Model) prepare(o int, f *function) {
	var domain []int
	for at := range f.views[0] {
		codes := map[uint64]uint16{}
		var legal []uint64
		for _, view := range f.views {
			for _, x := range m.Variables[view[at]].Legal {
				if _, ok := codes[x]; !ok {
					codes[x] = uint16(len(codes))
					legal = append(legal, x)
				}
			}
		}
		f.codes, f.legal = append(f.codes, codes), append(f.legal, legal)
		domain = append(domain, len(legal))
	}
	f.Function = versions.New(domain)
	for i, b := range f.outputs {
		m.of[b] = spot{f, i, o, nil}
	}
}

func (m *Model) spots(now factored.Valuation) (all []spot) {
	var at versions.Point
	for o, f := range m.functions {
		for i := range f.outputs {
			if at == nil || m.shared { // functions that are not shared have the same view
				at = m.point(f, i, now)
			}
			all = append(all, spot{f, i, o, at})
		}
	}
	return all
}

// point is a state with an action as values of the variables of an output.
func (m *Model) point(f *function, i int, now factored.Valuation) versions.Point {
	at := make(versions.Point, len(f.views[i]))
	for k, v := range f.views[i] {
		x := m.Variables[v].value(now)
		c, ok := f.codes[k][x]
		if !ok { // a value that the rules do not allow
			c = uint16(len(f.codes[k]))
			f.codes[k][x] = c
		}
		at[k] = c
	}
	return at
}

// Observe takes a row, which must not contradict another. It reports whether K grew, so that the clauses are void.
func (m *Model) Observe(now, next factored.Valuation) (grew bool, err error) {
	m.rows++
	for _, s := range m.spots(now) {
		if b := s.f.outputs[s.i]; !s.f.Add(s.at, next[b]) {
			if m.shared {
				return false, errLift
			}
			return false, fmt.Errorf("%w: %s had two next values where all that it may depend on was alike", ErrSystem, m.Free.BitName(b))
		}
	}
	k := m.K
	for _, f := range m.functions {
		k = max(k, f.Least(len(f.views[0])))
	}
	if grew = k > m.K; grew {
		m.Widen(k)
	}
	return grew, nil
}

// Least is the least number of variables of functions of a learned bit that agree with the rows.
func (m *Model) Least(output factored.Bit) int {
	f := m.of[output].f
	return f.Least(len(f.views[0]))
}

// Widen has next values depend on at most k variables, more than before.
func (m *Model) Widen(k int) {
	m.K = k
	m.Clauses, m.have, m.settled, m.inferred = nil, map[string]bool{}, map[string]int8{}, 0
	for _, f := range m.functions {
		f.points, f.said = nil, nil
	}
}

// value is the next value of an output at a point: 0 or 1 if all functions have it, and 2 if it is open.
func (m *Model) value(o int, f *function, at versions.Point) int8 {
	key := fmt.Sprint(o, at)
	if v, ok := m.settled[key]; ok {
		return v
	}
	zero, one := f.Values(m.K, at)
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
		if r := m.Reward; r != nil && len(tr.Steps[t+1]) > m.Free.NumBits() && tr.Steps[t+1][r.open(m)] {
			any = r.refute(tr.Steps[t], tr.Steps[t+1]) || any
		}
		for _, s := range m.spots(tr.Steps[t]) {
			if v := m.value(s.o, s.f, s.at); v != 2 && (v == 1) != tr.Steps[t+1][s.f.outputs[s.i]] {
				m.add(s.f, s.i, s.at, v == 1, tr.Steps[t])
				any = true
			}
		}
	}
	return any
}

// add adds a clause for a next value that all functions have at a point, and the same one for other outputs of the function
// where it says something about their own variables.
func (m *Model) add(f *function, i int, at versions.Point, value bool, now factored.Valuation) {
	var keep []int // constants, which cost nothing
	for k, v := range f.views[i] {
		if len(m.Variables[v].Legal) == 1 {
			keep = append(keep, k)
		}
	}
	fixed := f.Cube(m.K, at, value, keep)
	f.said = append(f.said, region{at, fixed})
	m.clauses(f, i, fixed, at, value, now)
	for j := range f.outputs {
		if j != i {
			m.clauses(f, j, fixed, at, value, nil)
		}
	}
}

// clauses adds those of an output in a region; now is the state with the action that it was found for, nil for any. Where a number has
// many patterns, that of now alone is excluded.
func (m *Model) clauses(f *function, i int, fixed []int, at versions.Point, value bool, now factored.Valuation) {
	all := []Clause{{Output: f.outputs[i], Value: value}}
	for _, k := range fixed {
		place := f.views[i][k]
		v, x := &m.Variables[place], f.legal[k][at[k]]
		if !slices.Contains(v.Legal, x) {
			return // never so
		}
		if len(v.Legal) == 1 {
			continue
		}
		is := []uint64{x}
		if v.Count {
			if is = v.patterns(int(x)); is == nil && now != nil {
				is = []uint64{v.pattern(now)}
			}
		}
		var next []Clause
		for _, c := range all {
			for _, x := range is {
				next = append(next, Clause{c.Output, c.Value, append(slices.Clone(c.Variables), place), append(slices.Clone(c.Is), x)})
			}
		}
		all = next
	}
	for _, c := range all {
		if key := fmt.Sprint(c); !m.have[key] {
			m.have[key] = true
			m.Clauses = append(m.Clauses, c)
		}
	}
}
