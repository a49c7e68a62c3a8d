// Package registry lists the planning engines: the name of each, what it can do,
// and how to make it. Everything that offers a choice of engines reads this
// list: the command line, the library, experiments and their reports. To add an
// engine, add an entry to the table here.
package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/blp"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/engine/race"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/engine/tube"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// Entry describes an engine.
type Entry struct {
	Name string
	Help string // one sentence, without a full stop
	// Incremental reports whether the engine with its own solver implements
	// engine.Opener.
	Incremental bool
	// Ranges reports whether one run answers all horizons of a range; else each
	// is solved by itself.
	Ranges bool
	// Threads reports whether the engine uses more than one thread.
	Threads bool
	// Anytime reports whether a run that is stopped early gives the best plan so
	// far and an upper bound on the reward of every plan.
	Anytime bool
	// Explains reports whether explanations are made with the engine: it
	// completes changed plans by itself, without encodings or external programs.
	Explains bool
	// External is the kind of external solvers that can stand in for the engine's
	// own; nil when none can.
	External *external.Kind
	// Encodings reports whether the engine takes a clause encoding.
	Encodings bool
	// Helped reports whether the engine adds what helps branch and cut, and can leave it out.
	Helped bool
	// Needs finds what the engine's own solver needs besides this program. It returns
	// environment variables, as NAME=value, by which other processes find it from any
	// folder; the error tells how to bring it. Nil for an engine that needs nothing.
	Needs func() (env []string, err error)

	make func(o *Options, solver *external.Solver) (engine.Engine, error)
}

// Options choose and set up an engine. The zero value is Auto.
type Options struct {
	Engine   string       `http:"yes" help:"Engine: ${enum}." enum:"${engines}" default:"auto"` // name of an entry; "" is Auto
	Encoding cnf.Encoding `help:"Clause encoding of engine maxsat: ${enum}." enum:"default,paper,published,unidirectional" default:"default"`
	Solver   string       `help:"External solver instead of the embedded one, with engine maxsat, pb or blp: a name such as clasp or cbc, or a command with {in}, for blp also {out}." placeholder:"NAME|COMMAND" sep:"none"`
	BLPHelp  string       `name:"blp-help" help:"What engine blp adds to the paper's program: ${enum}. With flow the solver gets flow variables, of groups of state variables or of whole states; with all, a start solution too, and tables leave out what no better plan needs." enum:"all,flow,none" default:"all"`
}

// help is what engine blp is to add.
func (o *Options) help() blp.Help { return blp.Help(max(0, slices.Index(blp.Helps, o.BLPHelp))) }

// Names of engines, for experiments that are about one of them. Whatever depends
// on what an engine can do asks its entry.
const (
	Auto   = "auto" // runs others side by side
	Search = "search"
	PB     = "pb"
	MaxSAT = "maxsat"
	BLP    = "blp"
)

// table has every engine, in the order in which they are listed.
var table = []Entry{
	{
		Name: Auto, Help: "search and, where that takes long, pb beside it: the first proof is the answer",
		Incremental: true, Threads: true, Anytime: true, Explains: true,
		make: func(*Options, *external.Solver) (engine.Engine, error) {
			return race.New(search.Engine{}, tube.Engine{}, conflict.PB{}), nil
		},
	},
	{
		Name: Search, Help: "exact forward search over reachable states",
		Incremental: true, Ranges: true, Threads: true, Anytime: true, Explains: true,
		make: func(*Options, *external.Solver) (engine.Engine, error) { return search.Engine{}, nil },
	},
	{
		Name: PB, Help: "conflict-driven search over the pseudo-Boolean model, neurons and sums native",
		Incremental: true, Anytime: true, Explains: true, External: new(external.PB),
		make: func(o *Options, s *external.Solver) (engine.Engine, error) {
			if s != nil {
				return outsource.PB{Solver: *s}, nil
			}
			return conflict.PB{}, nil
		},
	},
	{
		Name: MaxSAT, Help: "FD-SAT-Plan+: the model as clauses, solved as weighted partial MaxSAT",
		Incremental: true, Anytime: true, External: new(external.MaxSAT), Encodings: true,
		make: func(o *Options, s *external.Solver) (engine.Engine, error) {
			if s != nil {
				return outsource.MaxSAT{Solver: *s, Encoding: o.Encoding}, nil
			}
			return conflict.MaxSAT{Encoding: o.Encoding}, nil
		},
	},
	{
		Name: BLP, Help: "FD-BLP-Plan+: a binary linear program, solved by branch and cut",
		Incremental: true, Threads: true, Anytime: true, External: new(external.MILP), Helped: true, Needs: needsHiGHS,
		make: func(o *Options, s *external.Solver) (engine.Engine, error) {
			return blp.Engine{Solver: s, Help: o.help()}, nil
		},
	},
}

// All lists the engines. The caller may change the list.
func All() []Entry { return slices.Clone(table) }

// Names lists the names of the engines for which keep is true; nil keeps all.
func Names(keep func(*Entry) bool) []string {
	var out []string
	for i := range table {
		if keep == nil || keep(&table[i]) {
			out = append(out, table[i].Name)
		}
	}
	return out
}

// Explaining reports whether explanations are made with e.
func Explaining(e *Entry) bool { return e.Explains }

// TakesEncoding reports whether there is an engine of that name that takes a
// clause encoding.
func TakesEncoding(name string) bool {
	e, ok := Find(name)
	return ok && e.Encodings
}

// Single lists the names of the engines that are not a choice among others.
func Single() []string { return Names(func(e *Entry) bool { return e.Name != Auto }) }

// Find returns the engine of a name.
func Find(name string) (*Entry, bool) {
	i := slices.IndexFunc(table, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return nil, false
	}
	e := table[i]
	return &e, true
}

// Ready reports whether what the own solver of e needs is installed.
func Ready(e *Entry) bool {
	if e.Needs == nil {
		return true
	}
	_, err := e.Needs()
	return err == nil
}

// External reports whether external solvers can stand in for the own one of e.
func External(e *Entry) bool { return e.External != nil }

// needsHiGHS finds HiGHS, as the native program or as the project's own.
func needsHiGHS() ([]string, error) {
	s, err := external.Lookup(external.MILP, "highs")
	if err != nil {
		return nil, err
	}
	program, err := s.Program()
	if err != nil {
		return nil, err
	}
	return []string{external.Variable("fdplan-highs") + "=" + program}, nil
}

// Choice lists the names of those for which keep is true as prose: pb, maxsat or blp.
func Choice(keep func(*Entry) bool) string {
	all := Names(keep)
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " or " + all[n-1]
	}
	return strings.Join(all, "")
}

// New makes an engine. An option that the engine does not take is an error, as
// is a solver that external.Lookup does not know.
func New(o Options) (engine.Engine, error) {
	if o.Engine == "" {
		o.Engine = Auto
	}
	e, ok := Find(o.Engine)
	switch {
	case !ok:
		return nil, fmt.Errorf("there is no engine %q; expected one of %v", o.Engine, Names(nil))
	case o.help() != blp.All && !e.Helped:
		return nil, fmt.Errorf("engine %s adds nothing to the paper's program; expected engine %s", e.Name, Choice(func(e *Entry) bool { return e.Helped }))
	}
	solver, err := e.external(&o)
	if err != nil {
		return nil, err
	}
	return e.make(&o, solver)
}

// AnyLength makes the engine that finds a plan of any number of steps, where that of the options does.
func AnyLength(o Options) (engine.Engine, error) {
	if o.Engine != "" && o.Engine != Auto && o.Engine != (search.Ways{}).Name() {
		return nil, fmt.Errorf("the engine %s plans over a horizon; expected -H, or the engine %s", o.Engine, (search.Ways{}).Name())
	}
	return search.Ways{}, nil
}

// external finds the external solver of the options; nil where they name none.
func (e *Entry) external(o *Options) (*external.Solver, error) {
	switch {
	case o.Solver == "":
		return nil, nil
	case e.External == nil:
		return nil, fmt.Errorf("engine %s takes no external solver; expected engine %s", e.Name, Choice(External))
	}
	s, err := external.Lookup(*e.External, o.Solver)
	if err != nil {
		return nil, err
	}
	return &s, nil
}
