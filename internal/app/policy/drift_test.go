package policy_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
)

// drift is examples/drift without its RDDL.
type drift struct {
	side        int
	slip, north bool // slips occur; gusts to the north occur
	pits        map[[2]int]bool
	goal        [2]int
	known       map[[4]int]float64
}

// moves are those of the robot.
var moves = [][2]int{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}}

// after lists where a move can lead, with the disturbances that are left.
func (d *drift) after(x, y, budget int, move [2]int) (list [][3]int) {
	for event := range 4 { // a slip, a gust
		spent := bits.OnesCount(uint(event))
		if event&1 > 0 && !d.slip || event&2 > 0 && !d.north || spent > budget {
			continue
		}
		nx, ny := x, y
		if event&1 == 0 {
			nx, ny = x+move[0], y+move[1]
		}
		ny += event >> 1
		list = append(list, [3]int{max(0, min(d.side, nx)), max(0, min(d.side, ny)), budget - spent})
	}
	return list
}

// blind is the least number of steps in which a plan that sees nothing reaches the goal, up to some number; 0 for none.
func (d *drift) blind(budget, most int) int {
	type set = map[[3]int]bool
	now := map[string]set{"": {{0, 0, budget}: true}}
	for h := 1; h <= most; h++ {
		next := map[string]set{}
		for _, of := range now {
			for _, move := range moves {
				to, lost := set{}, false
				for at := range of {
					for _, r := range d.after(at[0], at[1], at[2], move) {
						if lost = lost || d.pits[[2]int{r[0], r[1]}]; [2]int{r[0], r[1]} != d.goal {
							to[r] = true
						}
					}
				}
				if !lost && len(to) == 0 {
					return h
				}
				if !lost {
					next[fmt.Sprint(to)] = to
				}
			}
		}
		now = next
	}
	return 0
}

// worst is the best guaranteed reward within some steps with a bounded number of disturbances.
func (d *drift) worst(x, y, left, budget int) float64 {
	switch {
	case d.pits[[2]int{x, y}]:
		return math.Inf(-1)
	case [2]int{x, y} == d.goal:
		return 0
	case left == 0:
		return math.Inf(-1)
	}
	key := [4]int{x, y, left, budget}
	if v, ok := d.known[key]; ok {
		return v
	}
	best := math.Inf(-1)
	for _, move := range moves {
		least := math.Inf(1)
		for _, to := range d.after(x, y, budget, move) {
			least = min(least, d.worst(to[0], to[1], left-1, to[2]))
		}
		if move != [2]int{} {
			least--
		}
		best = max(best, least)
	}
	d.known[key] = best
	return best
}

// drifts are the instances of examples/drift.
func drifts(t *testing.T) (names []string, models []*drift, problems []*load.Problem) {
	t.Helper()
	pits := map[[2]int]bool{{2, 1}: true, {2, 3}: true, {3, 1}: true}
	narrow := map[[2]int]bool{{0, 1}: true, {2, 0}: true, {1, 2}: true, {3, 1}: true, {2, 3}: true}
	models = []*drift{
		{side: 3, slip: true, goal: [2]int{3, 3}}, {side: 4, slip: true, north: true, pits: pits, goal: [2]int{4, 4}},
		{side: 4, north: true, goal: [2]int{4, 2}}, {side: 4, slip: true, pits: narrow, goal: [2]int{3, 2}},
	}
	names = []string{"slippery", "pits", "wind", "stairs"}
	for i, d := range models {
		p, err := load.Load(t.Context(), load.Ref{Chance: true, Source: load.Source{
			Domain: "../../../examples/drift/drift.rddl", Instance: "../../../examples/drift/" + names[i] + ".rddl", Question: load.Question{Goal: fmt.Sprintf("x == %d ^ y == %d ^ ~lost", d.goal[0], d.goal[1])},
		}})
		if err != nil {
			t.Fatal(err)
		}
		d.known = map[[4]int]float64{}
		problems = append(problems, p)
	}
	return names, models, problems
}

// TestDrift compares least horizons and worst rewards of the grids with an independent minimax, of policies and of plans that see
// nothing.
func TestDrift(t *testing.T) {
	names, models, problems := drifts(t)
	seeing := map[string][]int{"slippery": {6, 7, 8, 9}, "wind": {6, 7, 8, 9}, "stairs": {5, 6, 7, 8}}
	blind := map[string][]int{"slippery": {6, 8, 10, 12}, "wind": {6, 7, 8, 9}, "stairs": {5, 0, 0, 0}}
	for i, d := range models {
		for budget := range 4 {
			h, want := 1, d.worst(0, 0, 1, budget)
			for ; math.IsInf(want, -1); want = d.worst(0, 0, h, budget) {
				h++
			}
			r := policy.Request{Horizon: 13, Robust: &policy.Robust{Disturbances: budget, MinHorizon: 1}, Now: time.Now, Started: time.Now()}
			r.Limits.Memory = 1 << 30
			got, err := policy.Plan(t.Context(), problems[i], r)
			if err != nil {
				t.Fatal(err)
			}
			if got.Value == nil || got.Horizon != h || *got.Value != want || names[i] != "pits" && h != seeing[names[i]][budget] {
				t.Errorf("%s with %d disturbances: %s; expected horizon %d, reward %v", names[i], budget, got.Says(), h, want)
			}
			disturb(t, names[i], d, problems[i], got, budget)
			r.Blind = true
			if got, err = policy.Plan(t.Context(), problems[i], r); err != nil {
				t.Fatal(err)
			}
			h = d.blind(budget, 13)
			if found := got.Value != nil; found != (h > 0) || found && got.Horizon != h || names[i] != "pits" && h != blind[names[i]][budget] {
				t.Errorf("%s with %d disturbances: %s; expected horizon %d", names[i], budget, got.Says(), h)
			}
			if got.Value != nil {
				disturb(t, names[i], d, problems[i], got, budget)
			}
		}
	}
}

// disturb follows an answer through all runs with some disturbances.
func disturb(t *testing.T, name string, d *drift, p *load.Problem, doc *policy.Document, budget int) {
	t.Helper()
	f, err := policy.NewFollower(t.Context(), p, doc, policy.Request{Now: time.Now, Started: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	var run func(f *policy.Follower, step, x, y, left int)
	run = func(f *policy.Follower, step, x, y, left int) {
		if [2]int{x, y} == d.goal {
			runs++
			return
		}
		now := place(t, p, x, y)
		action, planned, err := f.Choose(t.Context(), step, now)
		if err != nil || planned != "" || step > doc.Horizon {
			t.Fatalf("%s: step %d at %d,%d with %d of %d disturbances left: planned %q, %v", name, step, x, y, left, budget, planned, err)
		}
		move := [2]int{}
		for i, names := range [][2]string{{"east", "west"}, {"north", "south"}} {
			for k, name := range names {
				v, _ := p.Problem.Lookup(name)
				if action != nil && action[v.First] {
					move[i] += 1 - 2*k
				}
				now[v.First] = action != nil && action[v.First]
			}
		}
		for _, to := range d.after(x, y, left, move) {
			g := policy.Copy(f)
			if _, err := g.See(now, place(t, p, to[0], to[1])); err != nil {
				t.Fatal(err)
			}
			run(g, step+1, to[0], to[1], to[2])
		}
	}
	run(f, 1, 0, 0, budget)
	if runs == 0 {
		t.Errorf("%s: no run", name)
	}
}

// place is a state of the robot.
func place(t *testing.T, p *load.Problem, x, y int) factored.Valuation {
	t.Helper()
	val := make(factored.Valuation, p.Problem.NumBits())
	for name, z := range map[string]int{"x": x, "y": y} {
		v, _ := p.Problem.Lookup(name)
		if err := v.Set(val, int64(z)); err != nil {
			t.Fatal(err)
		}
	}
	return val
}

// machines is the worst reward of the five machines of examples/machines in a ring; a set bit is one that runs.
func machines(now, left, budget int, known map[[3]int]float64) float64 {
	key := [3]int{now, left, budget}
	if v, ok := known[key]; ok || left == 0 {
		return v
	}
	best := math.Inf(-1)
	for reboot := -1; reboot < 5; reboot++ {
		least := math.Inf(1)
		for next := range 32 {
			spent, possible := 0, true
			for c := range 5 {
				runs, then := now>>c&1 == 1, next>>c&1 == 1
				if c == reboot {
					possible = possible && then
				} else if runs != then { // a running one mostly runs on, and one that is down stays so
					spent++
				}
			}
			if possible && spent <= budget {
				least = min(least, machines(next, left-1, budget-spent, known))
			}
		}
		least += float64(bits.OnesCount(uint(now)))
		if reboot >= 0 {
			least -= 0.5
		}
		best = max(best, least)
	}
	known[key] = best
	return best
}

func TestMachines(t *testing.T) {
	p, err := load.Load(t.Context(), load.Ref{Source: load.Source{Domain: "../../../examples/machines/machines.rddl"}, Chance: true})
	if err != nil {
		t.Fatal(err)
	}
	for budget := range 4 {
		r := policy.Request{Objective: solver.Reward, Horizon: 6, Robust: &policy.Robust{Disturbances: budget}, Now: time.Now, Started: time.Now()}
		r.Limits.Memory = 1 << 30
		got, err := policy.Plan(t.Context(), p, r)
		if err != nil {
			t.Fatal(err)
		}
		if want := machines(31, 6, budget, map[[3]int]float64{}); *got.Value != want {
			t.Errorf("%d disturbances: the worst reward is %v, expected %v", budget, *got.Value, want)
		}
	}
}

// repair is examples/machines/repair.rddl without its RDDL: a set bit is a computer that runs.
type repair struct {
	n     int
	known map[[3]int]float64
}

// after lists what a repair, or -1 for none, can lead to, with the disturbances that are left; nil where it is not legal.
func (r *repair) after(now, budget, fix int) (list [][2]int) {
	if fix >= 0 && now>>fix&1 == 1 {
		return nil
	}
	for fails := range 1 << r.n {
		if spent := bits.OnesCount(uint(fails)); fails&^now == 0 && spent <= budget {
			next := now &^ fails
			if fix >= 0 {
				next |= 1 << fix
			}
			list = append(list, [2]int{next, budget - spent})
		}
	}
	return list
}

func (r *repair) worst(now, left, budget int) float64 {
	if now == 1<<r.n-1 {
		return 0
	}
	if left == 0 {
		return math.Inf(-1)
	}
	key := [3]int{now, left, budget}
	if v, ok := r.known[key]; ok {
		return v
	}
	best := math.Inf(-1)
	for fix := -1; fix < r.n; fix++ {
		least := math.Inf(1)
		for _, to := range r.after(now, budget, fix) {
			least = min(least, r.worst(to[0], left-1, to[1])-float64(min(1, fix+1)))
		}
		if !math.IsInf(least, 1) {
			best = max(best, least)
		}
	}
	r.known[key] = best
	return best
}

// blind reports whether a plan that sees nothing reaches the goal from some states, with the disturbances left in each.
func (r *repair) blind(of map[[2]int]bool, left int) bool {
	if len(of) == 0 || left == 0 {
		return len(of) == 0
	}
	for fix := -1; fix < r.n; fix++ {
		next, legal := map[[2]int]bool{}, true
		for at := range of {
			to := r.after(at[0], at[1], fix)
			legal = legal && to != nil
			for _, x := range to {
				if x[0] != 1<<r.n-1 {
					next[x] = true
				}
			}
		}
		if legal && r.blind(next, left-1) {
			return true
		}
	}
	return false
}

// TestRepair compares computers that may be repaired only when down with an independent minimax.
func TestRepair(t *testing.T) {
	for _, r := range []*repair{{n: 3}, {n: 4}} {
		name := []string{3: "three", 4: "four"}[r.n]
		p, err := load.Load(t.Context(), load.Ref{Chance: true, Source: load.Source{
			Domain: "../../../examples/machines/repair.rddl", Instance: "../../../examples/machines/" + name + ".rddl", Question: load.Question{Goal: "forall_{?c : computer} [running(?c)]"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for budget := range 3 {
			r.known = map[[3]int]float64{}
			start, h := 1<<r.n-2, 1
			for math.IsInf(r.worst(start, h, budget), -1) {
				h++
			}
			q := policy.Request{Horizon: 6, Robust: &policy.Robust{Disturbances: budget, MinHorizon: 1}, Now: time.Now, Started: time.Now()}
			q.Limits.Memory = 1 << 30
			got, err := policy.Plan(t.Context(), p, q)
			if err != nil {
				t.Fatal(err)
			}
			if got.Value == nil || got.Horizon != h || *got.Value != r.worst(start, h, budget) {
				t.Errorf("%s with %d disturbances: %s; expected horizon %d, reward %v", name, budget, got.Says(), h, r.worst(start, h, budget))
			}
			q.Blind = true
			if got, err = policy.Plan(t.Context(), p, q); err != nil {
				t.Fatal(err)
			}
			if want := r.blind(map[[2]int]bool{{start, budget}: true}, 6); (got.Value != nil) != want || want != (budget == 0) {
				t.Errorf("%s with %d disturbances: %s; expected %v", name, budget, got.Says(), want)
			}
		}
	}
}
