package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/learn/lift"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/synthesis"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Recipe names a way to learn a network.
type Recipe string

// The recipes.
const (
	// RecipeStructure finds the inputs of each output first and then builds an
	// exact network; see packages structure and synthesis.
	RecipeStructure Recipe = "structure"
	// RecipeDense trains all weights by gradients; see package train.
	RecipeDense Recipe = "dense"
)

// shrinkEffort is how long a network is made smaller without a time limit, in millions of words;
// see synthesis.Options. With one the rest of the time is used.
const shrinkEffort = 1000

// contextEffort takes its place where contexts give functions: on six logs, efforts of 25 and 60 gave networks within 1 % of the edges.
const contextEffort = 50

// afterShrinking is the part of a time limit that is kept for what follows.
const afterShrinking = time.Second

// learnStructure learns a network by RecipeStructure. When ctx ends while the
// network is made smaller, the one so far is the answer, and says so.
func learnStructure(ctx context.Context, p *load.Problem, sources []train.Source, t Training) (*Trained, error) {
	rows, err := Examples(p, sources)
	if err != nil {
		return nil, err
	}
	share := shareOf(sources, rows)
	table, incomplete, err := tableOf(p, sources, share, nil)
	if err != nil {
		return nil, err
	}
	complete, err := isComplete(ctx, p, rows, table)
	if err != nil {
		return nil, err
	}
	so := structure.Options{
		Seed: t.Config.Seed, Threads: app.Threads(t.Config.Threads), Complete: complete, Sums: true, Progress: t.step("structure"), Learned: t.Output,
		Dense: train.Units(t.Config.Seed),
	}
	st, err := findStructure(ctx, table, so, t)
	if err != nil {
		return nil, err
	}
	so.Progress = t.step("structure without the rows held out")
	h, held, predict, err := holdOut(ctx, p, sources, share, so)
	if err != nil {
		return nil, err
	}
	so.Learned = nil
	line, held, predict, err := findOutcomes(ctx, p, sources, t.Noise, table, st, so, h, held, predict)
	if err != nil {
		return nil, err
	}
	drift, err := findDrift(ctx, p, sources, st)
	if err != nil {
		return nil, err
	}
	whole, functions := p, line.Defined()
	if functions != nil {
		if p, rows, table, st, err = restOf(functions, p, sources, share, rows, table, st); err != nil {
			return nil, err
		}
	}
	out, err := built(ctx, p, rows, table, st, complete, t, sources, h, held)
	if err != nil {
		return nil, err
	}
	out.Incomplete, out.Found.Drift, out.predict = incomplete, drift, predict
	if share < 1 {
		out.Drawn = table.Rows()
	}
	if functions != nil {
		if err := out.setFunctions(whole, functions, sources); err != nil {
			return nil, err
		}
	}
	return out, out.addChance(whole, line)
}

// built is the outcome of building the network of a structure.
func built(ctx context.Context, p *load.Problem, rows *train.Examples, table *structure.Table, st *structure.Structure, complete bool, t Training, sources []train.Source, h *holding, held *ErrorLine) (*Trained, error) {
	if len(st.Outputs) == 0 {
		out := withoutNetwork(p, rows.Total()+rows.Conflicts.Dropped)
		out.Unique, out.Contradictory, out.Errors = rows.Rows(), rows.Conflicts.Inputs, Errors{Train: &ErrorLine{Measure: &measure.Measure{}}, HeldOut: held, Refitted: held != nil}
		out.heldOut(h)
		return out, nil
	}
	net, err := synthesize(ctx, p, synthesis.Describe(table, st, complete), t, effortOf(st), t.step("network"))
	if err != nil {
		return nil, err
	}
	out, err := structured(ctx, p, rows, st, net, t, sources, h, held)
	if err != nil {
		return nil, err
	}
	legal, err := cover(ctx, p, out.file, rows, rows, sources)
	if err == nil && !(legal && complete) {
		support(out, table, st)
	}
	return out, err
}

// withoutNetwork is the outcome for a problem all of whose learned states have functions.
func withoutNetwork(p *load.Problem, rows int) *Trained {
	out := &Trained{Schema: app.Schema, Recipe: RecipeStructure, Problem: p.Problem.Name, Rows: rows, Found: &Found{}, file: &bnn.File{Network: &bnn.Network{}}}
	out.file.Meta = [][2]string{{"problem", p.Problem.Name}, {"transitions", fmt.Sprint(rows)}, {"recipe", string(RecipeStructure)}}
	return out
}

// restOf is the problem of the outputs that functions leave to a network, with its rows and their structure.
func restOf(f *load.Functions, p *load.Problem, sources []train.Source, share float64, rows *train.Examples, table *structure.Table, st *structure.Structure) (*load.Problem, *train.Examples, *structure.Table, *structure.Structure, error) {
	defined := p.Problem.Clone()
	if err := f.Define("", defined); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("%w: %w", app.ErrInternal, err)
	}
	rest := *p
	rest.Problem = p.Problem.Clone()
	rest.Problem.Outputs = defined.Outputs
	left := *st
	left.Outputs = nil
	for o, b := range p.Problem.Outputs {
		if slices.Contains(defined.Outputs, b) {
			left.Outputs = append(left.Outputs, st.Outputs[o])
		}
	}
	if len(left.Outputs) == 0 {
		return &rest, rows, table, &left, nil
	}
	rows, err := Examples(&rest, sources)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	table, _, err = tableOf(&rest, sources, share, nil)
	return &rest, rows, table, &left, err
}

// setFunctions sets the functions that give next values beside a network or, with the rows that it would have recorded, in place of one.
func (t *Trained) setFunctions(p *load.Problem, f *load.Functions, from []train.Source) error {
	t.functions = f
	if _, err := t.measureWith(p, f, from); err != nil || len(t.file.Network.Layers) > 0 {
		return err
	}
	seen, err := recordApart(p, from)
	if err == nil {
		t.file.Meta = append(t.file.Meta, load.RecordLines(seen.Fit(func(out, in []uint64) {}))...)
	}
	return err
}

// measureWith measures functions and a network together on all rows, and returns how many rows have an empty cell.
func (t *Trained) measureWith(p *load.Problem, f *load.Functions, from []train.Source) (incomplete int, err error) {
	whole, predict, rows, err := outcomes.Whole(p, f, predictionOf(t.file.Network), from)
	if err != nil {
		return 0, err
	}
	c, incomplete, err := countErrors(whole, predict, nil, rows)
	t.On(lineOf(whole, c))
	return incomplete, err
}

// predictionOf is that of a network; nil for one without layers, beside which functions give all next values.
func predictionOf(net *bnn.Network) measure.Predict {
	if len(net.Layers) == 0 {
		return nil
	}
	return measure.Network(net)
}

// findOutcomes finds what can happen where the rows do not determine the next state. It returns the error
// on the rows held out, and what is predicted there, as they are then.
func findOutcomes(ctx context.Context, p *load.Problem, from []train.Source, noise float64, t *structure.Table, st *structure.Structure, o structure.Options, h *holding, held *ErrorLine, predict measure.Predict) (*outcomes.Line, *ErrorLine, measure.Predict, error) {
	if !t.Contradictory {
		both, err := outcomes.Shorten(ctx, p, outcomes.Request{Rows: from, Held: h.held, Predict: predict}, o.Threads, t, st)
		if err != nil || both == nil {
			return nil, held, predict, err
		}
		c, _, err := countErrors(p, both, h.held, from)
		if err != nil {
			return nil, nil, nil, err
		}
		return nil, lineOf(p, c), both, nil
	}
	o.Progress = nil
	relearn := func(ctx context.Context, now, next [][]int64) (*structure.Structure, error) {
		rows, err := tableOfValues(p, now, next)
		if err != nil {
			return nil, err
		}
		return structure.Learn(ctx, rows, o)
	}
	line, err := outcomes.Find(ctx, p, outcomes.Request{Rows: from, Noise: noise, Held: h.held, Predict: predict, Threads: o.Threads, Relearn: relearn}, t, st)
	if err != nil || line == nil {
		return nil, held, predict, err
	}
	if both := line.Predict(p.Problem); both != nil {
		c, _, err := countErrors(p, both, h.held, from)
		if err != nil {
			return nil, nil, nil, err
		}
		held, predict = lineOf(p, c), both
	}
	return line, held, predict, nil
}

// addChance takes what can happen into the outcome and the network's file.
func (t *Trained) addChance(p *load.Problem, line *outcomes.Line) error {
	if line == nil {
		return nil
	}
	meta, err := line.Meta(p.Problem)
	t.Chance, t.file.Meta = line, append(t.file.Meta, meta...)
	return err
}

// effortOf is how long the network of a structure is made smaller.
func effortOf(st *structure.Structure) int {
	if slices.ContainsFunc(st.Outputs, func(o structure.Output) bool { return o.Kind == structure.ByContexts }) {
		return contextEffort
	}
	return shrinkEffort
}

// synthesize builds the network of functions and makes it smaller.
func synthesize(ctx context.Context, p *load.Problem, functions []synthesis.Function, t Training, effort int, report func(float64)) (*bnn.Network, error) {
	o := synthesis.Options{Seed: t.Config.Seed, Threads: app.Threads(t.Config.Threads), Effort: effort}
	if report != nil {
		o.Progress = func(done float64, _ int) { report(done) }
	}
	if end, ok := ctx.Deadline(); ok {
		o.Effort, o.Until = math.MaxInt32, end.Add(-afterShrinking)
	}
	return synthesis.Network(ctx, len(p.Problem.Inputs), functions, o)
}

// step returns what is called with the part of a step that is done; nil for nothing.
func (t *Training) step(name string) func(float64) {
	if t.Structure == nil {
		return nil
	}
	return func(done float64) { t.Structure(name, done) }
}

// isComplete reports whether the rows are all that there can be. Without RDDL that is not known.
func isComplete(ctx context.Context, p *load.Problem, rows *train.Examples, t *structure.Table) (bool, error) {
	if p.Truth == nil {
		return false, nil
	}
	all, err := train.CoverLegal(ctx, p.Truth.Compiled, p.Truth.Sim, rows, maxLegal)
	return all && !t.Contradictory && t.Missing == 0, err
}

// findStructure learns the structure, with a checkpoint if there is to be one.
func findStructure(ctx context.Context, table *structure.Table, o structure.Options, t Training) (*structure.Structure, error) {
	if t.Checkpoint == "" {
		return structure.Learn(ctx, table, o)
	}
	c, err := structure.OpenCheckpoint(t.Checkpoint, t.Resume)
	if err != nil {
		return nil, err
	}
	o.Memo = c
	st, err := structure.Learn(ctx, table, o)
	if closing := c.Close(); err == nil {
		err = closing
	}
	return st, err
}

// mostRows bounds the rows that the structure is found on if each of them is kept: rows that
// contradict each other or have an empty cell. Of more, some are drawn.
const mostRows = 1 << 20

// shareOf is the part of the rows that the structure is found on.
func shareOf(sources []train.Source, rows *train.Examples) float64 {
	if n := rowsOf(sources); n > mostRows && (rows.Conflicts.Inputs > 0 || rows.Total()+rows.Conflicts.Dropped < n) {
		return float64(mostRows) / float64(n)
	}
	return 1
}

// rowsOf counts the rows of data sets.
func rowsOf(sources []train.Source) int {
	n := 0
	for _, s := range sources {
		n += s.Data.Rows
	}
	return n
}

// tableOf makes a share of the rows of data sets into one for package structure, drawn always
// alike, of those for which keep holds, nil for all; of rows that are alike it may be asked once. A row with a weight counts as so many. incomplete rows have an
// empty cell.
func tableOf(p *load.Problem, sources []train.Source, share float64, keep func(*train.Row) bool) (t *structure.Table, incomplete int, err error) {
	t = newTable(p)
	rng := rand.New(rand.NewPCG(1, 1))
	each := train.EachAlike
	if share < 1 {
		each = train.EachRow
	}
	err = each(p.Problem, func(r *train.Row) {
		if keep != nil && !keep(r) {
			return
		}
		if r.InKnown != nil {
			incomplete += r.Count
		}
		if share < 1 && rng.Float64() >= share {
			return
		}
		in, out := bnn.Pack(r.In), bnn.Pack(r.Out)
		var inKnown, outKnown []uint64
		if r.InKnown != nil {
			inKnown, outKnown = bnn.Pack(r.InKnown), bnn.Pack(r.OutKnown)
		}
		t.AddTimes(in, out, inKnown, outKnown, r.Count*int(max(1, r.Weight)))
	}, sources...)
	if err != nil {
		return nil, 0, err
	}
	return t, incomplete, t.Close()
}

// newTable is a table for package structure without rows.
func newTable(p *load.Problem) *structure.Table {
	in, out := p.Problem.Inputs, p.Problem.Outputs
	t := structure.NewTable(len(in), len(out), groups(p))
	for _, g := range t.Groups {
		v, _ := p.Problem.Owner(in[g[0]])
		t.Signed = append(t.Signed, v.Lo < 0)
	}
	t.Rank = func(output, input int) int { return rank(p, output, input) }
	t.Sets, t.Own, t.Exclusive = sets(p.Problem), own(p.Problem), exclusive(p.Problem)
	t.Symmetries = symmetries(p)
	return t
}

// tableOfValues makes rows of the values of all variables into a table for package structure.
func tableOfValues(p *load.Problem, now, next [][]int64) (*structure.Table, error) {
	t := newTable(p)
	of := func(bits []factored.Bit) (list []int) {
		for i := range p.Problem.Variables {
			if slices.Contains(bits, p.Problem.Variables[i].First) {
				list = append(list, i)
			}
		}
		return list
	}
	// Actions have no next values: the 0 there need not be in their range.
	inputs, outputs := of(p.Problem.Inputs), of(p.Problem.Outputs)
	packed := func(values []int64, of []int, bits []factored.Bit) ([]uint64, error) {
		val, words := make(factored.Valuation, p.Problem.NumBits()), make([]uint64, bnn.Words(len(bits)))
		for _, i := range of {
			if err := p.Problem.Variables[i].Set(val, values[i]); err != nil {
				return nil, err
			}
		}
		val.Pack(words, bits)
		return words, nil
	}
	for r := range now {
		in, err := packed(now[r], inputs, p.Problem.Inputs)
		if err != nil {
			return nil, err
		}
		out, err := packed(next[r], outputs, p.Problem.Outputs)
		if err != nil {
			return nil, err
		}
		t.AddTimes(in, out, nil, nil, 1)
	}
	return t, t.Close()
}

// symmetries lists the permutations of bits that the objects of the problem's RDDL suggest.
func symmetries(p *load.Problem) [][]structure.Permutation {
	if p.Truth == nil {
		return nil
	}
	w, err := lift.NewWorld(p.Problem, p.Truth.Compiled.Ground)
	if err != nil {
		return nil // its fluents are too different for objects to be alike
	}
	return w.Symmetries()
}

// groups lists the inputs that are bits of one variable.
func groups(p *load.Problem) [][]int {
	var all [][]int
	var last *factored.Variable
	for i, b := range p.Problem.Inputs {
		v, _ := p.Problem.Owner(b)
		if v != last {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], i)
		last = v
	}
	var wide [][]int
	for _, g := range all {
		if len(g) > 1 {
			wide = append(wide, g)
		}
	}
	return wide
}

// rank prefers, among inputs that tell as much about an output, those of its own
// variable, then actions, then those of the same objects.
func rank(p *load.Problem, output, input int) int {
	to, _ := p.Problem.Owner(p.Problem.Outputs[output])
	from, _ := p.Problem.Owner(p.Problem.Inputs[input])
	switch {
	case to == from:
		return 0
	case from.Kind == factored.Action:
		return 1
	case objects(to.Name) == objects(from.Name):
		return 2
	}
	return 3
}

// objects are the arguments in a fluent's name.
func objects(name string) string {
	if i := strings.IndexByte(name, '('); i >= 0 {
		return name[i:]
	}
	return ""
}

// structured is the outcome of a network that was built.
func structured(ctx context.Context, p *load.Problem, rows *train.Examples, st *structure.Structure, net *bnn.Network, t Training, from []train.Source, h *holding, held *ErrorLine) (*Trained, error) {
	trained, _, err := trainedLines(p, net, &holding{}, from)
	if err != nil {
		return nil, err
	}
	out := &Trained{
		Schema: app.Schema, Recipe: RecipeStructure, Problem: p.Problem.Name, Network: net.Shape(), Neurons: net.Hidden() + net.Outputs(), Edges: net.Edges(),
		Rows: rows.Total() + rows.Conflicts.Dropped, Unique: rows.Rows(), Contradictory: rows.Conflicts.Inputs, Found: foundOf(p, st),
		Errors: Errors{Train: trained, HeldOut: held, Refitted: held != nil},
	}
	out.heldOut(h)
	out.Stopped = app.Stopped(ctx)
	f := &bnn.File{Network: net, Inputs: load.BitNames(p.Problem, p.Problem.Inputs), Outputs: load.BitNames(p.Problem, p.Problem.Outputs)}
	add := func(key, format string, args ...any) {
		f.Meta = append(f.Meta, [2]string{key, fmt.Sprintf(format, args...)})
	}
	add("problem", "%s", p.Problem.Name)
	add("transitions", "%d", out.Rows)
	add("recipe", "%s noisy=%v", RecipeStructure, st.Noisy)
	add("seed", "%d", t.Config.Seed)
	add("rows", "%d", out.Unique)
	add(load.MetaErrors, "%d", out.Train.Wrong)
	out.file = f
	return out, nil
}
