package policy

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
)

// press is a press that wears by chance; several share a crew.
const press = `reward = "if (run) then speed*(4 - wear) else -5*mend"
rules = ["run => speed*wear <= 6", "run => ~mend"]
[[state]]
name = "wear"
range = [0, 4]
[[state]]
name = "speed"
range = [1, 2]
[[action]]
name = "run"
[[action]]
name = "mend"
[[chance]]
draw = ["wear"]
[[chance.context]]
when = "mend"
outcomes = ["4/5: wear = 0", "1/5: keep"]
[[chance.context]]
when = "run ^ speed == 2"
outcomes = ["1/2: wear + 1", "1/4: wear + 2", "1/4: keep"]
[[chance.context]]
when = "run"
outcomes = ["1/3: wear + 1", "2/3: keep"]
[[chance.context]]
outcomes = ["1: keep"]
[[chance]]
draw = ["speed"]
[[chance.context]]
outcomes = ["1: keep"]
[[entity]]
name = "A"
initial = {wear = 4, speed = 1}
[[entity]]
name = "B"
initial = {wear = 4, speed = 2}
`

// worth is the value of presses from some wears, by recursion: for each press 0 is nothing, 1 to run and 2 to mend. At most so many are mended at once.
func worth(wear, speed [2]int, steps, crew int) float64 {
	if steps == 0 {
		return 0
	}
	next := func(p, a int) map[int]float64 {
		w := wear[p]
		switch {
		case a == 2 && w > 0:
			return map[int]float64{0: .8, w: .2}
		case a == 1 && speed[p] == 2 && w < 3:
			return map[int]float64{w + 1: .5, w + 2: .25, w: .25}
		case a == 1 && speed[p] == 2 && w == 3:
			return map[int]float64{4: .75, 3: .25}
		case a == 1 && speed[p] == 1 && w < 4:
			return map[int]float64{w + 1: 1. / 3, w: 2. / 3}
		}
		return map[int]float64{w: 1}
	}
	best := math.Inf(-1)
	for a := range 3 {
		for b := range 3 {
			if a == 2 && b == 2 && crew < 2 {
				continue
			}
			sum, ok := 0.0, true
			for p, act := range []int{a, b} {
				ok = ok && (act != 1 || speed[p]*wear[p] <= 6)
				sum += []float64{0, float64(speed[p] * (4 - wear[p])), -5}[act]
			}
			if !ok {
				continue
			}
			for x, p := range next(0, a) {
				for y, q := range next(1, b) {
					sum += p * q * worth([2]int{x, y}, speed, steps-1, crew)
				}
			}
			best = max(best, sum)
		}
	}
	return best
}

// TestSeveral: what a policy for several entities with chance is worth is computed by recursion, and bounds are right.
func TestSeveral(t *testing.T) {
	name := filepath.Join(t.TempDir(), "press.toml")
	if err := os.WriteFile(name, []byte(press), 0o666); err != nil {
		t.Fatal(err)
	}
	const steps = 4
	values := map[int]float64{}
	for _, crew := range []int{1, 2} {
		p, err := load.Load(t.Context(), load.Ref{Name: name, Source: load.Source{Entity: []string{"A", "B"}}, Chance: true})
		if err != nil {
			t.Fatal(err)
		}
		if crew == 1 {
			if err := p.Apply(load.Changes{Edits: load.Edits{Require: []string{"mend(A) + mend(B) <= 1"}}}); err != nil {
				t.Fatal(err)
			}
		}
		r := Request{Horizon: steps, Limits: app.Limits(engine.Limits{Memory: 1 << 28}), Now: time.Now, Started: time.Now()}
		d, err := Plan(t.Context(), p, r)
		if err != nil {
			t.Fatal(err)
		}
		want := worth([2]int{4, 4}, [2]int{1, 2}, steps, crew)
		values[crew] = want
		if math.Abs(*d.Value-want) > 1e-9 {
			t.Errorf("a crew of %d: %v, want %v", crew, *d.Value, want)
		}
		m, err := newModel(p)
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.factored(solver.Reward, true)
		if err != nil {
			t.Fatal(err)
		}
		var b Document
		b.Objective, b.Horizon = solver.Reward, steps
		r.Objective = solver.Reward
		if err := m.bounded(t.Context(), r, &b, f); err != nil {
			t.Fatal(err)
		}
		if b.Bound == nil || *b.Bound < want-1e-9 || *b.Bound > want+1 || *b.Value > want {
			t.Errorf("a crew of %d: %v to %v, want an interval with %v", crew, *b.Value, *b.Bound, want)
		}
	}
	if values[2] <= values[1] {
		t.Errorf("one more in the crew is worth nothing: %v", values)
	}
}
