package coverage

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/structure"
)

// Class says which functions an output may have: all that agree with the rows and depend on at
// most K variables.
type Class struct {
	// K is 0 of an output that is supported nowhere, and Variables of one whose class is all
	// functions.
	K int
	// Fit is the least number of variables on which rows with equal values agree.
	Fit int
	// Rate bounds the share of rows whose value is in error; 0 where rows are free of it.
	Rate float64
}

// doubtful is how many bits a description with exceptions may spare of an output that needs more
// than LeastK variables.
const doubtful = 10

// mostSets bounds the least consistent sets of variables of an output.
const mostSets = 32

// SupportOf finds where all functions of an output's class have the same value. The class has
// functions of at most K variables: K is LeastK or, if that is more, one more than the rows need.
// Where the cases are too many to list, only the rows are supported.
func SupportOf(t *structure.Table, st *structure.Structure) *Support {
	out := &Support{Inputs: t.Inputs, Outputs: t.Outputs, Tables: make([][]Table, t.Outputs), Classes: make([]Class, t.Outputs)}
	s := newSpace(t)
	if s == nil {
		return out
	}
	out.Variables = len(s.vars)
	for _, v := range s.vars {
		if v.apart {
			out.Unseen = append(out.Unseen, pairsOf(v.bits)...)
		}
	}
	slices.SortStableFunc(out.Unseen, func(a, b [3]Literal) int { return slices.Compare(a[:], b[:]) })
	b := &spaceBuilder{s: s, out: out, known: map[setKey]int{}}
	b.addAll(st)
	out.Except = slices.DeleteFunc(out.Except, func(e Exception) bool { return len(e.Outputs) == 0 })
	return out
}

// addAll finds where outputs are supported, those with errors first: where there are some, a log
// may have others that no row shows. An output that nothing tells has errors, and is not left to chance, if
// it has no more of them than others have.
func (b *spaceBuilder) addAll(st *structure.Structure) {
	var constant []int
	most := 0.0 // rate of errors
	for i := range st.Outputs {
		if o := &st.Outputs[i]; o.Verdict == structure.Noise || o.Verdict == structure.Hidden || o.Verdict == structure.Chance {
			if b.addNoisy(i, o, 0) {
				constant = append(constant, i)
			}
			most = max(most, b.out.Classes[i].Rate)
		}
	}
	for _, i := range constant {
		b.addNoisy(i, &st.Outputs[i], most)
	}
	for i := range st.Outputs {
		switch o := &st.Outputs[i]; {
		case o.Verdict == structure.Exact && most > 0:
			b.addNoisy(i, o, most)
		case o.Verdict == structure.Exact:
			b.add(i, o)
		}
	}
}

// pairsOf lists the pairs of bits that are true together.
func pairsOf(bits []int) (pairs [][3]Literal) {
	for i, a := range bits {
		for _, b := range bits[i+1:] {
			pairs = append(pairs, [3]Literal{2*a + 1, 2*b + 1, 2*b + 1})
		}
	}
	return pairs
}

type spaceBuilder struct {
	s     *space
	out   *Support
	known map[setKey]int // the place of exceptions, where all rows count; -1 for too many
}

type setKey struct {
	set   mask
	extra int
}

// add finds where an output is supported.
func (b *spaceBuilder) add(output int, o *structure.Output) {
	s, out := b.s, b.out
	f := s.newFinder(output)
	fit := f.fit()
	if (fit < 0 || fit > LeastK) && o.Spared > doubtful {
		b.addNoisy(output, o, 0) // so many variables may only set single rows apart that are in error
		return
	}
	if fit < 0 || !b.byClass(f, output, o, fit) {
		if out.Tables[output] = b.ofRows(output); out.Tables[output] != nil {
			out.Classes[output] = Class{K: len(s.vars), Fit: max(0, fit)}
		}
	}
}

// byClass makes the tables and exceptions of an output; false where they are too many.
func (b *spaceBuilder) byClass(f *finder, output int, o *structure.Output, fit int) bool {
	s, out := b.s, b.out
	k := min(len(s.vars), max(LeastK, fit+marginK))
	sets, ok := f.sets(k, mostSets)
	if !ok {
		return false
	}
	settled := settledBy{margin: 1, pure: true}
	tables := []Table{settled.table(s.t, output, o.Inputs, o.Eval)}
	var except []int
	for _, set := range sets {
		inputs := s.bits(set.List())
		if len(inputs) > structure.MaxInputs {
			return false
		}
		if !slices.Equal(inputs, o.Inputs) {
			tables = append(tables, settled.table(s.t, output, inputs, nil))
		}
		at, ok := b.exceptions(f, set, k-set.Count())
		if !ok {
			return false
		}
		if at >= 0 {
			except = append(except, at)
		}
	}
	out.Tables[output], out.Classes[output] = tables, Class{K: k, Fit: fit}
	for _, at := range except {
		out.Except[at].Outputs = append(out.Except[at].Outputs, output)
	}
	return true
}

// exceptions returns the place of the exceptions of a set; -1 where there are none.
func (b *spaceBuilder) exceptions(f *finder, set mask, extra int) (at int, ok bool) {
	all := len(f.rows) == len(b.s.rows)
	key := setKey{set, extra}
	if at, ok := b.known[key]; all && ok {
		return at, at >= -1
	}
	cubes, ok := b.s.exceptions(f.rows, set, extra, nil)
	switch at = -1; {
	case !ok:
		at = -2
	case len(cubes) > 0:
		at = len(b.out.Except)
		b.out.Except = append(b.out.Except, Exception{Cubes: cubes})
	}
	if all {
		b.known[key] = at
	}
	return at, ok
}

// ofRows is a table over all inputs whose cells are the rows; nil where that is too much.
func (b *spaceBuilder) ofRows(output int) []Table {
	const most = 1 << 20 // bits
	t := b.s.t
	if t.Inputs > structure.MaxInputs || t.Inputs*len(b.s.rows) > most {
		return nil
	}
	inputs := integer.Below[int](t.Inputs)
	return []Table{settledBy{margin: 1, pure: true}.table(t, output, inputs, nil)}
}

// Class names the functions that agree with all rows and have the supported values.
func (s *Support) Class() string {
	if s.Classes == nil {
		return "the functions found, and others of as few inputs"
	}
	k, more := s.K()
	class := fmt.Sprintf("functions of at most %d of %d variables", k, s.Variables)
	switch {
	case !slices.ContainsFunc(s.Classes, func(c Class) bool { return c.K > 0 }):
		return "no class of functions fits the rows"
	case k >= s.Variables:
		class = fmt.Sprintf("all functions of the %d variables", s.Variables)
	case len(more) > 0:
		class += ", or of one more than the rows need"
	}
	if rate, _ := s.Errors(); rate > 0 {
		class += fmt.Sprintf("; errors in at most %s of the rows", Percent(rate))
	}
	return class
}

// Free lists the outputs that are asked for and supported somewhere, and whose rows have no error.
func (s *Support) Free() (outputs []int) {
	for o, c := range s.Classes {
		if s.Asks(o) && c.K > 0 && c.Rate == 0 {
			outputs = append(outputs, o)
		}
	}
	return outputs
}

// Errors is the largest share of rows that may be in error of the outputs that are asked for, and
// lists those with errors.
func (s *Support) Errors() (rate float64, outputs []int) {
	for o, c := range s.Classes {
		if s.Asks(o) && c.Rate > 0 {
			rate, outputs = max(rate, c.Rate), append(outputs, o)
		}
	}
	return rate, outputs
}

// Percent is a share in per cent, rounded up.
func Percent(share float64) string {
	return strconv.FormatFloat(math.Ceil(1000*share)/10, 'g', -1, 64) + " %"
}

// K is the least number of variables that functions may have of the outputs that are asked for
// and supported somewhere, the number of all variables if there is none. more lists the outputs
// whose functions may have more.
func (s *Support) K() (k int, more []int) {
	k = s.Variables
	for o, c := range s.Classes {
		if s.Asks(o) && c.K > 0 {
			k = min(k, c.K)
		}
	}
	for o, c := range s.Classes {
		if s.Asks(o) && c.K > k {
			more = append(more, o)
		}
	}
	return k, more
}
