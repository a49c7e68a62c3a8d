package learn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/reward"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// RewardLine is the reward of a step as it was learned from the rows.
type RewardLine struct {
	Reward string `json:"reward"` // as an expression
	Exact  bool   `json:"exact"`  // it is right on all rows but the wrong ones
	load.RewardRows
	// WrongLines lists the lines of the wrong rows, of very many the first; null if it is not
	// exact.
	WrongLines []int32 `json:"wrong_lines"`
	// Contradictory lists the lines of rows with the states and action of another and another
	// reward, of very many the first.
	Contradictory []int32 `json:"contradictory_lines"`
	// Held is how a reward does that was learned from the first rows alone on the last fifth;
	// absent of few rows, and if it is not exact.
	Held *HeldReward `json:"held_out,omitempty"`
	// Undecided are conditions that the rows do not tell from others: the reward is paid where
	// both hold.
	Undecided []string `json:"undecided,omitempty"`
}

// HeldReward counts rows that a reward was not learned from.
type HeldReward struct {
	Rows  int `json:"rows"`
	Wrong int `json:"wrong"`
}

const (
	heldShare  = 0.8   // of the rows before those that are held out
	heldLeast  = 50    // rows of which some are held out
	mostLines  = 10000 // in a list
	mostMissed = 10    // examples
)

// learnReward learns the reward of a step, if the data have rewards and the task gives none
// or it is asked for; nil otherwise.
func learnReward(ctx context.Context, p *load.Problem, from []train.Source, t Training) (*RewardLine, error) {
	own := p.Declared != nil && p.Declared.Reward != ""
	if t.LearnReward && own {
		return nil, fmt.Errorf("the task gives a reward already: %s; expected none there with --learn-reward", p.Declared.Reward)
	}
	if own || p.Declared == nil && !t.LearnReward {
		return nil, nil
	}
	rows := rewarded(from, 0, 1)
	switch {
	case rows.rows == 0 && t.LearnReward:
		return nil, fmt.Errorf("the data have no column reward with numbers; expected one with --learn-reward")
	case rows.rows == 0:
		return nil, nil
	}
	f, err := fitReward(ctx, p.Problem, rows, t.Config.Seed)
	if err != nil {
		return nil, err
	}
	l := &RewardLine{Reward: f.table.Text(f.Function), Exact: f.Exact, Contradictory: []int32{}}
	l.RewardRows = load.RewardRows{Rows: rows.rows, Floor: rows.other(), Error: f.Error}
	for _, m := range f.Terms {
		if len(m.With) > 0 {
			l.Undecided = append(l.Undecided, f.table.Text(&reward.Function{Terms: []reward.Term{{Cases: [][]int{m.With}, Weight: 1}}}))
		}
	}
	if !f.Exact {
		l.Error = rows.meanError(f.given)
	}
	l.tell(rows, f.given)
	if f.Exact && rows.rows >= heldLeast {
		l.Held, err = heldReward(ctx, p.Problem, from, t.Config.Seed)
	}
	return l, err
}

// mostWrong is the share of rewards up to which those that a function does not give are wrong records. More are drawn, as it were, and a function is to
// give their mean.
const mostWrong = .04

// mostLevels is how many different rewards conditions are to say exactly, at most.
const mostLevels = 50

// rewardFit is a function of rows.
type rewardFit struct {
	*reward.Function
	table *reward.Table // that it is of
	atoms []rewardAtom  // of the table
	given []float64     // the reward that it gives each group
}

// fitReward learns a function of rows, of very many on a part.
func fitReward(ctx context.Context, p *factored.Problem, x *rewardRows, seed uint64) (*rewardFit, error) {
	atoms := rewardAtoms(p, x.sources[0].Data.Schema)
	curves, err := x.curves(ctx, p, atoms, seed)
	if err != nil {
		return nil, err
	}
	plain := slices.Clip(atoms)
	atoms = append(plain, curves...)
	groups := x.draw(seed)
	most := mostWrong * float64(x.rows)
	most += 1 + 2*math.Sqrt(most) // by chance
	fit := func(atoms []rewardAtom, means bool) (*rewardFit, error) {
		table := x.table(atoms, groups, nil, means)
		f, err := reward.Learn(ctx, table, seed)
		if err != nil {
			return nil, err
		}
		y := &rewardFit{Function: f, table: table, atoms: atoms}
		if f.Exact || means { // else it is not wanted
			y.given = x.given(atoms, f)
		}
		return y, nil
	}
	lists := [][]rewardAtom{atoms}
	if len(curves) > 0 && x.different(mostLevels) {
		lists = append(lists, plain) // conditions alone may say exactly what products come near to
	}
	for _, list := range lists {
		if float64(x.other()) > most {
			break
		}
		f, err := fit(list, false)
		if err != nil {
			return nil, err
		}
		if f.Exact && float64(x.unlike(f.given)) <= most {
			return f, x.correct(ctx, f, len(plain), groups)
		}
	}
	return fit(atoms, true)
}

// mostWays bounds the ways in which rewards differ from a function that are told apart.
const mostWays = 8

// correct adds to an exact function what rows have more on average, where the same states and action yield one reward or another by chance. Its first atoms
// are plain ones.
func (x *rewardRows) correct(ctx context.Context, f *rewardFit, plain int, groups []int) error {
	if !x.chance() {
		return nil
	}
	ways := map[float64]int{}
	all := make([]reward.Tally, len(x.groups))
	x.each(func(r *rewardRow) {
		of, way := &all[r.group], 0
		if of.Counts == nil {
			of.Counts = make([]int, mostWays)
		}
		if more := r.reward - f.given[r.group]; !reward.Same(r.reward, f.given[r.group]) {
			if ways[more] == 0 {
				ways[more] = min(len(ways)+1, mostWays-1)
			}
			way = ways[more]
			of.Sum += more
		}
		of.Counts[way]++
	})
	tallies := make([]reward.Tally, len(groups))
	for i, g := range groups {
		tallies[i] = all[g]
	}
	more, err := x.table(f.atoms[:plain], groups, nil, true).Correct(ctx, tallies)
	if err != nil {
		return err
	}
	f.Terms, f.Constant, f.Exact = append(f.Terms, more.Terms...), f.Constant+more.Constant, false
	f.given = x.given(f.atoms, f.Function)
	return nil
}

// meanError is the mean absolute difference of the rows' rewards from what each group is given.
func (x *rewardRows) meanError(given []float64) (mean float64) {
	x.each(func(r *rewardRow) { mean += math.Abs(given[r.group]-r.reward) / float64(x.rows) })
	return mean
}

// unlike counts the rows with another reward than what each group is given.
func (x *rewardRows) unlike(given []float64) (n int) {
	x.each(func(r *rewardRow) {
		if !reward.Same(given[r.group], r.reward) {
			n++
		}
	})
	return n
}

// heldReward learns from the first rows of each source and counts the wrong ones of the others.
func heldReward(ctx context.Context, p *factored.Problem, from []train.Source, seed uint64) (*HeldReward, error) {
	first, last := rewarded(from, 0, heldShare), rewarded(from, heldShare, 1)
	if first.rows == 0 || last.rows == 0 {
		return nil, nil
	}
	f, err := fitReward(ctx, p, first, seed)
	if err != nil {
		return nil, err
	}
	return &HeldReward{Rows: last.rows, Wrong: last.unlike(last.given(f.atoms, f.Function))}, nil
}

// tell records the rows with another reward than what each group is given.
func (l *RewardLine) tell(x *rewardRows, given []float64) {
	wrong := []int32{}
	l.Missed = []load.MissedReward{}
	n, missed := 0, map[float64]int{}
	x.each(func(r *rewardRow) {
		if g := &x.groups[r.group]; r.reward != g.reward && len(l.Contradictory) < mostLines {
			l.Contradictory = append(l.Contradictory, x.line(r))
		}
		if !l.Exact || reward.Same(given[r.group], r.reward) {
			return
		}
		n++
		if len(wrong) < mostLines {
			wrong = append(wrong, x.line(r))
		}
		// One of each missed reward first.
		if missed[r.reward]++; len(l.Missed) < mostMissed && missed[r.reward] == 1 {
			l.Missed = append(l.Missed, load.MissedReward{Line: x.line(r), Reward: r.reward, Learned: given[r.group]})
		}
	})
	slices.Sort(l.Contradictory)
	if !l.Exact {
		return
	}
	slices.Sort(wrong)
	sort.SliceStable(l.Missed, func(i, j int) bool { return missed[l.Missed[i].Reward] > missed[l.Missed[j].Reward] })
	l.Wrong, l.WrongLines = &n, wrong
}

// String is the line as text.
func (l *RewardLine) String() string {
	if !l.Exact {
		return fmt.Sprintf("%s; no sum gives all rewards exactly, the mean error is %.4g", l.Reward, l.Error)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s; ", l.Reward)
	if l.Held != nil {
		fmt.Fprintf(&b, "%d of %d held-out rows and ", l.Held.Wrong, l.Held.Rows)
	}
	fmt.Fprintf(&b, "%d of %d rows have another", *l.Wrong, l.Rows)
	if *l.Wrong > 0 {
		fmt.Fprintf(&b, " (%s)%s", someLines(l.WrongLines, *l.Wrong), l.Examples())
	}
	if l.Floor > 0 {
		fmt.Fprintf(&b, "; floor %d: other rows with the same states and action contradict %s", l.Floor, someLines(l.Contradictory, l.Floor))
	}
	for _, u := range l.Undecided {
		fmt.Fprintf(&b, "; the rows do not tell whether %s or the action is paid: both are needed", u)
	}
	return b.String()
}

func someLines(lines []int32, of int) string {
	const most = 10
	var b strings.Builder
	b.WriteString("line")
	if of > 1 {
		b.WriteByte('s')
	}
	b.WriteByte(' ')
	for i, n := range lines[:min(most, len(lines))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	if of > most {
		b.WriteString(", …")
	}
	return b.String()
}
