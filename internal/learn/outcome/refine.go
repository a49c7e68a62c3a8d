package outcome

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// The rows that are looked at to make a tree shorter: of logs that are clean, there is another function to choose.
const (
	maxWork   = 300_000
	exactWork = 100_000
)

// merge returns the view with rows joined that are alike in some variables and in what happens.
func (x *view) merge(use []bool) *view {
	m := *x
	t := *x.t
	m.t, m.ids, m.weight = &t, nil, nil
	t.Now, t.Next, t.Begins = make([][]int32, len(x.t.Now)), nil, nil
	index := map[string]int{}
	key := make([]byte, 0, 64)
	for r, id := range x.ids {
		key = append(key[:0], byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
		for v, column := range x.t.Now {
			if use[v] {
				key = append(key, byte(column[r]), byte(column[r]>>8))
			}
		}
		k, ok := index[string(key)]
		if !ok {
			k = len(m.ids)
			index[string(key)] = k
			m.ids, m.weight = append(m.ids, id), append(m.weight, 0)
			for v, column := range x.t.Now {
				value := int32(0)
				if use[v] {
					value = column[r]
				}
				t.Now[v] = append(t.Now[v], value)
			}
		}
		m.weight[k] += x.weight[r]
	}
	return &m
}

// tested tells of each variable whether a tree asks for it.
func (n *node) tested(use []bool) []bool {
	if n.yes != nil {
		if use[n.test.variable] = true; n.test.other >= 0 {
			use[n.test.other] = true
		}
		n.yes.tested(use)
		n.no.tested(use)
	}
	return use
}

// refine looks for a tree of fewer bits: of fewer variables, and by tests whose whole trees are compared. It is described by
// the variables and, at each node, by a test of these that divides the rows.
func (g *Group) refine(ctx context.Context, grown *fitter, rest float64, o Options) {
	x, coarse, left := g.x, o.Coarse, maxWork
	if o.Exact {
		left = exactWork
	}
	try := func(use []bool) {
		f, loose := g.f, *grown
		f.x, f.free = x.merge(use), 1
		loose.x, loose.free = f.x, 1
		h := &grower{f: &loose, pruned: &f, few: 2, worth: worth + coarse, coarse: coarse, ahead: true, cancel: func() bool { return ctx.Err() != nil }, left: &left}
		rows := integer.Below[int32](len(f.x.ids))
		tree, all := h.prune(h.search(rows, maxDepth))
		if cost := all.total + rest + float64(len(use)); cost < g.Cost-1e-6 {
			g.tree, g.x, g.f, g.Cost = tree, f.x, f, cost
		}
	}
	used := func() []bool { return g.tree.tested(make([]bool, len(x.t.Variables))) }
	try(used())
	for v := range x.t.Variables {
		if use := used(); use[v] {
			use[v] = false
			try(use)
		}
	}
}

// search makes the tree of some rows: of the tests at a node, the one with the shortest tree below it, as far as the
// work allows.
func (g *grower) search(rows []int32, depth int) *node {
	if *g.left <= 0 {
		return g.grow(rows, depth)
	}
	n := &node{rows: rows, cells: g.f.x.cells(rows)}
	n.fit = g.pruned.fit(n.cells)
	if n.fit.bits < worth/2 || n.fit.rows < 2*g.few || depth == 0 || g.cancel() {
		return n
	}
	found, least := false, n.fit.cost
	tests, asked := g.propose(rows, n.fit)
	for _, q := range tests {
		yes, no := g.f.x.split(rows, q)
		_, a := g.prune(g.grow(yes, depth-1))
		_, b := g.prune(g.grow(no, depth-1))
		if c := g.pruned.join(a, b, asked.of(q)).total; c < least {
			n.test, n.bits, least, found = q, asked.of(q), c, true
		}
	}
	if found {
		yes, no := g.f.x.split(rows, n.test)
		n.yes, n.no = g.search(yes, depth-1), g.search(no, depth-1)
	}
	return n
}

// never is the share of wrong records where there are none.
const never = 1e-12

// complete grows the leaves of a tree in which rows have other values than its effect gives, until none has, if tests tell them apart.
func (g *Group) complete(x *view, rows []int32, rest float64, by *grower) {
	f := g.f
	f.x, f.free, f.fixed, f.prior = x, 1, true, slices.Repeat([]float64{never}, len(g.Outputs))
	h := &grower{f: &f, pruned: &f, few: 1, ahead: true, tests: by.tests, cancel: by.cancel}
	var seat func(n *node, rows []int32) *node
	seat = func(n *node, rows []int32) *node {
		if n.yes == nil {
			return h.grow(rows, maxDepth)
		}
		yes, no := x.split(rows, n.test)
		return &node{test: n.test, bits: n.bits, yes: seat(n.yes, yes), no: seat(n.no, no), rows: rows}
	}
	g.x, g.f, g.tree = x, f, seat(g.tree, rows)
	g.Cost = rest + f.describe(g.tree).total
}
