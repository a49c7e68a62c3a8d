package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// landmarkKinds are those of `fdplan plan --landmarks`, the default first.
var landmarkKinds = []string{"prefix", "plan", "transition"}

// The networks that a run may be with, as Record.Model names them.
const (
	bundledModel   = "bundled"
	publishedModel = "published"
	trainedModel   = "trained" // by this bench, at the shapes of the paper's Table 1
)

// lister makes the list of runs.
type lister struct {
	c     Config
	files files
	model string // of the networks whose runs are listed
	jobs  []Job
}

// published reports whether the networks are the published ones.
func (l *lister) published() bool { return l.model == publishedModel }

// trained reports whether the networks are those that the bench trains.
func (l *lister) trained() bool { return l.model == trainedModel }

// Paper lists the runs of the paper's experiments, always in the same order: table by table,
// the quickest first. With Config.Quick it is a subset, under the same IDs. Problems that are
// missing from the published files are left out, with a warning. With the bundled networks,
// those that table learning trains follow as a third family, in the tables of planners; the
// tables without published networks, learning and size, are of a bench without Config.Files.
func Paper(c Config) ([]Job, error) {
	f, err := openFiles(c.Files)
	if err != nil {
		return nil, err
	}
	for _, s := range c.Solvers {
		if !slices.Contains(Engines(), s.Engine) {
			return nil, fmt.Errorf("solver %s: there is no engine %q; expected one of %v", s.Name, s.Engine, Engines())
		}
	}
	l := &lister{c: c, files: f, model: bundledModel}
	if c.Files != "" {
		l.model = publishedModel
	}
	if c.Warn != nil {
		for _, p := range problems {
			if !f.has(p.name) {
				c.Warn(fmt.Sprintf("%s has no network for %s: its runs are left out", c.Files, f.name(p.name)))
			}
		}
	}
	list := map[string]func() error{
		"figure1": l.figure1, "engines": l.engines, "literal": l.literal, "encodings": l.encodings, "learning": l.learning, "incremental": l.incremental, "reach": l.reach, "size": l.size,
	}
	if err := known("table", c.Tables, Tables()); err != nil {
		return nil, err
	}
	var names []string
	for _, p := range problems {
		names = append(names, p.name)
	}
	if err := known("problem", c.Problems, names); err != nil {
		return nil, err
	}
	if err := known("engine", c.Engines, Engines()); err != nil {
		return nil, err
	}
	wanted := func(table string) bool { return c.Tables == nil || slices.Contains(c.Tables, table) }
	for _, t := range Tables() {
		if !wanted(t) || l.published() && (t == "learning" || t == "size") {
			continue
		}
		if err := list[t](); err != nil {
			return nil, err
		}
	}
	if l.published() || !wanted("learning") {
		return l.jobs, nil
	}
	l.model = trainedModel
	for _, t := range []string{"engines", "literal", "incremental"} {
		if !wanted(t) {
			continue
		}
		if err := list[t](); err != nil {
			return nil, err
		}
	}
	return l.jobs, nil
}

// known refuses unknown names.
func known(what string, names, all []string) error {
	for _, n := range names {
		if !slices.Contains(all, n) {
			return fmt.Errorf("there is no %s %q; expected some of %s", what, n, strings.Join(all, ", "))
		}
	}
	return nil
}

// Installed lists the known external solvers on the PATH. HiGHS is not among them, since
// engine blp always uses it.
func Installed() []ExternalSolver {
	var out []ExternalSolver
	for _, e := range registry.All() {
		if e.External == nil {
			continue
		}
		for _, s := range external.Solvers(*e.External) {
			if _, err := s.Program(); err == nil && s.Name != "highs" {
				out = append(out, ExternalSolver{e.Name, s.Name})
			}
		}
	}
	return out
}

// with reports whether an engine is compared.
func (l *lister) with(engine string) bool {
	solver, replaced := l.c.Instead[engine]
	return (l.c.Engines == nil || slices.Contains(l.c.Engines, engine)) && (!replaced || solver != "")
}

// external sets the solver of a record if its engine needs one, and returns the flags for it.
func (l *lister) external(r *journal.Record) []string {
	s := l.c.Instead[r.Engine]
	if s == "" || r.Solver != "" {
		return nil
	}
	r.Solver = s
	return []string{"--solver", s}
}

// instances returns the paper's instances, as far as there are networks; for a quick bench
// only those of the list, unless it is nil.
func (l *lister) instances(quick []bundled.Instance) []bundled.Instance {
	var out []bundled.Instance
	for _, i := range bundled.Published() {
		if l.files.has(i.Problem) && (l.c.Problems == nil || slices.Contains(l.c.Problems, i.Problem)) && (!l.c.Quick || quick == nil || slices.Contains(quick, i)) && (!l.trained() || l.trains(i.Problem)) {
			out = append(out, i)
		}
	}
	return out
}

// record contains what all runs have in common.
func (l *lister) record(k journal.Kind, table string, limit time.Duration) journal.Record {
	r := journal.Record{Kind: k, Table: table, Seed: l.c.Seed, Threads: l.c.Threads, TimeLimit: limit.Seconds(), MemoryLimit: l.c.Memory}
	if k == journal.KindPlan && l.c.MaxLoad > 0 && l.c.Threads == 1 {
		r.Clock = journal.ClockCPU
	}
	return r
}

// common are the flags of all planning runs.
func (l *lister) common(limit time.Duration) []string {
	return append(l.shared(limit), "--memory", strconv.FormatInt(l.c.Memory, 10)+"B", "--json")
}

// shared are the flags of all runs.
func (l *lister) shared(limit time.Duration) []string {
	return []string{"--seed", strconv.FormatUint(l.c.Seed, 10), "--threads", strconv.Itoa(l.c.Threads), "--time-limit", limit.String(), "--quiet"}
}

// setting is the end of IDs: what results depend on besides the run itself.
func (l *lister) setting(own bool) string {
	s := fmt.Sprintf("seed=%d threads=%d", l.c.Seed, l.c.Threads)
	if l.published() && !own {
		s += " files=" + l.files.tag + " reward=storage"
	}
	return s
}

// planned returns the run of an engine on an instance. r contains what distinguishes it, args
// the corresponding arguments.
func (l *lister) planned(r journal.Record, i bundled.Instance, args ...string) Job {
	r.Problem, r.Files, r.Horizon, r.Model = l.files.name(i.Problem), l.files.tag, i.Horizon, l.model
	args = append(args, l.external(&r)...)
	r.Version, r.Command = l.version(&r), command(&r)
	r.Args = slices.Concat([]string{"plan"}, l.network(i.Problem), []string{"-H", strconv.Itoa(i.Horizon), "--engine", r.Engine}, args, l.common(l.c.TimeLimit))
	r.ID = l.planID(&r)
	j := Job{Record: r, do: runPlan}
	if r.Landmarks != "" {
		plain := r
		plain.Landmarks, plain.Restart = "", false
		if plain.Table == "incremental" {
			plain.Table = "engines"
		}
		j.after = l.planID(&plain)
	}
	return j
}

// network names a problem with the network of the runs on the program's command line.
func (l *lister) network(problem string) []string {
	if l.trained() {
		return []string{outVariable + "/" + networkDir(problem) + "/task.toml"}
	}
	return l.files.args(problem)
}

// planID names a planning run.
func (l *lister) planID(r *journal.Record) string {
	opt := func(name, value string) string {
		if value == "" || name == "model" && (value == bundledModel || value == publishedModel) {
			return ""
		}
		return name + "=" + value
	}
	restart := ""
	if r.Restart {
		restart = "yes"
	}
	return id(r.Table, r.Problem, fmt.Sprintf("H=%d", r.Horizon), opt("planner", r.Planner), "engine="+r.Engine, opt("encoding", r.Encoding), opt("help", r.Help), solver(r),
		opt("model", r.Model), opt("landmarks", r.Landmarks), opt("restart", restart), l.setting(r.Files == ""))
}

// solver returns the part of an ID that names an external solver.
func solver(r *journal.Record) string {
	if r.Solver == "" {
		return ""
	}
	return "solver=" + strings.ReplaceAll(r.Solver, " ", "_")
}

// runPlan runs `fdplan plan`.
func runPlan(ctx context.Context, b *bench, r *journal.Record) error {
	dir, remove, err := b.scratch()
	if err != nil {
		return err
	}
	defer remove()
	out, err := b.run(ctx, limitsOf(r), dir, r.Args...)
	if err != nil {
		return err
	}
	readPlan(r, out)
	return nil
}

// limits are those of the record's subprocess.
func limitsOf(r *journal.Record) limits {
	return limits{time: time.Duration(r.TimeLimit * float64(time.Second)), memory: r.MemoryLimit}
}

// repeated lists runs once for each seed. Those of the later seeds are made only if that of
// the first was short.
func (l *lister) repeated(list func()) {
	first, start := l.c.Seed, len(l.jobs)
	defer func() { l.c.Seed = first }()
	for k := range max(1, l.c.Repeats) {
		l.c.Seed = first + uint64(k)
		from := len(l.jobs)
		list()
		for i := range len(l.jobs) - from {
			if k > 0 {
				l.jobs[from+i].first = l.jobs[start+i].Record.ID
			}
		}
	}
}

// engines lists every engine of fdplan on every instance, with its best settings.
// External solvers follow.
func (l *lister) engines() error {
	l.repeated(func() {
		for _, e := range Engines() {
			if !l.with(e) || l.c.Instead[e] != "" {
				continue // the external solver has its column below
			}
			var quick []bundled.Instance // all
			if branches(e) {
				quick = QuickBLP()
			}
			l.engine(journal.Record{Engine: e}, quick)
		}
		for _, s := range l.c.Solvers {
			if l.with(s.Engine) && !l.trained() {
				l.engine(journal.Record{Engine: s.Engine, Solver: s.Name}, QuickBLP(), "--solver", s.Name)
			}
		}
	})
	return nil
}

// engine lists the runs of one engine on every instance.
func (l *lister) engine(what journal.Record, quick []bundled.Instance, args ...string) {
	for _, i := range l.instances(quick) {
		r := l.record(journal.KindPlan, "engines", l.c.TimeLimit)
		r.Engine, r.Solver = what.Engine, what.Solver
		if registry.TakesEncoding(r.Engine) {
			r.Encoding = "default"
		}
		l.jobs = append(l.jobs, l.planned(r, i, args...))
	}
}

// encodings lists the sizes of single neurons and of instances, and the times of
// engine maxsat with each encoding.
func (l *lister) encodings() error {
	if !l.with(registry.MaxSAT) {
		return nil
	}
	l.neurons()
	quick := QuickEncodings()
	for _, i := range l.instances(quick) {
		for _, e := range encodingNames() {
			r := l.record(journal.KindEncode, "encodings", l.c.TimeLimit)
			r.Problem, r.Files, r.Horizon, r.Encoding, r.Model = l.files.name(i.Problem), l.files.tag, i.Horizon, e, l.model
			r.Args = slices.Concat([]string{"compile"}, l.files.args(i.Problem), []string{"-H", strconv.Itoa(i.Horizon), "--format", "wcnf", "--encoding", e, "--stats"}, l.common(l.c.TimeLimit))
			r.ID = id("encodings size", r.Problem, fmt.Sprintf("H=%d", i.Horizon), "encoding="+e, l.setting(false))
			l.jobs = append(l.jobs, Job{Record: r, do: runSizes})
		}
	}
	for _, i := range l.instances(quick) {
		for _, e := range encodingNames() {
			r := l.record(journal.KindPlan, "encodings", l.c.TimeLimit)
			r.Engine, r.Encoding = registry.MaxSAT, e
			j := l.planned(r, i, "--encoding", e)
			same := j.Record
			switch e {
			case "default":
				same.Table = "engines"
				j.Record.Same = l.planID(&same)
			case literalPlanners[0].encoding:
				same.Table, same.Planner = "literal", literalPlanners[0].name
				j.Record.Same = l.planID(&same)
			}
			l.jobs = append(l.jobs, j)
		}
	}
	return nil
}

// runSizes runs `fdplan compile --stats`.
func runSizes(ctx context.Context, b *bench, r *journal.Record) error {
	out, err := b.run(ctx, limitsOf(r), b.dir, r.Args...)
	if err != nil {
		return err
	}
	readSizes(r, out)
	return nil
}

// quickOf lists the instances of a quick bench that an engine gets for Algorithm
// 1, those that it solves in seconds; nil is all.
func quickOf(engine string) []bundled.Instance {
	switch {
	case registry.TakesEncoding(engine):
		return QuickEncodings()
	case branches(engine):
		return QuickBLP()
	}
	return nil
}

// branches reports whether an engine solves linear programs by branch and cut,
// which takes longer than a quick bench has.
func branches(engine string) bool {
	e, ok := registry.Find(engine)
	return ok && e.Helped
}

// direct reports whether an engine plans on the model itself. Only these get far
// within the limits of a quick bench.
func direct(engine string) bool {
	e, ok := registry.Find(engine)
	return ok && e.Explains
}

// incremental lists the runs of Algorithm 1 with fdplan's engines: with landmarks that are
// prefixes by all of them, with the other kinds by those that plan on the model itself. The
// bundled networks have no errors; those that the bench trained are wrong at many states.
func (l *lister) incremental() error {
	for _, kind := range landmarkKinds {
		for _, e := range Engines() {
			if !l.with(e) || kind != landmarkKinds[0] && (l.c.Quick || !direct(e)) {
				continue
			}
			for _, i := range l.instances(quickOf(e)) {
				if !l.simulated(i.Problem) {
					continue
				}
				r := l.record(journal.KindPlan, "incremental", l.c.TimeLimit)
				r.Engine, r.Landmarks = e, kind
				if registry.TakesEncoding(e) {
					r.Encoding = "default"
				}
				l.jobs = append(l.jobs, l.planned(r, i, "--incremental", "--simulator", "rddl", "--landmarks", kind))
			}
		}
	}
	return nil
}
