package pattern

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/factored"
)

// set is some Boolean state bits of which at most one is true.
type set struct {
	bits   []factored.Bit
	family string // of sets that are alike: the fluent, and the place of the object that varies
	one    bool   // one of them is true
}

// maxSets bounds the sets that are tried.
const maxSets = 2_000

// suggest lists the sets that the names of the fluents suggest: those of one
// fluent whose objects are the same but one, such as at(t1, ?c); those of all
// fluents of the same objects, such as at cell c; both together; and those of the first kind for two
// fluents, or with one or two of the second, such as lies(p1, ?c) with in(p1, ?t).
func suggest(p *factored.Problem) []set {
	all := map[string][]factored.Bit{} // by objects: the fluents of just these
	but := map[string][]factored.Bit{} // by fluent and all objects but one
	var order []string                 // keys of but, as they come
	partners := map[string]string{}    // by key of but: the objects that are left
	alike := map[string][]string{}     // by these: keys of but
	var alone []string
	for _, v := range p.OfKind(factored.State) {
		if !v.Bool {
			continue
		}
		name, inside, _ := strings.Cut(strings.TrimSuffix(factored.Canonical(v.Name), ")"), "(")
		var objects []string
		if inside != "" {
			objects = strings.Split(inside, ",")
		}
		key := strings.Join(objects, ",")
		if all[key] == nil {
			alone = append(alone, key)
		}
		all[key] = append(all[key], v.First)
		for k := range objects {
			rest := slices.Delete(slices.Clone(objects), k, k+1)
			id := fmt.Sprintf("%s/%d/%s", name, k, strings.Join(rest, ","))
			if but[id] == nil {
				order = append(order, id)
				partners[id] = strings.Join(rest, ",")
				alike[partners[id]] = append(alike[partners[id]], id)
			}
			but[id] = append(but[id], v.First)
		}
	}
	l := &listing{but: but}
	for _, id := range order {
		family := id[:strings.LastIndexByte(id, '/')]
		l.add(family, but[id])
		if rest := partners[id]; rest != "" {
			l.add(family+" and others", slices.Concat(but[id], all[rest]))
		}
	}
	for _, id := range order {
		if rest := partners[id]; rest != "" {
			l.join(id, alike[rest], all[rest])
		}
	}
	for _, key := range alone {
		l.add("of the same objects", all[key])
	}
	return l.sets
}

// listing is sets that are suggested.
type listing struct {
	but  map[string][]factored.Bit // by fluent and all objects but one
	sets []set
}

func (l *listing) add(family string, bits []factored.Bit) {
	if len(bits) > 1 && len(l.sets) < maxSets {
		l.sets = append(l.sets, set{bits: bits, family: family})
	}
}

// join suggests the bits of one fluent with those of another that are alike, and with one or two of the same objects.
func (l *listing) join(id string, alike []string, same []factored.Bit) {
	family := id[:strings.LastIndexByte(id, '/')]
	for _, other := range alike {
		if other > id {
			l.add(family+" and "+other[:strings.LastIndexByte(other, '/')], slices.Concat(l.but[id], l.but[other]))
		}
	}
	for i, b := range same {
		if len(same) > 1 {
			l.add(fmt.Sprintf("%s and %d", family, i), append(slices.Clone(l.but[id]), b))
		}
		for k, c := range same[:i] {
			if len(same) > 2 {
				l.add(fmt.Sprintf("%s, %d and %d", family, k, i), append(slices.Clone(l.but[id]), c, b))
			}
		}
	}
}

// holding keeps the sets that hold in all states given.
func holding(candidates []set, states []values) (out []set) {
	for _, x := range candidates {
		most, least := 0, len(x.bits)
		for _, s := range states {
			n := 0
			for _, b := range x.bits {
				if s.of(b) {
					n++
				}
			}
			most, least = max(most, n), min(least, n)
		}
		if most <= 1 {
			x.one = least == 1
			out = append(out, x)
		}
	}
	return out
}

// prove keeps the sets that hold in every reachable state, by induction, and
// returns the solver of a step to which they were added.
func prove(start func() (*oneStep, error), sets []set) ([]set, *oneStep, error) {
	for {
		q, err := start()
		if err != nil {
			return nil, nil, err
		}
		for i := range sets {
			if err := q.require(&sets[i], 1); err != nil {
				return nil, nil, err
			}
		}
		kept, lost := q.inductive(sets)
		if q.exhausted() {
			return nil, nil, q.ctx.Err()
		}
		if !lost {
			for i := range kept {
				if err := q.require(&kept[i], 2); err != nil {
					return nil, nil, err
				}
			}
			return kept, q, nil
		}
		sets = kept
	}
}

// require adds that a set holds at step 1 or 2.
func (q *oneStep) require(x *set, step int) error {
	var some []sat.Lit
	var none []sat.Term
	for _, b := range x.bits {
		l := q.at(step, b)
		some, none = append(some, l), append(none, sat.Term{Coef: 1, Lit: l.Not()})
	}
	if x.one {
		q.s.AddClause(some...)
	}
	_, err := q.s.AddLinear(none, int64(len(none)-1))
	return err
}

// inductive drops what a step can break: first that one bit of a set is true,
// then the set. lost reports whether it did.
func (q *oneStep) inductive(sets []set) (kept []set, lost bool) {
	for i := range sets {
		x := sets[i]
		var after []sat.Lit
		for _, b := range x.bits {
			after = append(after, q.at(2, b))
		}
		two := q.s.NewVar()
		if _, err := q.s.AddNeuron(two, after, 2); err != nil {
			lost = true
			continue
		}
		if yes, _ := q.possible(two); yes {
			lost = true
			continue
		}
		if x.one {
			for k := range after {
				after[k] = after[k].Not()
			}
			if yes, _ := q.possible(after...); yes {
				x.one, lost = false, true
			}
		}
		kept = append(kept, x)
	}
	return kept, lost
}
