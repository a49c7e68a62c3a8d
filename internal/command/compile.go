package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/model/format"
)

type compileCmd struct {
	load.Ref
	load.Changes
	app.Effort
	progressFlags
	Horizon  bind.Horizon `short:"H" help:"Number of steps; default: the problem's own." placeholder:"N"`
	Format   string       `help:"File format: ${enum}." enum:"cnf,wcnf,wcnf-old,opb,lp,mps,pddl" required:""`
	Encoding string       `help:"Encoding of neurons and sums as clauses: ${enum}. All but default keep the model as it is, without constants propagated." enum:"default,paper,published,unidirectional" default:"default"`
	Out      string       `short:"o" help:"File to write; default: standard output." placeholder:"FILE"`
	Facts    string       `help:"With --format pddl, the file for the problem; --out is the domain." placeholder:"PROBLEM.pddl"`
	Map      string       `help:"Write which file variable stands for which problem variable at which step, as JSON." placeholder:"FILE"`
	Safe     bool         `help:"With the constraints of plan --safe."`
	Stats    bool         `help:"Print the sizes, by group, instead of the file; with -o, both."`
	JSON     bool         `name:"json" help:"Print the sizes as one JSON object; --stats is implied."`
}

// Run writes the file, the map and the sizes, as asked.
func (c *compileCmd) Run(ctx context.Context, a *environment) error {
	task, err := loadProblem(ctx, c.Ref, c.Changes)
	if err != nil {
		return err
	}
	if c.Safe {
		if task, err = support.Safe(task); err != nil {
			return err
		}
	}
	if c.Format == "pddl" {
		return c.asPDDL(ctx, a, task)
	}
	horizon, err := c.horizon(task)
	if err != nil {
		return err
	}
	kind, err := format.ParseKind(c.Format)
	if err != nil {
		return err
	}
	encoding, err := cnf.ParseEncoding(c.Encoding)
	if err != nil {
		return err
	}
	m, err := model.New(task.Problem, task.Network, horizon, model.Options{Propagate: encoding == cnf.Default, Context: ctx})
	if err != nil {
		return err
	}
	o := format.Options{Kind: kind, Encoding: encoding}
	var stats format.Stats
	if (c.Stats || c.JSON) && c.Out == "" {
		stats, err = format.Measure(ctx, m, o)
	} else {
		err = a.toFile(c.Out, func(w io.Writer) (err error) {
			stats, err = format.Write(ctx, w, m, o)
			return err
		})
	}
	if err == nil && c.Map != "" {
		err = a.toFile(c.Map, func(w io.Writer) error { return format.WriteMap(w, m, o) })
	}
	if err != nil {
		return limited(ctx, err)
	}
	if note := task.Note(); note != "" {
		a.warn(note)
	}
	if !c.Stats && !c.JSON {
		return nil
	}
	doc := struct {
		format.Stats
		load.Altered
	}{stats, task.Altered}
	return a.answer(c.JSON, "", doc, func(w io.Writer) { writeStats(w, stats) })
}

// asPDDL writes a domain and a problem.
func (c *compileCmd) asPDDL(ctx context.Context, a *environment, p *load.Problem) error {
	if c.Horizon.Min != c.Horizon.Max || c.Out == "" || c.Facts == "" {
		return errors.New("expected one number of steps, or none, and two files: --format pddl [-H N] -o DOMAIN.pddl --facts PROBLEM.pddl")
	}
	g, err := inspect.AsPDDL(ctx, p, c.Horizon.Max)
	if err != nil {
		return limited(ctx, err)
	}
	var problem bytes.Buffer
	if err := a.toFile(c.Out, func(w io.Writer) error { return g.Write(w, &problem) }); err != nil {
		return err
	}
	return a.toFile(c.Facts, func(w io.Writer) error { _, err := w.Write(problem.Bytes()); return err })
}

// horizon is the number of steps to compile.
func (c *compileCmd) horizon(p *load.Problem) (int, error) {
	if c.Horizon.Min != c.Horizon.Max {
		return 0, errors.New("compile takes one horizon; expected a number after -H")
	}
	h := c.Horizon.Max
	if h == 0 {
		if h = p.Problem.Horizon; h == 0 {
			return 0, fmt.Errorf("%s: %w", p.Problem.Name, app.ErrNoHorizon)
		}
	}
	return h, p.CheckHorizon(h)
}

func writeStats(w io.Writer, s format.Stats) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "group\tvariables\tclauses\tliterals\tconstraints\tsoft clauses\t")
	row := func(name string, z format.Size) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t\n", name, z.Variables, z.Clauses, z.Literals, z.Constraints, z.SoftClauses)
	}
	row("problem", s.Groups.Problem)
	row("initial", s.Groups.Initial)
	row("global", s.Groups.Global)
	row("transition", s.Groups.Transition)
	row("goal", s.Groups.Goal)
	row("network", s.Groups.Network)
	row("objective", s.Groups.Objective)
	row("total", s.Size)
	t.Flush()
}
