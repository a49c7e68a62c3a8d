package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/draw"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/fromlog"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/rawlog"
	"github.com/fdplan/fdplan/internal/picture"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/internal/source"
)

type listCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run lists the bundled problems.
func (c *listCmd) Run(ctx context.Context, a *environment) error {
	all, err := inspect.List(context.Background())
	if err != nil {
		return err
	}
	doc := struct {
		Schema   int               `json:"schema"`
		Problems []inspect.Listing `json:"problems"`
	}{app.Schema, all}
	return a.answer(c.JSON, "", doc, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "problem\thorizon\tstate bits\taction bits\tnetwork")
		for _, l := range all {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\n", l.Problem, l.Horizon, l.States, l.Actions, l.Network)
		}
		t.Flush()
	})
}

type showCmd struct {
	load.Ref
	load.Changes
	app.Bounds
	progressFlags
	Delimiter string    `help:"Delimiter of a log that is a CSV; inferred if not given." placeholder:"C"`
	Plan      bind.Plan `arg:"" optional:"" help:"Plan or policy as printed by fdplan plan --json (.json), drawn as a picture; given alone, it names its problem."`
	Horizon   bind.One  `short:"H" help:"Number of steps of a task that is written." placeholder:"N"`
	Seed      *uint64   `help:"Seed of the run in the picture of a policy; default: the most likely run." placeholder:"N"`
	JSON      bool      `name:"json" help:"Print a problem as one JSON object."`
	FoundBy   string    `help:"Command line that has found the plan, for the page that -o FILE.html writes." placeholder:"COMMAND"`
	Frames    bool      `help:"Print the picture of the plan, or of the initial state, in parts as one JSON object, for pages of your own."`
	Out       string    `short:"o" help:"Write the answer to a file; a picture of the plan, of a network's effects, or of the initial state, if it ends in .svg, .html, .gif or .png; those of plans and policies also as .txt; the problem with its changes as a task of its own if it ends in .toml." placeholder:"FILE"`
}

// isTask reports whether a file's name is that of a task.
func isTask(out string) bool { return strings.EqualFold(filepath.Ext(out), ".toml") }

// Run shows a problem, or a plan.
func (c *showCmd) Run(ctx context.Context, a *environment) error {
	switch ext := strings.ToLower(filepath.Ext(c.Ref.Name)); {
	case c.Plan.File != "" || c.Files != "":
	case rawlog.IsLog(c.Ref.Name):
		return c.log(ctx, a)
	case ext == ".bnn":
		return c.network(ctx, a)
	}
	if c.Plan.File == "" && strings.HasSuffix(c.Ref.Name, ".json") {
		c.Ref.Name, c.Plan.File = "", c.Ref.Name
	}
	if c.Plan.File != "" {
		return c.picture(ctx, a)
	}
	if c.Frames || slices.Contains([]string{".svg", ".html", ".gif", ".png"}, strings.ToLower(filepath.Ext(c.Out))) {
		return c.initial(ctx, a)
	}
	r := c.Ref
	r.Untrained, r.Chance = !load.HasNetwork(r), r.Determinize == "" || r.Determinize == "none"
	task, err := loadProblem(ctx, r, c.Changes)
	if err != nil {
		return err
	}
	if isTask(c.Out) {
		return a.saveTask(task, c.Out, int(c.Horizon))
	}
	if c.Horizon > 0 {
		task.Problem.Horizon = int(c.Horizon)
	}
	s := inspect.Show(task)
	return a.answer(c.JSON, c.Out, s, func(w io.Writer) { writeSummary(w, s) })
}

// saveTask writes a problem with its changes as a task.
func (a *environment) saveTask(p *load.Problem, name string, horizon int) error {
	files, err := p.Save(name, horizon)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if err == nil {
			err = a.toFile(file, func(w io.Writer) error { _, err := w.Write(files[file]); return err })
		}
	}
	return err
}

// log shows the columns of a log.
func (c *showCmd) log(ctx context.Context, a *environment) error {
	delimiter, err := fromlog.Delimiter(c.Delimiter)
	if err != nil {
		return err
	}
	defer sparing()()
	r := c.reporter(a)
	ctx = events.Reading(ctx, r)
	d, err := routine.InTime(ctx, func() (*fromlog.Description, error) { return fromlog.Describe(ctx, c.Ref.Name, delimiter) })
	r.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	return a.tell(c.JSON, c.Out, d)
}

// network shows a network file.
func (c *showCmd) network(ctx context.Context, a *environment) error {
	text, err := routine.InTime(ctx, func() ([]byte, error) { return source.ReadFile(c.Ref.Name) })
	if err != nil {
		return limited(ctx, err)
	}
	d, err := inspect.ShowNetwork(c.Ref.Name, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if isPicture(c.Out) || c.Frames {
		p, err := draw.Effects(c.Ref.Name, d)
		if err != nil {
			return err
		}
		return c.draw(a, p, c.Ref.Name)
	}
	return a.tell(c.JSON, c.Out, d)
}

// picture draws a plan.
func (c *showCmd) picture(ctx context.Context, a *environment) error {
	if c.JSON {
		return fmt.Errorf("--json shows a problem; expected -o with a name that ends in .svg, .html, .gif, .png or .txt for %v, or --frames", c.Plan)
	}
	if c.FoundBy != "" {
		if err := readPlan(&c.Plan); err != nil {
			return err
		}
		return c.again(a)
	}
	if !c.Changes.None() {
		return fmt.Errorf("%v is shown as it is; expected no --reward, --initial, --set-initial or --require", c.Plan)
	}
	if err := readPlan(&c.Plan); err != nil {
		return err
	}
	p, err := draw.Picture(ctx, c.Ref, c.Plan.File, c.Plan.Text, c.Seed)
	if err != nil {
		return err
	}
	return c.draw(a, p, c.Plan.File)
}

// initial draws the initial state.
func (c *showCmd) initial(ctx context.Context, a *environment) error {
	p, err := routine.InTime(ctx, func() (*picture.Picture, error) { return draw.Initial(ctx, c.Ref, c.Changes) })
	if err != nil {
		return err
	}
	return c.draw(a, p, p.Title())
}

// draw writes a picture in the form that the flags ask for.
func (c *showCmd) draw(a *environment, p *picture.Picture, what string) error {
	if c.Frames {
		f, err := p.Frames()
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return a.toFile(c.Out, func(w io.Writer) error { return app.WriteJSON(w, f) })
	}
	return writePicture(a, p, what, c.Out)
}

// pictures are the forms of pictures, by the extension of the file.
var pictures = map[string]func(*picture.Picture, io.Writer) error{
	".svg": (*picture.Picture).SVG, ".html": (*picture.Picture).HTML, ".gif": (*picture.Picture).GIF, ".png": (*picture.Picture).PNG, ".txt": (*picture.Picture).Text,
}

// isPicture reports whether a file's name is that of a picture.
func isPicture(out string) bool { return pictures[strings.ToLower(filepath.Ext(out))] != nil }

// writePicture writes a picture in the form that the name of the file asks for.
func writePicture(a *environment, p *picture.Picture, what, out string) error {
	write := pictures[strings.ToLower(filepath.Ext(out))]
	switch {
	case out == "" || out == "-":
		write = (*picture.Picture).Text
	case write == nil:
		return fmt.Errorf("-o %s: its ending names no format of pictures; expected .svg, .html, .gif, .png or .txt", out)
	}
	return a.toFile(out, func(w io.Writer) error {
		if err := write(p, w); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	})
}

func writeSummary(b io.Writer, s *inspect.Summary) {
	fmt.Fprintf(b, "%s\n", s.Problem)
	if s.Horizon > 0 {
		fmt.Fprintf(b, "horizon %d\n", s.Horizon)
	}
	writeSentence(b, s.Note())
	writeNetwork(b, s)
	fmt.Fprintf(b, "%d state bits, %d action bits, %d auxiliary bits\n", s.Bits["state"], s.Bits["action"], s.Bits["auxiliary"])
	if k := s.Task; k != nil {
		fmt.Fprintf(b, "RDDL %s", k.Domain)
		if k.Instance != "" {
			fmt.Fprintf(b, ", %s", k.Instance)
		}
		fmt.Fprintln(b)
		if len(k.Learned) > 0 {
			fmt.Fprintf(b, "fluents to be learned: %s\n", strings.Join(k.Learned, ", "))
		}
		if k.Goal != "" {
			fmt.Fprintf(b, "goal %s\n", k.Goal)
		}
	}
	writeVariables(b, s)
	for _, g := range []struct {
		name  string
		lines []inspect.ConstraintLine
	}{{"initial state", s.Initial}, {"constraints, at every step", s.Global}, {"goal", s.Goal}, {"known transitions", s.Transitions}} {
		fmt.Fprintf(b, "\n%s\n", g.name)
		if len(g.lines) == 0 {
			fmt.Fprintf(b, "  (none)\n")
		}
		for _, l := range g.lines {
			fmt.Fprintf(b, "  %s    # %s\n", l.Text, l.Origin)
		}
	}
	inspect.WriteChance(b, s.Chance)
	fmt.Fprintf(b, "\nreward of a step\n")
	for _, r := range s.Reward {
		if r.Integer {
			fmt.Fprintf(b, "  %+v times %s\n", r.Weight, r.Literal)
			continue
		}
		fmt.Fprintf(b, "  %+v when %s\n", r.Weight, r.Literal)
	}
	if s.Constant != 0 {
		fmt.Fprintf(b, "  %+v always\n", s.Constant)
	}
	if len(s.Reward) == 0 && s.Constant == 0 {
		fmt.Fprintf(b, "  0\n")
	}
}

// writeTrainedOn writes what the network was trained on.
func writeTrainedOn(b io.Writer, n *inspect.NetworkLine) {
	switch {
	case n.Rows == nil:
		fmt.Fprintf(b, "trained on unknown rows: it cannot be told which steps they support\n")
	case *n.AllLegal:
		fmt.Fprintf(b, "trained on %d distinct rows, all that are legal\n", *n.Rows)
	default:
		fmt.Fprintf(b, "trained on %d distinct rows, which may not support every step\n", *n.Rows)
	}
}

// writeVariables writes a line for each variable.
func writeVariables(b io.Writer, s *inspect.Summary) {
	fmt.Fprintf(b, "\nvariables\n")
	for _, v := range s.Variables {
		fmt.Fprintf(b, "  %-9s %s", v.Kind, v.Name)
		if !v.Bool {
			fmt.Fprintf(b, " in %s", v.Range)
		}
		if len(v.Edges) > 2 {
			fmt.Fprintf(b, ", bins at %s", numbers(v.Edges[1:len(v.Edges)-1]))
		}
		if v.Default != nil {
			fmt.Fprintf(b, ", default %v", v.Default)
		}
		if v.Listed {
			fmt.Fprintf(b, ", in every step")
		}
		if v.Meaning != "" {
			fmt.Fprintf(b, ": %s", v.Meaning)
		}
		if v.Learned {
			fmt.Fprintf(b, ", learned")
		}
		if len(v.Published) > 0 {
			fmt.Fprintf(b, "    # published as %s", strings.Join(v.Published, " "))
		}
		fmt.Fprintln(b)
	}
}

// numbers lists numbers with commas.
func numbers(xs []float64) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(parts, ", ")
}

// writeNetwork writes what gives the next values.
func writeNetwork(b io.Writer, s *inspect.Summary) {
	switch {
	case s.Network != nil:
		fmt.Fprintf(b, "network %s, %s, %s\n", s.Network.Shape, counted.Of(s.Network.Neurons, "neuron"), counted.Of(s.Network.Edges, "edge"))
		writeTrainedOn(b, s.Network)
	case s.Untrained:
		fmt.Fprintf(b, "no network yet: fdplan train learns one\n")
	case len(s.Chance) > 0:
		fmt.Fprintf(b, "no network: next values are drawn or kept\n")
	default:
		fmt.Fprintf(b, "no network: every transition is known\n")
	}
}
