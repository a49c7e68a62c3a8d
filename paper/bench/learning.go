package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
)

// The recipes of networks, as Record.Recipe names them.
const (
	recipePaper   = "paper"   // the paper's, at the shape of its Table 1
	recipeGrid    = "grid"    // the paper's, at the shape that its rule chooses
	recipeBundled = "bundled" // of the bundled networks
)

// learningSeeds is how many networks are trained at the shapes of the paper's Table 1, each
// from rows and initial weights of its own.
const learningSeeds = 5

// The paper does not state its numbers of epochs. With ten, which is about 7,000 gradient
// steps, every network gets below its target of 3 %, so that the tables can be made in
// minutes. Training ends earlier if no row is wrong.
const paperEpochs = "10"

// quickDomain is the domain that a quick bench trains.
const quickDomain = "navigation/"

// trains reports whether the networks of a problem are trained.
func (l *lister) trains(problem string) bool {
	return !l.c.Quick || strings.HasPrefix(problem, quickDomain)
}

// networkDir is the folder, within that of the bench, of a problem with the network that the
// bench trained at the paper's shape, under the first seed.
func networkDir(problem string) string { return "networks/" + problem }

// paperRecipe are the flags of the paper's recipe: binary weights, epochs over all rows with
// their repetitions, and no discrete search.
var paperRecipe = []string{"--weights", "binary", "--repeated", "--epochs", paperEpochs, "--no-polish"}

// learning lists the training of each problem's network: by the paper's recipe at the
// paper's shape under several seeds, by the paper's grid, and as the bundled ones were made.
// A quick bench leaves out all seeds but the first.
func (l *lister) learning() error {
	for k := range learningSeeds {
		if l.c.Quick && k > 0 {
			break
		}
		for _, p := range problems {
			l.train(p.name, recipePaper, l.c.Seed+uint64(k)+1, append([]string{"--hidden", p.hidden}, paperRecipe...), nil)
		}
	}
	for _, p := range problems {
		l.train(p.name, recipeGrid, l.c.Seed+1, append([]string{"--grid", "--target-error", "0.03"}, paperRecipe...), nil)
	}
	for _, p := range problems {
		l.train(p.name, recipeBundled, l.c.Seed+1, []string{"--recipe", "structure"}, []string{"--policy", "restart", "-n", strconv.Itoa(p.restart)})
	}
	return nil
}

// train lists one training: by flags, from the rows that the flags in collect ask for; nil
// asks for those of the exploration.
func (l *lister) train(problem, recipe string, seed uint64, flags, collect []string) {
	if !l.trains(problem) {
		return
	}
	own := *l
	own.c.Seed = seed
	r := own.record(journal.KindTrain, "learning", l.c.TrainLimit)
	r.Problem, r.Recipe = problem, recipe
	r.Args = slices.Concat([]string{"train", rowsFile, "--task", problem}, flags, own.shared(l.c.TrainLimit), []string{"--report", "report", "--json", "-o", networkFile})
	r.ID = id("learning", problem, "recipe="+recipe, own.setting(true))
	keep := recipe == recipePaper && seed == l.c.Seed+1
	j := Job{Record: r, do: func(ctx context.Context, b *bench, r *journal.Record) error { return b.learn(ctx, r, collect, keep) }}
	if keep {
		j.keeps = networkDir(problem) + "/" + networkFile
	}
	l.jobs = append(l.jobs, j)
}

// explored is the way to collect the rows that the paper learns from, as far as its section
// "Transition Learning Performance" describes it: 200,000 transitions of a stochastic
// exploration policy.
var explored = []string{"--policy", "exploration", "-n", "200000"}

// rowError is a network's error as reported by `fdplan train` and `fdplan test`.
type rowError struct {
	Rows, Wrong int
	BitError    *float64 `json:"bit_error"`
	RowError    float64  `json:"row_error"`
}

// Files of a training in its scratch folder.
const (
	rowsFile     = "rows.parquet"     // what is learned from
	exploredFile = "explored.parquet" // what is tested on
	networkFile  = "network.bnn"
)

// training is one run of learn.
type training struct {
	b       *bench
	r       *journal.Record
	dir     string
	collect []string  // flags of the rows to learn from; nil for those of the exploration
	heldOut *rowError // on rows that training held out; nil where it held out none
}

// learn collects rows, by the flags in collect or those of the exploration, trains
// a network, and measures it on the rows of the exploration and on all legal rows.
// The record's time and memory are those of the training. With keep the network stays,
// for runs that plan with it.
func (b *bench) learn(ctx context.Context, r *journal.Record, collect []string, keep bool) error {
	dir, remove, err := b.scratch()
	if err != nil {
		return err
	}
	defer remove()
	t := &training{b: b, r: r, dir: dir, collect: collect}
	for _, part := range []func(context.Context) (bool, error){t.rows, t.train, t.test} {
		if ok, err := part(ctx); !ok {
			return err
		}
	}
	r.Status = statusTrained
	if keep {
		return b.keepNetwork(r.Problem, filepath.Join(dir, networkFile))
	}
	return nil
}

// step runs a command whose cost does not count; nil with a failed record.
func (t *training) step(ctx context.Context, args ...string) (*outcome, error) {
	out, err := t.b.run(ctx, limitsOf(t.r), t.dir, args...)
	if err != nil || failed(t.r, out) {
		return nil, err
	}
	return out, nil
}

// rows collects the rows. It is false, with the record failed or an error, where
// that fails; so are train and test.
func (t *training) rows(ctx context.Context) (bool, error) {
	sets := map[string][]string{exploredFile: explored}
	if t.collect != nil {
		sets[rowsFile] = t.collect
	}
	for _, name := range []string{rowsFile, exploredFile} {
		if sets[name] == nil {
			continue
		}
		args := slices.Concat([]string{"collect", t.r.Problem}, sets[name], []string{"--seed", strconv.FormatUint(t.r.Seed, 10), "--quiet", "-o", name})
		if out, err := t.step(ctx, args...); out == nil {
			return false, err
		}
	}
	if t.collect == nil {
		if err := os.Rename(filepath.Join(t.dir, exploredFile), filepath.Join(t.dir, rowsFile)); err != nil {
			return false, fmt.Errorf("naming the rows: %w", err)
		}
	}
	return true, nil
}

// train trains the network.
func (t *training) train(ctx context.Context) (bool, error) {
	r := t.r
	out, err := t.b.run(ctx, limitsOf(r), t.dir, r.Args...)
	if err != nil {
		return false, err
	}
	measure(r, out)
	if failed(r, out) {
		return false, nil
	}
	var trained struct {
		Network        string
		Neurons, Edges int
		HeldOut        *rowError `json:"held_out"`
		Stopped        string
	}
	if err := decodeAnswer(out.stdout, &trained); err != nil || trained.Network == "" {
		fail(r, "training: %v", err)
		return false, nil
	}
	r.Network, r.Neurons, r.Edges, r.Error = trained.Network, trained.Neurons, trained.Edges, trained.Stopped
	t.heldOut = trained.HeldOut
	if r.Recipe == recipeBundled {
		return true, nil // it has no epochs
	}
	if r.Curve, err = readCurve(filepath.Join(t.dir, "report", "epochs.csv")); err != nil {
		fail(r, "the report of training: %v", err)
		return false, nil
	}
	return true, nil
}

// test measures the network. The paper's recipe holds rows of the exploration out, and its
// error is that on them; that of the bundled networks has seen none of them, so that all count.
func (t *training) test(ctx context.Context) (bool, error) {
	data := exploredFile
	if t.collect == nil {
		data = rowsFile
	}
	out, err := t.step(ctx, "test", networkFile, data, "--task", t.r.Problem, "--legal", "--json")
	if out == nil {
		return false, err
	}
	var tested struct {
		rowError // on the data
		Legal    *rowError
	}
	if err := decodeAnswer(out.stdout, &tested); err != nil || tested.BitError == nil {
		fail(t.r, "testing: %v", err)
		return false, nil
	}
	on := &tested.rowError
	if t.collect == nil && t.heldOut != nil && t.heldOut.BitError != nil {
		on = t.heldOut
	}
	t.r.TestError, t.r.TestRowError = *on.BitError, on.RowError
	if l := tested.Legal; l != nil && l.BitError != nil {
		t.r.LegalRows, t.r.WrongRows, t.r.LegalError, t.r.LegalRowError = l.Rows, l.Wrong, *l.BitError, l.RowError
	}
	return true, nil
}

// maxCurve is the maximal number of epochs kept of a learning curve.
const maxCurve = 250

// readCurve reads epochs.csv of a report. If there are many epochs it keeps evenly spaced
// ones and the last. Errors are shares of bits.
func readCurve(name string) ([]journal.Point, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("%s: %d rows, %w", filepath.Base(name), len(rows), err)
	}
	column := map[string]int{}
	for i, c := range rows[0] {
		column[c] = i
	}
	rows = rows[1:]
	every := (len(rows) + maxCurve - 1) / maxCurve
	var out []journal.Point
	for i, row := range rows {
		if i%every != 0 && i != len(rows)-1 {
			continue
		}
		number := func(name string) float64 {
			at, ok := column[name]
			if !ok || row[at] == "" {
				return 0
			}
			x, failed := strconv.ParseFloat(row[at], 64)
			if failed != nil {
				err = failed
			}
			return x
		}
		out = append(out, journal.Point{Epoch: int(number("epoch")), Loss: number("loss"), Train: number("train_bit_error"), Test: number("test_bit_error")})
	}
	return out, err
}

// keptFiles lists the files of a bundled problem with the network that the bench trained, within
// its folder. The network is the last.
func keptFiles(problem string) []string {
	domain, _ := path.Split(networkDir(problem))
	dir := networkDir(problem) + "/"
	return []string{domain + "domain.rddl", dir + "instance.rddl", dir + "task.toml", dir + networkFile}
}

// keepNetwork makes a task of a bundled problem with another network, in the bench's folder.
// The network is written last: if it exists, everything does.
func (b *bench) keepNetwork(problem, network string) error {
	var err error
	for _, file := range keptFiles(problem) {
		var text []byte
		if err == nil && path.Base(file) == networkFile {
			text, err = os.ReadFile(network)
		} else if err == nil {
			text, err = bundled.Read("problems/" + strings.TrimPrefix(file, "networks/"))
		}
		name := filepath.Join(b.dir, filepath.FromSlash(file))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(name), 0o777)
		}
		if err == nil {
			err = atomicfile.Write(name, func(w io.Writer) error { _, err := w.Write(text); return err })
		}
	}
	if err != nil {
		return fmt.Errorf("keeping the network of %s: %w", problem, err)
	}
	return nil
}
