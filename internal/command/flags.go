package command

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
)

// problemFlags name a problem.
type problemFlags struct {
	Problem string `arg:"" optional:"" help:"A bundled problem such as navigation/3x3, a task file (.toml), or with --files a problem of that folder."`
	otherProblemFlags
}

// otherProblemFlags are those of problemFlags besides the name.
type otherProblemFlags struct {
	Files          string   `help:"Folder in the FD-SAT-Plan layout: bnn/, normalization/, translation/." placeholder:"DIR" type:"existingdir"`
	Domain         string   `help:"RDDL file, instead of PROBLEM: everything is known, nothing learned." placeholder:"D.rddl"`
	Instance       string   `help:"RDDL file with the instance, with --domain." placeholder:"I.rddl"`
	Goal           string   `help:"RDDL expression that must hold at the end, with --domain." placeholder:"EXPR"`
	Range          []string `help:"Range of an integer fluent, with --domain; repeatable." placeholder:"FLUENT=LO..HI" sep:"none"`
	Model          string   `help:"Plan with the network, or with the RDDL itself: ${enum}." enum:"network,rddl" default:"network"`
	Determinize    string   `help:"Plan for RDDL that draws at random as if each draw had one value: none, most-likely, or mean, which takes the means of numbers (docs/determinize.md)." enum:"none,most-likely,mean" default:"none" placeholder:"RULE"`
	IgnoreDiscount bool     `help:"Treat a discount other than 1 as 1."`
	Levels         bool     `help:"Read and print the numbers of bins instead of quantities."`
}

type changeFlags struct {
	Reward     string   `help:"File of variable,weight lines that replaces the reward." placeholder:"FILE"`
	Initial    string   `help:"File of variable=value lines that replaces the initial state." placeholder:"FILE"`
	SetInitial []string `help:"Set the initial value of a state variable; repeatable." placeholder:"VARIABLE=VALUE" sep:"none"`
	Require    []string `help:"Add a constraint, an expression or literals,op,number; repeatable." placeholder:"CONSTRAINT" sep:"none"`
}

// engineVars are the names of engines in flags and their help.
func engineVars() kong.Vars {
	return kong.Vars{
		"engines":    strings.Join(registry.Names(nil), ","),
		"explainers": strings.Join(registry.Names(registry.Explaining), ","),
		"compared":   strings.Join(registry.Single(), ", "),
	}
}

// ref is what the flags name.
func (f *problemFlags) ref() load.Ref {
	rule := f.Determinize
	if rule == "none" {
		rule = ""
	}
	return load.Ref{
		Name: f.Problem, Files: f.Files, Domain: f.Domain, Instance: f.Instance, Goal: f.Goal, Ranges: f.Range,
		Known: f.Model == "rddl", IgnoreDiscount: f.IgnoreDiscount, Levels: f.Levels, Determinize: rule,
	}
}

// load reads the problem and applies the changes.
func (f *problemFlags) load(ctx context.Context, c *changeFlags) (*load.Problem, error) {
	return f.loadRef(ctx, f.ref(), c)
}

// loadRef reads the problem that r names and applies the changes, if c is not nil.
func (*problemFlags) loadRef(ctx context.Context, r load.Ref, c *changeFlags) (*load.Problem, error) {
	return inTime(ctx, func() (*load.Problem, error) {
		p, err := load.Load(ctx, r)
		if err != nil || c == nil {
			return p, err
		}
		return p, p.Apply(c.changes())
	})
}

// changes are what the flags ask for.
func (c *changeFlags) changes() load.Changes {
	return load.Changes{Reward: c.Reward, Initial: c.Initial, SetInitial: c.SetInitial, Require: c.Require}
}

// loadTruth reads the problem for simulation, without its network.
func (f *problemFlags) loadTruth(ctx context.Context) (*load.Problem, error) {
	r := f.truthRef()
	return inTime(ctx, func() (*load.Problem, error) { return load.Load(ctx, r) })
}

// truthRef is what the flags name, without the network.
func (f *problemFlags) truthRef() load.Ref {
	r := f.ref()
	r.Known, r.Simulate = r.Files == "", true
	return r
}

// engine turns the flags into an engine's limits.
func (l *limits) engine(a *environment) engine.Limits {
	return engine.Limits{Threads: app.Threads(l.Threads), Memory: l.memory(), Late: a.guard.late}
}

// horizonFlag is N or N..M.
type horizonFlag struct{ min, max int }

// UnmarshalText reads "4" or "4..10".
func (h *horizonFlag) UnmarshalText(text []byte) error {
	from, to, isRange := strings.Cut(string(text), "..")
	if !isRange {
		to = from
	}
	var err1, err2 error
	h.min, err1 = strconv.Atoi(from)
	h.max, err2 = strconv.Atoi(to)
	if err1 != nil || err2 != nil || h.min < 1 || h.max < h.min || h.max > 1_000_000 {
		return fmt.Errorf("%q is not a horizon; expected a number from 1 to 1000000, or a range such as 4..10", text)
	}
	return nil
}

// bytesFlag is a size such as 4GiB.
type bytesFlag int64

var units = []struct {
	suffix string
	factor float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}}

// UnmarshalText reads a number with a unit.
func (b *bytesFlag) UnmarshalText(text []byte) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(string(text), u.suffix)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(x*u.factor >= 1<<20) || x*u.factor > math.MaxInt64/2 {
			break
		}
		*b = bytesFlag(x * u.factor)
		return nil
	}
	return fmt.Errorf("%q is not a size; expected at least 1MiB, such as 512MiB or 4GiB", text)
}

// durationFlag is a time such as 60s.
type durationFlag time.Duration

// UnmarshalText reads a positive duration, or 0 for none.
func (d *durationFlag) UnmarshalText(text []byte) error {
	x, err := time.ParseDuration(string(text))
	if err != nil || x < 0 {
		return fmt.Errorf("%q is not a time; expected a number with a unit, such as 60s or 5m", text)
	}
	*d = durationFlag(x)
	return nil
}
