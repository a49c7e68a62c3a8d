package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/fromlog"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

type initCmd struct {
	Log       string   `arg:"" help:"Log with a row for each time step, or for each transition: CSV, Parquet or JSON lines (.jsonl)."`
	Out       string   `short:"o" help:"Folder for task.toml, the data set and a report." required:"" placeholder:"FOLDER"`
	Actions   []string `help:"Columns that are actions." placeholder:"COLUMN,…"`
	Ignore    []string `help:"Columns to drop." placeholder:"COLUMN,…"`
	Rename    []string `help:"Name a column's fluent; repeatable." placeholder:"COLUMN=NAME" sep:"none"`
	Missing   string   `help:"Cells without a value: ${enum}." enum:"drop,previous,keep,error" default:"drop"`
	Bins      []string `help:"Bin edges of a quantity; repeatable." placeholder:"COLUMN=EDGE,…" sep:"none"`
	Delimiter string   `help:"Delimiter of a CSV; inferred if not given." placeholder:"C"`
	Range     []string `help:"Range of a number, or its values; repeatable." placeholder:"COLUMN=LO..HI[ by STEP]" sep:"none"`
	Gap       float64  `help:"Longest time between two rows of an episode, in seconds or the unit of the column of times; inferred if not given." placeholder:"TIME"`
	Episode   string   `help:"Column that numbers the episodes." placeholder:"COLUMN"`
	Entity    string   `help:"Column that names the device that a row is about: its rows follow each other, whatever stands between them." placeholder:"COLUMN"`
	// Of the task.
	Goal    string   `help:"Condition that must hold at the end of a plan." placeholder:"EXPR"`
	Reward  string   `help:"Reward of a step, a sum." placeholder:"EXPR"`
	Rule    []string `help:"Condition that always holds; repeatable." placeholder:"EXPR" sep:"none"`
	Default []string `help:"Value of an action that does nothing, so that plans omit it; repeatable." placeholder:"ACTION=VALUE" sep:"none"`
	Initial []string `help:"First value of a state, else that of the log; repeatable." placeholder:"STATE=VALUE" sep:"none"`
	JSON    bool     `name:"json" help:"Print one JSON object."`
	app.Bounds
	progressFlags
}

// delimiterOf reads --delimiter; 0 if it is not given.
func delimiterOf(text string) (rune, error) {
	switch runes := []rune(strings.ReplaceAll(text, `\t`, "\t")); len(runes) {
	case 0:
		return 0, nil
	case 1:
		return runes[0], nil
	}
	return 0, fmt.Errorf("--delimiter %q; expected one character", text)
}

// Run writes the folder.
func (c *initCmd) Run(a *environment) error {
	ctx, cancel := a.context(c.Bounds)
	defer cancel()
	r := fromlog.Request{
		Log: c.Log, Out: c.Out, Missing: rawlog.Missing(c.Missing), Gap: c.Gap, Goal: c.Goal, Reward: c.Reward, Rules: c.Rule, Defaults: c.Default, Initial: c.Initial,
		Spec:     rawlog.Spec{Actions: c.Actions, Ignore: c.Ignore, Episode: c.Episode, Entity: c.Entity, Rename: map[string]string{}, Bins: map[string][]float64{}, Ranges: map[string]rawlog.Range{}},
		Progress: events.Step(c.reporter(a)),
	}
	var err error
	if r.Delimiter, err = delimiterOf(c.Delimiter); err != nil {
		return err
	}
	for _, text := range c.Rename {
		column, name, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return fmt.Errorf("--rename %s; expected COLUMN=NAME", text)
		}
		r.Spec.Rename[column] = name
	}
	for _, text := range c.Bins {
		column, list, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("--bins %s; expected COLUMN=EDGE,EDGE,…", text)
		}
		for _, e := range strings.Split(list, ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(e), 64)
			if err != nil {
				return fmt.Errorf("--bins %s: %q is not a number; expected COLUMN=EDGE,EDGE,…", text, e)
			}
			r.Spec.Bins[column] = append(r.Spec.Bins[column], x)
		}
	}
	for _, text := range c.Range {
		column, bounds, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("--range %s; expected COLUMN=LO..HI[ by STEP]", text)
		}
		if r.Spec.Ranges[column], err = rawlog.ParseRange(bounds); err != nil {
			return fmt.Errorf("--range %s: %w", text, err)
		}
	}
	res, err := inTime(ctx, func() (*fromlog.Result, error) { return fromlog.Init(ctx, r) })
	if err != nil {
		return limited(ctx, err)
	}
	return a.answer(c.JSON, "", res, func(w io.Writer) error {
		if err := res.WriteText(w); err != nil {
			return err
		}
		fmt.Fprintf(w, "wrote %s\n", strings.Join(res.Files, ", "))
		if res.Kept != "" {
			fmt.Fprintf(w, "The former task is %s.\n", res.Kept)
		}
		return nil
	})
}

// contradictions lists those of a log for a task.
func (c *checkCmd) contradictions(ctx context.Context, a *environment) error {
	if c.Instance == "" {
		return errors.New("--contradictions needs a task and data; expected fdplan check TASK DATA --contradictions")
	}
	p, err := load.Load(ctx, load.Ref{Name: c.Domain, Untrained: true})
	if err != nil {
		return err
	}
	res, err := fromlog.Check(ctx, p, c.Instance)
	if err != nil {
		return err
	}
	return a.answer(c.JSON, "", res, res.WriteText)
}
