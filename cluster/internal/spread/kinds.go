package spread

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/routine"
)

// Env is what units may use of the worker's machine.
type Env struct {
	Program string // this program, for runs that a bench measures
	// Solvers are the outside solvers that the operator allows, by name.
	Solvers []string
	Memory  int64 // bytes that a unit may have; 0 for any
	Now     func() time.Time
}

// request is a unit as a child process receives it.
type request struct {
	ID     cluster.Hash    `json:"id"` // of the unit
	Kind   string          `json:"kind"`
	Args   json.RawMessage `json:"args"`
	Seed   uint64          `json:"seed"`
	Time   time.Duration   `json:"time"`
	Memory int64           `json:"memory"`
	Dir    string          `json:"dir"` // with the inputs
}

// reply is the outcome of a unit as a child process returns it.
type reply struct {
	Output any      `json:"output"`
	Files  []string `json:"files,omitempty"`
	Error  string   `json:"error,omitempty"`
	Full   bool     `json:"full,omitempty"` // the error is that a disk is full
}

// outcome is what the worker makes of a reply.
func (r *reply) outcome() (*cluster.Outcome, error) {
	if r.Full {
		return nil, &cluster.FullError{Reason: r.Error}
	}
	if r.Error != "" {
		return nil, errors.New(r.Error)
	}
	return &cluster.Outcome{Output: r.Output, Files: r.Files}, nil
}

// kinds are the units that this build can do.
var kinds = map[string]func(context.Context, *Env, *request) (*cluster.Outcome, error){
	"bench":   doBench,
	"cell":    doCell,
	"collect": doCollect,
	"cube":    doCube,
	"solve":   doSolve,
}

// do does a unit.
func do(ctx context.Context, e *Env, r *request) (*cluster.Outcome, error) {
	f := kinds[r.Kind]
	if f == nil {
		return nil, fmt.Errorf("there is no kind of unit %q; expected one of %s", r.Kind, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	return f(ctx, e, r)
}

// read reads the arguments of a unit, which may have no other fields.
func (r *request) read(into any) error {
	dec := json.NewDecoder(bytes.NewReader(r.Args))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("the arguments of a unit %s: %w", r.Kind, err)
	}
	return nil
}

// unit returns a unit without inputs.
func unit(version, kind string, args any, seed uint64) (*cluster.Unit, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("writing a unit: %w", err)
	}
	return &cluster.Unit{Version: version, Kind: kind, Args: text, Seed: seed}, nil
}

// Serve is the child process's side: it does the units that in requests, one at a
// time, and writes their outcomes to out, until in ends. If in ends while a unit
// runs, the worker is gone, and the unit is stopped.
func Serve(ctx context.Context, e *Env, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	requests := make(chan *request)
	routine.Go(func() {
		defer close(requests)
		for dec := json.NewDecoder(in); ; {
			r := &request{}
			if err := dec.Decode(r); err != nil {
				cancel(errWorkerGone)
				return
			}
			select {
			case requests <- r:
			case <-ctx.Done():
				return
			}
		}
	}, func(err error) { cancel(err) })
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for r := range requests {
		outcome, err := routine.Get(func() (*cluster.Outcome, error) { return do(ctx, e, r) })
		if ctx.Err() != nil {
			break
		}
		var a reply
		if err != nil {
			a.Error, a.Full = err.Error(), atomicfile.IsFull(err)
		} else {
			a.Output, a.Files = outcome.Output, outcome.Files
		}
		if err := enc.Encode(a); err != nil {
			return fmt.Errorf("answering the worker: %w", err)
		}
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errWorkerGone) {
		return err
	}
	return nil
}

var errWorkerGone = errors.New("the worker has ended")
