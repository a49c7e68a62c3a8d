package bound

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
)

// What an agent does next may depend on others only where it is in some state: a crew stays at a job as long as something is left to do there, and what
// is left of other jobs is nothing to it. With copies of what it reads of all jobs, the agent's group has moves for every joint value of these. So it has
// guards in their place: bits of its own which say, where it matters, in which case the other is. Rules say that the other is in that case. Where it does
// not matter all guards are false, so that there is one move for what were many.

const (
	leastGuarded = 3       // other variables that an agent reads, before its reads are guarded
	mostGuarded  = 24      // bits that an assertion reads that is guarded
	mostAllowed  = 1 << 14 // values of these, all rules kept
	mostCases    = 4       // of what is read
)

// guarding replaces what agents read of others by guards.
type guarding struct {
	s     *structure
	from  []assertion
	agent []int               // by unit: that which stands for its agent, plus one
	label []int               // by internal variable: its agent plus one
	cases map[string]int32    // bits of cases, by what they are of
	known map[string]*guarded // by what they guard
	costs []int64             // by variable
	asks  []assertion
}

// guarded are guards, copies of the bits that are guarded, which have one value in each case, and the rows about both.
type guarded struct {
	bits, copies []int32
	rows         []int
}

// guard replaces what agents read of many others by guards. label says whose internal variables are, see ownInner.
func (s *structure) guard(asks []assertion, agent, label []int) []assertion {
	g := &guarding{s: s, from: asks, agent: agent, label: label, cases: map[string]int32{}, known: map[string]*guarded{}}
	g.costs, _ = s.r.weights()
	others := map[int][]int{} // by agent: what it reads
	for i := range asks {
		if who, other, _ := g.sides(&asks[i]); other != 0 {
			others[who] = insertUnit(others[who], other)
		}
	}
	for i := range asks {
		who, other, places := g.sides(&asks[i])
		if other == 0 || len(others[who]) < leastGuarded || !g.split(&asks[i], who, places) {
			g.asks = append(g.asks, asks[i])
		}
	}
	return g.asks
}

// sides finds whose next state an assertion is about, or for whom it defines something, and the places of the bits of one other variable that it reads: other is its number plus
// one, or that of an internal variable negated; 0 where it is about something else.
func (g *guarding) sides(a *assertion) (who, other int, places []int) {
	r := g.s.r
	next := false
	for _, v := range a.reads {
		if r.role[v] != after && (r.role[v] != now || len(a.defines) == 0) || r.clocked(v) {
			continue
		}
		x := g.agent[r.unit(v)]
		switch next = next || r.role[v] == after; {
		case x == 0 && r.role[v] == now: // it is the other one
		case x == 0, who > 0 && who != x:
			return 0, 0, nil
		default:
			who = x
		}
	}
	for i, v := range a.reads {
		u := 0
		switch {
		case who == 0, r.clocked(v), slices.Contains(a.defines, v):
			continue
		case r.role[v] == now && g.agent[r.unit(v)] != who:
			u = int(r.unit(v)) + 1
		case r.role[v] == internal && g.label[v] != who && !next:
			u = -int(v)
		default:
			continue
		}
		if other != 0 && other != u {
			return 0, 0, nil
		}
		other, places = u, append(places, i)
	}
	return who, other, places
}

// split takes an assertion on an agent apart that reads another variable at some places: into one with guards, and rules on these. It is false where
// that is of no use.
func (g *guarding) split(a *assertion, who int, places []int) bool {
	r := g.s.r
	if len(a.reads) > mostGuarded || len(places) > maxClassInputs || slices.ContainsFunc(a.rows, func(i int) bool { return r.rows[i].neuron != nil }) ||
		slices.ContainsFunc(a.hides, func(v int32) bool { return g.costs[v] != 0 }) {
		return false
	}
	var own []int
	for i, v := range a.reads {
		if r.role[v] == now && !r.clocked(v) && !slices.Contains(places, i) {
			own = append(own, i)
		}
	}
	cases, matters := g.findCases(a, who, places, own)
	if len(cases) < 2 || len(cases) > mostCases || len(matters) == 0 || len(matters) == 1<<len(own) {
		return false
	}
	x, bits := *a, pick(a.reads, places)
	k := g.guards(cases, matters, bits, pick(a.reads, own))
	x.owner, x.hides = who, nil
	x.rows, x.reads = slices.Clone(k.rows), append(except(a.reads, places), k.bits...)
	copies := map[int32]int32{}
	for i, v := range bits {
		copies[v] = k.copies[i]
	}
	for _, v := range a.hides {
		copies[v] = r.newBit()
	}
	for _, v := range slices.Concat(bits, a.hides) {
		x.hides = append(x.hides, copies[v])
	}
	for _, i := range a.rows {
		x.rows = append(x.rows, r.copyRow(i, copies))
	}
	g.asks = append(g.asks, x)
	return true
}

// guards adds the guards of cases of others' bits, which matter with some values of the agent's own, once.
func (g *guarding) guards(cases [][]uint64, matters []uint64, bits, own []int32) *guarded {
	key := fmt.Sprint(cases, matters, bits, own)
	if k := g.known[key]; k != nil {
		return k
	}
	r, k := g.s.r, &guarded{}
	for range bits {
		k.copies = append(k.copies, r.newBit())
	}
	for _, values := range cases {
		is, guard := g.caseOf(bits, values), r.newBit()
		g.asks = append(g.asks, assertion{rows: []int{r.addClause(-model.Lit(guard), model.Lit(is))}, reads: []int32{is, guard}, couples: true})
		k.bits = append(k.bits, guard)
		k.copy(r, values[0], -model.Lit(guard))
	}
	for value := range uint64(1) << len(own) {
		differs := unlike(own, value)
		if slices.Contains(matters, value) {
			k.rows = append(k.rows, r.addClause(slices.Concat(differs, lits(k.bits))...))
			continue
		}
		for _, l := range lits(k.bits) {
			k.rows = append(k.rows, r.addClause(slices.Concat(differs, []model.Lit{-l})...))
		}
		k.copy(r, cases[0][0], differs...)
	}
	g.known[key] = k
	return k
}

// copy states that the copies have a value, or else one of some literals is true.
func (k *guarded) copy(r *relation, value uint64, unless ...model.Lit) {
	for _, l := range unlike(k.copies, value) {
		k.rows = append(k.rows, r.addClause(slices.Concat(unless, []model.Lit{-l})...))
	}
}

// findCases gathers the values at places with which an assertion allows the same, and lists the values of the agent's own bits with which it does not
// allow the same in all cases. It gives none where a value is not allowed at all.
func (g *guarding) findCases(a *assertion, who int, places, own []int) (cases [][]uint64, matters []uint64) {
	rows := slices.Clone(a.rows)
	for i := range g.from { // what the agent may choose
		if g.from[i].owner == who && g.from[i].homes > 0 {
			rows = append(rows, g.from[i].rows...)
		}
	}
	st := g.s.r.system(rows).NewState()
	others, hides := lits(except(a.reads, places)), lits(a.hides)
	allowed, tried := make([][]string, 1<<len(places)), 0 // by value, and by the agent's own: the rest
	for value := range allowed {
		allowed[value] = make([]string, 1<<len(own))
		st.Reset()
		if !st.Consistent() || !step.Assign(st, lits(pick(a.reads, places)), []uint64{uint64(value)}) {
			return nil, nil
		}
		any := false
		st.Each(others, func() bool {
			g.s.r.spend(workPerLeaf)
			if st.Satisfiable(hides) {
				any = true
				mine := 0
				for k, i := range own {
					if st.Value(model.Lit(a.reads[i])) > 0 {
						mine |= 1 << k
					}
				}
				allowed[value][mine] += fmt.Sprint(values(st, others))
			}
			tried++
			return tried < mostAllowed && !g.s.r.stop()
		})
		if !any || tried >= mostAllowed {
			return nil, nil
		}
	}
	var first []int // of each case
	for value := range allowed {
		k := slices.IndexFunc(first, func(w int) bool { return slices.Equal(allowed[w], allowed[value]) })
		if k < 0 {
			k = len(first)
			first, cases = append(first, value), append(cases, nil)
		}
		cases[k] = append(cases[k], uint64(value))
	}
	for mine := range uint64(1) << len(own) {
		if slices.ContainsFunc(first, func(w int) bool { return allowed[w][mine] != allowed[first[0]][mine] }) {
			matters = append(matters, mine)
		}
	}
	return cases, matters
}

// values are those of some literals, one bit each.
func values(st interface{ Value(model.Lit) int8 }, of []model.Lit) (bits uint64) {
	for k, l := range of {
		if st.Value(l) > 0 {
			bits |= 1 << k
		}
	}
	return bits
}

// caseOf is the bit that says that others have one of some values, defined once.
func (g *guarding) caseOf(bits []int32, values []uint64) int32 {
	key := fmt.Sprint(bits, values)
	if v, ok := g.cases[key]; ok {
		return v
	}
	r := g.s.r
	x := class{bit: r.newBit(), inputs: bits, values: values}
	a := assertion{reads: append(slices.Clone(bits), x.bit), defines: []int32{x.bit}}
	for value := range uint64(1) << len(bits) {
		r.rows = append(r.rows, x.row(value, slices.Contains(values, value)))
		a.rows = append(a.rows, len(r.rows)-1)
	}
	g.cases[key] = x.bit
	g.asks = append(g.asks, a)
	return x.bit
}

// unlike is a clause that bits do not have a value.
func unlike(bits []int32, value uint64) (out []model.Lit) {
	for i, l := range lits(bits) {
		if value>>i&1 == 1 {
			l = -l
		}
		out = append(out, l)
	}
	return out
}

// pick gives what is at some places of a list.
func pick(list []int32, places []int) (out []int32) {
	for _, i := range places {
		out = append(out, list[i])
	}
	return out
}

// except gives what is not at these places.
func except(list []int32, places []int) (out []int32) {
	for i, v := range list {
		if !slices.Contains(places, i) {
			out = append(out, v)
		}
	}
	return out
}

// newBit adds a bit of the relation's own.
func (r *relation) newBit() int32 {
	r.numVars++
	r.role, r.bit, r.fixed, r.isClock = append(r.role, quantity), append(r.bit, -1), append(r.fixed, 0), append(r.isClock, false)
	return r.numVars
}

// addClause adds a row that one of some literals is true, and gives its number.
func (r *relation) addClause(lits ...model.Lit) int {
	w := row{sum: clauseOf(lits)}
	for _, l := range lits {
		w.vars = append(w.vars, l.Var())
	}
	slices.Sort(w.vars)
	r.rows = append(r.rows, w)
	return len(r.rows) - 1
}

// copyRow adds a row again, over copies of some variables, and gives its number.
func (r *relation) copyRow(i int, copies map[int32]int32) int {
	w := row{sum: model.Sum{Op: r.rows[i].sum.Op, K: r.rows[i].sum.K}}
	for _, t := range r.rows[i].sum.Terms {
		v := t.Lit.Var()
		if c, ok := copies[v]; ok {
			v = c
		}
		l := model.Lit(v)
		if t.Lit < 0 {
			l = -l
		}
		w.sum.Terms, w.vars = append(w.sum.Terms, model.Term{Coef: t.Coef, Lit: l}), append(w.vars, v)
	}
	slices.Sort(w.vars)
	r.rows = append(r.rows, w)
	return len(r.rows) - 1
}
