package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/prove"
	"github.com/fdplan/fdplan/internal/progress"
)

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
