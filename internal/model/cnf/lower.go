package cnf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
)

// Fixed is the group of the unit clauses for literals fixed by propagation. It precedes the
// groups of package model.
const Fixed = model.NumGroups

// Stream receives the clauses of a model in order: step by step, and within a step first the
// group Fixed, then Initial, Global, Transition, Goal and Network.
type Stream interface {
	// Clauses receives clauses of group g at step t, 1..H+1, as literals of the whole model
	// in DIMACS form, every clause followed by a 0. No clause is empty or split. The slice is
	// reused after the call. An error stops the lowering, which returns it unchanged.
	Clauses(t int, g model.Group, clauses []int32) error
}

// ErrTooLarge is wrapped by the error for a model whose clauses need more than
// 2^31-1 variables.
var ErrTooLarge = errors.New("the clauses need more than 2147483647 variables")

// Size counts the clauses of a part of a model.
type Size struct {
	Variables int64 // auxiliary variables of the encodings
	Clauses   int64
	Literals  int64
}

// Add adds another part.
func (s *Size) Add(t Size) {
	s.Variables += t.Variables
	s.Clauses += t.Clauses
	s.Literals += t.Literals
}

// Sizes counts everything that a Lowering streams, and the soft clauses that the objective
// adds.
type Sizes struct {
	Model  int64                     // the model's own variables; at least 1, see Lowering
	Groups [model.NumGroups + 1]Size // by model.Group, and Fixed
	Soft   int64                     // soft clauses, one per model.Term
	Weight uint64                    // sum of their weights
}

// Total returns the size of all groups together, with the model's own variables.
func (s *Sizes) Total() Size {
	t := Size{Variables: s.Model}
	for _, g := range s.Groups {
		t.Add(g)
	}
	return t
}

// Lowering converts a model to clauses. The model's variables keep their numbers 1..NumVars;
// the auxiliary variables of the encodings follow, step by step. An infeasible model becomes
// the unit clauses 1 and -1. No clause is ever empty, because readers of DIMACS files treat
// empty clauses differently. (A model without variables therefore counts as having one.)
//
// The constraints of a group are encoded once for all steps at which they are
// the same, into literals relative to the step, and stamped: time is that of
// copying, memory does not depend on the horizon. Encodings of steps that differ are kept too, as
// long as all of them have no more than maxKept literals. A group of more than maxKept
// literals is not kept: it is encoded again at each step, straight to the
// stream, so that memory does not depend on the number of clauses either. A
// Lowering is not safe for concurrent use.
type Lowering struct {
	m         *model.Model
	encoding  Encoding
	kept      int // the most literals of a group that are kept
	templates [model.NumGroups + 1]template
	earlier   [model.NumGroups + 1][]template // those of other steps, and of an earlier walk
	held      int                             // literals of earlier, at most kept
	without   [model.NumGroups + 1]bool
	stamped   []int32
}

// maxKept bounds the literals of a group that are kept, 4 bytes each.
const maxKept = 1 << 23

// NewLowering prepares to lower m in encoding e.
func NewLowering(m *model.Model, e Encoding) *Lowering {
	return &Lowering{m: m, encoding: e, kept: maxKept}
}

// Without leaves out the clauses of a group.
func (l *Lowering) Without(g model.Group) { l.without[g] = true }

// Sizes counts the clauses without streaming them.
func (l *Lowering) Sizes(ctx context.Context) (Sizes, error) {
	s := Sizes{Model: l.firstFree()}
	err := l.walk(ctx, func(t int, g model.Group, tmpl *template, _ int64) error {
		s.Groups[g].Add(tmpl.size)
		return nil
	})
	if err != nil {
		return Sizes{}, err
	}
	for t := 1; t <= l.m.Horizon+1; t++ {
		for _, c := range l.m.Objective(t) {
			s.Soft++
			s.Weight += uint64(c.Coef)
		}
	}
	return s, nil
}

// Stream sends all clauses to out.
func (l *Lowering) Stream(ctx context.Context, out Stream) error {
	return l.walk(ctx, func(t int, g model.Group, tmpl *template, aux int64) error {
		if tmpl.empty {
			if err := out.Clauses(t, g, []int32{1, 0, -1, 0}); err != nil {
				return err
			}
		}
		return l.stamp(ctx, t, g, tmpl, aux, out)
	})
}

// firstFree is the number of the last variable before the auxiliary ones.
func (l *Lowering) firstFree() int64 { return max(int64(l.m.NumVars()), 1) }

// walk visits the template of every group at every step; aux is the last variable in use
// before it.
func (l *Lowering) walk(ctx context.Context, visit func(t int, g model.Group, tmpl *template, aux int64) error) error {
	if l.m.Infeasible() {
		contradiction := template{empty: true, size: Size{Clauses: 2, Literals: 2}}
		return visit(1, Fixed, &contradiction, l.firstFree())
	}
	aux := l.firstFree()
	for t := 1; t <= l.m.Horizon+1; t++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t == 1 || !l.m.Same(t) {
			if err := l.encode(ctx, l.m.Part(t)); err != nil {
				return err
			}
		}
		for _, g := range [...]model.Group{Fixed, model.Initial, model.Global, model.Transition, model.Goal, model.Network} {
			if l.without[g] {
				continue
			}
			tmpl := &l.templates[g]
			if aux+tmpl.size.Variables > math.MaxInt32 {
				return fmt.Errorf("%w (at step %d of %d)", ErrTooLarge, t, l.m.Horizon)
			}
			if tmpl.size.Clauses > 0 {
				if err := visit(t, g, tmpl, aux); err != nil {
					return err
				}
			}
			aux += tmpl.size.Variables
		}
	}
	return nil
}

// template contains the clauses of one group in local literals: variables up to twice the
// stride are those of this step's block and the next one's, those above belong to the
// encodings.
type template struct {
	known  bool
	held   bool        // it is among those that are kept for other steps
	fixed  []model.Lit // the source of the clauses, to check whether they fit another step
	sums   []model.Sum
	layers [][]model.Neuron

	lits    []int32 // every clause with a 0 after it, unless dropped
	dropped bool    // the literals are too many to be kept
	size    Size
	empty   bool // something is false whatever the variables are
}

// write encodes what the template says to s.
func (t *template) write(e Encoding, s Sink) {
	for _, lit := range t.fixed {
		s.Clause(lit)
	}
	for i := range t.sums {
		e.Sum(s, t.sums[i])
	}
	for _, layer := range t.layers {
		if len(layer) > 0 {
			e.Neurons(s, layer)
		}
	}
}

// stopped is what a Sink of this package panics with to leave an encoding that
// has no other end; it does not leave the package.
type stopped struct{ err error }

// writeUntil is write, ended by a panic of s with stopped.
func (t *template) writeUntil(e Encoding, s Sink) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case stopped:
			err = x.err
		default:
			panic(x)
		}
	}()
	t.write(e, s)
	return nil
}

// encode brings the templates to what part says and encodes only what differs
// from the step before.
func (l *Lowering) encode(ctx context.Context, part *model.Part) error {
	for g := range l.templates {
		if l.without[g] {
			continue
		}
		t := &l.templates[g]
		var fixed []model.Lit
		var sums []model.Sum
		var layers [][]model.Neuron
		if model.Group(g) == Fixed {
			fixed = part.Fixed
		} else {
			sums = part.Sums[g]
		}
		if model.Group(g) == model.Network {
			layers = part.Layers
		}
		next := template{fixed: fixed, sums: sums, layers: layers}
		if t.known && t.says(&next) {
			continue
		}
		if i := slices.IndexFunc(l.earlier[g], func(old template) bool { return old.says(&next) }); i >= 0 {
			*t = l.earlier[g][i]
			continue
		}
		r := recorder{ctx: ctx, lits: t.lits[:0], most: l.kept, own: 2 * int64(l.m.Stride())}
		if t.held {
			r.lits = nil
		}
		*t = next
		if err := t.writeUntil(l.encoding, &r); err != nil {
			return err
		}
		if r.own+r.size.Variables > math.MaxInt32 {
			return ErrTooLarge
		}
		t.known, t.lits, t.dropped, t.size, t.empty = true, r.lits, r.dropped, r.size, r.empty
		if t.empty {
			t.size.Clauses += 2
			t.size.Literals += 2
		}
		if n := len(t.lits); !t.dropped && l.held+n <= l.kept {
			t.held = true
			l.held += n
			l.earlier[g] = append(l.earlier[g], *t)
		}
	}
	return nil
}

// says reports whether two templates are of the same constraints.
func (t *template) says(o *template) bool {
	return slices.Equal(t.fixed, o.fixed) && slices.EqualFunc(t.sums, o.sums, equalSum) && slices.EqualFunc(t.layers, o.layers, equalLayer)
}

func equalSum(a, b model.Sum) bool {
	return a.Op == b.Op && a.K == b.K && slices.Equal(a.Terms, b.Terms)
}

func equalLayer(a, b []model.Neuron) bool { return slices.EqualFunc(a, b, equalNeuron) }

func equalNeuron(a, b model.Neuron) bool {
	return a.Out == b.Out && a.Threshold == b.Threshold && slices.Equal(a.Inputs, b.Inputs)
}

// recorder is the Sink that fills a template. It counts on when the literals are
// too many to be kept, and panics with stopped when its context ends.
type recorder struct {
	ctx     context.Context
	lits    []int32
	most    int   // literals to keep
	own     int64 // the last local variable that belongs to the model
	size    Size
	empty   bool
	dropped bool
}

// pollClauses is how many clauses are encoded between two looks at the context.
const pollClauses = 1 << 12

// NewVar gives the next local variable. Beyond 31 bits it repeats the last
// one; encode sees that by the count.
func (r *recorder) NewVar() model.Lit {
	r.size.Variables++
	return model.Lit(min(r.own+r.size.Variables, math.MaxInt32))
}

// Clause records a clause.
func (r *recorder) Clause(lits ...model.Lit) {
	if len(lits) == 0 {
		r.empty = true
		return
	}
	r.size.Clauses++
	r.size.Literals += int64(len(lits))
	if r.size.Clauses%pollClauses == 0 {
		if err := r.ctx.Err(); err != nil {
			panic(stopped{err})
		}
	}
	if r.dropped {
		return
	}
	if len(r.lits)+len(lits) >= r.most {
		r.lits, r.dropped = nil, true
		return
	}
	for _, l := range lits {
		r.lits = append(r.lits, int32(l))
	}
	r.lits = append(r.lits, 0)
}

// stamper is the Sink that passes clauses on as they are encoded, moved to their
// step. It panics with stopped when its context ends or the stream fails.
type stamper struct {
	recorder
	buf  []int32
	pass func(clauses []int32) error
}

// Clause takes a clause, and passes it on with others.
func (s *stamper) Clause(lits ...model.Lit) {
	if len(lits) == 0 {
		return
	}
	for _, l := range lits {
		s.buf = append(s.buf, int32(l))
	}
	s.buf = append(s.buf, 0)
	if len(s.buf) >= chunk {
		s.flush()
	}
}

func (s *stamper) flush() {
	if err := s.ctx.Err(); err != nil {
		panic(stopped{err})
	}
	if err := s.pass(s.buf); err != nil {
		panic(stopped{err})
	}
	s.buf = s.buf[:0]
}

// chunk is the number of literals stamped at a time: small enough to stay in a
// processor's cache between the stamping and the stream's own work.
const chunk = 1 << 13

// stamp streams a template's clauses as they are at step t, with auxiliary
// variables after aux.
func (l *Lowering) stamp(ctx context.Context, t int, g model.Group, tmpl *template, aux int64, out Stream) error {
	limit := 2 * l.m.Stride()
	shift := l.m.Stride() * int32(t-1)
	auxShift := int32(aux - int64(limit))
	if tmpl.dropped {
		s := stamper{recorder: recorder{ctx: ctx, own: int64(limit)}, pass: func(clauses []int32) error {
			l.stamped = slices.Grow(l.stamped[:0], len(clauses))[:len(clauses)]
			shiftLits(l.stamped, clauses, limit, shift, auxShift)
			return out.Clauses(t, g, l.stamped)
		}}
		err := tmpl.writeUntil(l.encoding, &s)
		if err == nil && len(s.buf) > 0 {
			err = s.pass(s.buf)
		}
		return err
	}
	for src := tmpl.lits; len(src) > 0; {
		n := min(len(src), chunk)
		for src[n-1] != 0 { // a clause longer than a chunk ends later
			if n = n - 1; n == 0 {
				n = slices.Index(src, 0) + 1
			}
		}
		l.stamped = slices.Grow(l.stamped[:0], n)[:n]
		shiftLits(l.stamped, src[:n], limit, shift, auxShift)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := out.Clauses(t, g, l.stamped); err != nil {
			return err
		}
		src = src[n:]
	}
	return nil
}

// shiftLits moves the variables of src up to limit by shift and those above by auxShift. It
// does not branch on the literals, whose signs no processor can predict.
func shiftLits(dst, src []int32, limit, shift, auxShift int32) {
	dst = dst[:len(src)]
	for i, l := range src {
		sign := l >> 31
		v := (l ^ sign) - sign
		o := shift
		if v > limit {
			o = auxShift
		}
		if v == 0 {
			o = 0
		}
		dst[i] = ((v + o) ^ sign) - sign
	}
}
