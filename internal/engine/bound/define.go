package bound

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// definitions describes each internal variable which rows define it: given the
// other variables of these rows, they leave it one value at most. Then a copy
// of the variable and its rows in several groups never disagrees.
type definitions struct {
	r      *relation
	rows   [][]int   // by variable: the rows that define it; nil for none
	defier []bool    // by row: it is part of a definition
	using  [][]int   // by variable: the rows that it is in
	order  [][]int32 // sets of variables as they were defined, each over those before
	next   bool      // bits of the next state are defined too
	units  []int32   // by variable: see unitOf; nil before it is asked for
}

// Of an internal variable that follows from no single state variable, and of one that was not asked for.
const (
	noUnit  = -1
	unasked = -2
)

// unitOf is the state variable that an internal variable follows from, together with what is known at every step; noUnit for none or several. A group that has it
// tells no more values apart for reading what follows from it.
func (d *definitions) unitOf(v int32) int32 {
	if d.units == nil {
		d.units = slices.Repeat([]int32{unasked}, len(d.rows))
	}
	if int(v) >= len(d.rows) || d.r.role[v] != internal || d.rows[v] == nil {
		return noUnit
	}
	if d.units[v] != unasked {
		return d.units[v]
	}
	d.units[v] = noUnit // while it is looked for
	unit := int32(unasked)
	for _, i := range d.rows[v] {
		for _, w := range d.r.rows[i].vars {
			x := int32(noUnit)
			switch {
			case w == v || d.r.isClock[w]:
				continue
			case d.r.role[w] == now:
				x = d.r.unit(w)
			default:
				x = d.unitOf(w)
			}
			if x == noUnit || unit >= 0 && x != unit {
				return noUnit
			}
			unit = x
		}
	}
	d.units[v] = max(unit, noUnit)
	return d.units[v]
}

// maxUniqueSearch bounds the decisions of one proof that a variable is defined.
const maxUniqueSearch = 1 << 12

// define finds definitions, of variables over variables that are defined
// already, until nothing changes; of the next state's bits too, if next says so.
func (r *relation) define(next bool) *definitions {
	d := &definitions{r: r, next: next, rows: make([][]int, r.numVars+1), defier: make([]bool, len(r.rows)), using: make([][]int, r.numVars+1)}
	for i := range r.rows {
		for _, v := range r.rows[i].vars {
			d.using[v] = append(d.using[v], i)
		}
	}
	done := make([]bool, r.numVars+1)
	for i := range r.rows { // a neuron defines its output
		if n := r.rows[i].neuron; n != nil && d.definable(n.Out.Var()) {
			v := n.Out.Var()
			d.rows[v], d.defier[i], done[v] = []int{i}, true, true
		}
	}
	for i := range r.amounts {
		if a := &r.amounts[i]; len(a.rows) > 0 {
			for _, v := range a.bits {
				d.rows[v], done[v] = a.rows, true
			}
			for _, k := range a.rows {
				d.defier[k] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for v := int32(1); v <= r.numVars && !r.stop(); v++ {
			if d.definable(v) && !done[v] && r.fixed[v] == 0 && len(d.using[v]) > 0 && d.tryDefine(v, done) {
				changed = true
			}
		}
	}
	return d
}

// definable reports whether a variable may be defined by others.
func (d *definitions) definable(v int32) bool {
	return d.r.role[v] == internal || d.next && d.r.role[v] == after
}

// tryDefine looks whether rows over v and variables that are done define v, or
// the integer that v is a bit of.
func (d *definitions) tryDefine(v int32, done []bool) bool {
	block := []int32{v}
	if d.r.bit[v] >= 0 {
		owner, _ := d.r.Task.Problem.Owner(factored.Bit(d.r.bit[v]))
		block = block[:0]
		for i := range owner.Width {
			w := d.r.nowVar(owner.First + factored.Bit(i))
			if d.r.role[v] == after {
				w += d.r.stride
			}
			if d.r.fixed[w] == 0 {
				block = append(block, w)
			}
		}
	}
	for _, set := range [][]int32{{v}, block} {
		if slices.ContainsFunc(set, func(w int32) bool { return done[w] }) {
			continue
		}
		var rows []int
		for _, w := range set {
			for _, i := range d.using[w] {
				if !slices.Contains(rows, i) && !d.defier[i] && d.closed(i, set, done) {
					rows = append(rows, i)
				}
			}
		}
		if len(rows) == 0 || !d.unique(set, rows) {
			continue
		}
		rows = d.needed(set, rows)
		for _, w := range set {
			done[w] = true
			d.rows[w] = rows
		}
		d.order = append(d.order, set)
		for _, i := range rows {
			d.defier[i] = true
		}
		return true
	}
	return false
}

// needed leaves out wide rows without which the others define set as well: they ask something of it.
func (d *definitions) needed(set []int32, rows []int) []int {
	for k := len(rows) - 1; k >= 0; k-- {
		if len(d.r.rows[rows[k]].vars) > wideRow {
			if fewer := slices.Delete(slices.Clone(rows), k, k+1); len(fewer) > 0 && d.unique(set, fewer) {
				rows = fewer
			}
		}
	}
	return rows
}

// closed reports whether a row reads only what is done beside set, and nothing
// of the next state.
func (d *definitions) closed(row int, set []int32, done []bool) bool {
	for _, w := range d.r.rows[row].vars {
		switch {
		case slices.Contains(set, w):
		case d.r.role[w] == after && !d.next:
			return false
		case d.definable(w) && !done[w]:
			return false
		}
	}
	return d.r.rows[row].neuron == nil
}

// unique reports whether the rows leave set one value at most, whatever the
// other variables are; for a program, which computes these by their own rows, whatever they can be in a step
// that may be. It may miss that.
func (d *definitions) unique(set []int32, rows []int) bool {
	if d.uniqueSum(set, rows) {
		return true
	}
	if len(set) > 1 {
		return false
	}
	var both []model.Sum
	for _, value := range []int8{-1, 1} {
		for _, i := range rows {
			both = append(both, without(d.r.rows[i].sum, set[0], value))
		}
	}
	if contradict(both) || d.never(both) {
		return true
	}
	return d.next && (d.never(d.earlier(both, d.r.onActions)) || d.never(d.earlier(both, d.r.onBefore)))
}

// never reports whether no values keep the sums. It may miss that.
func (d *definitions) never(sums []model.Sum) bool {
	number := map[int32]model.Lit{} // the inputs, numbered anew: the system is small
	var inputs []model.Lit
	small := make([]model.Sum, len(sums))
	for k, s := range sums {
		small[k] = model.Sum{Op: s.Op, K: s.K}
		for _, t := range s.Terms {
			v := t.Lit.Var()
			if number[v] == 0 {
				number[v] = model.Lit(len(inputs) + 1)
				inputs = append(inputs, number[v])
			}
			l := number[v]
			if t.Lit < 0 {
				l = -l
			}
			small[k].Terms = append(small[k].Terms, model.Term{Coef: t.Coef, Lit: l})
		}
	}
	if !d.next && len(inputs) > 40 {
		return false
	}
	st := propagate.NewSystem(len(inputs), small, nil).NewState()
	if !st.Consistent() {
		return true
	}
	polls, over := 0, false
	st.SetInterrupt(func() bool {
		polls++
		over = over || polls > maxUniqueSearch/256
		return over
	})
	return !st.Satisfiable(inputs) && !st.Interrupted()
}

// mostEarlier is how many sums are looked at together.
const mostEarlier = 1 << 12

// earlier adds the rows that define variables of some sums, those that define variables of these, and so on; and rows of a kind that may be needed.
func (d *definitions) earlier(sums []model.Sum, kind func(*row) bool) []model.Sum {
	seen := map[int]bool{}
	for k := 0; k < min(len(sums), mostEarlier); k++ {
		for _, t := range sums[k].Terms {
			for _, i := range d.using[t.Lit.Var()] {
				w := &d.r.rows[i]
				if !seen[i] && w.neuron == nil && (slices.Contains(d.rows[t.Lit.Var()], i) || kind(w)) {
					seen[i] = true
					sums = append(sums, w.sum)
				}
			}
		}
	}
	return sums
}

// uniqueSum reports whether one of the rows is an equation in which the subsets
// of set all have different sums.
func (d *definitions) uniqueSum(set []int32, rows []int) bool {
	for _, i := range rows {
		s := &d.r.rows[i].sum
		if s.Op != factored.EQ {
			continue
		}
		var coefs []int64
		for _, t := range s.Terms {
			if slices.Contains(set, t.Lit.Var()) {
				coefs = append(coefs, t.Coef)
			}
		}
		slices.Sort(coefs)
		var sum int64
		super := len(coefs) == len(set)
		for _, c := range coefs {
			super = super && c > sum
			sum += c
		}
		if super {
			return true
		}
	}
	return false
}

// without is a sum with one variable at a value, 1 or -1.
func without(s model.Sum, v int32, value int8) model.Sum {
	out := model.Sum{Op: s.Op, K: s.K}
	for _, t := range s.Terms {
		switch {
		case t.Lit.Var() != v:
			out.Terms = append(out.Terms, t)
		case (t.Lit > 0) == (value > 0):
			out.K -= t.Coef
		}
	}
	return out
}

// contradict reports whether two of the sums, added up, say that a negative
// number is not negative.
func contradict(sums []model.Sum) bool {
	for i := range sums {
		for j := range i {
			if opposed(&sums[i], &sums[j]) || opposed(&sums[j], &sums[i]) {
				return true
			}
		}
	}
	return false
}

// opposed reports whether a says that a sum is more than b allows.
func opposed(a, b *model.Sum) bool {
	if a.Op == factored.LE || b.Op == factored.GE || len(a.Terms) != len(b.Terms) {
		return false
	}
	same := map[model.Lit]int64{}
	for _, t := range a.Terms {
		same[t.Lit] = t.Coef
	}
	for _, t := range b.Terms {
		if same[t.Lit] != t.Coef {
			return false
		}
	}
	return a.K > b.K
}
