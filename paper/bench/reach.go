package bench

import (
	"context"
	"slices"
	"strconv"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// maxReach is the largest horizon tried: an engine that gets there has no observable limit.
const maxReach = 1000

// quickReach are the problems of a quick bench, one per domain.
var quickReach = []string{"navigation/5x5", "inventory/4", "sysadmin/5", "cellda/x"}

// reach lists how far each engine gets with each problem.
func (l *lister) reach() error {
	for _, e := range Engines() {
		if !l.with(e) || l.c.Quick && branches(e) {
			continue
		}
		for _, p := range problems {
			if !l.files.has(p.name) || l.c.Quick && !slices.Contains(quickReach, p.name) {
				continue
			}
			r := l.record(journal.KindReach, "reach", l.c.ReachLimit)
			r.Problem, r.Files, r.Engine, r.Model, r.Horizon = l.files.name(p.name), l.files.tag, e, l.model, first(p.name)
			if registry.TakesEncoding(e) {
				r.Encoding = "default"
			}
			r.Args = slices.Concat([]string{"plan"}, l.files.args(p.name), []string{"--engine", e}, l.external(&r), l.common(l.c.ReachLimit))
			r.Version, r.Command = l.version(&r), command(&r)
			r.ID = id("reach", r.Problem, "engine="+e, solver(&r), l.setting(false))
			l.jobs = append(l.jobs, Job{Record: r, do: runReach})
		}
	}
	return nil
}

// runReach plans for increasing horizons, each a quarter longer than the previous one, until
// one has no proof within the limit. Each run starts afresh. The first horizon is that of the
// record.
func runReach(ctx context.Context, b *bench, r *journal.Record) error {
	return further(r, r.Horizon, maxReach, func(h int) int { return max(h+1, h*5/4) }, func(h int, one *journal.Record) error {
		one.TimeLimit, one.MemoryLimit, one.Horizon = r.TimeLimit, r.MemoryLimit, h
		one.Args = append(slices.Clone(r.Args), "-H", strconv.Itoa(h))
		return runPlan(ctx, b, one)
	})
}

// further makes runs, numbered from first on, until one has no proof or last was reached, and
// records the result of the last with a proof.
func further(r *journal.Record, first, last int, next func(int) int, run func(n int, one *journal.Record) error) error {
	r.Status = statusUnknown
	for n := first; ; n = min(next(n), last) {
		var one journal.Record
		if err := run(n, &one); err != nil {
			return err
		}
		r.Reach = append(r.Reach, journal.ReachPoint{Horizon: one.Horizon, Size: one.Size, Status: one.Status, Seconds: one.Seconds})
		r.Seconds, r.CPU, r.Memory = r.Seconds+one.Seconds, r.CPU+one.CPU, max(r.Memory, one.Memory)
		r.Error = one.Error
		if !proved(one.Status) {
			if one.Status == statusError && n == first {
				r.Status = statusError
			}
			break
		}
		r.Status, r.Horizon, r.Size, r.Reward = statusMeasured, one.Horizon, one.Size, one.Reward
		if n >= last {
			break
		}
	}
	return nil
}
