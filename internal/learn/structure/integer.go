package structure

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/fdplan/fdplan/internal/learn/integers"
	"github.com/fdplan/fdplan/internal/routine"
)

// mostVariables is the most variables that a function of whole integers is looked for among.
const mostVariables = 128

// integral reports whether an output may be a function of whole integers: there are integers, and few enough
// other inputs.
func (l *learner) integral(o int) bool {
	return l.o.Sums && !l.o.Complete && len(l.t.Groups) > 0 && !l.t.screens() && !l.t.alone && !l.left(o)
}

// whole tells how well a function of whole integers describes an output.
type whole byte

const (
	not     whole = iota
	mostly        // the rows but for exceptions
	exactly       // all rows, those held out too
)

// explain looks for functions of whole integers before anything else is, as tables explain so little of them that
// their outputs may look like noise.
func (l *learner) explain(all []int32, folds []fold) error {
	found := make([]whole, l.t.Outputs)
	f := fold{rows: all}
	if len(folds) > 0 {
		f = folds[0]
	}
	err := l.each(l.t.Outputs, func(o int) {
		if !l.integral(o) {
			return
		}
		s := l.searchFor(o, f.rows)
		if whole := s.integer(); whole != nil && s.wideSum(whole) == nil && s.linear(whole) != nil {
			return // a sum that is described by a tree
		}
		for _, short := range []bool{false, true} {
			out := Output{Kind: ByForm}
			if out.Form, out.Bit, _ = l.form(s, short); out.Form == nil {
				continue
			}
			if out.Form.Op == integers.Var {
				return // any other kind says as much
			}
			out.Inputs = out.Form.Inputs()
			found[o] = mostly
			_, n := l.t.wrong(&out, o, f.rows)
			if _, held := l.t.wrong(&out, o, f.held); n+held == 0 {
				found[o] = exactly
			}
			return
		}
	})
	if err != nil {
		return err
	}
	l.pooled = make([]*pooledForm, l.t.Outputs)
	for _, by := range l.t.Symmetries {
		if err := l.poolForms(by, f, found); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(found, func(w whole) bool { return w != not }) {
		l.whole = found
	}
	return nil
}

// pooledForm is the integer that an output is a bit of, as one of those that have one function.
type pooledForm struct {
	orbit  *orbit // of the first bits
	member int
}

// poolForms looks for integers that one function of whole integers explains in all rows: what some of them do not show, such as
// a limit, others do.
func (l *learner) poolForms(by []Permutation, f fold, found []whole) error {
	orbits := l.t.orbits(by)
	return routine.Each(l.ctx, l.o.Threads, len(orbits), func(i int) {
		b := &orbits[i]
		first := l.wholeOf(b.first)
		if len(b.members) == 1 || !l.integral(b.first) || len(first) == 1 || first[0] != b.first || l.pooled[b.first] != nil {
			return
		}
		for m, o := range b.members {
			for k, bit := range l.wholeOf(o) {
				if k >= len(first) || b.by[m].Outputs[first[k]] != bit {
					return
				}
			}
		}
		e := l.poolForm(b, f.rows)
		if e == nil || e.Op == integers.Var {
			return
		}
		if !l.explains(e, b, f.held) {
			return
		}
		for m, o := range b.members {
			for _, bit := range l.wholeOf(o) {
				found[bit], l.pooled[bit] = exactly, &pooledForm{b, m}
			}
		}
	})
}

// wholeOf lists the bits of the integer that an output is a bit of, or the output itself.
func (l *learner) wholeOf(o int) []int {
	if whole := (&search{t: l.t, out: o}).integer(); whole != nil {
		return whole
	}
	return []int{o}
}

// explains reports whether a function of the first integer of an orbit, renamed, gives the values of all of them in some rows.
func (l *learner) explains(e *integers.Expr, b *orbit, rows []int32) bool {
	for m, o := range b.members {
		whole := l.wholeOf(o)
		for k, bit := range whole {
			out := Output{Kind: ByForm, Form: e.Renamed(b.by[m].Inputs), Bit: len(whole) - 1 - k}
			out.Inputs = out.Form.Inputs()
			if _, n := l.t.wrong(&out, bit, rows); n > 0 {
				return false
			}
		}
	}
	return true
}

// poolForm is the function of an orbit's first integer in the rows of all: that of one of them, or what is found in the rows together. It is nil
// if there is none.
func (l *learner) poolForm(b *orbit, rows []int32) *integers.Expr {
	return l.formOf(rows, func() (best *integers.Expr) {
		var all *integers.Sample
		kept := map[int]bool{}
		for m, o := range b.members {
			s, whole := l.searchFor(o, rows), l.wholeOf(o)
			back := inverse(b.by[m].Inputs)
			if e := l.ownForm(s, whole, false); e != nil {
				if e = e.Renamed(back); (best == nil || e.Size() < best.Size()) && l.explains(e, b, rows) {
					best = e
				}
			}
			n := s.numbers(whole)
			for _, v := range l.telling(s, whole, slices.Clone(n.Variables)) {
				kept[back[v.Bits[0]]] = true
			}
			if all == nil {
				all = n
				continue
			}
			for _, in := range n.In {
				renamed := make([]uint64, len(in))
				for k, i := range back {
					renamed[i/64] |= in[k/64] >> (k % 64) & 1 << (i % 64)
				}
				all.In = append(all.In, renamed)
			}
			all.Out = append(all.Out, n.Out...)
		}
		if best != nil {
			return best
		}
		all.Variables = slices.DeleteFunc(all.Variables, func(v integers.Variable) bool { return !kept[v.Bits[0]] })
		if e, wrong := integers.Learn(l.ctx, all); wrong == 0 {
			return e
		}
		return nil
	}, "pooled", b.members)
}

// inverse is the permutation that takes another back.
func inverse(p []int) []int {
	back := make([]int, len(p))
	for i, to := range p {
		back[to] = i
	}
	return back
}

// form is a function of whole integers: that of all outputs that are bits of one integer, or of one.
type form struct {
	once sync.Once
	expr *integers.Expr // nil for none
}

// form finds the function that an output is a bit of on the rows of a search, and which: the bit of weight 2^bit of an
// integer of so many. Outputs of one integer have one function. It is nil if there is none; if short, it may have exceptions.
func (l *learner) form(s *search, short bool) (expr *integers.Expr, bit, width int) {
	whole := l.wholeOf(s.out)
	bit, width = len(whole)-1-slices.Index(whole, s.out), len(whole)
	if p := l.pooled; p != nil && p[s.out] != nil {
		if expr = l.poolForm(p[s.out].orbit, s.rows); expr != nil {
			return expr.Renamed(p[s.out].orbit.by[p[s.out].member].Inputs), bit, width
		}
	}
	return l.ownForm(s, whole, short), bit, width
}

// ownForm finds the function of an integer on the rows of a search, without those of others.
func (l *learner) ownForm(s *search, whole []int, short bool) *integers.Expr {
	return l.formOf(s.rows, func() *integers.Expr {
		if e := s.wideSum(whole); e != nil {
			return e
		}
		numbers := s.numbers(whole)
		numbers.Variables = l.telling(s, whole, numbers.Variables)
		numbers.Exceptions = short
		if e, _ := integers.Learn(l.ctx, numbers); e != nil && len(e.Inputs()) <= MaxInputs {
			return e
		}
		return nil
	}, short, whole)
}

// formOf remembers what learn finds on some rows.
func (l *learner) formOf(rows []int32, learn func() *integers.Expr, what ...any) *integers.Expr {
	h := fnv.New64a()
	for _, r := range rows {
		h.Write([]byte{byte(r), byte(r >> 8), byte(r >> 16), byte(r >> 24)})
	}
	key := fmt.Sprint(what, len(rows), h.Sum64())
	l.mu.Lock()
	f := l.forms[key]
	if f == nil {
		if l.forms == nil {
			l.forms = map[string]*form{}
		}
		f = &form{}
		l.forms[key] = f
	}
	l.mu.Unlock()
	f.once.Do(func() { f.expr = learn() })
	return f.expr
}

// wideSum is the sum of an integer over more variables than package integers adds up, whose trees are large too, as of a store
// that many draw from. It is nil if there is none.
func (s *search) wideSum(whole []int) *integers.Expr {
	const narrow = 4
	if len(whole) == 1 {
		return nil
	}
	sum := s.anySum(whole)
	if sum == nil || len(sum.terms) <= narrow || len(sum.terms) > MaxInputs {
		return nil
	}
	return sum.expr(s.t, narrow+1)
}

// numbers are the rows of a search as package integers has them: those in which all bits of an integer are known.
func (s *search) numbers(whole []int) *integers.Sample {
	n := &integers.Sample{Variables: s.variablesOf(), Boolean: len(whole) == 1, Sets: s.t.Sets}
	value := integers.Variable{Signed: len(whole) > 1 && s.t.signed(s.t.group[s.t.Own(s.out)])}
	for i := range whole {
		value.Bits = append(value.Bits, i)
	}
	n.Least, n.Most = value.Range()
	for _, r := range s.rows {
		if !s.t.Complete(int(r)) || slices.ContainsFunc(whole, func(o int) bool { return !s.t.Knows(int(r), o) }) {
			continue
		}
		bits := []uint64{0}
		for i, o := range whole {
			if s.t.Output(int(r), o) {
				bits[0] |= 1 << i
			}
		}
		n.In, n.Out = append(n.In, s.t.Input(int(r))), append(n.Out, value.Value(bits))
	}
	return n
}

// variablesOf lists the variables by their rank.
func (s *search) variablesOf() []integers.Variable {
	var vars []integers.Variable
	for i, g := range s.t.Groups {
		vars = append(vars, integers.Variable{Bits: g, Signed: s.t.signed(i)})
	}
	for b, g := range s.t.group {
		if g < 0 {
			vars = append(vars, integers.Variable{Bits: []int{b}})
		}
	}
	slices.SortStableFunc(vars, func(a, b integers.Variable) int { return cmp.Compare(s.rank(a.Bits[0]), s.rank(b.Bits[0])) })
	return vars[:min(mostVariables, len(vars))]
}

// agreeOnForms describes all bits of an integer by the function of whole integers that some of them have, where they are
// not more often wrong by it: the tables of the others may read bits that tell the values in rows apart, and no others.
func (l *learner) agreeOnForms(folds []fold, st *Structure, kinds []Kind, wrong [][][]bool) {
	for o, kind := range kinds {
		if kind != ByForm {
			continue
		}
		st.Outputs[o].Kind = ByForm
		for _, other := range (&search{t: l.t, out: o}).integer() {
			if kinds[other] == ByForm || l.whole[other] != exactly || l.ctx.Err() != nil {
				continue
			}
			if t, n := l.heldOut(other, folds, st.Noisy, ByForm); n <= st.Outputs[other].Held {
				wrong[other], kinds[other] = t.wrong, ByForm
				out := &st.Outputs[other]
				out.Kind, out.Held, out.Literals, out.Open = ByForm, n, t.literals/len(folds), false
			}
		}
	}
}

// telling leaves out the integers that no bit of an integer reads, where its bits are functions of other inputs whose joint values rows have
// several times each. Booleans are kept: they may stand for each other in rows, as hours do.
func (l *learner) telling(s *search, whole []int, vars []integers.Variable) []integers.Variable {
	const often = 4
	reads := map[int]bool{}
	for _, o := range whole {
		c := l.searchFor(o, s.rows).consistent()
		if c.errors > 0 || often*c.cells > len(s.rows) {
			return vars
		}
		for _, b := range c.inputs {
			reads[b] = true
		}
	}
	return slices.DeleteFunc(vars, func(v integers.Variable) bool {
		return len(v.Bits) > 1 && !slices.ContainsFunc(v.Bits, func(b int) bool { return reads[b] })
	})
}

// signed reports whether a group is an integer in two's complement.
func (t *Table) signed(group int) bool { return t.Signed != nil && t.Signed[group] }

// Formula writes the function of kind ByForm, with the name of the variable that an input is a bit of. It is
// empty for other kinds.
func (o *Output) Formula(name func(input int) string) string {
	if o.Form == nil {
		return ""
	}
	return o.Form.Text(func(v *integers.Variable) string { return name(v.Bits[0]) })
}
