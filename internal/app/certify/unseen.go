package certify

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/fdplan/fdplan/internal/engine"
)

// bracket is what an answer of plan --safe says of plans that rely on other steps.
type bracket struct {
	BoundUnseen *float64 `json:"bound_unseen"`
	Impossible  bool     `json:"impossible"`
}

// bracket checks the bound for the case that next values that are not supported are free.
func (r *Report) bracket(ctx context.Context, dir string, a *answer, p *Against) error {
	if a.Safe == nil || a.Safe.BoundUnseen == nil && !a.Safe.Impossible {
		return nil
	}
	if _, err := os.Stat(UnseenFolder(dir)); errors.Is(err, fs.ErrNotExist) {
		r.Trusted = append(r.Trusted, "what no plan can exceed whatever the next values that are not supported turn out to be")
		return nil
	}
	var t *engine.Task
	if p != nil {
		free, err := p.Free()
		if err != nil {
			return err
		}
		t = &free
	}
	horizons := []int{}
	if a.Horizon != nil && len(a.Horizons) == 0 {
		horizons = append(horizons, *a.Horizon)
	}
	for _, h := range a.Horizons {
		horizons = append(horizons, h.Horizon)
	}
	s := said{bound: a.Safe.BoundUnseen}
	if a.Safe.Impossible {
		s.status = engine.Infeasible
	}
	without := r.without // the bound is about all plans
	r.without = nil
	defer func() { r.without = without }()
	for _, h := range horizons {
		if err := r.horizon(ctx, UnseenFolder(dir), h, s, t); err != nil {
			return err
		}
	}
	return nil
}
