package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/prove"
	"github.com/fdplan/fdplan/internal/progress"
	"github.com/fdplan/fdplan/internal/rddl/task"
)

// proveWritten compares a problem with what was written of it as PDDL.
func (c *testCmd) proveWritten(ctx context.Context, a *environment) error {
	if c.Task == "" || c.Data == "" || c.Proof != "" {
		return errors.New("a problem is compared with its two files in PDDL; expected DOMAIN.pddl PROBLEM.pddl --task PROBLEM --prove")
	}
	p, err := load.Load(ctx, load.Ref{Name: c.Task, Source: load.Source{Model: c.Model, IgnoreDiscount: c.IgnoreDiscount}})
	if err != nil {
		return err
	}
	written, err := task.FromPDDL(c.Network, c.Data, load.ReadFile)
	if err != nil {
		return err
	}
	res, err := prove.Written(ctx, p, written.PDDL())
	if err != nil {
		return limited(ctx, err)
	}
	if err := a.tell(c.JSON, "", res); err != nil {
		return err
	}
	if !res.Equal {
		return exitStatus(exitNo)
	}
	return nil
}

// prove compares the network with the RDDL.
func (c *testCmd) prove(ctx context.Context, a *environment, text []byte) error {
	r := c.reporter(a)
	o := prove.Options{Threads: c.Threads, Certify: c.Proof != ""}
	if r.Enabled() {
		o.Progress = func(done, of int) {
			r.Report(progress.Event{Kind: "phase", Phase: "prove", Done: &done, Of: &of, Line: fmt.Sprintf("prove: %d of %d outputs", done, of)})
		}
	}
	res, err := prove.Network(ctx, load.Ref{Name: c.Task}, c.Network, text, o)
	r.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	if c.Proof != "" {
		if err := os.MkdirAll(c.Proof, 0o777); err != nil {
			return fmt.Errorf("writing the proofs: %w", err)
		}
		err := res.Certificates(func(name string, text []byte) error {
			return a.toFile(filepath.Join(c.Proof, name), func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	if err := a.tell(c.JSON, "", res); err != nil {
		return err
	}
	if !res.Equal {
		return exitStatus(exitNo)
	}
	return nil
}
