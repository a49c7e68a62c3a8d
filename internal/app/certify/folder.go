package certify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
)

// AnswerFile is the name of the answer in a certificate's folder.
const AnswerFile = "answer.json"

// ExcludedFile is the name of the file with the plans that Algorithm 1 excluded, as
// `fdplan plan --resume` keeps them.
const ExcludedFile = "excluded.json"

// UnseenFolder is the folder, in that of a certificate of plan --safe, with the proofs of the
// bound for the case that next values that are not supported are free.
func UnseenFolder(dir string) string { return filepath.Join(dir, "unseen") }

// Has reports whether a folder has a file, or exists if file is empty. The folder "" has none.
func Has(dir, file string) bool {
	_, err := os.Stat(filepath.Join(dir, file))
	return dir != "" && err == nil
}

// WriteFiles makes a folder and writes files as JSON into it.
func WriteFiles(dir string, files map[string]any) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, v := range files {
		if err := atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error { return app.WriteJSON(w, v) }); err != nil {
			return err
		}
	}
	return nil
}

// problemFile and proofFile name the files of a horizon in a folder.
func problemFile(dir string, horizon int) string {
	return filepath.Join(dir, fmt.Sprintf("h%d.opb", horizon))
}

func proofFile(dir string, horizon int) string {
	return filepath.Join(dir, fmt.Sprintf("h%d.pbp", horizon))
}

// Write makes a folder, writes problem file and proof of each answer into it, and has
// the checkers read them: the proof must show what the answer says, and the problem
// file must be the translation of the problem. Where the folder exists, an earlier
// certificate in it is replaced, and any other file stays. The answer file, which
// makes the folder complete, is left to the caller. A proof that is refused is an
// error that wraps app.ErrInternal; an answer without a proof one that wraps
// ErrNoProof. Of o, W and Literal are ignored.
//
// It changes the bounds of answers to those that the proofs show: of a run that was
// cut short they may be less.
func Write(ctx context.Context, t engine.Task, answers []Answer, dir string, o Options) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range []string{AnswerFile, ExcludedFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	for i := range answers {
		a := &answers[i]
		if a.Status == engine.Unknown && a.Bound == nil && len(answers) > 1 {
			continue // of a range: nothing is said of this horizon
		}
		if err := write(ctx, t, a, dir, o); err != nil {
			return err
		}
	}
	return nil
}

func write(ctx context.Context, t engine.Task, a *Answer, dir string, o Options) error {
	m, err := model.New(t.Problem, t.Network, a.Horizon, model.Options{})
	if err != nil {
		return err
	}
	var clauses [][]model.Lit
	for _, x := range a.Excluded {
		clauses = append(clauses, m.Differs(x.Trace, x.Depth))
	}
	opb, pbp := problemFile(dir, a.Horizon), proofFile(dir, a.Horizon)
	err = atomicfile.Write(opb, func(w io.Writer) error {
		_, err := format.Write(ctx, w, m, format.Options{Kind: format.OPB, Clauses: clauses})
		return err
	})
	if err != nil {
		return err
	}
	err = atomicfile.Write(pbp, func(w io.Writer) (err error) {
		o := o
		o.W, o.Literal = w, true
		*a, err = Prove(ctx, t, *a, o)
		return err
	})
	if err != nil {
		return err
	}
	c, err := checkFiles(ctx, opb, pbp, &t, a.Excluded)
	if err != nil {
		return err
	}
	if c.Accepted && a.Trace == nil && a.Status == engine.Unknown && c.Bound == nil {
		return errors.Join(fmt.Errorf("%w: the bound is what steps can be worth at most", ErrNoProof), os.Remove(opb), os.Remove(pbp))
	}
	c.compare(said{status: a.Status, reward: rewardOf(t, *a), bound: boundOf(t, *a)})
	if !c.Accepted {
		return fmt.Errorf("%w: the certificate of horizon %d is refused: %s", app.ErrInternal, a.Horizon, c.Refused)
	}
	return nil
}

func rewardOf(t engine.Task, a Answer) *float64 {
	if a.Trace == nil {
		return nil
	}
	return app.RewardOf(t.Problem, a.Reward)
}

func boundOf(t engine.Task, a Answer) *float64 {
	if a.Bound == nil {
		return nil
	}
	return app.RewardOf(t.Problem, *a.Bound)
}
