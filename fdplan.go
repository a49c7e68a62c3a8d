// Package fdplan plans with learned, discrete models of the world: it finds plans
// of the best reward over a horizon, proves that no plan is better, and has an
// independent checker replay each of them. The transition of a problem may be
// partly given by a binarized neural network that was learned from data.
//
// A program that plans in a problem that comes with the module:
//
//	p, err := fdplan.Load("navigation/3x3")
//	if err != nil {
//		log.Fatal(err)
//	}
//	plan, err := p.Plan(context.Background(), fdplan.Options{})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Println(plan.Status, plan.Reward)
//	for i, step := range plan.Steps {
//		fmt.Println(i+1, step.Action)
//	}
//
// [Load] reads bundled problems and task files, [LoadFrom] everything else: RDDL
// text and the FD-SAT-Plan layout. [Problem.Plan] plans, [Problem.Check] replays
// joint actions in the model, [Problem.Learn] trains the network of a problem,
// [Problem.Run] acts in a [Simulator] and plans again as it goes, and
// [Problem.PlanIn] makes plans until one holds in the simulator (Algorithm 1 of
// the paper).
//
// That there is no plan is an answer and not an error: see [Status]. A Problem may
// be used by several goroutines at a time.
package fdplan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Errors that callers may want to tell apart, with errors.Is.
var (
	// ErrInternal is wrapped by errors that are bugs of this module, such as a
	// plan that the checker refuses.
	ErrInternal = app.ErrInternal
	// ErrNoHorizon is the error of a query without a horizon, about a problem that
	// has none of its own.
	ErrNoHorizon = app.ErrNoHorizon
	// ErrNoNetwork is the error of loading a problem whose network is yet to be
	// learned; see Source.Model.
	ErrNoNetwork = load.ErrNoNetwork
	// ErrNoRDDL is the error of simulating a problem that has no RDDL.
	ErrNoRDDL = load.ErrNoRDDL
)

// Model is what stands for the transition of a problem.
type Model int

// The models.
const (
	Network Model = iota // the learned network, and the known constraints
	RDDL                 // the RDDL itself; nothing is learned
	None                 // the known constraints alone: the network is yet to be learned
)

// Range is a range of integers, both ends included.
type Range struct{ Lo, Hi int64 }

// Source says where a problem is. One of Name and Domain is set.
type Source struct {
	// Name is that of a bundled problem such as navigation/3x3, or the path of a
	// task file, which ends in .toml; with Folder it is DOMAIN/INSTANCE there.
	Name string
	// Folder has files in the FD-SAT-Plan layout; empty for a Name that is not in
	// one.
	Folder string
	// Domain and Instance are RDDL as text. Instance may be empty where Domain has
	// the instance too. Everything is then known and nothing learned.
	Domain, Instance string
	// Goal is an expression that holds at the end, of RDDL where the problem has
	// RDDL; empty for the problem's own.
	Goal string
	// Ranges are those of integer fluents in place of the problem's own; of learned
	// ones, within these.
	Ranges map[string]Range
	// Model is what stands for the transition; Network when zero.
	Model Model
	// IgnoreDiscount takes a discount other than 1 for 1, which else is an error.
	IgnoreDiscount bool
}

// Problem is a loaded problem: variables, constraints, goal and reward with what
// stands for the transition.
type Problem struct{ p *load.Problem }

// Bundled lists the names of the problems that come with the module.
func Bundled() []string { return bundled.Names() }

// Load reads a bundled problem, or a task file where the name ends in .toml.
// Errors in files have the name, the line and what was expected.
func Load(name string) (*Problem, error) { return LoadFrom(Source{Name: name}) }

// LoadFrom reads a problem. RDDL text is called domain.rddl and instance.rddl in
// errors.
func LoadFrom(s Source) (*Problem, error) {
	r := load.Ref{Name: s.Name, Source: load.Source{Files: s.Folder, Question: load.Question{Goal: s.Goal}, IgnoreDiscount: s.IgnoreDiscount}}
	switch s.Model {
	case Network:
	case RDDL:
		r.Source.Model = load.RDDL
	case None:
		r.Untrained = true
	default:
		return nil, fmt.Errorf("fdplan: Source.Model is %d; expected Network, RDDL or None", s.Model)
	}
	switch {
	case s.Domain == "" && s.Name == "":
		return nil, errors.New("fdplan: the Source names no problem; expected Name or Domain")
	case s.Domain == "" && s.Instance != "":
		return nil, errors.New("fdplan: Instance goes with Domain; a named problem has its own")
	case s.Domain != "" && (s.Name != "" || s.Folder != ""):
		return nil, errors.New("fdplan: the Source has a Domain and another problem; expected one of them")
	case s.Folder != "" && s.Model == RDDL:
		return nil, fmt.Errorf("fdplan: %w in the FD-SAT-Plan layout, which Model asks for", ErrNoRDDL)
	case s.Domain != "":
		const domain, instance = "domain.rddl", "instance.rddl"
		files := map[string]string{domain: s.Domain}
		r.Domain = domain
		if s.Instance != "" {
			r.Instance, files[instance] = instance, s.Instance
		}
		r.Read = func(name string) ([]byte, error) {
			text, ok := files[name]
			if !ok {
				return nil, source.Errorf(name, 0, 0, "there is no such text")
			}
			return []byte(text), nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Ranges)) {
		x := s.Ranges[name]
		if x.Lo > x.Hi || name == "" {
			return nil, fmt.Errorf("fdplan: %q has the range %d..%d; expected a fluent and the lower end first", name, x.Lo, x.Hi)
		}
		r.Range = append(r.Range, fmt.Sprintf("%s=%d..%d", name, x.Lo, x.Hi))
	}
	p, err := load.Load(context.Background(), r)
	if err != nil {
		return nil, err
	}
	return &Problem{p}, nil
}

// Name is the name of the problem, DOMAIN/INSTANCE.
func (p *Problem) Name() string { return p.p.Problem.Name }

// Horizon is the problem's own number of steps; 0 for none.
func (p *Problem) Horizon() int { return p.p.Problem.Horizon }

// Factored returns a copy of what the problem is made of: variables, constraints,
// goal and reward.
func (p *Problem) Factored() *factored.Problem { return p.p.Problem.Clone() }

// Network returns the network that stands for the learned part of the transition;
// nil when nothing is learned. It must not be changed.
func (p *Problem) Network() *bnn.Network { return p.p.Network }

// Values are variables with their values; those of Booleans are 0 and 1. Names may
// be written as RDDL or as the FD-SAT-Plan files write them.
type Values map[string]int64

// String lists the variables that are not 0, by name.
func (v Values) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch v[name] {
		case 0:
		case 1:
			parts = append(parts, name)
		default:
			parts = append(parts, fmt.Sprintf("%s=%d", name, v[name]))
		}
	}
	return strings.Join(parts, " ")
}

// bits is the valuation with these values of variables of one kind; variables that
// are absent are false or 0. With all, none may be absent.
func (p *Problem) bits(k factored.Kind, values Values, all bool) (factored.Valuation, error) {
	val := make(factored.Valuation, p.p.Problem.NumBits())
	given := map[*factored.Variable]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v, ok := p.p.Problem.Find(name)
		if !ok || v.Kind != k {
			return nil, fmt.Errorf("there is no %s variable %q in %s", k, name, p.Name())
		}
		if other, twice := given[v]; twice {
			return nil, fmt.Errorf("%s and %s are the same variable", other, name)
		}
		given[v] = name
		if err := v.Set(val, values[name]); err != nil {
			return nil, err
		}
	}
	for i := range p.p.Problem.Variables {
		if v := &p.p.Problem.Variables[i]; all && v.Kind == k && given[v] == "" {
			return nil, fmt.Errorf("the %s variable %s has no value", k, v.Name)
		}
	}
	return val, nil
}

// values lists the variables of one kind; with all those that are 0 too.
func (p *Problem) values(k factored.Kind, val factored.Valuation, all bool) Values {
	return fromEntries(app.ValuesOf(p.p.Problem, k, val, all))
}

// fromEntries are the values of a document.
func fromEntries(list app.Values) Values {
	out := Values{}
	for _, e := range list {
		switch x := e.Value.(type) {
		case bool:
			out[e.Name] = 0
			if x {
				out[e.Name] = 1
			}
		case int64:
			out[e.Name] = x
		}
	}
	return out
}
