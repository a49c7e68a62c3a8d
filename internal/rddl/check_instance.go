package rddl

import (
	"hash/maphash"
	"slices"

	"github.com/fdplan/fdplan/internal/counted"
)

func (c *checker) checkInstance(nf *NonFluents, inst *Instance) {
	cp := *inst
	c.prog.Instance = &cp
	var blocks []*Assign
	if nf != nil {
		blocks = append(blocks, nf.Init...)
	}
	blocks = append(blocks, inst.Statics...)
	c.prog.Statics = c.assigns(blocks, NonFluent)
	cp.Statics = nil // they are among the program's
	cp.Init = c.assigns(inst.Init, StateFluent)

	if inst.TerminateWhen != nil {
		c.place = InTermination
		cp.TerminateWhen = c.boolean(c.expr(inst.TerminateWhen, Type{}), "the condition")
		c.prog.Termination = append(c.prog.Termination, cp.TerminateWhen)
	}
	if !inst.HasHorizon && inst.TerminateWhen == nil {
		fail(inst.Name.Pos, "instance %s has no horizon, expected horizon = …;", inst.Name.Name)
	}
	if inst.HasHorizon && inst.Horizon == 0 {
		fail(inst.Name.Pos, "instance %s has horizon 0, expected at least 1", inst.Name.Name)
	}
	if inst.Discount > 1 { // the grammar has no negative numbers here
		fail(inst.DiscountPos, "discount %v, expected a number from 0 to 1", inst.Discount)
	}
}

// assigns checks the values of init-state or of non-fluents. Some published files assign a
// variable the same value twice; one assignment is kept.
func (c *checker) assigns(list []*Assign, kind Kind) []*Assign {
	out := make([]*Assign, 0, len(list))
	// The last assignment of each hash, and the one before of the same hash, by their numbers
	// in out from 1 on. There may be millions, so that the map has no pointers.
	heads := make(map[uint64]int32, len(list))
	before := make([]int32, 1, len(list)+1)
	seed := maphash.MakeSeed()
next:
	for _, old := range list {
		a := c.assign(old, kind)
		h := maphash.String(seed, a.Name.Name)
		for _, x := range a.Args {
			h = h*31 + maphash.String(seed, x.Name)
		}
		for i := heads[h]; i != 0; i = before[i] {
			if was := out[i-1]; was.assignsTo(a) {
				if was, is := FormatExpr(was.Value, nil), FormatExpr(a.Value, nil); was != is {
					fail(a.Name.Pos, "%s is %s here and %s at %s, expected one value", a.Name.Name, is, was, out[i-1].Name.Pos)
				}
				continue next
			}
		}
		out = append(out, a)
		before = append(before, heads[h])
		heads[h] = int32(len(out))
	}
	return out
}

// assignsTo reports whether a and b assign to the same variable.
func (a *Assign) assignsTo(b *Assign) bool {
	return a.Name.Name == b.Name.Name && slices.EqualFunc(a.Args, b.Args, func(x, y *Literal) bool { return x.Name == y.Name })
}

func (c *checker) assign(old *Assign, kind Kind) *Assign {
	a := *old
	name := a.Name.Name
	v := c.prog.PVars[name]
	if v == nil {
		fail(a.Name.Pos, "unknown fluent %s%s", clip(name), c.fluentHint(name))
	}
	if v.Kind != kind {
		where := "non-fluents"
		if kind == StateFluent {
			where = "init-state"
		}
		fail(a.Name.Pos, "%s is %s, expected %ss in %s", name, kindArticle(v.Kind), kind, where)
	}
	if len(a.Args) != len(v.Params) {
		fail(a.Name.Pos, "%s has %s here, expected %d as declared at %s", name, counted.Of(len(a.Args), "argument"), len(v.Params), v.Name.Pos)
	}
	a.Args = make([]*Literal, 0, len(old.Args))
	for i, x := range old.Args {
		a.Args = append(a.Args, c.literal(x.Info, x.Name, x.At, v.ParamTypes[i], "the argument"))
	}
	if a.Short && v.Type.Kind != BoolType {
		fail(a.Name.Pos, "%s is of type %v, expected '=' and a value", name, v.Type)
	}
	a.Value = c.constant(old.Value, v.Type, name)
	return &a
}
