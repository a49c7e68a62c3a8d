package structure

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// fold is a division into rows to learn from and rows held out.
type fold struct{ rows, held []int32 }

// folds draws the divisions: one tenth is held out, three times where rows are not
// many, and of few rows each once.
func (l *learner) folds(all []int32) []fold {
	const few, some, least = 300, 5000, 10
	if l.o.Complete || len(all) < least {
		return nil
	}
	order := slices.Clone(all)
	rng := rand.New(rand.NewPCG(l.o.Seed, 0x5f01d))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	parts, used := 10, 1
	switch {
	case l.t.screens() && len(all) < few:
		parts, used = 5, 2
	case len(all) < few:
		parts, used = 5, 5
	case len(all) < some:
		used = 3
	}
	var folds []fold
	for k := range used {
		from, to := k*len(order)/parts, (k+1)*len(order)/parts
		f := fold{held: slices.Clone(order[from:to]), rows: slices.Concat(order[:from], order[to:])}
		slices.Sort(f.rows)
		slices.Sort(f.held)
		folds = append(folds, f)
	}
	return folds
}

// judge learns without the rows held out and decides, by the wrong bits there,
// between the consistent and the short sets of inputs for all outputs, and
// between the kinds of functions for each. Outputs that are learned with others are marked.
func (l *learner) judge(folds []fold, st *Structure, kinds []Kind, with []*shared) error {
	if err := l.chooseMode(folds, st); err != nil {
		return err
	}
	wrong := make([][][]bool, l.t.Outputs) // by output and fold, the rows held out
	exact, err := l.judgeKinds(folds, st, kinds, with, wrong)
	if err != nil {
		return err
	}
	if st.Noisy && exact && !l.t.Contradictory {
		// What looked like noise is none: a function of many objects explains all of it.
		st.Noisy, l.noise = false, 0
		clear(kinds)
		clear(with)
		if _, err := l.judgeKinds(folds, st, kinds, with, wrong); err != nil {
			return err
		}
	}
	return nil
}

// judgeKinds decides between the kinds of functions, for outputs by themselves and then for those
// that a symmetry makes alike. wrong is filled by output and fold with the rows held out; exact
// is that of judgeShared.
func (l *learner) judgeKinds(folds []fold, st *Structure, kinds []Kind, with []*shared, wrong [][][]bool) (exact bool, err error) {
	err = l.each(l.t.Outputs, func(o int) {
		table, n := l.heldOut(o, folds, st.Noisy, ByTable)
		wrong[o] = table.wrong
		size := table.literals
		for _, kind := range l.others(o, n, st.Noisy, &table) {
			if kind == ByDense && float64(n) < (badly+2*l.noise)*float64(heldRows(folds)) {
				continue
			}
			other, m := l.heldOut(o, folds, st.Noisy, kind)
			if (kind == ByDense || kind == ByForm && !st.Noisy && !l.t.Contradictory && other.errors > 0) && float64(m) >= float64(n)-2*math.Sqrt(float64(n)) {
				continue // it may be wrong on the rows learned from, too
			}
			// Of kinds that are as good the smaller one is taken.
			if m < n || m == n && other.literals < size {
				wrong[o], kinds[o], n, size = other.wrong, kind, m, other.literals
				table.open = table.open && kind != ByForm
			}
			if kinds[o] == ByForm && l.whole[o] == exactly && seldom*n <= heldRows(folds) {
				break
			}
		}
		st.Outputs[o].Held, st.Outputs[o].Literals = n, size/len(folds)
		st.Outputs[o].Open = table.open && table.inputs > wide
	})
	if err != nil {
		return false, err
	}
	l.agreeOnForms(folds, st, kinds, wrong)
	return l.judgeShared(folds, st, wrong, with)
}

// chooseMode decides whether the rows are noisy. Of many outputs some are asked.
func (l *learner) chooseMode(folds []fold, st *Structure) error {
	const (
		most = 12
		few  = 1500 // rows: with more the sets of inputs suffice to tell
	)
	outputs := l.determined()
	step := max(1, (len(outputs)+most-1)/most)
	// Wrong bits of the consistent and the short sets, and of the rules where these do better
	// than the consistent sets.
	var asked [3]int
	bits := 0 // that there are
	var mu sync.Mutex
	err := l.each(len(outputs), func(i int) {
		if i%step != 0 {
			return
		}
		o := outputs[i]
		if l.whole != nil && l.whole[o] == exactly {
			return // it is no noise that tables do not explain
		}
		var n [3]int
		for mode := range 2 {
			_, n[mode] = l.heldOut(o, folds, mode == 1, byRows)
		}
		if n[2] = n[0]; l.o.Sums && n[0] > n[1] && len(folds[0].rows) < few && !l.t.Contradictory {
			_, m := l.heldOut(o, folds, false, ByRules)
			n[2] = min(n[2], m)
		}
		mu.Lock()
		defer mu.Unlock()
		for mode := range asked {
			asked[mode] += n[mode]
		}
		bits += heldRows(folds)
	})
	// Where exceptions are rare, a difference that chance may have made is no sign
	// of noise: the rows may be rare cases as well.
	const rare = 0.02
	margin := 0.0
	if float64(asked[1]) < rare*float64(bits) {
		margin = 1 + 2*math.Sqrt(float64(asked[2]))
	}
	if err != nil || float64(asked[2]-asked[1]) <= margin || l.repeatable(float64(asked[1])/float64(max(1, bits))) {
		return err
	}
	st.Noisy = true
	return l.measureNoise(folds[0].rows)
}

// repeatable reports whether rows that were seen again would have contradicted each other
// if so many of their bits were wrong by chance, and none did.
func (l *learner) repeatable(rate float64) bool {
	const expected = 5 // contradictions: the odds of none are below one to a hundred
	return !l.t.Contradictory && l.t.Missing == 0 && rate*float64(l.t.Repeated*l.t.Outputs) >= expected
}

// measureNoise takes the lower quartile of the shares of exceptions that single
// gains leave as what noise makes, with room for outputs that have more of it than
// others. Of few outputs nothing is said: all of them may need more than single gains.
func (l *learner) measureNoise(rows []int32) error {
	const few = 8
	outputs := l.determined()
	if len(outputs) < few {
		return nil
	}
	shares := make([]float64, len(outputs))
	err := l.each(len(outputs), func(i int) {
		o := outputs[i]
		s := l.searchFor(o, rows)
		s.noise = -1
		shares[i] = float64(s.short().errors) / float64(max(1, len(s.rows)))
	})
	slices.Sort(shares)
	l.noise = 2.5*shares[len(shares)/4] + 0.002
	return err
}

// trial is what was learned without the rows held out.
type trial struct {
	inputs   int      // most of all folds
	literals int      // of all folds together
	errors   int      // rows learned from that are wrong, of all folds together
	open     bool     // on some fold
	wrong    [][]bool // by fold, the rows held out
}

// heldOut learns an output on each fold, and counts the wrong rows held out.
func (l *learner) heldOut(o int, folds []fold, short bool, kind Kind) (t trial, n int) {
	for _, f := range folds {
		out := l.learn(o, f.rows, short, kind)
		wrong, m := l.t.wrong(&out, o, f.held)
		t.inputs, t.wrong, n = max(t.inputs, len(out.Inputs)), append(t.wrong, wrong), n+m
		t.errors += out.Wrong
		t.literals, t.open = t.literals+out.Literals, t.open || out.Open
	}
	return t, n
}

// heldRows counts the rows held out of all folds.
func heldRows(folds []fold) (n int) {
	for _, f := range folds {
		n += len(f.held)
	}
	return n
}

// wrong marks the rows in which an output is wrong. Rows in which one of its inputs
// is unknown say nothing.
func (t *Table) wrong(out *Output, o int, rows []int32) (wrong []bool, n int) {
	wrong = make([]bool, len(rows))
	for i, r := range rows {
		if t.Knows(int(r), o) && !t.filled(r, out.Inputs) && out.Eval(t.Input(int(r))) != t.Output(int(r), o) {
			wrong[i] = true
			n++
		}
	}
	return wrong, n
}
