package bound

import "slices"

// Rule is that at most one of some bits of packed states is true, or one of them.
type Rule struct {
	Places []int32
	One    bool
}

// How far the operators of an action are parted by rules.
const (
	mostParts = 64  // operators
	mostPuts  = 256 // cases
)

// read lists the operators of an action where some facts are known. Effects with conditions on bits of a rule, and conditions with too many cases, are
// parted by which bit of the rule is true: the truck that unloads stands somewhere.
func (r *reader) read(action int, places []int, known []Fact) ([]Operator, bool) {
	r.puts++
	if !r.put(places, known) {
		return nil, false
	}
	ops, ok := r.operators(action, known)
	rule := r.choose(ops, ok, known)
	if rule == nil {
		return ops, ok
	}
	parts := r.values(rule, known)
	var out []Operator
	for _, facts := range parts {
		if r.puts >= mostPuts {
			return ops, ok
		}
		more, fine := r.read(action, places, facts)
		if out = append(out, more...); !fine || len(out) > mostParts {
			return ops, ok
		}
	}
	for i := range out {
		o := &out[i]
		o.Needs = r.without(o.Needs, o.Needs)
		for k := range o.Effects {
			o.Effects[k].When = r.without(o.Effects[k].When, o.Needs)
		}
	}
	return out, true
}

// values are the facts with each of the values of a rule's bits that they allow.
func (r *reader) values(rule *Rule, known []Fact) (out [][]Fact) {
	add := func(facts []Fact) {
		slices.SortStableFunc(facts, func(a, b Fact) int { return int(a.Place - b.Place) })
		if both, can := merge(known, slices.Compact(facts)); can {
			out = append(out, both)
		}
	}
	for _, on := range rule.Places {
		facts := []Fact{{on, true}}
		for _, i := range r.of[on] {
			for _, p := range r.rules[i].Places {
				if p != on {
					facts = append(facts, Fact{p, false})
				}
			}
		}
		add(facts)
	}
	if !rule.One {
		var facts []Fact
		for _, p := range rule.Places {
			facts = append(facts, Fact{p, false})
		}
		add(facts)
	}
	return out
}

// without leaves out that bits are false where others of their rules are known to be true.
func (r *reader) without(facts, known []Fact) []Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool {
		return !f.On && slices.ContainsFunc(r.of[f.Place], func(i int32) bool { return holds(&r.rules[i], known) })
	})
}

// holds reports whether a bit of a rule is known to be true.
func holds(rule *Rule, known []Fact) bool {
	return slices.ContainsFunc(known, func(f Fact) bool { return f.On && slices.Contains(rule.Places, f.Place) })
}

// choose is the rule that most of the conditions of effects are about, or, where operators could not be read, most of the bits that the step reads; nil for
// none. No bit of it is known to be true.
func (r *reader) choose(ops []Operator, ok bool, known []Fact) (best *Rule) {
	if r.gates != nil || r.ask == nil && len(r.rules) == 0 {
		return nil
	}
	about := make([]int, len(r.s.Now))
	some := !ok
	for i := range ops {
		for _, e := range ops[i].Effects {
			for _, f := range e.When {
				if f.On {
					about[f.Place]++
					some = true
				}
			}
		}
	}
	if !some || r.err != nil {
		return nil
	}
	if r.ask != nil {
		r.rules, r.err = r.ask()
		r.ask, r.of = nil, make([][]int32, len(r.s.Now))
		for i := range r.rules {
			for _, p := range r.rules[i].Places {
				r.of[p] = append(r.of[p], int32(i))
			}
		}
	}
	if !ok {
		r.support(about)
	}
	most := 0
	for i := range r.rules {
		x, n := &r.rules[i], 0
		for _, p := range x.Places {
			n += about[p]
		}
		if n > most && !holds(x, known) {
			best, most = x, n
		}
	}
	return best
}

// support counts the bits that conditions with too many cases read.
func (r *reader) support(about []int) {
	seen := map[int32]bool{}
	var visit func(v int32)
	visit = func(v int32) {
		first := int32(2 + len(r.s.Now))
		if v < 2 || seen[v] {
			return
		}
		seen[v] = true
		if v < first {
			about[v-2]++
			return
		}
		x := r.sym.p.code[v-first]
		visit(x.a)
		visit(x.b)
	}
	for _, slot := range slices.Concat(r.held, r.changed) {
		if v := r.at(slot); r.refused[slot] {
			visit(v)
		}
	}
}
