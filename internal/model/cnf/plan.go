package cnf

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
)

// A plan contains the lists with which a group of neurons is sorted. It is made, and its
// price known, before any clause is written.
type plan struct {
	costs  *costs
	byKey  map[string]*list
	bySize [][]*list
	roots  []view // of the neurons, in the order of the group
	price  price
	key    []byte
}

func newPlan(c *costs) *plan { return &plan{costs: c, byKey: map[string]*list{}} }

// item is a set of literals, by variable, and the view of its list.
type item struct {
	lits []model.Lit
	view view
}

func (it item) not() item { return item{negated(it.lits), it.view.not()} }

// set finds or makes the list of lits, which are sorted by variable.
func (p *plan) set(lits []model.Lit) item {
	neg := lits[0] < 0
	p.key = p.key[:0]
	for _, l := range lits {
		if neg {
			l = -l
		}
		p.key = binary.LittleEndian.AppendUint32(p.key, uint32(l))
	}
	if l, ok := p.byKey[string(p.key)]; ok {
		return item{lits, view{l, neg}}
	}
	l := &list{lits: lits}
	if neg {
		l.lits = negated(lits)
	}
	p.byKey[string(p.key)] = l
	for len(p.bySize) <= len(lits) {
		p.bySize = append(p.bySize, nil)
	}
	p.bySize[len(lits)] = append(p.bySize[len(lits)], l)
	return item{lits, view{l, neg}}
}

// merged finds or makes the union of two disjoint items. A known list keeps its parts.
func (p *plan) merged(a, b item) item {
	it := p.set(union(a.lits, b.lits))
	if l := it.view.list; l.parts[0].list == nil {
		l.parts = [2]view{a.view, b.view}
		if it.view.neg {
			l.parts = [2]view{a.view.not(), b.view.not()}
		}
	}
	return it
}

// join merges disjoint items, the smallest ones first.
func (p *plan) join(items ...item) item {
	items = slices.Clone(items)
	for len(items) > 1 {
		slices.SortStableFunc(items, func(a, b item) int { return len(a.lits) - len(b.lits) })
		items[1] = p.merged(items[0], items[1])
		items = items[1:]
	}
	return items[0]
}

// sortByVar sorts literals over distinct variables.
func sortByVar(lits []model.Lit) {
	slices.SortFunc(lits, func(a, b model.Lit) int { return cmp.Compare(a.Var(), b.Var()) })
}

// union merges two slices of literals that are sorted by variable.
func union(a, b []model.Lit) []model.Lit {
	out := make([]model.Lit, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Var() < b[0].Var() {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// settle decides how to make every list, large ones before their parts, so that all
// requirements on a list are known when its turn comes. A list without prescribed parts is
// split in the cheapest way.
func (p *plan) settle() {
	for size := len(p.bySize) - 1; size > 1; size-- {
		// Lists that are added meanwhile are smaller.
		for _, l := range p.bySize[size] {
			if l.want.lo == 0 {
				continue
			}
			if l.parts[0].list == nil {
				first := p.costs.sort(size, l.want, l.dirs).first
				if first == 0 {
					first = 1 // outputs defined directly, as settle will decide
				}
				l.parts = [2]view{p.set(l.lits[:first]).view, p.set(l.lits[first:]).view}
			}
			p.price += l.settle(p.costs)
		}
	}
}
