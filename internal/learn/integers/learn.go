package integers

import (
	"context"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/rules"
)

const (
	mostRules    = 24 // of a list
	hopeful      = 6  // rules that must explain half of the rows, and of which one must shorten the list
	mostTests    = 4  // of a rule
	mostTried    = 32 // expressions for a rule
	mostWrong    = 5  // a fifth of the rows may be exceptions
	afresh       = 4  // times that rows which a function misses join the sample
	fewest       = 20
	wanted       = 3   // times the bits of an exception that a list without any may take for it
	worthTelling = 0.9 // of the bits of a list of all values
)

// Learn finds a function of whole integers for a sample, and counts the rows that it misses. It is nil if there is
// none that is shorter than the values themselves, or if ctx ends. Of many rows some are looked at, and
// those that the function misses then.
func Learn(ctx context.Context, s *Sample) (e *Expr, wrong int) {
	if len(s.Out) < fewest {
		return nil, 0
	}
	step := (len(s.Out) + sampled - 1) / sampled
	var rows []int32
	for r := 0; r < len(s.Out); r += step {
		rows = append(rows, int32(r))
	}
	for range afresh {
		e = newLearner(ctx, s, rows).shortest()
		if e == nil || ctx.Err() != nil {
			return nil, 0
		}
		var missed []int32
		for r, in := range s.In {
			if e.Eval(in) != s.Out[r] {
				missed = append(missed, int32(r))
			}
		}
		wrong = len(missed)
		if missed = without(missed, rows); len(missed) == 0 || len(missed) > len(rows)/16 {
			break
		}
		rows = append(rows, missed[:min(len(missed), sampled/8)]...)
	}
	if wrong > len(s.Out)/mostWrong {
		return nil, 0
	}
	e = e.pruned(s, wrong)
	if s.Least < s.Most {
		e = e.Within(s.Least, s.Most)
	}
	for _, set := range s.Sets {
		if OneOf(set, slices.Values(s.In)) {
			e.distribute(set)
		}
	}
	return e, wrong
}

// pruned is a list without the rules that it does as well without: cases of later ones.
func (e *Expr) pruned(s *Sample, wrong int) *Expr {
	if e.Op != If {
		return e
	}
	var rules []*Expr
	for ; e.Op == If; e = e.Args[len(e.Args)-1] {
		rules = append(rules, e)
	}
	join := func(rules []*Expr) *Expr {
		all := e
		for _, r := range slices.Backward(rules) {
			all = &Expr{Op: If, Args: append(slices.Clone(r.Args[:len(r.Args)-1]), all)}
		}
		return all
	}
	for i := 0; i < len(rules); {
		others := slices.Delete(slices.Clone(rules), i, i+1)
		if join(others).misses(s, wrong) <= wrong {
			rules = others
		} else {
			i++
		}
	}
	return join(rules)
}

// misses counts the rows that have another value, as long as they are at most so many.
func (e *Expr) misses(s *Sample, most int) (n int) {
	for r, in := range s.In {
		if n <= most && e.Eval(in) != s.Out[r] {
			n++
		}
	}
	return n
}

// mostMembers is the most inputs of a set that a constant is distributed to.
const mostMembers = 8

// OneOf reports whether each of some packed rows has one input of a set of few.
func OneOf(set []int, rows iter.Seq[[]uint64]) bool {
	if len(set) > mostMembers {
		return false
	}
	for in := range rows {
		n := 0
		for _, b := range set {
			n += int(in[b/64] >> (b % 64) & 1)
		}
		if n != 1 {
			return false
		}
	}
	return true
}

// distribute writes the sums that read some of a set, of which each row has one, as sums over the set without a constant: the same in
// all rows, and where none of the set holds nothing is added.
func (e *Expr) distribute(set []int) {
	e.walk(func(x *Expr) {
		of := func(a *Expr) bool {
			return a.Op == Var && len(a.Variable.Bits) == 1 && slices.Contains(set, a.Variable.Bits[0])
		}
		if x.Op != Sum || x.Constant == 0 || !slices.ContainsFunc(x.Args, of) {
			return
		}
		was := *x
		x.Args, x.Weights, x.Constant = nil, nil, 0
		add := func(a *Expr, w int) {
			if w != 0 {
				x.Args, x.Weights = append(x.Args, a), append(x.Weights, w)
			}
		}
		more := make([]int, len(set))
		for i, a := range was.Args {
			if of(a) {
				more[slices.Index(set, a.Variable.Bits[0])] += was.Weights[i]
			} else {
				add(a, was.Weights[i])
			}
		}
		for i, b := range set {
			add(&Expr{Op: Var, Variable: &Variable{Bits: []int{b}}}, was.Constant+more[i])
		}
	})
}

// without lists the rows that are not among others.
func without(rows, others []int32) []int32 {
	has := make(map[int32]bool, len(others))
	for _, r := range others {
		has[r] = true
	}
	return slices.DeleteFunc(rows, func(r int32) bool { return has[r] })
}

// learner looks for a function on some rows of a sample, which it numbers from 0.
type learner struct {
	ctx      context.Context
	y        []int32
	features []feature
	tests    float64 // bits of a comparison beside the name of its feature
	forms    float64 // and of the constant of an expression
	entropy  float64 // bits of a value
	impure   int     // rows explained that outweigh one that a rule contradicts
	exact    bool    // a list without exceptions is preferred
	boolean  bool    // the values are 0 and 1: those of Booleans and their negations
	base     *form   // what most of all rows do
	beside   bool    // rules stand beside the base: what it explains does not count for them
	weights  []int32 // scratch, of rules: what each row counts
	worth    []int   // by value of a feature, from the least one
	seen     []bool
}

func newLearner(ctx context.Context, s *Sample, rows []int32) *learner {
	l := &learner{ctx: ctx, features: features(s, rows)}
	counts := map[int32]int{}
	for _, r := range rows {
		l.y = append(l.y, int32(s.Out[r]))
		counts[int32(s.Out[r])]++
	}
	for _, n := range slices.Sorted(maps.Values(counts)) {
		p := float64(n) / float64(len(rows))
		l.entropy -= p * math.Log2(p)
	}
	l.forms = math.Log2(float64(len(counts) + 1))
	const comparisons = 3 // bits to say which
	l.tests, l.exact, l.boolean = comparisons, !s.Exceptions, s.Boolean
	return l
}

// form is an expression that gives the values of some rows.
type form struct {
	expr  *Expr
	right []bool // by row, whether it gives its value
	count int    // of them among the rows left
	bits  float64
}

// rule is a form where all its tests hold.
type rule struct {
	tests []*Expr
	form  *form
	bits  float64
}

// shortest is the shortest one of several lists: of rules that may contradict some rows, and of rules that must not where
// no exceptions are allowed; each of rules that count by all the rows they explain, and by those that what most rows do
// does not.
func (l *learner) shortest() (best *Expr) {
	const (
		some  = 8
		chose = 8 // bits by which a list of the second kind must be shorter
	)
	rows := integer.Below[int32](len(l.y))
	forms := l.fit(rows, rows)
	if len(forms) == 0 {
		return nil
	}
	l.base = &forms[0]
	least, wrong := math.Inf(1), 0
	take := func(exact bool) {
		for _, l.beside = range []bool{false, true} {
			e, bits, exceptions := l.learn(slices.Clone(rows), forms)
			if l.beside {
				bits += chose
			}
			if e != nil && (best == nil || exact && !l.beside && exceptions == 0 && wrong > 0 || bits < least && (!exact || exceptions == 0)) {
				best, least, wrong = e, bits, exceptions
			}
		}
	}
	l.impure = some
	if take(false); l.exact && (best == nil || wrong > 0) {
		l.impure = sampled
		take(true)
	}
	return best
}

// learn finds the decision list of the shortest description, of so many bits and exceptions. forms are the expressions for all rows, which are
// left at first; it may reorder left.
func (l *learner) learn(left []int32, forms []form) (best *Expr, least float64, exceptions int) {
	var rules []rule
	least = math.Inf(1)
	spent, wrong := 0.0, 0
	shorter := 0 // rules of the shortest list
	for l.ctx.Err() == nil {
		rest, count := l.rest(forms, left)
		if l.beside && 2*count < len(left) {
			break
		}
		missed := wrong + len(left) - count
		if total := spent + rest.bits + l.listed(missed); total < least || l.exact && missed == 0 {
			least, best, exceptions, shorter = total, list(rules, rest.expr), missed, len(rules)
		}
		if count == len(left) || len(rules) == mostRules || len(rules) == shorter+hopeful ||
			!l.beside && len(rules) == hopeful && 2*len(left) > len(l.y) {
			break
		}
		exception := l.listed(missed) / float64(max(1, missed))
		if l.exact && l.impure == sampled {
			exception *= wanted
		}
		if l.beside {
			forms = l.rare(left)
		}
		next, after, against := l.rule(left, forms, exception)
		if next == nil {
			break
		}
		rules = append(rules, *next)
		spent, wrong, left = spent+next.bits, wrong+against, after
		if len(left) == 0 {
			if total := spent + l.listed(wrong); total < least {
				least, best, exceptions = total, list(rules[:len(rules)-1], next.form.expr), wrong
			}
			break
		}
		if !l.beside {
			forms = l.fit(left, left)
		}
	}
	if least > worthTelling*l.entropy*float64(len(l.y)) {
		return nil, least, 0
	}
	return best, least, exceptions
}

// rest is the expression for the rows that are left, and how many of them it is right for: the first of some for them, or what most of
// all rows do where rules stand beside that, or where there is none.
func (l *learner) rest(forms []form, left []int32) (rest *form, count int) {
	if !l.beside && len(forms) > 0 {
		return &forms[0], forms[0].count
	}
	for _, r := range left {
		if l.base.right[r] {
			count++
		}
	}
	return l.base, count
}

// listed is the bits of a list of exceptions: which rows, and their values.
func (l *learner) listed(n int) float64 {
	return rules.Log2Choose(len(l.y), n) + float64(n)*l.forms
}

// list writes rules and what holds where none does.
func list(rules []rule, rest *Expr) *Expr {
	for _, r := range slices.Backward(rules) {
		rest = &Expr{Op: If, Args: slices.Concat(r.tests, []*Expr{r.form.expr, rest})}
	}
	return rest
}

// rare lists the expressions that give the values of most of the rows that the base misses: of all rows, what few of them follow
// explains too little to be among the best.
func (l *learner) rare(rows []int32) []form {
	missed := slices.DeleteFunc(slices.Clone(rows), func(r int32) bool { return l.base.right[r] })
	if len(missed) < worth {
		return nil
	}
	return l.fit(missed, rows)
}

// fit lists the expressions that give the values of most of some rows, the best first, and which of all rows left they are
// right for.
func (l *learner) fit(rows, left []int32) []form {
	f := newFitter(l, rows, left)
	f.feature(&feature{expr: constant(0), col: make([]int32, len(l.y))})
	for i := range l.features {
		if l.ctx.Err() != nil {
			return nil
		}
		if x := &l.features[i]; !l.boolean || x.boolean() {
			f.feature(x)
		}
	}
	if !l.boolean {
		f.extend()
	}
	return f.found
}
