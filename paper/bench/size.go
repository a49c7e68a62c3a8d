package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
)

// family is a domain whose instances grow. They are planned with their RDDL: there are no
// learned networks for them.
type family struct {
	domain   string
	ranges   []string
	first    int                                          // size to begin with
	next     func(n int) int                              // the size to try after n
	horizon  func(n int) int                              // to plan for
	goal     func(n int) string                           // RDDL expression
	instance func(n int) (objects, facts, initial string) // bodies of the instance's blocks
	actions  func(n int) int                              // max-nondef-actions
}

// maxSize is where sizes end.
const maxSize = 200

// families are mazes of n times n cells, made like the paper's (the rows 2 and 3 are walls
// that leave the two easternmost columns open, and the path leads around them), planned for
// the fewest steps that lead to the goal, and stars of n computers of which about half can be
// rebooted at once, planned for 4 steps.
var families = []family{
	{
		domain: "navigation", first: 4,
		next:    func(n int) int { return max(n+1, n*5/4) },
		horizon: func(n int) int { return 3*n - 7 },
		goal:    func(n int) string { return fmt.Sprintf("robot-at(x2,y%d)", n) },
		instance: func(n int) (objects, facts, initial string) {
			var b strings.Builder
			for i := 1; i < n; i++ {
				fmt.Fprintf(&b, "EAST(x%d, x%d); SOUTH(y%d, y%d);\n", i, i+1, i, i+1)
			}
			for x := 1; x <= n-2; x++ {
				fmt.Fprintf(&b, "BLOCKED(x%d, y2); BLOCKED(x%d, y3);\n", x, x)
			}
			return fmt.Sprintf("xpos : { %s }; ypos : { %s };", numbered("x", n), numbered("y", n)), b.String(), "robot-at(x2, y1);"
		},
		actions: func(int) int { return 1 },
	},
	{
		domain: "sysadmin", first: 4, ranges: []string{"age=0..3"},
		next:    func(n int) int { return n + 1 },
		horizon: func(int) int { return 4 },
		goal:    func(int) string { return "forall_{?c : computer} running(?c)" },
		instance: func(n int) (objects, facts, initial string) {
			var b, s strings.Builder
			for i := 1; i <= n; i++ {
				if i > 1 {
					fmt.Fprintf(&b, "CONNECTED(c1, c%d); CONNECTED(c%d, c1);\n", i, i)
				}
				fmt.Fprintf(&s, "running(c%d); ", i)
			}
			return fmt.Sprintf("computer : { %s };", numbered("c", n)), b.String(), s.String()
		},
		actions: func(n int) int { return (n + 1) / 2 },
	},
}

// numbered lists n objects.
func numbered(name string, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = name + strconv.Itoa(i+1)
	}
	return strings.Join(out, ", ")
}

// text is the RDDL of the instance of size n.
func (f *family) text(n int) string {
	objects, facts, initial := f.instance(n)
	return fmt.Sprintf("non-fluents nf { domain = %s; objects { %s };\nnon-fluents {\n%s};\n}\ninstance size_%d { domain = %s; non-fluents = nf; init-state { %s };\nmax-nondef-actions = %d; horizon = %d; discount = 1.0; }\n",
		f.domain, objects, facts, n, f.domain, initial, f.actions(n), f.horizon(n))
}

// size lists the runs that determine how large instances each engine solves.
func (l *lister) size() error {
	for _, e := range Engines() {
		if !l.with(e) || l.c.Quick && !direct(e) {
			continue
		}
		for _, f := range families {
			r := l.record(journal.KindReach, "size", l.c.ReachLimit)
			r.Problem, r.Engine, r.Model, r.Size = f.domain, e, "rddl", f.first
			if registry.TakesEncoding(e) {
				r.Encoding = "default"
			}
			r.Args = []string{"plan", "--domain", "domain.rddl", "--instance", "instance.rddl"}
			for _, x := range f.ranges {
				r.Args = append(r.Args, "--range", x)
			}
			r.Args = slices.Concat(r.Args, []string{"--engine", e}, l.external(&r), l.common(l.c.ReachLimit))
			r.Version, r.Command = l.version(&r), command(&r)
			r.ID = id("size", r.Problem, "engine="+e, solver(&r), l.setting(true))
			l.jobs = append(l.jobs, Job{Record: r, do: func(ctx context.Context, b *bench, r *journal.Record) error { return b.grow(ctx, r, &f) }})
		}
	}
	return nil
}

// grow plans for increasing instances until one has no proof within the limit.
func (b *bench) grow(ctx context.Context, r *journal.Record, f *family) error {
	domain, err := bundled.Read("problems/" + f.domain + "/domain.rddl")
	if err != nil {
		return err
	}
	dir, remove, err := b.scratch()
	if err != nil {
		return err
	}
	defer remove()
	if err := os.WriteFile(filepath.Join(dir, "domain.rddl"), domain, 0o644); err != nil {
		return fmt.Errorf("writing an instance: %w", err)
	}
	return further(r, f.first, maxSize, f.next, func(n int, one *journal.Record) error {
		if err := os.WriteFile(filepath.Join(dir, "instance.rddl"), []byte(f.text(n)), 0o644); err != nil {
			return fmt.Errorf("writing an instance: %w", err)
		}
		one.Horizon = f.horizon(n)
		out, err := b.run(ctx, limitsOf(r), dir, append(slices.Clone(r.Args), "--goal", f.goal(n), "-H", strconv.Itoa(one.Horizon))...)
		if err == nil {
			readPlan(one, out)
			one.Size = n
		}
		return err
	})
}
