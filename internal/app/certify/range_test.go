package certify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
)

// TestRange certifies the bound over a range of horizons one of which is not settled, and has
// bounds refused that are too good.
func TestRange(t *testing.T) {
	ctx := context.Background()
	p, err := load.Load(ctx, load.Ref{Name: "navigation/3x3"})
	if err != nil {
		t.Fatal(err)
	}
	long := solve(t, search.Engine{}, p.Task, 5, 5)
	if long.Status != engine.Optimal {
		t.Fatalf("horizon 5 is %s", long.Status)
	}
	short := solve(t, search.Engine{}, p.Task, 4, 4)
	lines := []engine.HorizonResult{{Horizon: 3, Status: engine.Infeasible}, {Horizon: 4, Status: short.Status, Reward: short.Reward}, {Horizon: 5, Status: engine.Unknown}}
	for _, c := range []struct {
		bound int64 // over all horizons
		holds bool
	}{{short.Reward, true}, {short.Reward + 1, true}, {long.Reward - 1, false}} {
		res := &engine.Result{Status: engine.Feasible, Horizon: 5, Trace: long.Trace, Reward: long.Reward, Bound: &c.bound, Horizons: lines}
		open := certify.Open(res)
		if len(open) != 1 || open[0].Horizon != 5 {
			t.Fatalf("open are %+v", open)
		}
		dir := t.TempDir()
		err := certify.Write(ctx, p.Task, open, dir, certify.Options{})
		if !c.holds {
			if !errors.Is(err, app.ErrInternal) {
				t.Errorf("the bound %d, with a plan of reward %d, gives %v", c.bound, long.Reward, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		answers, err := certify.Answers(ctx, p.Task, res, 0, engine.Limits{Threads: 1})
		if err == nil {
			err = certify.Write(ctx, p.Task, answers, dir, certify.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if b := certify.Bound(append(answers, open...), 3); b == nil || *b != c.bound {
			t.Errorf("the bound %v is proven, expected %d", b, c.bound)
		}
		if b := certify.Bound(answers, 3); b != nil {
			t.Errorf("the bound %d is proven without horizon 5", *b)
		}
		for _, claimed := range []int64{c.bound, short.Reward - 1, long.Reward - 1} {
			text := fmt.Sprintf(`{"schema":1,"horizon":5,"status":"feasible","reward":%v,"bound":%v,"horizons":[{"horizon":3,"status":"infeasible"},{"horizon":4,"status":"optimal","reward":%v},{"horizon":5,"status":"unknown"}]}`,
				*app.RewardOf(p.Problem, long.Reward), *app.RewardOf(p.Problem, claimed), *app.RewardOf(p.Problem, short.Reward))
			if err := os.WriteFile(filepath.Join(dir, certify.AnswerFile), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := certify.Check(ctx, certify.Files{Folder: dir}, &certify.Against{Task: p.Task})
			if err != nil || r.Accepted != (claimed == c.bound) {
				t.Errorf("the bound %d, of which %d is proven: %+v, %v", claimed, c.bound, r, err)
			}
		}
	}
}
