package command

import (
	"errors"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/serve/stdio"
)

// stdioFlags are those of serve --stdio.
type stdioFlags struct {
	Stdio bool `help:"Serve one program over standard input and output instead: JSON lines in, JSON lines out (docs/session.md)."`
}

// session answers the requests of standard input.
func (f *stdioFlags) session(a *environment) error {
	var own app.Bounds
	ctx, cancel := a.context(own, a.kill)
	defer cancel()
	return limited(ctx, stdio.Serve(ctx, stdio.Config{In: a.in, Out: a.out, Now: a.now, Memory: memoryOf(own), Describe: describe}))
}

// describe returns the error of a request as JSON, and the exit status of a command that
// fails with it.
func describe(err error) (app.Complaint, int) {
	status := statusOf(err)
	if errors.Is(err, stdio.ErrStopped) {
		status = exitLimit
	}
	return app.ComplaintOf(err, hint(err)), status
}
