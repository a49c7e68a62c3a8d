package bound

import (
	"context"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// Program is a problem's step as straight-line code over words of 64 lanes:
// lane by lane, it takes a state and a joint action and gives the auxiliary
// bits, the next state, and whether the step is legal. It does what propagation
// would do from a state and an action. It is immutable.
type Program struct {
	code      []instr
	stretches []stretch // of code, in order
	inputs    []int32   // slot of each variable of the one-step model that is given, -1 otherwise
	slots     []int32   // slot of each variable's value
	slotNum   int
	refused   []int32 // slots: the lane breaks a constraint that is not on actions alone
	illegal   int32   // slot: the lane breaks a constraint
}

// instr computes slot dst from two others.
type instr struct {
	op        op
	dst, a, b int32
}

type op uint8

const (
	opAnd op = iota
	opAndNot
	opOr
	opXor
)

// Slots 0 and 1 are the constants false and true.
const (
	slotFalse int32 = 0
	slotTrue  int32 = 1
)

// assembler builds a program; equal instructions are built once.
type assembler struct {
	p       *Program
	seen    map[instr]int32
	negated map[int32]int32 // by slot that is another's complement: that one
}

func assemble(p *Program) *assembler {
	return &assembler{p: p, seen: map[instr]int32{}, negated: map[int32]int32{}}
}

func (a *assembler) emit(o op, x, y int32) int32 {
	if o != opAndNot && x > y {
		x, y = y, x
	}
	opposed := a.negated[x] == y && y > slotTrue || a.negated[y] == x && x > slotTrue
	switch o {
	case opAnd:
		switch {
		case x == slotFalse || opposed:
			return slotFalse
		case x == slotTrue, x == y:
			return y
		}
	case opOr:
		switch {
		case x == slotFalse, x == y:
			return y
		case x == slotTrue || opposed:
			return slotTrue
		}
	case opXor:
		switch {
		case x == y:
			return slotFalse
		case x == slotFalse:
			return y
		}
	case opAndNot:
		switch {
		case x == slotFalse, y == slotTrue, x == y:
			return slotFalse
		case y == slotFalse:
			return x
		case x == slotTrue && a.negated[y] != 0:
			return a.negated[y]
		}
	}
	key := instr{op: o, a: x, b: y}
	if s, ok := a.seen[key]; ok {
		return s
	}
	s := int32(a.p.slotNum)
	a.p.slotNum++
	a.seen[key] = s
	a.p.code = append(a.p.code, instr{o, s, x, y})
	if o == opAndNot && x == slotTrue {
		a.negated[s] = y
	}
	return s
}

func (a *assembler) not(x int32) int32 { return a.emit(opAndNot, slotTrue, x) }

// lit is the slot of a literal.
func (a *assembler) lit(l model.Lit) int32 {
	s := a.p.slots[l.Var()]
	if l < 0 {
		return a.not(s)
	}
	return s
}

// sum adds weighted literals, lane by lane, to a number: its bits, least first,
// in two's complement of a width that holds every value.
func (a *assembler) sum(terms []model.Term, constant int64) []int32 {
	least, most := constant, constant
	for _, t := range terms {
		least, most = least+min(t.Coef, 0), most+max(t.Coef, 0)
	}
	width := max(bits.Len64(uint64(max(most, 0))), bits.Len64(uint64(max(-least, 0)))) + 1
	total := make([]int32, width)
	for i := range total {
		total[i] = int32(constant >> i & 1)
	}
	for _, t := range terms {
		l := a.lit(t.Lit)
		carry := slotFalse
		for i := range total {
			bit := slotFalse
			if t.Coef>>i&1 == 1 {
				bit = l
			}
			if bit == slotFalse && carry == slotFalse {
				continue
			}
			half := a.emit(opXor, total[i], bit)
			both := a.emit(opAnd, total[i], bit)
			total[i], carry = a.emit(opXor, half, carry), a.emit(opOr, both, a.emit(opAnd, half, carry))
		}
	}
	return total
}

// atLeast is where sum of terms >= k. Coefficients are positive.
func (a *assembler) atLeast(terms []model.Term, k int64) int32 {
	var all int64
	least := int64(1) << 62
	for _, t := range terms {
		all += t.Coef
		least = min(least, t.Coef)
	}
	switch {
	case k <= 0:
		return slotTrue
	case all < k:
		return slotFalse
	case least >= k: // any will do
		s := slotFalse
		for _, t := range terms {
			s = a.emit(opOr, s, a.lit(t.Lit))
		}
		return s
	case all-least < k: // all are needed
		s := slotTrue
		for _, t := range terms {
			s = a.emit(opAnd, s, a.lit(t.Lit))
		}
		return s
	}
	if len(terms) <= fewTerms && all == int64(len(terms)) {
		return a.count(terms, k)
	}
	total := a.sum(terms, -k)
	return a.not(total[len(total)-1])
}

// fewTerms is how many literals are counted one by one, which has no complement of a literal but what the terms have.
const fewTerms = 12

// count is where at least k of the literals are true.
func (a *assembler) count(terms []model.Term, k int64) int32 {
	reached := make([]int32, k+1) // by number: at least so many of the literals until now
	reached[0] = slotTrue
	for _, t := range terms {
		for n := k; n > 0; n-- {
			reached[n] = a.emit(opOr, reached[n], a.emit(opAnd, reached[n-1], a.lit(t.Lit)))
		}
	}
	return reached[k]
}

// neuron computes what a neuron puts out.
func (a *assembler) neuron(n *model.Neuron) {
	terms := make([]model.Term, len(n.Inputs))
	for i, l := range n.Inputs {
		terms[i] = model.Term{Coef: 1, Lit: l}
	}
	on := a.atLeast(terms, int64(n.Threshold))
	if n.Out < 0 {
		on = a.not(on)
	}
	a.p.slots[n.Out.Var()] = on
}

// holds is where a sum keeps its relation.
func (a *assembler) holds(s *model.Sum) int32 {
	h := slotTrue
	if s.Op != factored.LE {
		h = a.emit(opAnd, h, a.atLeast(s.Terms, s.K))
	}
	if s.Op != factored.GE {
		h = a.emit(opAndNot, h, a.atLeast(s.Terms, s.K+1))
	}
	return h
}

// Compile makes the program of a problem; nil where
// propagation from states and actions is not enough, the code would be long, or
// the context ended.
func Compile(ctx context.Context, t engine.Task) (*Program, error) {
	r, err := newStepRelation(ctx, t)
	if err != nil {
		return nil, err
	}
	return r.compile(maxCode, false), nil
}

// onActions reports whether a row is on actions alone.
func (r *relation) onActions(w *row) bool {
	return w.neuron == nil && len(w.vars) > 0 && !slices.ContainsFunc(w.vars, func(v int32) bool { return r.role[v] != action })
}

// onBefore reports whether a row is about the state before the step and the actions alone.
func (r *relation) onBefore(w *row) bool {
	return w.neuron == nil && len(w.vars) > 0 && !slices.ContainsFunc(w.vars, func(v int32) bool { return r.role[v] != action && r.role[v] != now })
}

// compile makes the program of a step, of so much code at most; nil where Compile gives none. What is on actions alone is left out where all joint actions
// given to the program keep it.
func (r *relation) compile(most int, kept bool) *Program {
	d := r.define(true)
	a, done := r.newAssembler()
	paid, _ := r.weights()
	checked := make([]bool, len(r.rows))
	for i := range r.rows {
		n := r.rows[i].neuron
		switch {
		case n == nil:
			continue
		case len(a.p.code) > most || r.stop() || slices.ContainsFunc(n.Inputs, func(l model.Lit) bool { return !done[l.Var()] }):
			return nil
		}
		a.neuron(n)
		checked[i], done[n.Out.Var()] = true, true
	}
	for _, set := range d.order {
		if len(a.p.code) > most || r.stop() || !a.define(d, set, checked) {
			return nil
		}
		for _, v := range set {
			done[v] = true
		}
	}
	for v := int32(1); v <= r.numVars; v++ {
		if !done[v] && r.role[v] != foreign && (r.role[v] == after || len(d.using[v]) > 0 || paid[v] != 0) {
			return nil
		}
	}
	for i := range r.rows {
		if checked[i] {
			continue
		}
		switch own := r.onActions(&r.rows[i]); {
		case !own:
			a.refuse(a.not(a.holds(&r.rows[i].sum)))
		case !kept:
			a.p.illegal = a.emit(opOr, a.p.illegal, a.not(a.holds(&r.rows[i].sum)))
		}
	}
	for _, slot := range a.p.refused {
		a.p.illegal = a.emit(opOr, a.p.illegal, slot)
	}
	a.p.schedule()
	return a.p
}

// refuse forbids the lanes of a slot.
func (a *assembler) refuse(slot int32) {
	if slot != slotFalse {
		a.p.refused = append(a.p.refused, slot)
	}
}

// newAssembler gives the variables that are given their slots.
func (r *relation) newAssembler() (a *assembler, done []bool) {
	a = assemble(&Program{slotNum: 2, slots: make([]int32, r.numVars+1), inputs: make([]int32, r.numVars+1)})
	done = make([]bool, r.numVars+1)
	for v := int32(1); v <= r.numVars; v++ {
		a.p.inputs[v] = -1
		if r.role[v] == now || r.role[v] == action {
			a.p.inputs[v], a.p.slots[v] = int32(a.p.slotNum), int32(a.p.slotNum)
			a.p.slotNum++
			done[v] = true
		}
	}
	return a, done
}

// maxCode bounds the instructions of a program.
const maxCode = 200_000

// define computes the variables of set from the rows that define them.
func (a *assembler) define(d *definitions, set []int32, checked []bool) bool {
	rows := d.rows[set[0]]
	if len(set) > 1 {
		return a.defineNumber(d, set, rows, checked)
	}
	v := set[0]
	var sums []*model.Sum
	for _, i := range rows {
		sums = append(sums, &d.r.rows[i].sum)
		checked[i] = true
	}
	if complete(sums, v) {
		a.p.slots[v] = a.must(sums, v, 1)
		return true
	}
	up, down := a.must(sums, v, 1), a.must(sums, v, -1)
	a.p.slots[v] = up
	a.refuse(a.emit(opAnd, up, down))
	return true
}

// must is where v has to have a value for the sums to hold.
func (a *assembler) must(sums []*model.Sum, v int32, value int8) int32 {
	where := slotFalse
	for _, s := range sums {
		other := without(*s, v, -value)
		where = a.emit(opOr, where, a.not(a.holds(&other)))
	}
	return where
}

// defineNumber computes the bits of a number from an equation in which they
// have the weights 1, 2, 4, …. The other rows are checked like any.
func (a *assembler) defineNumber(d *definitions, set []int32, rows []int, checked []bool) bool {
	for _, i := range rows {
		s := &d.r.rows[i].sum
		if s.Op != factored.EQ {
			continue
		}
		digits := make([]model.Lit, len(set))
		var rest []model.Term
		found := 0
		for _, t := range s.Terms {
			if !slices.Contains(set, t.Lit.Var()) {
				rest = append(rest, model.Term{Coef: -t.Coef, Lit: t.Lit})
				continue
			}
			if n := bits.TrailingZeros64(uint64(t.Coef)); t.Coef == 1<<n && n < len(set) && digits[n] == 0 {
				digits[n] = t.Lit
				found++
			}
		}
		if found != len(set) {
			continue
		}
		total := a.sum(rest, s.K)
		for n, l := range digits {
			bit := slotFalse
			if n < len(total) {
				bit = total[n]
			}
			if n == len(total)-1 {
				bit = slotFalse // the sign: such a number is refused
			}
			if l < 0 {
				bit = a.not(bit)
			}
			a.p.slots[l.Var()] = bit
		}
		for n := min(len(digits), len(total)-1); n < len(total); n++ {
			a.refuse(total[n])
		}
		checked[i] = true
		return true
	}
	return false
}

// Slots is how many words Run needs.
func (p *Program) Slots() int { return p.slotNum }

// Input is the slot that takes a variable of the one-step model, -1 where it is
// computed.
func (p *Program) Input(l model.Lit) int32 { return p.inputs[l.Var()] }

// Value is the slot of a variable's value.
func (p *Program) Value(l model.Lit) int32 { return p.slots[l.Var()] }

// Run computes all slots from the inputs. It gives the lanes that break a
// constraint.
func (p *Program) Run(w []uint64) (illegal uint64) {
	w[slotFalse], w[slotTrue] = 0, ^uint64(0)
	for _, s := range p.stretches {
		switch s.op {
		case opAnd:
			for _, i := range s.code {
				w[i.dst] = w[i.a] & w[i.b]
			}
		case opAndNot:
			for _, i := range s.code {
				w[i.dst] = w[i.a] &^ w[i.b]
			}
		case opOr:
			for _, i := range s.code {
				w[i.dst] = w[i.a] | w[i.b]
			}
		default:
			for _, i := range s.code {
				w[i.dst] = w[i.a] ^ w[i.b]
			}
		}
	}
	return w[p.illegal]
}

// Length is how many instructions Run takes.
func (p *Program) Length() int { return len(p.code) }
