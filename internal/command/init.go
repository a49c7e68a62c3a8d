package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/fromlog"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/routine"
)

type initCmd struct {
	request.Init
	progressFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run writes the folder.
func (c *initCmd) Run(ctx context.Context, a *environment) error {
	defer sparing()()
	r := c.Request
	r.Progress = events.Step(c.reporter(a))
	res, err := routine.InTime(ctx, func() (*fromlog.Result, error) { return fromlog.Init(ctx, r) })
	if err != nil {
		return limited(ctx, err)
	}
	return a.answer(c.JSON, "", res, func(w io.Writer) {
		_ = res.WriteText(w)
		fmt.Fprintf(w, "wrote %s\n", strings.Join(res.Files, ", "))
		if res.Kept != "" {
			fmt.Fprintf(w, "The former task is %s.\n", res.Kept)
		}
	})
}

// contradictions lists those of a log for a task.
func (c *checkCmd) contradictions(ctx context.Context, a *environment) error {
	if c.Instance == "" {
		return errors.New("--contradictions needs a task and data; expected fdplan check TASK DATA --contradictions")
	}
	defer sparing()()
	p, err := load.Load(ctx, load.Ref{Name: c.Domain, Untrained: true})
	if err != nil {
		return err
	}
	r := c.reporter(a)
	res, err := fromlog.Check(events.Reading(ctx, r), p, c.Instance)
	r.Clear()
	if err != nil {
		return err
	}
	return a.tell(c.JSON, "", res)
}
