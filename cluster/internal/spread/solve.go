package spread

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/app/solve"
	"github.com/fdplan/fdplan/internal/atomicfile"
)

// solveArgs are the arguments of a unit that solves a file.
type solveArgs struct {
	File          string `json:"file"` // input
	CuttingPlanes bool   `json:"cutting_planes,omitempty"`
	Proof         bool   `json:"proof,omitempty"`
	ProofFormat   string `json:"proof_format,omitempty"`
}

// Files of such a unit.
const (
	answerFile = "answer"
	proofFile  = "proof"
)

// Solve is solve.File on a worker, for at most the given time; 0 is any. The answer
// is printed when it is complete.
func (c *Coordinator) Solve(ctx context.Context, r solve.Request, limit time.Duration, w io.Writer) (status int, err error) {
	if err := solve.Check(ctx, r.File, r.Memory); err != nil {
		return 0, err
	}
	h, err := c.Session.Add(ctx, r.File)
	if err != nil {
		return 0, err
	}
	// The end of the name tells the format and the compression.
	_, ext, _ := strings.Cut(filepath.Base(r.File), ".")
	a := solveArgs{File: "in/file." + ext, CuttingPlanes: r.CuttingPlanes, Proof: r.Proof != nil, ProofFormat: r.ProofFormat}
	u, err := unit(c.Version, "solve", a, 0)
	if err != nil {
		return 0, err
	}
	u.Inputs, u.Time, u.Memory = map[string]cluster.Hash{a.File: h}, limit, c.Memory
	res, err := c.Session.Do(ctx, u)
	if err != nil {
		return 0, err
	}
	for _, f := range []struct {
		name string
		to   io.Writer
	}{{proofFile, r.Proof}, {answerFile, w}} {
		if f.to == nil {
			continue
		}
		if err := c.Session.Client().Get(ctx, res.Files[f.name], f.to); err != nil {
			return 0, fmt.Errorf("fetching the %s: %w", f.name, err)
		}
	}
	return status, json.Unmarshal(res.Output, &status)
}

// doSolve solves a file.
func doSolve(ctx context.Context, e *Env, r *request) (*cluster.Outcome, error) {
	var a solveArgs
	if err := r.read(&a); err != nil {
		return nil, err
	}
	file, err := inside(r.Dir, a.File)
	if err != nil {
		return nil, err
	}
	if r.Time > 0 {
		timed, cancel := context.WithTimeoutCause(ctx, r.Time, fmt.Errorf("the time limit of %v was reached", r.Time))
		defer cancel()
		ctx = timed
	}
	memory := r.Memory
	if memory == 0 || e.Memory > 0 && e.Memory < memory {
		memory = e.Memory
	}
	request := solve.Request{File: file, CuttingPlanes: a.CuttingPlanes, Memory: memory, ProofFormat: a.ProofFormat}
	out := &cluster.Outcome{Files: []string{answerFile}}
	run := func(w io.Writer) error {
		status, err := solve.File(ctx, request, w)
		out.Output = status
		return err
	}
	answer := func() error { return atomicfile.Write(filepath.Join(r.Dir, answerFile), run) }
	if !a.Proof {
		return out, answer()
	}
	out.Files = append(out.Files, proofFile)
	return out, atomicfile.Write(filepath.Join(r.Dir, proofFile), func(w io.Writer) error {
		request.Proof = w
		return answer()
	})
}
