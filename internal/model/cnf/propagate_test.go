package cnf

import (
	"flag"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
)

var exhaustive = flag.Bool("exhaustive", false, "run the long tests in full")

// memory is a Sink that keeps its clauses.
type memory struct {
	next    model.Lit
	clauses [][]model.Lit
}

func (m *memory) NewVar() model.Lit { m.next++; return m.next }

func (m *memory) Clause(lits ...model.Lit) {
	m.clauses = append(m.clauses, append([]model.Lit(nil), lits...))
}

// propagator implements unit propagation with two watched literals and undo.
type propagator struct {
	clauses [][]model.Lit
	watches [][]int32 // by index of a literal: clauses to look at when it becomes false
	value   []int8    // by variable
	trail   []model.Lit
	ok      bool // no conflict without any assumption
}

func index(l model.Lit) int {
	if l < 0 {
		return int(-l)*2 + 1
	}
	return int(l) * 2
}

// newPropagator checks the clauses' form and propagates the units.
func newPropagator(t testing.TB, m *memory) *propagator {
	t.Helper()
	p := &propagator{ok: true, value: make([]int8, m.next+1), watches: make([][]int32, 2*m.next+2)}
	var units []model.Lit
	for _, c := range m.clauses {
		for i, l := range c {
			if l == 0 || l.Var() > int32(m.next) {
				t.Fatalf("clause %v has a literal that does not exist", c)
			}
			for _, k := range c[:i] {
				if k.Var() == l.Var() {
					t.Fatalf("clause %v has a variable twice", c)
				}
			}
		}
		switch len(c) {
		case 0:
			t.Fatal("empty clause")
		case 1:
			units = append(units, c[0])
			continue
		}
		for _, l := range c[:2] {
			p.watches[index(l)] = append(p.watches[index(l)], int32(len(p.clauses)))
		}
		p.clauses = append(p.clauses, append([]model.Lit(nil), c...))
	}
	for _, l := range units {
		p.ok = p.ok && p.assume(l)
	}
	return p
}

// val is 1 for a true literal, -1 for a false one.
func (p *propagator) val(l model.Lit) int8 {
	if l < 0 {
		return -p.value[-l]
	}
	return p.value[l]
}

func (p *propagator) set(l model.Lit) {
	if l < 0 {
		p.value[-l] = -1
	} else {
		p.value[l] = 1
	}
	p.trail = append(p.trail, l)
}

// undo unassigns all but the first n assignments.
func (p *propagator) undo(n int) {
	for _, l := range p.trail[n:] {
		p.value[l.Var()] = 0
	}
	p.trail = p.trail[:n]
}

// assume makes l true and propagates; it returns false on a conflict.
func (p *propagator) assume(l model.Lit) bool {
	switch p.val(l) {
	case 1:
		return true
	case -1:
		return false
	}
	head := len(p.trail)
	p.set(l)
	for ; head < len(p.trail); head++ {
		falsified := -p.trail[head]
		ws := p.watches[index(falsified)]
		kept := ws[:0]
		for i, ci := range ws {
			c := p.clauses[ci]
			if c[0] == falsified {
				c[0], c[1] = c[1], c[0]
			}
			if p.val(c[0]) == 1 {
				kept = append(kept, ci)
				continue
			}
			moved := false
			for k := 2; k < len(c); k++ {
				if p.val(c[k]) >= 0 {
					c[1], c[k] = c[k], c[1]
					p.watches[index(c[1])] = append(p.watches[index(c[1])], ci)
					moved = true
					break
				}
			}
			if moved {
				continue
			}
			kept = append(kept, ci)
			if p.val(c[0]) == -1 {
				kept = append(kept, ws[i+1:]...)
				p.watches[index(falsified)] = kept
				return false
			}
			p.set(c[0])
		}
		p.watches[index(falsified)] = kept
	}
	return true
}

// satisfiable searches for a model that extends the present assignment.
func (p *propagator) satisfiable() bool {
	v := 1
	for v < len(p.value) && p.value[v] != 0 {
		v++
	}
	if v == len(p.value) {
		return true
	}
	mark := len(p.trail)
	for _, l := range []model.Lit{model.Lit(-v), model.Lit(v)} {
		if p.assume(l) && p.satisfiable() {
			p.undo(mark)
			return true
		}
		p.undo(mark)
	}
	return false
}

// each calls f with every assignment of lits, including partial ones if requested. Conflicts
// are reported by ok = false, with the assignment so far in values; extensions of a conflict
// are not visited.
func (p *propagator) each(lits []model.Lit, partial bool, f func(values []int8, ok bool)) {
	values := make([]int8, len(lits))
	var walk func(i int)
	walk = func(i int) {
		if i == len(lits) {
			f(values, true)
			return
		}
		if partial {
			walk(i + 1)
		}
		for _, b := range []int8{-1, 1} {
			mark := len(p.trail)
			values[i] = b
			if p.assume(lits[i] * model.Lit(b)) {
				walk(i + 1)
			} else {
				f(values, false)
			}
			p.undo(mark)
			values[i] = 0
		}
	}
	if !p.ok {
		f(values, false)
		return
	}
	walk(0)
}
