package act

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/execution/acting"
)

// NetworkFile is the network that is trained on all rows in the end.
const NetworkFile = "network.bnn"

// Network is what is known of the network that was trained on all rows.
type Network struct {
	File  string `json:"file"`
	Shape string `json:"shape"`
	Rows  int    `json:"rows"`  // that it was trained on
	Wrong int    `json:"wrong"` // of them
	// Clauses counts those of the answer whose next values it is proven to have in every legal step; null if
	// that was not proven in time.
	Clauses *int `json:"clauses"`
}

// train trains a network on the rows of the folder, and proves it against the clauses of a model; nil for none.
func (x *run) train(ctx context.Context, steps int, m *acting.Model) error {
	if ctx.Err() != nil || steps == 0 {
		return nil
	}
	t := learn.Training{Recipe: learn.RecipeStructure, Also: x.r.Data}
	t.Config.Seed, t.Config.Threads = x.r.Seed, x.r.Limits.Threads
	trained, err := learn.Train(ctx, x.p, filepath.Join(x.r.Folder, RowsFile), t)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("training a network on what was seen: %w", err)
	}
	n := &Network{File: filepath.Join(x.r.Folder, NetworkFile), Shape: trained.Network, Rows: trained.Train.Rows, Wrong: trained.Train.Wrong}
	if err := atomicfile.Write(n.File, trained.Write); err != nil {
		return err
	}
	x.d.Network = n
	q, err := learn.With(x.p, trained)
	if err != nil || m == nil || q.Trained.Functions != nil {
		return err // functions of quantities are no part of the network
	}
	if proven, err := m.Agree(ctx, q.Problem, q.Network, x.r.Limits); err == nil {
		n.Clauses = &proven
	}
	return nil
}
