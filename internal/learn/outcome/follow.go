package outcome

import (
	"cmp"
	"context"
	"slices"

	"github.com/fdplan/fdplan/problem/chance"
)

// Follower is an output whose next value follows from next values of other outputs of its group.
type Follower struct {
	Output int    // of the table
	Leaves []Leaf // contexts of next values, each with one outcome that sets the value
}

// mostFollowed bounds the joint values that an output follows from.
const mostFollowed = 1 << 16

// mostFollowing bounds the values of an output that follows: a context sets one of them.
const mostFollowing = 64

// function is a follower before it has a group.
type function struct {
	alone *Group // as drawn by itself
	tree  *Group // as a function
	reads []int  // outputs
}

// followers finds the outputs that are described in fewer bits as functions of the next values of others than as drawn,
// those that gain the most first. None reads another one.
func followers(ctx context.Context, t *Table, groups []*Group, o Options) ([]function, error) {
	var drawn []int
	for _, g := range groups {
		if g.Random() {
			drawn = append(drawn, g.Outputs[0])
		}
	}
	if len(drawn) < 2 {
		return nil, nil
	}
	var all []function
	for _, g := range groups {
		if !g.Random() || t.Variables[t.Outputs[g.Outputs[0]]].Values > mostFollowing {
			continue
		}
		after := t.after(slices.DeleteFunc(slices.Clone(drawn), func(d int) bool { return d == g.Outputs[0] }))
		tree, err := learn(ctx, after, g.Outputs, make([]sum, 1), Options{Determined: true, Noise: o.Noise})
		if err != nil {
			return nil, err
		}
		if reads := tree.reads(t); len(reads) > 0 && tree.Cost+worth < g.Cost && t.joint(reads) <= mostFollowed {
			all = append(all, function{g, tree, reads})
		}
	}
	gain := func(f function) float64 { return f.alone.Cost - f.tree.Cost }
	slices.SortStableFunc(all, func(a, b function) int { return cmp.Compare(gain(b), gain(a)) })
	var out []function
	for _, f := range all {
		if !slices.ContainsFunc(out, func(g function) bool {
			return slices.Contains(g.reads, f.alone.Outputs[0]) || slices.Contains(f.reads, g.alone.Outputs[0])
		}) {
			out = append(out, f)
		}
	}
	return out, nil
}

// after is a table whose variables are the next values of some outputs; the others tell nothing.
func (t *Table) after(outputs []int) *Table {
	out := &Table{Variables: slices.Clone(t.Variables), Outputs: t.Outputs, Next: t.Next, Begins: t.Begins}
	nothing := make([]int32, t.Rows())
	for v := range t.Variables {
		i := slices.IndexFunc(outputs, func(o int) bool { return t.Outputs[o] == v })
		if i < 0 {
			out.Variables[v].Kind = -1 // compared with none
			out.Now = append(out.Now, nothing)
			continue
		}
		out.Now = append(out.Now, t.Next[outputs[i]])
	}
	return out
}

// reads lists the outputs whose variables the contexts of a group test.
func (g *Group) reads(t *Table) (outputs []int) {
	for _, l := range g.Leaves {
		for _, c := range l.When {
			outputs = append(outputs, slices.Index(t.Outputs, c.Variable))
			if c.Values == nil {
				outputs = append(outputs, slices.Index(t.Outputs, c.Other))
			}
		}
	}
	slices.Sort(outputs)
	return slices.Compact(outputs)
}

// joint is the number of joint values of outputs.
func (t *Table) joint(outputs []int) (n int) {
	n = 1
	for _, o := range outputs {
		n = min(n*int(t.Variables[t.Outputs[o]].Values), mostFollowed+1)
	}
	return n
}

// attach gives functions to the groups that draw what they read, which become one; where that takes more bits, the
// output is drawn by itself, or with them if rows are not as the function says.
func attach(ctx context.Context, t *Table, groups []*Group, fs []function, o Options) ([]*Group, error) {
	for _, f := range fs {
		var of, rest []*Group
		outputs, sums, cost := []int{}, []sum{}, 0.0
		for _, g := range groups {
			if !slices.ContainsFunc(f.reads, func(r int) bool { return slices.Contains(g.Outputs, r) }) {
				rest = append(rest, g)
				continue
			}
			of, cost = append(of, g), cost+g.Cost
			outputs, sums = append(outputs, g.x.outputs...), append(sums, g.x.sums...)
		}
		base := of[0]
		if len(of) > 1 {
			var err error
			if base, err = learn(ctx, t, outputs, sums, o); err != nil {
				return nil, err
			}
			base.except(ctx)
			for _, g := range of {
				for i := range g.Follows {
					base.follow(g.Follows[i], g.Noise[len(g.x.outputs)+i], g.followed[i])
				}
			}
		}
		if f.tree.wrong() && len(base.Follows) == 0 {
			both, err := learn(ctx, t, slices.Concat(base.x.outputs, f.alone.x.outputs), slices.Concat(base.x.sums, f.alone.x.sums), o)
			if err != nil {
				return nil, err
			}
			if both.except(ctx); both.Cost < min(base.Cost+f.tree.Cost, cost+f.alone.Cost) {
				groups = append(rest, both)
				continue
			}
		}
		if base.Cost+f.tree.Cost >= cost+f.alone.Cost {
			f.alone.except(ctx)
			groups = append(groups, f.alone)
			continue
		}
		base.follow(Follower{f.tree.Outputs[0], f.tree.Leaves}, f.tree.Noise[0], f.tree.Cost)
		groups = append(rest, base)
	}
	return groups, nil
}

// wrong reports whether rows have other values than a function gives.
func (g *Group) wrong() bool {
	return slices.ContainsFunc(g.Noise, func(n chance.Noise) bool { return n.Wrong > 1 })
}

// follow adds an output that follows from those of the group, described in so many bits.
func (g *Group) follow(f Follower, noise chance.Noise, bits float64) {
	g.Outputs = append(slices.Clone(g.Outputs), f.Output)
	g.Noise = append(g.Noise, noise)
	g.Follows, g.followed = append(g.Follows, f), append(g.followed, bits)
	g.Cost += bits
	for i := range g.Leaves {
		for j := range g.Leaves[i].Outcomes {
			o := &g.Leaves[i].Outcomes[j]
			o.Effects = append(slices.Clone(o.Effects), chance.Effect{})
		}
	}
}

// value is what a leaf of a follower sets.
func (l *Leaf) value() int64 {
	if len(l.Outcomes) == 0 {
		return 0
	}
	return l.Outcomes[0].Effects[0].By // an addition is to 0
}
