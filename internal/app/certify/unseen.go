package certify

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/engine"
)

// bracket is what an answer of plan --safe says of plans that rely on other steps.
type bracket struct {
	BoundUnseen *float64 `json:"bound_unseen"`
	Impossible  bool     `json:"impossible"`
	Unproven    bool     `json:"unproven"`
}

// bracket checks the bound for the case that next values that are not supported are free.
func (r *Report) bracket(ctx context.Context, dir string, a *answer, p *Against) error {
	switch {
	case a.Safe == nil:
		return nil
	case a.Safe.Unproven:
		r.Trusted = append(r.Trusted, "what no plan can exceed whatever the next values that are not supported turn out to be: the answer says that this is not proven")
		return nil
	}
	if _, err := os.Stat(UnseenFolder(dir)); errors.Is(err, fs.ErrNotExist) {
		if a.Safe.BoundUnseen == nil && !a.Safe.Impossible {
			return nil // nothing is said of it
		}
		r.refuse("the answer bounds what no plan can exceed whatever the next values that are not supported turn out to be, and %s has no proof of that", UnseenFolder(dir))
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
	first := len(r.Claims)
	for _, h := range horizons {
		if err := r.horizon(ctx, UnseenFolder(dir), h, s, t); err != nil {
			return err
		}
	}
	shown := r.Claims[first:]
	r.Shown.Unseen = highest(shown, len(horizons))
	r.Shown.NoneUnseen = len(shown) == len(horizons) && !slices.ContainsFunc(shown, func(c Claim) bool { return c.kind != veripb.Unsat })
	return nil
}
