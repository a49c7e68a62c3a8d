package structure

import (
	"context"
	"sync"

	"github.com/fdplan/fdplan/internal/learn/integers"
	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/internal/routine"
)

// Kind says how an output was described.
type Kind string

// The kinds.
const (
	ByTable    Kind = "table"    // a tree over a chosen set of inputs
	BySum      Kind = "sum"      // a bit of an integer that is a sum of weighted inputs
	ByTree     Kind = "tree"     // a tree over all inputs
	ByContexts Kind = "contexts" // a tree over contexts; see package outcome
	ByRules    Kind = "rules"    // rules over features; see package rules
	ByCount    Kind = "count"    // how many of some literals hold
	ByForm     Kind = "integer"  // a bit of a function of whole integers; see package integers
	ByDense    Kind = "dense"    // a layer of trained units over a chosen set of inputs

	byRows Kind = "rows" // as ByTable, the rows alone deciding about values that none has
)

// Output is what was found about an output bit.
type Output struct {
	Kind   Kind
	Inputs []int // that the function reads, in increasing order
	// Tree is the function, nil if Sum or Form is.
	Tree *Tree
	Sum  *rules.Sum
	// Form has the function as its bit of weight 2^Bit, of kind ByForm; nil elsewhere.
	Form *integers.Expr
	Bit  int
	// Cells counts the joint values of Inputs that rows have, of 2^len(Inputs).
	Cells int
	// Wrong counts the rows whose output is not that of the function, of Rows.
	Wrong, Rows int
	// Held counts the wrong ones of the rows that were held out.
	Held    int
	Verdict Verdict
	// Alike counts the other outputs that a symmetry gives the same function, learned from the
	// rows of all of them.
	Alike int
	// Open reports that rows do not have all the joint values that may occur; the function's
	// description decides there.
	Open bool
	// Literals counts the conditions of the description: those of the units of a sum, of the
	// conjunctions that a tree was made from, or those on the ways to its leaves of one value.
	Literals int
	// Alternatives are other sets of inputs that explain the output about as well.
	Alternatives [][]int
	// Spared is by how many bits a description with exceptions, at most one in twenty rows, is
	// shorter than the inputs of a function without any; 0 where it is not.
	Spared float64
}

// Eval returns the value of the function for a packed row of inputs.
func (o *Output) Eval(in []uint64) bool {
	switch {
	case o.Form != nil:
		return o.Form.Eval(in)>>o.Bit&1 == 1
	case o.Sum != nil:
		return o.Sum.Eval(in)
	}
	return o.Tree.Eval(in)
}

// Structure is what was found about all outputs.
type Structure struct {
	Outputs []Output
	// Noisy reports that the shorter description did better on the rows held out
	// than the one without a wrong row.
	Noisy bool
}

// Predict sets the bits of out, which are 0, to the outputs for a packed row of inputs.
func (s *Structure) Predict(out, in []uint64) {
	for i := range s.Outputs {
		if s.Outputs[i].Eval(in) {
			out[i/64] |= 1 << (i % 64)
		}
	}
}

// Options say how to learn.
type Options struct {
	Seed    uint64
	Threads int // 0 for 1
	// Complete says that the rows are all that there can be: nothing is held out,
	// and values that no row has do not matter.
	Complete bool
	// Alternatives asks for other sets of inputs that explain an output as well.
	Alternatives bool
	// Sums allows functions that are not trees: rules and counts.
	Sums bool
	// Dense trains units on some inputs, where neither a table nor anything else does well; nil
	// for none. It returns nil if that fails.
	Dense func(ctx context.Context, s *rules.Sample, inputs []int) *rules.Sum
	// Memo keeps what was learned, nil for none. With the same checkpoint an interrupted run ends with
	// the same result as one that was not.
	Memo *Checkpoint
	// Progress is called from one goroutine at a time, with the work done in
	// 0..1; nil for none.
	Progress func(done float64)
	// Learned is called from one goroutine at a time, when the inputs and the function of
	// another output are found, with how many are and the number of all; nil for none.
	Learned func(done, of int)
}

// Learn finds the inputs and the function of each output. Close must have been
// called on t. The result is the same on any number of threads. An error is that
// of ctx.
func Learn(ctx context.Context, t *Table, o Options) (*Structure, error) {
	l := &learner{ctx: ctx, t: t, o: o, x: newXlog2(t.Rows())}
	all := t.all()
	st := &Structure{Outputs: make([]Output, t.Outputs)}
	folds := l.folds(all)
	l.total = 5 * t.Outputs
	err := l.explain(all, folds)
	if err != nil {
		return nil, err
	}
	if l.byChance, err = l.chance(all); err != nil {
		return nil, err
	}
	kinds := make([]Kind, t.Outputs)
	with := make([]*shared, t.Outputs)
	if len(folds) > 0 {
		if err := l.judge(folds, st, kinds, with); err != nil {
			return nil, err
		}
	}
	together, err := l.together(all, st.Noisy, with)
	if err != nil {
		return nil, err
	}
	err = l.each(t.Outputs, func(o int) {
		out := &st.Outputs[o]
		held := out.Held
		if found := together[o]; found != nil {
			*out = *found
		} else {
			*out = l.final(o, all, st.Noisy, kinds[o])
		}
		out.Held = held
		known := l.t.known(all, o)
		if out.Verdict = l.t.judge(o, out); l.left(o) {
			out.Verdict = Chance
		}
		if out.Verdict == Exact && !l.o.Complete && out.Form == nil {
			s := l.searchFor(o, all)
			s.noise = -1
			if short := s.shortest(s.path(false, true)); 20*short.errors <= len(known) {
				out.Spared = max(0, l.choice(o, known, out.Inputs).score-short.score)
			}
		}
		if l.o.Alternatives && !l.o.Complete {
			out.Alternatives = l.alternatives(o, known, st.Noisy, out.Inputs)
		}
		l.tell()
	})
	if err != nil {
		return nil, err
	}
	return st, nil
}

type learner struct {
	ctx   context.Context
	t     *Table
	o     Options
	x     xlog2
	mu    sync.Mutex // of done
	done  int
	total int

	learned  int     // outputs that are learned, under mu
	byChance []bool  // by output, whether inputs do not tell its value; nil for none
	noise    float64 // see search; 0 where rows are not noisy

	forms  map[string]*form // by integer and rows, under mu
	pooled []*pooledForm    // by output, nil for none and those with a function of their own
	whole  []whole          // by output, how well a function of whole integers does; nil for none

	screening sync.Mutex // of screens
	screens   []*screen  // of the lists of rows that outputs were screened on
}

// each does f for 0..n-1, on several threads.
func (l *learner) each(n int, f func(i int)) error {
	return routine.Each(l.ctx, l.o.Threads, n, func(i int) {
		f(i)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.done++; l.o.Progress != nil {
			l.o.Progress(min(1, float64(l.done)/float64(l.total)))
		}
	})
}

// tell reports that another output is learned.
func (l *learner) tell() {
	if l.o.Learned == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.learned++
	l.o.Learned(l.learned, l.t.Outputs)
}

const (
	// wide is how many inputs a table may have before a tree over all inputs is tried beside
	// it.
	wide = 8
	// seldom is of how many rows held out one may be wrong by a function of integers that no other kind does better than: it may
	// have a limit that only that row shows.
	seldom = 500
	// badly is the part of the rows held out that must be wrong by all other kinds, beyond what
	// noise makes, before units are trained.
	badly = 0.05
)

// learn describes an output on some rows.
func (l *learner) learn(o int, rows []int32, short bool, kind Kind) Output {
	return l.describe(l.searchFor(o, rows), short, kind)
}

// final describes an output on all rows by the kind of function that was chosen for it. Rows that were held out then may be exceptions to a
// function of integers that explained all others: where none can be, that is not taken.
func (l *learner) final(o int, all []int32, short bool, kind Kind) Output {
	out := l.learn(o, all, short, kind)
	if kind == ByForm && out.Wrong > 0 && !short && !l.t.Contradictory {
		if table := l.learn(o, all, short, ByTable); table.Wrong < out.Wrong {
			return table
		}
	}
	return out
}

// searchFor is a search for the inputs of an output on the rows of which it is known.
func (l *learner) searchFor(o int, rows []int32) *search {
	s := &search{x: l.x, left: l.left(o)}
	if l.t.screens() {
		s.t, s.to = l.screenOf(rows).narrow(o)
		s.rows, s.pairs = s.t.all(), true
		return s
	}
	s.t, s.rows, s.out = l.t, l.t.known(rows, o), o
	return s
}

// choice tells how well inputs explain an output.
func (l *learner) choice(o int, known []int32, inputs []int) choice {
	return (&search{t: l.t, rows: known, out: o}).choice(inputs)
}

// describe finds a function of one kind.
func (l *learner) describe(s *search, short bool, kind Kind) Output {
	if kind == ByForm {
		return l.find(s, short, kind) // it depends on other outputs than the memo's key has
	}
	f := l.remembered(s.t, s.rows, s.out, func() *Found {
		out := l.find(s, short, kind)
		return &Found{Output: &out}
	}, kind, short)
	if s.to == nil {
		return *f.Output
	}
	out, named := *f.Output, f.Output.moved(Permutation{Inputs: s.to})
	out.Tree, out.Sum, out.Form, out.Inputs = named.Tree, named.Sum, named.Form, named.Inputs
	return out
}

func (l *learner) find(s *search, short bool, kind Kind) Output {
	rows := s.rows
	if s.noise = 0; short {
		s.noise = l.noise
	}
	out := Output{Kind: kind, Rows: len(rows)}
	if s.left {
		kind, out.Kind, out.Tree = ByTable, ByTable, s.constant()
	}
	switch kind {
	case ByTree:
		out.Tree = s.growAll(short)
	case ByForm:
		width := 0
		if out.Form, out.Bit, width = l.form(s, short); out.Form != nil {
			out.Literals = max(1, out.Form.Size()/width)
		}
	case ByRules:
		out.Sum = rules.Learn(l.ctx, s.sampleOf())
	case ByDense:
		out.Sum = l.o.Dense(l.ctx, s.sampleOf(), s.telling())
	case ByCount:
		out.Sum = rules.Count(l.ctx, s.sampleOf(), s.consistent().inputs)
	}
	if out.Sum != nil {
		if out.Inputs = out.Sum.Inputs(); len(out.Inputs) > MaxInputs {
			out.Sum = nil
		}
	}
	if out.Form != nil {
		out.Inputs = out.Form.Inputs()
	}
	if out.Sum == nil && out.Tree == nil && out.Form == nil {
		out.Kind = ByTable
		c := s.consistent
		if short {
			c = s.short
		}
		inputs := c().inputs
		if out.Tree = s.grow(rows, inputs, true, false); kind != byRows && !short && !l.o.Complete && l.t.Missing == 0 {
			s.complete(&out, inputs)
		}
	}
	if out.Tree != nil {
		out.Inputs = out.Tree.Inputs()
	}
	if out.Literals == 0 {
		out.Literals = out.literals()
	}
	out.Cells, _ = s.t.cells(rows, s.out, out.Inputs)
	_, out.Wrong = s.t.wrong(&out, s.out, rows)
	return out
}
