// Command playground is the planner of a page that has no server: a session over standard input and output
// (docs/session.md), which .ci/playground compiles to WebAssembly. Its files are those that the page has.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/serve/stdio"
)

// memory is what the tables of an engine may take, in bytes, of the 4 GiB that WebAssembly can address.
const memory = 1 << 30

// exitInput is the exit status of commands that refuse their input (docs/formats.md).
const exitInput = 2

func main() {
	c := stdio.Config{In: os.Stdin, Out: os.Stdout, Now: time.Now, Threads: 1, Memory: memory,
		Describe: func(err error) (app.Complaint, int) { return app.ComplaintOf(err, ""), exitInput }}
	if err := stdio.Serve(context.Background(), c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
