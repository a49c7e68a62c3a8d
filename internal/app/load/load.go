// Package load implements the use case of loading a problem: it reads a bundled problem, a
// task file, RDDL files or the FD-SAT-Plan layout, and applies the requested changes.
package load

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/problem/fdsat"
)

// Ref names a problem, and says what it is needed for: with Files one in the FD-SAT-Plan layout
// below that folder, with Domain one given by RDDL files alone, otherwise a task file or a bundled
// problem.
type Ref struct {
	Name string `arg:"" optional:"" name:"problem" help:"A bundled problem such as navigation/3x3, a task file (.toml), RDDL or PDDL, a folder with one of these, - for standard input, or with --files a problem of that folder."`
	Source

	// Read reads the files of Domain and Instance, or a task file and those that it
	// names; nil is the file system.
	Read           task.ReadFile `name:"-"`
	FreeSuccessors bool          `name:"-"` // steps may lead to states that break an invariant
	Untrained      bool          `name:"-"` // the network is not needed: it is to be learned or tested
	Simulate       bool          `name:"-"` // only the RDDL is needed, which may be stochastic
	Chance         bool          `name:"-"` // what is drawn at random is kept open in the problem, for policies
}

// Source is where a problem is and how it is read, besides its name.
type Source struct {
	Files    string `help:"Folder in the FD-SAT-Plan layout: bnn/, normalization/, translation/." placeholder:"DIR" type:"existingdir"`
	PDDL     string `help:"PDDL file with the domain; PROBLEM is then the PDDL file with the problem (docs/pddl.md)." placeholder:"D.pddl"`
	Parallel bool   `help:"In PDDL, let a step be any actions that do not interfere: the least number of steps is found, whatever they cost (docs/pddl.md#parallel-actions)."`
	Domain   string `help:"RDDL file, instead of PROBLEM: everything is known, nothing learned." placeholder:"D.rddl"`
	Instance string `help:"RDDL file with the instance, with --domain." placeholder:"I.rddl"`
	Question
	Decimals       *int     `http:"yes" help:"Round the real fluents of RDDL to N digits after the point, where no range has a step (docs/rddl.md)." placeholder:"N"`
	Quantiles      int      `http:"yes" help:"With --policy, the number of equally likely values that stand for a draw of a real (docs/chance.md)." placeholder:"N" default:"5"`
	Model          string   `http:"yes" help:"Plan with the network, or with the RDDL itself: ${enum}." enum:"network,rddl" default:"network"`
	Determinize    string   `http:"yes" help:"Plan for RDDL that draws at random as if each draw had one value: none, most-likely, or mean, which takes the means of numbers (docs/determinize.md)." enum:"none,most-likely,mean" default:"none" placeholder:"RULE"`
	IgnoreDiscount bool     `http:"yes" help:"Treat a discount other than 1 as 1."`
	Entity         []string `http:"yes" help:"Entities of the task, such as machines, to plan for; of several, each has fluents of its own, as level(A)." placeholder:"NAME,…"`
	Levels         bool     `help:"Read and print the numbers of bins instead of quantities."`
}

// RDDL is the model that is the RDDL itself, with nothing learned.
const RDDL = "rddl"

// known reports whether nothing is learned.
func (r *Ref) known() bool { return r.Model == RDDL }

// Problem is a loaded problem: the input of engines and, if there is RDDL, the truth in which
// plans can be tried.
type Problem struct {
	engine.Task
	Declared *task.Task // the task if it declares its fluents itself; else nil
	// Unknown are the learned states of which nothing is known but data: those of a task that
	// declares its fluents, and those without a cpf in the RDDL. There is then no Truth.
	Unknown []string
	Truth   *Truth     // nil for the FD-SAT-Plan layout
	Other   *Elsewhere // the RDDL that replaces it for that layout; nil for none
	Trained            // training rows of the network
	// OwnReward reports that the user's reward has replaced the RDDL's; it also counts in the
	// simulator.
	OwnReward bool
	// LearnedReward reports that the reward is that of Trained. A system's own one counts in it.
	LearnedReward bool
	// OwnInitial reports that the user gave the initial state.
	OwnInitial bool
	// Required are the user's further constraints, which hold in the simulator
	// too.
	Required simulator.RequiredRules
	Altered  // what the model changes of the RDDL; Truth draws what Determinized replaces
	// Timed are the user's constraints on one step. They are in the problem that plans are
	// made for, but not in World.
	Timed    []Timed
	requires []string // the texts of --require, in order
	// Entities are several that the problem is about, side by side, and Alone is that of one of them, with what rows show of its steps;
	// none and nil where it is not about several.
	Entities []string
	Alone    *Problem
	world    *factored.Problem  // see World
	given    map[string]Assumed // by input, of --given
	single   map[string]string  // the name in the task of each state of several entities
	from     Ref                // what was loaded
	changes  []Changes          // that were applied since
	noModel  error              // why the network cannot be read that a simulator may not need
}

// instanceName matches names that can be part of a file's name in every layout.
var instanceName = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)

// Load reads the problem that r names. When the context ends, its error is returned.
func Load(ctx context.Context, r Ref) (*Problem, error) {
	if err := r.Resolve(); err != nil {
		return nil, err
	}
	p, err := open(ctx, r)
	if err != nil {
		return nil, err
	}
	p.from = r
	if r.Goal != "" || len(r.Range) > 0 {
		p.Altered.Question = &Instead{r.Goal, r.Range}
	}
	return p, nil
}

func open(ctx context.Context, r Ref) (*Problem, error) {
	read := r.Read
	if read == nil {
		read = ReadFile
	}
	if r.Parallel && r.PDDL == "" {
		return nil, errors.New("--parallel is about actions of PDDL; a step of other problems is a joint action already")
	}
	switch {
	case r.PDDL != "":
		switch {
		case r.Files != "" || r.Domain != "" || r.Instance != "":
			return nil, errors.New("--pddl names the problem; expected no --files, --domain or --instance beside it")
		case r.Name == "":
			return nil, errors.New("--pddl gives the domain alone; expected the PDDL file with the problem, too")
		}
		t, err := task.FromPDDL(r.PDDL, r.Name, read)
		if err != nil {
			return nil, err
		}
		t.PDDL().Parallel = r.Parallel
		return fromTask(ctx, t, r, task.Options{Known: true}, read)
	case r.Files != "" && r.Domain != "":
		return nil, errors.New("--files and --domain name two problems; expected one of them")
	case r.Domain == "" && r.Instance != "":
		return nil, errors.New("--instance goes with --domain; a named problem has its own")
	case r.Domain != "":
		if r.Name != "" {
			return nil, fmt.Errorf("%s and --domain name two problems; expected one of them", r.Name)
		}
		return fromTask(ctx, &task.Task{Domain: r.Domain, Instance: r.Instance}, r, task.Options{Known: true}, read)
	case r.Name == "":
		return nil, errors.New("no problem is named; expected a bundled one such as navigation/3x3, a task file, or --domain")
	case r.Files != "":
		return fromFiles(r)
	case strings.HasSuffix(r.Name, ".toml"):
		t, err := task.Load(r.Name, read)
		if err != nil {
			return nil, err
		}
		t.Levels = r.Levels
		return fromTask(ctx, t, r, task.Options{Known: r.known(), FreeSuccessors: r.FreeSuccessors}, read)
	}
	t, err := bundled.Task(r.Name)
	if err != nil {
		return nil, err
	}
	return fromTask(ctx, t, r, task.Options{Name: r.Name, Known: r.known(), FreeSuccessors: r.FreeSuccessors}, bundled.Read)
}

// ReadFile is source.ReadFile with errors that begin with the name.
func ReadFile(name string) ([]byte, error) {
	data, err := source.ReadFile(name)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "cannot be opened: %v", source.Cause(err))
	}
	return data, nil
}

func fromFiles(r Ref) (*Problem, error) {
	if r.known() {
		return nil, errors.New("--model rddl needs RDDL; the FD-SAT-Plan layout has none")
	}
	if !instanceName.MatchString(r.Name) {
		return nil, fmt.Errorf("%q names no problem below %s; expected DOMAIN/INSTANCE such as navigation/3x3", r.Name, r.Files)
	}
	domain, instance, _ := strings.Cut(r.Name, "/")
	p, net, err := fdsat.Load(r.Files, domain, instance)
	if err != nil {
		return nil, err
	}
	out := &Problem{Task: engine.Task{Problem: p, Network: net}}
	if err := out.setGoal(r.Goal); err != nil {
		return nil, err
	}
	return out, out.narrow(r.Range)
}

// fromTask compiles a task, reading its files with read.
func fromTask(ctx context.Context, t *task.Task, r Ref, o task.Options, read task.ReadFile) (*Problem, error) {
	o.Read, o.IgnoreDiscount, o.Chance, o.Decimals, o.Quantiles = read, r.IgnoreDiscount, r.Chance, r.Decimals, r.Quantiles
	if r.Determinize != "none" {
		o.Determinize = ground.Determinization(r.Determinize)
	}
	if o.Name == "" && t.File != "" {
		o.Name = filepath.Base(filepath.Dir(t.File)) + "/" + strings.TrimSuffix(filepath.Base(t.File), ".toml")
	}
	if len(r.Entity) > 0 && !t.Declares() {
		return nil, fmt.Errorf("--entity %s: the problem has RDDL and no entities", strings.Join(r.Entity, ","))
	}
	if t.Declares() {
		if r.Goal != "" {
			t.Goal = "" // which --goal replaces
		}
		p, err := fromDeclared(t, r, o, read)
		if err == nil {
			err = p.setGoal(r.Goal)
		}
		if err == nil {
			err = p.narrow(r.Range)
		}
		return p, err
	}
	if len(t.Learned) == 0 {
		o.Known = true
	}
	if err := r.ask(t, o.Known || r.Untrained); err != nil {
		return nil, err
	}
	p, err := fromRDDL(ctx, t, r, o, read)
	if err != nil || p.Problem.NumBits() == 0 { // of a problem that can only be simulated
		return p, err
	}
	if !o.Known && !r.Untrained {
		err = p.narrow(r.Range)
	}
	if own := ofTask(t); err == nil && !own.None() {
		err = p.Apply(own)
	}
	return p, err
}

// fromRDDL compiles a task with RDDL or PDDL.
func fromRDDL(ctx context.Context, t *task.Task, r Ref, o task.Options, read task.ReadFile) (*Problem, error) {
	c, err := t.Problem(ctx, o)
	if err != nil {
		if r.Simulate && ctx.Err() == nil && len(t.Unknown()) == 0 {
			return simulatedOnly(ctx, t, o)
		}
		return nil, err
	}
	p := &Problem{Task: engine.Task{Problem: c.Problem}}
	if !o.Known && !r.Untrained {
		if p.Network, p.Trained, err = readNetwork(t, c.Problem, read); err == nil {
			err = p.setReward(t.Network)
		}
		if err != nil {
			return nil, err
		}
	}
	g := c.Ground
	p.Rounded, p.Quantiles = g.Steps(), g.Quantised
	if g.Origin != nil {
		p.Determinized, g = string(g.Origin.Rule), g.Origin.Problem
	}
	if p.Unknown = t.Unknown(); len(p.Unknown) > 0 {
		return p, nil
	}
	p.Truth, err = newTruth(t, o.Read, g, c, c.Inferred())
	return p, err
}

// simulatedOnly loads a problem that cannot be planned with, such as a stochastic one.
func simulatedOnly(ctx context.Context, t *task.Task, o task.Options) (*Problem, error) {
	g, err := t.Rounded(ctx, o)
	if err != nil {
		return nil, err
	}
	name := o.Name
	if name == "" {
		name = g.Domain + "/" + g.Instance
	}
	p := &Problem{Task: engine.Task{Problem: factored.NewProblem(name)}, Altered: Altered{Rounded: g.Steps()}}
	inferred, err := translate.Infer(ctx, g, translate.Options{Ranges: t.Ranges})
	if err != nil {
		return nil, err
	}
	p.Truth, err = newTruth(t, o.Read, g, nil, inferred)
	return p, err
}
