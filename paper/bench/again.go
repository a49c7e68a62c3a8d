package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// Comparison is a run of a journal beside the same run, made again.
type Comparison struct {
	Kept, Now *journal.Record
	Equal     bool // the answers
	// Pace is how much longer the yardstick took beside the new run than beside the kept one; 1 if it was not taken there.
	Pace   float64
	Within bool // it took no more than mostAgain times Pace times the CPU time, and startAgain
}

// compare compares a kept run with the same run, made again.
func compare(kept, now *journal.Record) Comparison {
	pace := 1.
	if kept.Yardstick > 0 && now.Yardstick > 0 {
		pace = now.Yardstick / kept.Yardstick
	}
	return Comparison{kept, now, sameAnswer(kept, now), pace, now.CPU <= mostAgain*pace*kept.CPU+startAgain}
}

// A run that is made again takes at most mostAgain times the CPU time of the kept one, and startAgain seconds,
// which starting a process may take.
const (
	mostAgain  = 1.3
	startAgain = 0.02
)

// Again makes n of the runs in records again, drawn at random by the seed of c, and compares them: planning runs on the published
// networks that ended with a proof and had a core for themselves, with engines and solvers of c. The journal stays as it is.
func Again(ctx context.Context, c Config, records []journal.Record, n int) ([]Comparison, error) {
	f, err := openFiles(c.Files)
	if err != nil {
		return nil, err
	}
	var runs []*journal.Record
	for i := range records {
		r := &records[i]
		wanted := (c.Engines == nil || slices.Contains(c.Engines, r.Engine)) && (c.Tables == nil || slices.Contains(c.Tables, r.Table)) &&
			(r.Solver == "" || slices.Contains(c.Solvers, ExternalSolver{r.Engine, r.Solver}))
		if wanted && r.Kind == journal.KindPlan && r.Clock == journal.ClockCPU && r.Files == f.tag && r.Table != "figure1" && r.Same == "" && r.Implied == "" && proved(r.Status) {
			runs = append(runs, r)
		}
	}
	if len(runs) < n {
		return nil, fmt.Errorf("the journal has %d such runs of these files; expected at least %d", len(runs), n)
	}
	rng := rand.New(rand.NewPCG(c.Seed, 0))
	rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	if c.Dir, err = os.MkdirTemp("", "fdplan-bench-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(c.Dir)
	b, err := newBench(c)
	if err == nil {
		err = b.writeReward()
	}
	var out []Comparison
	for i, kept := range runs[:max(0, n)] {
		if err != nil {
			break
		}
		b.tell(Progress{Done: i, Jobs: n, Current: kept.ID})
		now := *kept
		now.Status, now.Error, now.Reward, now.Bound, now.Gap, now.Stats = "", "", nil, nil, nil, nil
		err = b.undisturbed(ctx, &Job{Record: now, do: runPlan}, &now)
		out = append(out, compare(kept, &now))
	}
	return out, err
}

// yardstick measures the machine beside a run that counts by its CPU time.
func (b *bench) yardstick(r *journal.Record) float64 {
	if r.Clock != journal.ClockCPU || b.c.Elsewhere != nil {
		return 0
	}
	return yardstick(b.links(), b.c.Now)
}

// sameAnswer reports whether two runs answer alike.
func sameAnswer(a, b *journal.Record) bool {
	return a.Status == b.Status && (a.Reward == nil) == (b.Reward == nil) && (a.Reward == nil || *a.Reward == *b.Reward)
}

// undisturbed makes a run, again if something else was at work; if it always was, the error is errBusy.
func (b *bench) undisturbed(ctx context.Context, j *Job, r *journal.Record) error {
	plain := *r
	for range attempts {
		*r = plain
		r.Seconds, r.CPU, r.Memory = 0, 0, 0
		before := b.yardstick(r)
		if err := b.make(ctx, j, r); err != nil {
			return err
		}
		r.Yardstick = (before + b.yardstick(r)) / 2
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !b.disturbed(r) {
			return nil
		}
	}
	return errBusy
}
