package spread

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/cluster/internal/divide"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/source"
)

// cubeArgs are the arguments of a unit that solves a part of a planning problem.
type cubeArgs struct {
	Board string      `json:"board"` // of the problem over the horizon; see cluster.Client.Board
	Unit  divide.Unit `json:"unit"`
}

// Files in the folder of such a unit.
const (
	taskFile    = "task.json"    // input: the problem, as divide.Encode writes it
	outcomeFile = "outcome.json" // an outcome
	cubeProof   = "proof.gz"     // the proof, if there is one
	bestFile    = "best.json"    // a posted, which the worker has from the server
	foundFile   = "found.json"   // a divide.Best that the unit has found
	refusedFile = "refused.json" // a refusal, by the unit, of what bestFile had
)

// outcome is what a unit has found out. It names the unit, by the hash of the problem, the cube,
// the question and the revision of the program, and its proof, so that it is good for nothing else.
type outcome struct {
	Unit        cluster.Hash `json:"unit"`
	ProofSHA256 cluster.Hash `json:"proof_sha256,omitempty"`
	divide.Outcome
}

// posted is a plan on the server's board. Nobody has judged it.
type posted struct {
	Revision uint64      `json:"revision"`
	Best     divide.Best `json:"best"`
}

// refusal says why a plan on the board is of no use.
type refusal struct {
	Revision uint64 `json:"revision"`
	Why      string `json:"why"`
}

// doCube solves a part of a planning problem.
func doCube(ctx context.Context, e *Env, r *request) (*cluster.Outcome, error) {
	var a cubeArgs
	if err := r.read(&a); err != nil {
		return nil, err
	}
	text, err := source.ReadFile(filepath.Join(r.Dir, taskFile))
	if err != nil {
		return nil, err
	}
	task, err := divide.Decode(text)
	if err != nil {
		return nil, err
	}
	if memory := e.Memory; memory > 0 && (a.Unit.Memory == 0 || a.Unit.Memory > memory) {
		a.Unit.Memory = memory
	}
	a.Unit.Memory = a.Unit.Memory / 4 * 3 // the rest is for the proof and the problem
	o, err := divide.Run(ctx, task, a.Unit, &folder{dir: r.Dir})
	if err != nil {
		return nil, err
	}
	out, named := &cluster.Outcome{Files: []string{outcomeFile}}, outcome{Unit: r.ID}
	if o.Proof != nil {
		named.ProofSHA256 = cluster.HashOf(o.Proof)
		out.Files = append(out.Files, cubeProof)
		if err := os.WriteFile(filepath.Join(r.Dir, cubeProof), o.Proof, 0o600); err != nil {
			return nil, err
		}
		o.Proof = nil
	}
	named.Outcome = *o
	return out, writeJSON(filepath.Join(r.Dir, outcomeFile), named)
}

// folder is the board of a unit: files that the worker exchanges with the server.
type folder struct {
	dir  string
	read time.Time // time of the last change that was read
	best *posted
}

// Publish writes the plan for the worker. The search does not depend on whether that succeeds.
func (f *folder) Publish(b divide.Best) { _ = writeJSON(filepath.Join(f.dir, foundFile), b) }

// Best reads the plan that the worker has from the server.
func (f *folder) Best() *divide.Best {
	name := filepath.Join(f.dir, bestFile)
	info, err := os.Stat(name)
	if err == nil && !info.ModTime().Equal(f.read) {
		var b posted
		if readJSON(name, &b) == nil {
			f.read, f.best = info.ModTime(), &b
		}
	}
	if f.best == nil {
		return nil
	}
	return &f.best.Best
}

// Refuse tells the worker, who can remove the plan from the board.
func (f *folder) Refuse(b *divide.Best, why error) {
	if f.best == nil || &f.best.Best != b {
		return
	}
	_ = writeJSON(filepath.Join(f.dir, refusedFile), refusal{f.best.Revision, why.Error()})
	f.best = nil
}

// writeJSON replaces a file as a whole.
func writeJSON(name string, v any) error {
	return atomicfile.Write(name, func(w io.Writer) error { return app.WriteJSON(w, v) })
}

func readJSON(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Base(name), err)
	}
	return nil
}

// boardForm matches the name of a board.
var boardForm = regexp.MustCompile(`^[0-9a-f]{64}-[0-9]{1,7}$`)

// exchangeTime is how often a unit's folder and the server's board are compared.
const exchangeTime = time.Second

// Beside runs beside each unit of a worker: it brings the best plan of a planning problem
// from the server to the unit's folder, and back. See Children.Beside. What fails is tried
// again the next time.
func Beside(c *cluster.Client) func(ctx context.Context, u *cluster.Unit, dir string) {
	return func(ctx context.Context, u *cluster.Unit, dir string) {
		var a cubeArgs
		if u.Kind != "cube" || json.Unmarshal(u.Args, &a) != nil || !boardForm.MatchString(a.Board) {
			return
		}
		x := &exchange{c: c, board: a.Board, dir: dir}
		tick := time.NewTicker(exchangeTime)
		defer tick.Stop()
		for {
			x.once(ctx)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// exchange compares a folder with a board.
type exchange struct {
	c          *cluster.Client
	board, dir string
	brought    uint64 // revision of the board that is in the folder
	refused    uint64 // the last one that the unit has refused
}

func (x *exchange) once(ctx context.Context) {
	var no refusal
	if readJSON(filepath.Join(x.dir, refusedFile), &no) == nil && no.Revision != x.refused && wipe(ctx, x.c, x.board, no) {
		x.refused = no.Revision
	}
	var found divide.Best
	err := readJSON(filepath.Join(x.dir, foundFile), &found)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	b := shown(ctx, x.c, x.board)
	switch {
	case err == nil && (b == nil || found.Reward > b.Best.Reward):
		_ = improve(ctx, x.c, x.board, found) // else the next time
	case b != nil && b.Revision != x.brought && (err != nil || b.Best.Reward > found.Reward):
		if writeJSON(filepath.Join(x.dir, bestFile), b) == nil {
			x.brought = b.Revision
		}
	}
}

// shown is the plan on a board; nil if there is none, or the server does not answer. It has
// to be judged before it is used.
func shown(ctx context.Context, c *cluster.Client, board string) *posted {
	text, revision, err := c.Board(ctx, board)
	b := posted{Revision: revision}
	if err != nil || text == nil || json.Unmarshal(text, &b.Best) != nil {
		return nil
	}
	return &b
}

// wipe removes a plan from a board, with a warning from the one of all clients that does it. It
// reports whether the plan is gone.
func wipe(ctx context.Context, c *cluster.Client, board string, no refusal) bool {
	removed, err := c.Wipe(ctx, board, no.Revision)
	if removed {
		c.Warn(fmt.Sprintf("a wrong plan was on the board of problem %.12s and is set aside: %s", board, no.Why))
	}
	return err == nil
}

// improve puts a plan on a board, if it is better than what that claims to be.
func improve(ctx context.Context, c *cluster.Client, board string, b divide.Best) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return c.Improve(ctx, board, text, func(shown []byte) bool {
		var old divide.Best
		return json.Unmarshal(shown, &old) != nil || b.Reward > old.Reward
	})
}
