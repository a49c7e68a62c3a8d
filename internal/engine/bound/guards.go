package bound

import (
	"fmt"
	"slices"
	"strings"

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
	mostMatters  = 3       // literals that say where it matters
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
	s.r.guarded = map[int32]class{}
	merged, rest := g.merge()
	others := map[int][]int{} // by agent: what it reads
	for i := range merged {
		if who, other, _ := g.sides(&merged[i]); other != 0 {
			others[who] = insertUnit(others[who], other)
		}
	}
	for i := range merged {
		who, other, places := g.sides(&merged[i])
		if other == 0 || len(others[who]) < leastGuarded || !g.split(&merged[i], who, places) {
			g.asks = append(g.asks, rest[i]...)
		}
	}
	return g.asks
}

// merge puts assertions about one bit of an agent's next state together: a clause by itself may not say where what it reads matters. parts are those that each is made of.
func (g *guarding) merge() (out []assertion, parts [][]assertion) {
	at := map[int32]int{} // by bit
	for _, a := range g.from {
		next := slices.DeleteFunc(slices.Clone(a.reads), func(v int32) bool { return g.s.r.role[v] != after })
		key := -int32(len(out)) - 1 // of one by itself
		if len(next) == 1 && g.agent[g.s.r.unit(next[0])] > 0 && len(a.defines) == 0 {
			key = next[0]
		}
		k, known := at[key]
		if !known {
			at[key] = len(out)
			out, parts = append(out, a), append(parts, []assertion{a})
			continue
		}
		x := &out[k]
		parts[k] = append(parts[k], a)
		x.rows, x.reads, x.hides = union(x.rows, a.rows), union(x.reads, a.reads), union(x.hides, a.hides)
		x.hides = slices.DeleteFunc(x.hides, func(v int32) bool { return slices.Contains(x.reads, v) })
	}
	return out, parts
}

// union lists what is in one of two lists, in ascending order.
func union[T int | int32 | uint64](a, b []T) []T {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// sides finds whose next state an assertion is about, or for whom it defines something, and the places of the bits of one other variable that it reads: other is its number plus
// one, or that of an internal variable negated; 0 where it is about something else.
func (g *guarding) sides(a *assertion) (who, other int, places []int) {
	r := g.s.r
	next := false
	for _, v := range a.reads {
		mine := r.role[v] == now && len(a.defines) > 0 && g.agent[r.unit(v)] > 0
		if r.clocked(v) || r.role[v] != after && !mine {
			continue
		}
		x := g.agent[r.unit(v)]
		if x == 0 || who > 0 && who != x {
			return 0, 0, nil
		}
		who, next = x, next || r.role[v] == after
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
	cases, matters := g.findCases(a, who, places)
	if len(cases) < 2 || len(cases) > mostCases || len(matters) == 0 {
		return false
	}
	x, bits := *a, pick(a.reads, places)
	k := g.guards(cases, matters, bits)
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

// guards adds the guards of cases of others' bits, which matter where some literals are true, once.
func (g *guarding) guards(cases [][]uint64, matters []model.Lit, bits []int32) *guarded {
	key := fmt.Sprint(cases, matters, bits)
	if k := g.known[key]; k != nil {
		return k
	}
	r, k := g.s.r, &guarded{}
	for range bits {
		k.copies = append(k.copies, r.newBit())
	}
	for _, values := range cases {
		is, guard := g.caseOf(bits, values), r.newBit()
		g.asks = append(g.asks, assertion{rows: []int{r.add(clauseRow(-model.Lit(guard), model.Lit(is)))}, reads: []int32{is, guard}, couples: true})
		k.bits, r.guarded[guard] = append(k.bits, guard), class{bit: is, inputs: bits, values: values}
		k.copy(r, values[0], -model.Lit(guard))
		k.rows = append(k.rows, r.add(clauseRow(append(slices.Clone(matters), -model.Lit(guard))...)))
	}
	for _, l := range matters {
		k.rows = append(k.rows, r.add(clauseRow(append(lits(k.bits), -l)...)))
	}
	k.copy(r, cases[0][0], append(slices.Clone(matters), lits(k.bits)...)...)
	g.known[key] = k
	return k
}

// copy states that the copies have a value, or else one of some literals is true.
func (k *guarded) copy(r *relation, value uint64, unless ...model.Lit) {
	for _, l := range unlike(k.copies, value) {
		k.rows = append(k.rows, r.add(clauseRow(slices.Concat(unless, []model.Lit{-l})...)))
	}
}

// findCases gathers the values at places with which an assertion allows the same, and lists literals of which one is true wherever it does not
// allow the same in all cases. It gives none where a value is not allowed at all, or the cases matter always.
func (g *guarding) findCases(a *assertion, who int, places []int) (cases [][]uint64, matters []model.Lit) {
	rows := slices.Clone(a.rows)
	for i := range g.from { // what the agent may choose
		if g.from[i].owner == who && g.from[i].homes > 0 {
			rows = append(rows, g.from[i].rows...)
		}
	}
	st := g.s.r.system(rows).NewState()
	others, hides := lits(except(a.reads, places)), lits(a.hides)
	allowed := make([][]uint64, 1<<len(places)) // by value: the rest, one bit each
	tried := 0
	for value := range allowed {
		st.Reset()
		if !st.Consistent() || !step.Assign(st, lits(pick(a.reads, places)), []uint64{uint64(value)}) {
			return nil, nil
		}
		st.Each(others, func() bool {
			g.s.r.spend(workPerLeaf)
			if st.Satisfiable(hides) {
				var rest uint64
				for k, l := range others {
					if st.Value(l) > 0 {
						rest |= 1 << k
					}
				}
				allowed[value] = append(allowed[value], rest)
			}
			tried++
			return tried < mostAllowed && !g.s.r.stop()
		})
		if len(allowed[value]) == 0 || tried >= mostAllowed {
			return nil, nil
		}
		slices.Sort(allowed[value])
	}
	var first []int // of each case
	var all, differ []uint64
	for value := range allowed {
		k := slices.IndexFunc(first, func(w int) bool { return slices.Equal(allowed[w], allowed[value]) })
		if k < 0 {
			k = len(first)
			first, cases = append(first, value), append(cases, nil)
			all = union(all, allowed[value])
		}
		cases[k] = append(cases[k], uint64(value))
	}
	for _, rest := range all {
		if slices.ContainsFunc(first, func(w int) bool { _, ok := slices.BinarySearch(allowed[w], rest); return !ok }) {
			differ = append(differ, rest)
		}
	}
	return cases, g.cover(others, all, differ)
}

// cover lists few literals over an agent's state and actions of which one at least is true in each of some values, but not in all that there are.
func (g *guarding) cover(vars []model.Lit, all, some []uint64) (out []model.Lit) {
	truths := func(list []uint64, k int, on bool) (n float64) {
		for _, x := range list {
			if x>>k&1 == 1 == on {
				n++
			}
		}
		return n
	}
	for len(some) > 0 && len(out) < mostMatters {
		best, place, value := 0.0, -1, false
		for k, l := range vars {
			if role := g.s.r.role[l.Var()]; role != now && role != action || g.s.r.clocked(l.Var()) {
				continue
			}
			for _, on := range []bool{true, false} {
				if n := truths(some, k, on); n > 0 && n/truths(all, k, on) > best {
					best, place, value = n/truths(all, k, on), k, on
				}
			}
		}
		if place < 0 {
			return nil
		}
		holds := func(x uint64) bool { return x>>place&1 == 1 == value }
		all, some = slices.DeleteFunc(slices.Clone(all), holds), slices.DeleteFunc(slices.Clone(some), holds)
		if out = append(out, vars[place]); !value {
			out[len(out)-1] = -vars[place]
		}
	}
	if len(some) > 0 || len(all) == 0 {
		return nil
	}
	return out
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
		a.rows = append(a.rows, r.add(x.row(value, slices.Contains(values, value))))
	}
	g.cases[key] = x.bit
	g.asks = append(g.asks, a)
	return x.bit
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

// guardText says of a rule that a guard is in it what that stands for; empty for other rules.
func (f *Factors) guardText(rule *model.Sum) string {
	for _, t := range rule.Terms {
		c, ok := f.r.guarded[t.Lit.Var()]
		if !ok {
			continue
		}
		text, names := f.valuesText(&c)
		if text == "" {
			text = "the case of " + strings.Join(names, " and ")
		}
		return text + ", where it matters to " + strings.Join(f.unitNames(f.s.home[t.Lit.Var()]), ", ")
	}
	return ""
}
