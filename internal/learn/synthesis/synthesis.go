package synthesis

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Options say how much effort to spend.
type Options struct {
	Seed    uint64
	Threads int // 0 for 1
	// Effort bounds the shrinking, in millions of words of
	// 64 cells looked at; 0 for none.
	Effort int
	// Until ends the shrinking earlier, without an error; the zero time for never.
	Until time.Time
	// Progress is called while shrinking, with the work done in 0..1 and the
	// edges and units so far; nil for none.
	Progress func(done float64, size int)
}

// Network synthesises a network with the given number of inputs and one output
// a function. When ctx ends while shrinking, the network is the one so far; an
// earlier end is an error. Without such an end the network does not depend on
// the number of threads.
func Network(ctx context.Context, inputs int, functions []Function, o Options) (*bnn.Network, error) {
	for i := range functions {
		if err := functions[i].check(inputs); err != nil {
			return nil, err
		}
	}
	n, err := first(ctx, inputs, functions, o)
	if err != nil {
		return nil, err
	}
	if o.Effort > 0 {
		if !o.Until.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, o.Until)
			defer cancel()
		}
		n = n.shrink(ctx, o)
	}
	net := n.network()
	return net, net.Check()
}

// first covers each function by itself, in the phase that takes less, and
// merges equal units.
func first(ctx context.Context, inputs int, functions []Function, o Options) (*net, error) {
	type cover struct {
		t     *target
		units []grown
		sum   *rules.Sum // in place of units
	}
	covers := make([]cover, len(functions))
	err := routine.Each(ctx, o.Threads, len(functions), func(i int) {
		if f := &functions[i]; f.Form != nil || f.Sum != nil {
			covers[i] = cover{t: newTarget(&Function{Inputs: f.Inputs}, false), sum: f.Sum}
			return
		}
		for _, negated := range []bool{false, true} {
			var work int64
			g := newGrower(newTarget(&functions[i], negated), &work)
			units := g.cover(ctx, rand.New(rand.NewPCG(o.Seed, uint64(i))))
			if !negated || cost(units) < cost(covers[i].units) {
				covers[i] = cover{t: g.t, units: units}
			}
		}
		if s := counted(&functions[i]); s != nil && len(s.Units) > 1 && len(s.Units)*(len(functions[i].Inputs)+2) < cost(covers[i].units) {
			covers[i] = cover{t: newTarget(&Function{Inputs: functions[i].Inputs}, false), sum: s}
		}
	})
	if err != nil {
		return nil, err
	}
	n := &net{inputs: inputs}
	for i, c := range covers {
		var us []int
		var given *fixed
		if f := &functions[i]; f.Form != nil {
			given = &fixed{form: f.Form, bit: f.Bit}
		}
		if c.sum != nil {
			given = n.addSum(c.sum)
			us = slices.Clone(given.units)
		}
		for i := range c.units {
			us = append(us, n.add(c.t.unit(c.units[i].literals, c.units[i].threshold)))
		}
		slices.Sort(us)
		n.targets = append(n.targets, c.t)
		n.uses = append(n.uses, slices.Compact(us))
		n.fixed = append(n.fixed, given)
	}
	return n, nil
}

// add returns the number of a unit, a new one if there is none like it.
func (n *net) add(u unit) int {
	for i := range n.units {
		if n.units[i].threshold == u.threshold && slices.Equal(n.units[i].lits, u.lits) {
			return i
		}
	}
	n.units = append(n.units, u)
	return len(n.units) - 1
}
