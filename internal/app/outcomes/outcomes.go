// Package outcomes implements the part of training that finds what can happen and how often, where state
// and action do not determine the next state.
package outcomes

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// Line is what was found about outputs whose next value the state and action do not determine in the rows.
type Line struct {
	// Reading is "chance", "recording errors", or "undecided" where the rows do not tell them apart.
	Reading string   `json:"reading"`
	Fluents []string `json:"fluents"`
	// Rows deviate from the most likely outcome. Of those that tell, the next step follows what was recorded, as
	// after chance, or what was predicted, as after a wrong record.
	Deviations  int  `json:"deviations"`
	Recorded    int  `json:"recorded"`
	Predicted   int  `json:"predicted"`
	Consecutive bool `json:"consecutive"`
	// Most is the largest number of next states that one state and action have in the rows.
	Most     int             `json:"most_next_states"`
	Groups   [][]string      `json:"groups"` // fluents that are random together; absent if none are
	Contexts int             `json:"contexts"`
	Noise    float64         `json:"noise"`    // the largest share of wrong records of a fluent
	HeldOut  *outcome.Judged `json:"held_out"` // on the rows held out, of a model learned without them; null if none were

	groups  []chance.Group // with chance
	sure    []chance.Group // one outcome in each context: functions with wrong records
	without *chance.Model  // both, learned without the rows held out
	predict measure.Predict
}

// Judged is how what is drawn does on rows.
type Judged = outcome.Judged

// The readings.
const (
	readChance    = "chance"
	readErrors    = "recording errors"
	readUndecided = "undecided"
)

// mostErrors is the share of deviations that must be wrong records for all of them to be: a random
// step that is taken back looks like one, too.
const mostErrors = .8

// Request says what to look at.
type Request struct {
	Rows  []train.Source
	Noise float64               // the share of wrong cells that the rows are known to have; 0 if it is not known
	Held  func(*train.Row) bool // the rows held out; nil for none
	// Predict is what was learned without these rows. It is compared with outcomes that were.
	Predict measure.Predict
}

// Find finds what the rows say about outputs that state and action do not determine, and makes their functions
// in a structure those of the most likely outcomes. It is nil if they determine all of them.
func Find(ctx context.Context, p *load.Problem, r Request, t *structure.Table, st *structure.Structure) (*Line, error) {
	x, err := newChanceRows(p, r.Rows)
	if err != nil || len(x.open) == 0 {
		return nil, err
	}
	line, err := x.learn(ctx, nil, r.Noise)
	if err != nil {
		return nil, err
	}
	line.Most = x.most
	if r.Held != nil && r.Predict != nil {
		if err := x.holdOut(ctx, line, &r); err != nil {
			return nil, err
		}
	}
	if err := line.replace(p.Problem, t, st); err != nil {
		return nil, err
	}
	for i := range line.groups {
		g := &line.groups[i]
		line.Groups = append(line.Groups, x.names(g))
		line.Contexts += len(g.Contexts)
	}
	for _, g := range slices.Concat(line.groups, line.sure) {
		line.Fluents = append(line.Fluents, x.names(&g)...)
		for _, n := range g.Noise {
			line.Noise = max(line.Noise, n.Rate())
		}
	}
	if len(line.Fluents) == 0 {
		return nil, nil
	}
	return line, nil
}

// Judge measures what is drawn beside a network on the complete rows of data sets.
func Judge(p *factored.Problem, m *chance.Model, net *bnn.Network, from []train.Source) (*Judged, error) {
	j, t := outcome.NewJudge(m), chance.NewTransition(p, net, m, nil)
	err := train.EachRow(p, func(r *train.Row) {
		if r.InKnown == nil && len(r.Outside) == 0 {
			j.Add(valuesOf(p, r.Now), t.Predict(r.Now), valuesOf(p, r.Next))
		}
	}, from...)
	return j.Judged(), err
}

// mostRows bounds the rows that are looked at: of more, some are.
const mostRows = 1 << 18

// chanceRows are the complete rows of data sets, as values of variables.
type chanceRows struct {
	p       *load.Problem
	outputs []int // the variables that are learned
	open    []int // those of them that the rows do not determine
	most    int   // different next states of one state and action
	now     [][]int64
	next    [][]int64
	begins  []bool
	row     []train.Row // source and index of each
}

func newChanceRows(p *load.Problem, from []train.Source) (*chanceRows, error) {
	x := &chanceRows{p: p}
	last := train.Row{Source: -1}
	rows := 0
	for _, s := range from {
		rows += s.Data.Rows
	}
	share := max(1, rows/mostRows)
	err := train.EachRow(p.Problem, func(r *train.Row) {
		if r.InKnown != nil || len(r.Outside) > 0 || share > 1 && r.Index%(100*share) >= 100 {
			return
		}
		begins := r.Source != last.Source || r.Index != last.Index+1 || isBegin(from[r.Source].Data.Begins, r.Index)
		last = train.Row{Source: r.Source, Index: r.Index}
		x.now, x.next = append(x.now, valuesOf(p.Problem, r.Now)), append(x.next, valuesOf(p.Problem, r.Next))
		x.begins, x.row = append(x.begins, begins), append(x.row, last)
	}, from...)
	if err != nil {
		return nil, err
	}
	isOutput := map[factored.Bit]bool{}
	for _, b := range p.Problem.Outputs {
		isOutput[b] = true
	}
	for i := range p.Problem.Variables {
		if isOutput[p.Problem.Variables[i].First] {
			x.outputs = append(x.outputs, i)
		}
	}
	x.findOpen()
	return x, nil
}

func isBegin(begins []int32, row int) bool {
	_, found := slices.BinarySearch(begins, int32(row))
	return found
}

func valuesOf(p *factored.Problem, val factored.Valuation) []int64 {
	values := make([]int64, len(p.Variables))
	for i := range values {
		values[i] = p.Variables[i].Value(val)
	}
	return values
}

// findOpen finds the outputs that have different values after one state and action.
func (x *chanceRows) findOpen() {
	first, different := map[string]int{}, map[string]map[string]bool{}
	open := map[int]bool{}
	for r := range x.now {
		key := fmt.Sprint(x.now[r])
		k, ok := first[key]
		if !ok {
			first[key] = r
			different[key] = map[string]bool{}
		} else {
			for _, v := range x.outputs {
				open[v] = open[v] || x.next[r][v] != x.next[k][v]
			}
		}
		different[key][fmt.Sprint(x.next[r])] = true
		x.most = max(x.most, len(different[key]))
	}
	for _, v := range x.outputs {
		if open[v] {
			x.open = append(x.open, v)
		}
	}
}

// learn describes the open outputs from the rows for which keep holds, nil for all.
func (x *chanceRows) learn(ctx context.Context, keep func(*train.Row) bool, noise float64) (*Line, error) {
	s := outcome.NewSource(x.p.Problem, x.outputs)
	for r := range x.now {
		if keep == nil || keep(&x.row[r]) {
			s.Add(x.now[r], x.next[r], x.begins[r])
		}
	}
	var all, open []int
	for i := range s.Outputs {
		all = append(all, i)
		if slices.Contains(x.open, s.Variable(i)) {
			open = append(open, i)
		}
	}
	line := &Line{Reading: readUndecided}
	sure, err := outcome.Learn(ctx, &s.Table, all, outcome.Options{Determined: true, Noise: noise})
	if err != nil {
		return nil, err
	}
	read := outcome.Read(&s.Table, sure)
	line.Deviations, line.Recorded, line.Predicted, line.Consecutive = read.Deviations, read.Recorded, read.Predicted, read.Consecutive
	groups := sure
	switch errors := read.Decided() && read.Errors() >= mostErrors; {
	case errors:
		line.Reading = readErrors
		if groups, err = confirm(ctx, s, sure, all, read); err != nil {
			return nil, err
		}
	default:
		if read.Decided() {
			line.Reading = readChance
		}
		if groups, err = outcome.Learn(ctx, &s.Table, open, outcome.Options{Noise: noise}); err != nil {
			return nil, err
		}
	}
	for _, g := range groups {
		if !slices.ContainsFunc(g.Outputs, func(o int) bool { return slices.Contains(open, o) }) {
			continue
		}
		c, err := s.Chance(g)
		if err != nil {
			return nil, err
		}
		if g.Random() {
			line.groups = append(line.groups, *c)
		} else {
			line.sure = append(line.sure, *c)
		}
	}
	return line, nil
}

// confirm learns functions again without the rows whose state was recorded wrongly, if there are such.
func confirm(ctx context.Context, s *outcome.Source, groups []*outcome.Group, all []int, read *outcome.Reading) ([]*outcome.Group, error) {
	const times = 2
	if 10*read.Recorded <= read.Predicted {
		return groups, nil // only next states are wrong
	}
	for range times {
		rows := s.Confirmed(groups)
		if 4*rows.Rows() < s.Rows() {
			break
		}
		var err error
		if groups, err = outcome.Learn(ctx, rows, all, outcome.Options{Determined: true}); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// names lists the fluents of a group.
func (x *chanceRows) names(g *chance.Group) (names []string) {
	for _, v := range g.Outputs {
		names = append(names, x.p.Problem.Variables[v].Name)
	}
	return names
}

// holdOut learns without the rows held out, measures that, and drops from a line the groups that
// the prediction without them, with a share of exceptions, describes better.
func (x *chanceRows) holdOut(ctx context.Context, line *Line, q *Request) error {
	without, err := x.learn(ctx, func(r *train.Row) bool { return !q.Held(r) }, q.Noise)
	if err != nil {
		return err
	}
	f := x.p.Problem
	all, _, _, err := chance.New(f, slices.Concat(without.groups, without.sure))
	if err != nil {
		return err
	}
	drawn, _, _, err := chance.New(f, without.groups)
	if err != nil {
		return err
	}
	line.without, line.predict = all, q.Predict
	judge := outcome.NewJudge(drawn)
	rows, bits, wrong := 0, map[int]float64{}, map[int]int{} // by variable, the first of a group
	predict := predictor(f, q.Predict)
	for r := range x.now {
		if !q.Held(&x.row[r]) {
			continue
		}
		rows++
		judge.Add(x.now[r], nil, x.next[r])
		for i := range all.Groups {
			g := &all.Groups[i]
			bits[g.Outputs[0]] += math.Log2(max(g.Probability(x.now[r], nil, x.next[r]), 1e-300))
		}
		predicted := predict(x.now[r])
		for _, v := range x.open {
			if predicted[v] != x.next[r][v] {
				wrong[v]++
			}
		}
	}
	// A function with exceptions that is about as good is kept as it is: more is known of it.
	gain := func(g chance.Group) float64 {
		mine, theirs := 0.0, 0.0
		for _, v := range g.Outputs {
			at := slices.IndexFunc(all.Groups, func(h chance.Group) bool { return slices.Contains(h.Outputs, v) })
			if at < 0 {
				return math.Inf(-1)
			}
			if slices.Index(all.Groups[at].Outputs, v) == 0 {
				mine += bits[v]
			}
			theirs += exceptions(wrong[v], rows, f.Variables[v].Hi-f.Variables[v].Lo)
		}
		return mine - theirs
	}
	const least = 12 // bits that are no accident
	worse := func(g chance.Group) bool { return gain(g) < least }
	line.groups, line.sure = slices.DeleteFunc(line.groups, worse), slices.DeleteFunc(line.sure, worse)
	if len(line.groups) > 0 && len(without.groups) > 0 {
		line.HeldOut = judge.Judged()
	}
	return nil
}

// exceptions are the bits of rows some of which have another value than predicted, one of so many.
func exceptions(wrong, rows int, others int64) float64 {
	rate := (float64(wrong) + .5) / (float64(rows) + 1)
	return float64(rows-wrong)*math.Log2(1-rate) + float64(wrong)*math.Log2(rate/float64(max(1, others)))
}

// predictor returns a prediction as a function of values.
func predictor(f *factored.Problem, predict measure.Predict) func(now []int64) []int64 {
	in, out := make([]uint64, bnn.Words(len(f.Inputs))), make([]uint64, bnn.Words(len(f.Outputs)))
	val := make(factored.Valuation, f.NumBits())
	return func(now []int64) []int64 {
		for i := range f.Variables {
			if v := &f.Variables[i]; v.Set(val, now[i]) != nil {
				continue // an auxiliary variable
			}
		}
		clear(in)
		clear(out)
		for i, b := range f.Inputs {
			if val[b] {
				in[i/64] |= 1 << (i % 64)
			}
		}
		predict(out, in)
		for i, b := range f.Outputs {
			val[b] = out[i/64]>>(i%64)&1 == 1
		}
		return valuesOf(f, val)
	}
}

// Predict is the prediction learned without the rows held out: the most likely outcomes, and what was given for the
// other outputs. It is nil if none were held out.
func (l *Line) Predict(f *factored.Problem) measure.Predict {
	if l.without == nil {
		return nil
	}
	drawn := map[int]bool{}
	for _, g := range slices.Concat(l.groups, l.sure) {
		for _, v := range g.Outputs {
			drawn[v] = slices.Contains(l.without.Outputs(), v)
		}
	}
	val := make(factored.Valuation, f.NumBits())
	return func(out, in []uint64) {
		l.predict(out, in)
		for i, b := range f.Inputs {
			val[b] = in[i/64]>>(i%64)&1 == 1
		}
		now := valuesOf(f, val)
		next := slices.Clone(now)
		l.without.Likely(next, now, nil)
		for i, b := range f.Outputs {
			v, k := f.Owner(b)
			if at := indexOf(f, v); drawn[at] {
				out[i/64] &^= 1 << (i % 64)
				if next[at]>>(v.Width-1-k)&1 == 1 {
					out[i/64] |= 1 << (i % 64)
				}
			}
		}
	}
}

// replace makes the functions of a structure those of the most likely outcomes. It drops groups that
// depend on too many bits for that.
func (l *Line) replace(p *factored.Problem, t *structure.Table, st *structure.Structure) error {
	var err error
	use := func(groups []chance.Group, verdict structure.Verdict) (kept []chance.Group) {
		for _, g := range groups {
			trees, ok, failed := treesOf(p, g)
			if failed != nil {
				err = failed
			}
			if !ok {
				continue
			}
			kept = append(kept, g)
			for o, tree := range trees {
				out := &st.Outputs[o]
				*out = structure.Output{Kind: structure.ByTree, Tree: tree, Inputs: tree.Inputs(), Verdict: verdict, Rows: t.Rows(), Held: out.Held, Literals: tree.Leaves()}
				for r := range t.Rows() {
					if tree.Eval(t.Input(r)) != t.Output(r, o) {
						out.Wrong++
					}
				}
			}
		}
		return kept
	}
	l.groups = use(l.groups, structure.Drawn)
	l.sure = use(l.sure, structure.Noise)
	return err
}

// mostTabled bounds the bits that the most likely outcomes of a group may depend on.
const mostTabled = 20

// treesOf returns, by output bit, the most likely next value as a tree; ok is false if it depends on too many bits.
func treesOf(p *factored.Problem, g chance.Group) (trees map[int]*structure.Tree, ok bool, err error) {
	m, _, _, err := chance.New(p, []chance.Group{g})
	if err != nil {
		return nil, false, err
	}
	var bits []factored.Bit
	var inputs []int
	reads := m.Groups[0].Reads()
	// What the contexts ask for first, so that a tree branches on them.
	slices.SortStableFunc(reads, func(a, b int) int { return drawnBy(g, a) - drawnBy(g, b) })
	for _, v := range reads {
		for i := range p.Variables[v].Width {
			b := p.Variables[v].First + factored.Bit(i)
			bits, inputs = append(bits, b), append(inputs, slices.Index(p.Inputs, b))
		}
	}
	if len(bits) > mostTabled || slices.Contains(inputs, -1) || m.Groups[0].Predicts() {
		return nil, false, nil
	}
	val := make(factored.Valuation, p.NumBits())
	next := make(factored.Valuation, p.NumBits())
	values := make([]int64, len(p.Variables))
	leaves := make([][]structure.Tree, len(p.Outputs))
	for cell := range 1 << len(bits) {
		free := false
		for i, b := range bits {
			val[b] = cell>>(len(bits)-1-i)&1 == 1
		}
		for _, v := range reads {
			values[v] = p.Variables[v].Value(val)
			free = free || values[v] < p.Variables[v].Lo || values[v] > p.Variables[v].Hi
		}
		if !free {
			m.Likely(values, values, nil)
			for _, v := range g.Outputs {
				if err := p.Variables[v].Set(next, values[v]); err != nil {
					return nil, false, err
				}
			}
		}
		for o, b := range p.Outputs {
			if v, _ := p.Owner(b); slices.Contains(g.Outputs, indexOf(p, v)) {
				leaves[o] = append(leaves[o], structure.Tree{Free: free, Value: next[b]})
			}
		}
	}
	trees = map[int]*structure.Tree{}
	for o := range leaves {
		if leaves[o] != nil {
			trees[o] = treeOf(leaves[o], inputs)
		}
	}
	return trees, true, nil
}

// drawnBy is 1 for a variable that a group draws, else 0.
func drawnBy(g chance.Group, v int) int {
	if slices.Contains(g.Outputs, v) {
		return 1
	}
	return 0
}

func indexOf(p *factored.Problem, v *factored.Variable) int {
	return slices.IndexFunc(p.Variables, func(w factored.Variable) bool { return w.First == v.First })
}

// treeOf makes a tree from its values, the first input being the most significant.
func treeOf(leaves []structure.Tree, inputs []int) *structure.Tree {
	if len(inputs) == 0 {
		return &leaves[0]
	}
	half := len(leaves) / 2
	zero, one := treeOf(leaves[:half], inputs[1:]), treeOf(leaves[half:], inputs[1:])
	switch {
	case zero.Zero == nil && zero.Free:
		return one
	case one.Zero == nil && one.Free:
		return zero
	case zero.Zero == nil && one.Zero == nil && zero.Value == one.Value:
		return zero
	}
	return &structure.Tree{Input: inputs[0], Zero: zero, One: one}
}

// Meta is what a network's file says of it.
func (l *Line) Meta(p *factored.Problem) (meta [][2]string, err error) {
	m, _, _, err := chance.New(p, l.groups)
	if err != nil || len(l.groups) == 0 {
		return nil, err
	}
	for _, line := range m.Lines() {
		meta = append(meta, [2]string{load.MetaChance, line})
	}
	return meta, nil
}

// String says which readings fit the rows.
func (l *Line) String() string {
	var b strings.Builder
	names := listed(l.Fluents)
	fmt.Fprintf(&b, "the same state and action lead to up to %d next states (%s): ", l.Most, names)
	tells := fmt.Sprintf("where a row deviates from the most likely outcome, %d following steps continue from what was recorded and %d from what was predicted", l.Recorded, l.Predicted)
	switch l.Reading {
	case readErrors:
		fmt.Fprintf(&b, "recording errors, not chance: %s; up to %.2g %% of the values of a fluent are taken as wrong", tells, 100*l.Noise)
	case readChance:
		fmt.Fprintf(&b, "if the log is right this is chance, or something that is not recorded: %s", tells)
	default:
		why := "these rows are not consecutive, so they cannot tell"
		if l.Consecutive {
			why = "too few deviating rows are followed by one that tells"
		}
		fmt.Fprintf(&b, "chance, recording errors, or something that is not recorded: %s (--noise RATE states the share of wrong cells)", why)
	}
	if len(l.groups) > 0 {
		fmt.Fprintf(&b, "\nchance: %d %s drawn in %d contexts; what was never seen is not impossible", len(l.groups), map[bool]string{true: "group of fluents is", false: "groups of fluents are"}[len(l.groups) == 1], l.Contexts)
	}
	if l.HeldOut != nil {
		fmt.Fprintf(&b, "\nchance, held-out rows: log-likelihood %.3f bits a row; %s", l.HeldOut.Bits, l.HeldOut.Said())
	}
	return b.String()
}

// listed joins names, of many the first few.
func listed(names []string) string {
	const most = 5
	text := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		text += ", …"
	}
	return text
}
