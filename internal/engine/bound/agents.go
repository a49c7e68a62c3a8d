package bound

import (
	"context"
	"errors"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/integer"
)

// An agent does one of many things in a step: a robot goes to a place, or takes or gives something; a machine is set up or works
// at a job. A rule says so, and the variables that only these actions change are the agent's: where it is and what it carries, what it is set up
// for. As one group with that rule, its values are few and so are its moves, however many actions there are to choose from; apart, each of
// the variables would have its own copies of them, and the rule a price.

const (
	leastChoices = 3   // actions of an agent
	agentReads   = 200 // bits that an agent's group reads before what is only its own is hidden
	mostSplit    = 8   // bits that an assertion reads that is taken apart
)

// withAgents gives the factors with agents as groups, where that changes anything and the bound after some rounds of prices is better; else f.
func (f *Factors) withAgents(ctx context.Context) *Factors {
	union, asks := f.s.agents()
	if union == nil {
		return f
	}
	return f.better(ctx, f.regroup(ctx, union, asks, agentReads))
}

// agentsAlone cuts a problem into groups of which agents are some, where the groups of single variables are too large.
func agentsAlone(ctx context.Context, r *relation, d *definitions, asks []assertion) (*Factors, error) {
	s := groupUp(r, d, asks, integer.Below[int](len(r.Task.Problem.Variables)), groupReads[0])
	if s == nil || len(s.groups) > maxGroups {
		return nil, ErrNoGroups
	}
	union, asks := s.agents()
	if union == nil {
		return nil, ErrNoGroups
	}
	f := &Factors{r: r, s: s, horizon: r.horizon}
	if f = f.regroup(ctx, union, asks, agentReads); f == nil {
		return nil, errors.Join(ErrNoGroups, ctx.Err())
	}
	f.alone = true
	return f, nil
}

// agents puts the variables of each agent together, and gives their groups the rules that say who they are; nil where that changes nothing.
func (s *structure) agents() (union []int, asks []assertion) {
	readers, conditions := s.changedBy(), s.r.conditions(s.asks)
	asks = slices.Clone(s.asks)
	agent := make([]int, len(s.union)) // by unit: that which stands for its agent, plus one
	changed, others := false, false
	chosen := make([]bool, s.r.numVars+1)
	for i := range asks {
		actions := s.choices(&asks[i])
		units := s.agentOf(actions, readers, conditions, agent)
		if len(units) == 0 {
			continue
		}
		for _, u := range units {
			agent[u] = units[0] + 1
		}
		for _, v := range actions {
			chosen[v] = true
		}
		asks[i].owner, asks[i].homes = units[0]+1, len(actions)
		g := s.groupOf(units[0])
		changed = changed || !slices.Contains(g.rows, asks[i].rows[0]) || slices.ContainsFunc(units, func(u int) bool { return !slices.Contains(g.units, u) })
	}
	union = make([]int, len(agent))
	first := slices.IndexFunc(agent, func(a int) bool { return a > 0 })
	for u, a := range agent {
		union[u] = u
		if a > 0 {
			union[u] = a - 1
		}
		others = others || first >= 0 && len(readers[u]) > 0 && a != agent[first]
	}
	if !changed || first < 0 || !others {
		return nil, nil
	}
	union, _ = s.asBefore(union)
	for i := range asks {
		if v, units := s.r.condition(&asks[i]); v > 0 && len(units) == 1 && asks[i].owner == 0 && len(conditions[v]) == 1 && !chosen[v] {
			asks[i].owner, asks[i].homes = units[0]+1, 1
		}
	}
	label := s.ownInner(asks, agent)
	if asks = s.splitAsks(asks, agent); s.r.guards {
		asks = s.guard(asks, agent, label)
	}
	return union, asks
}

// agentOf lists the variables of the agent that chooses one of some actions: those that only these change, or else the one variable whose state allows each of
// them, such as how long a nurse has been on duty. Variables of other agents are left out.
func (s *structure) agentOf(actions []int32, readers [][]int32, conditions [][]int, agent []int) (units []int) {
	if len(actions) >= leastChoices {
		for u, by := range readers {
			if len(by) > 0 && agent[u] == 0 && !slices.ContainsFunc(by, func(v int32) bool { return !slices.Contains(actions, v) }) {
				units = append(units, u)
			}
		}
	}
	if u := common(conditions, actions); len(units) == 0 && u >= 0 && len(actions) > 1 && agent[u] == 0 {
		units = []int{u}
	}
	return units
}

// choices lists the actions of which an assertion allows one at most; nil if it says something else.
func (s *structure) choices(a *assertion) (actions []int32) {
	if len(a.rows) != 1 || len(a.hides) > 0 || s.r.rows[a.rows[0]].neuron != nil {
		return nil
	}
	sum, room := atMost(&s.r.rows[a.rows[0]].sum)
	for _, t := range sum {
		v := t.Lit.Var()
		needed := t.Lit < 0 && t.Coef == room // by all others, see tightened
		if t.Lit < 0 && !needed || 2*t.Coef <= room || s.r.role[v] != action || s.r.clocked(v) {
			return nil
		}
		actions = append(actions, v)
	}
	return actions
}

// conditions lists for each action the variables of the problem whose state constraints on it read, each with no other action.
func (r *relation) conditions(asks []assertion) [][]int {
	out := make([][]int, r.numVars+1)
	for i := range asks {
		if v, units := r.condition(&asks[i]); v > 0 {
			for _, u := range units {
				out[v] = insertUnit(out[v], u)
			}
		}
	}
	return out
}

// condition gives the one action that an assertion allows where variables of the problem have some values, and these; 0 if it says something else.
func (r *relation) condition(a *assertion) (v int32, units []int) {
	for _, w := range a.reads {
		switch {
		case r.clocked(w):
		case r.role[w] == now:
			units = insertUnit(units, int(r.unit(w)))
		case r.role[w] == action && v == 0:
			v = w
		default:
			return 0, nil
		}
	}
	return v, units
}

// common is the one variable that is in the lists of all actions; -1 for none or several.
func common(lists [][]int, actions []int32) int {
	if len(actions) == 0 {
		return -1
	}
	var in []int
	for _, u := range lists[actions[0]] {
		if !slices.ContainsFunc(actions, func(v int32) bool { return !slices.Contains(lists[v], u) }) {
			in = append(in, u)
		}
	}
	if len(in) != 1 {
		return -1
	}
	return in[0]
}

// changedBy lists for each variable of the problem the actions that its next value is read from.
func (s *structure) changedBy() [][]int32 {
	out := make([][]int32, len(s.union))
	for i := range s.asks {
		var actions []int32
		for _, v := range s.asks[i].reads {
			if s.r.role[v] == action && !s.r.clocked(v) {
				actions = append(actions, v)
			}
		}
		for _, v := range s.asks[i].reads {
			if s.r.role[v] == after && s.home[v] >= 0 {
				for _, w := range actions {
					out[s.r.unit(v)] = insert(out[s.r.unit(v)], w)
				}
			}
		}
	}
	return out
}

// ownInner gives agents what defines internal variables over their state and actions alone. label has the agent of each variable, plus one; 0 where it is not
// known, -1 of several or none.
func (s *structure) ownInner(asks []assertion, agent []int) (label []int) {
	label = make([]int, s.r.numVars+1)
	most, defined := make([]int, s.r.numVars+1), make([]bool, s.r.numVars+1)
	for i := range asks {
		for _, v := range asks[i].defines {
			defined[v] = true
		}
		for _, v := range asks[i].reads {
			if n := asks[i].homes; s.r.role[v] == action && n > most[v] {
				label[v], most[v] = asks[i].owner, n
			}
		}
	}
	says := func(a *assertion, v int32) bool { // whose v is
		return s.r.role[v] == internal && (!defined[v] || slices.Contains(a.defines, v))
	}
	for changed := true; changed; {
		changed = false
		for i := range asks {
			who := s.whose(&asks[i], agent, label)
			for _, v := range asks[i].reads {
				if says(&asks[i], v) && who != 0 && label[v] != joined(label[v], who) {
					label[v], changed = joined(label[v], who), true
				}
			}
		}
	}
	for i := range asks {
		for _, v := range asks[i].reads {
			if says(&asks[i], v) && label[v] > 0 && asks[i].owner == 0 {
				asks[i].owner = label[v]
			}
		}
	}
	return label
}

// whose is the agent that all belongs to that an assertion reads, as far as is known, plus one; see ownInner.
func (s *structure) whose(a *assertion, agent, label []int) (who int) {
	for _, v := range a.reads {
		x := -1
		switch s.r.role[v] {
		case now, after:
			if agent[s.r.unit(v)] > 0 {
				x = agent[s.r.unit(v)]
			}
		case internal:
			x = label[v]
		case action:
			if label[v] != 0 {
				x = label[v]
			}
		}
		if x != 0 && !slices.Contains(a.defines, v) {
			who = joined(who, x)
		}
	}
	return who
}

// joined is what is known of two owners together.
func joined(a, b int) int {
	if a == 0 || a == b {
		return b
	}
	return -1
}

// splitAsks takes apart the assertions on an agent and others that say something of each, and of nothing in common but actions: what is
// taken lies there, and the robot is there.
func (s *structure) splitAsks(asks []assertion, agent []int) (out []assertion) {
	for _, a := range asks {
		own, others := s.sides(&a, agent)
		if own == 0 || others == 0 || !s.separate(&a, own, others) {
			out = append(out, a)
			continue
		}
		for _, hidden := range [2]int{others, own} {
			x := a
			x.reads, x.hides = nil, slices.Clone(a.hides)
			for i, v := range a.reads {
				to := &x.reads
				if hidden>>i&1 == 1 {
					to = &x.hides
				}
				*to = append(*to, v)
			}
			out = append(out, x)
		}
	}
	return out
}

// sides are the places of the state of one agent, and of other states, in what an assertion reads; none if it cannot be taken apart.
func (s *structure) sides(a *assertion, agent []int) (own, others int) {
	if len(a.hides) == 0 || len(a.reads) > mostSplit {
		return 0, 0
	}
	who := 0
	for i, v := range a.reads {
		switch s.r.role[v] {
		case after:
			return 0, 0
		case now:
			x := agent[s.r.unit(v)]
			if who == 0 {
				who = x
			}
			if x > 0 && x == who {
				own |= 1 << i
			} else {
				others |= 1 << i
			}
		}
	}
	return own, others
}

// separate reports whether an assertion holds wherever it may hold for some values of the bits at the one places and for some at the others.
func (s *structure) separate(a *assertion, ones, others int) bool {
	st := s.r.system(a.rows).NewState()
	if !st.Consistent() {
		return false
	}
	var allowed, withoutOnes, withoutOthers [1 << mostSplit]bool
	for x := range 1 << len(a.reads) {
		st.Reset()
		if step.Assign(st, lits(a.reads), []uint64{uint64(x)}) && st.Satisfiable(lits(a.hides)) {
			allowed[x], withoutOnes[x&^ones], withoutOthers[x&^others] = true, true, true
		}
	}
	for x := range 1 << len(a.reads) {
		if !allowed[x] && withoutOnes[x&^ones] && withoutOthers[x&^others] {
			return false
		}
	}
	return true
}
