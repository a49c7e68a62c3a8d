package sim

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// diagram counts the legal assignments of a part without listing them: its variables are assigned one by one, and partial
// assignments that leave the same of every condition are one node. So a sum over many variables has as many nodes in a
// layer as it has values.
type diagram struct {
	r         *Runner
	pt        *part
	before    []assign
	conjuncts []conjunct
	order     []int   // of the variables
	reads     [][]int // by variable: the conjuncts that read it

	ids   map[string]int32 // what is left of conjuncts
	nodes map[string]*node // by what is left of all of them
	left  []int32          // by conjunct: what is left of it for the values assigned so far; -1 if it holds
	key   []byte           // buffer
	tries int
}

// node is a set of partial assignments that the same values complete.
type node struct {
	count  float64 // of legal completions
	values []float64
	to     []*node
}

// conjunct is a part of a condition that must hold by itself.
type conjunct struct {
	expr *ground.Node
	vars []int // of the part that it reads, in increasing order
}

// diagram returns the runner's diagram of a part.
func (r *Runner) diagram(pt *part, before []assign) *diagram {
	if d := r.work.diagrams[pt]; d != nil {
		return d
	}
	d := &diagram{r: r, pt: pt, before: before, reads: make([][]int, len(pt.vars)), ids: map[string]int32{}, nodes: map[string]*node{}}
	place := map[int]int{}
	for i := range pt.vars {
		place[pt.vars[i].fluent] = i
	}
	for i := range pt.conds {
		d.split(pt.conds[i].src.Expr, place)
	}
	d.arrange()
	d.left = make([]int32, len(d.conjuncts))
	if r.work.diagrams == nil {
		r.work.diagrams = map[*part]*diagram{}
	}
	r.work.diagrams[pt] = d
	return d
}

// split adds the conjuncts of a condition.
func (d *diagram) split(n *ground.Node, place map[int]int) {
	if n.Op == ground.And {
		for _, a := range n.Args {
			d.split(a, place)
		}
		return
	}
	c := conjunct{expr: n}
	given, _ := closure(d.r.s.p, n)
	for _, f := range given {
		if i, ok := place[f]; ok {
			c.vars = append(c.vars, i)
			d.reads[i] = append(d.reads[i], len(d.conjuncts))
		}
	}
	d.conjuncts = append(d.conjuncts, c)
}

// arrange orders the variables: those that narrow conjuncts join follow each other.
func (d *diagram) arrange() {
	joins := make([][]int, 0, len(d.conjuncts)+1)
	for _, c := range d.conjuncts {
		joins = append(joins, c.vars)
	}
	slices.SortStableFunc(joins, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	group := make([][]int, len(d.pt.vars))
	for i := range group {
		group[i] = []int{i}
		d.order = append(d.order, i)
	}
	for _, vars := range append(joins, d.order) {
		var all []int
		for _, v := range vars {
			if !slices.Contains(all, v) {
				all = append(all, group[v]...)
			}
		}
		for _, v := range all {
			group[v] = all
		}
	}
	d.order = group[0]
}

// drawCounted assigns uniformly drawn legal values to the part.
func (r *Runner) drawCounted(pt *part, before []assign) error {
	r.openPart(pt)
	d := r.diagram(pt, before)
	clear(d.ids)
	clear(d.nodes)
	clear(d.left)
	d.tries = 0
	for c := range d.conjuncts {
		if !d.assign([]int{c}) {
			return errNone
		}
	}
	n, err := d.from(0, pt.max)
	switch {
	case err != nil:
		return err
	case n.count == 0:
		return errNone
	case math.IsInf(n.count, 1):
		return errTooMany
	}
	for _, i := range d.order {
		x := r.m.rng.Float64() * n.count
		k := 0
		for ; k < len(n.to)-1 && x >= n.to[k].count; k++ {
			x -= n.to[k].count
		}
		r.m.vals[pt.vars[i].fluent] = n.values[k]
		n = n.to[k]
	}
	return nil
}

// from returns the node for the present values of the variables before place i of the order, of which
// budget more may have another value than the default, -1 for all.
func (d *diagram) from(i, budget int) (*node, error) {
	pt, w := d.pt, &d.r.work
	if i == len(d.order) {
		ok, err := d.r.legal(pt.conds, d.before)
		if err != nil || !ok {
			return &node{}, err
		}
		return &node{count: 1}, nil
	}
	key := string(d.nodeKey(i, budget))
	if n, ok := d.nodes[key]; ok {
		return n, nil
	}
	n := &node{}
	v := &pt.vars[d.order[i]]
	reads := d.reads[d.order[i]]
	kept := make([]int32, len(reads))
	for k, c := range reads {
		kept[k] = d.left[c]
	}
	for k := range uint64(v.size()) {
		x, b := v.at(k), budget
		if b >= 0 && x != v.def {
			if b--; b < 0 {
				continue
			}
		}
		if d.tries++; d.tries > maxNodes {
			return nil, errTooMany
		}
		d.r.m.vals[v.fluent], w.lo[v.fluent], w.hi[v.fluent] = x, x, x
		if d.assign(reads) {
			to, err := d.from(i+1, b)
			if err != nil {
				return nil, err
			}
			if to.count > 0 {
				n.count += to.count
				n.values, n.to = append(n.values, x), append(n.to, to)
			}
		}
		for k, c := range reads {
			d.left[c] = kept[k]
		}
	}
	w.lo[v.fluent], w.hi[v.fluent] = v.lo, v.hi
	d.nodes[key] = n
	return n, nil
}

// assign finds what is left of some conjuncts; false if one of them cannot hold any more.
func (d *diagram) assign(conjuncts []int) bool {
	for _, c := range conjuncts {
		if d.left[c] < 0 {
			continue
		}
		n := d.conjuncts[c].expr
		lo, hi := d.r.truth(n)
		switch {
		case hi == 0:
			return false
		case lo == 1:
			d.left[c] = -1
			continue
		}
		d.key = d.rest(d.key[:0], n)
		id, ok := d.ids[string(d.key)]
		if !ok {
			id = int32(len(d.ids))
			d.ids[string(d.key)] = id
		}
		d.left[c] = id
	}
	return true
}

// nodeKey identifies what is left of the conjuncts that read variables before place i of the order.
func (d *diagram) nodeKey(i, budget int) []byte {
	key := binary.AppendUvarint(d.key[:0], uint64(i))
	key = binary.AppendVarint(key, int64(min(budget, len(d.order)-i)))
	for _, left := range d.left {
		key = binary.AppendVarint(key, int64(left))
	}
	d.key = key
	return key
}

// rest appends what is left of an expression: equal bytes at the same place of an expression and the same
// unassigned variables stand for equal functions of them.
func (d *diagram) rest(key []byte, n *ground.Node) []byte {
	lo, hi := d.r.bounds2(n)
	if lo == hi {
		return binary.LittleEndian.AppendUint64(append(key, 'v'), math.Float64bits(lo+0))
	}
	if n.Op == ground.Ref {
		f := &d.r.s.p.Fluents[n.Fluent]
		if f.Kind == ground.Interm || f.Kind == ground.Observ {
			return d.rest(key, f.CPF)
		}
		return append(key, 'x')
	}
	key = append(key, 'f')
	if n.Op == ground.If {
		if never, always := d.r.truth(n.Args[0]); never == always {
			return d.rest(append(key, byte(always)), n.Args[2-int(always)])
		}
		key = append(key, 2)
	}
	// Of a sum of integers, a conjunction or a disjunction, it does not matter which of the arguments are known.
	folds := n.Op == ground.And || n.Op == ground.Or || n.Op == ground.Add && !realArgs(n)
	sum := 0.0
	for i, a := range n.Args {
		if !folds {
			key = d.rest(key, a)
			continue
		}
		if lo, hi := d.r.bounds2(a); lo == hi {
			sum += lo
			continue
		}
		key = d.rest(binary.AppendUvarint(key, uint64(i)+1), a)
	}
	if folds {
		if key = append(key, 0); n.Op == ground.Add {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(sum+0))
		}
	}
	return key
}
