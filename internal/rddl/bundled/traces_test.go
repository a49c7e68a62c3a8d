package bundled

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/validate"
)

// simulator returns a runner of a bundled problem with its ranges set.
func simulator(t *testing.T, name string) (*translate.Compiled, *sim.Runner) {
	t.Helper()
	k, ok := simulators[name]
	if !ok {
		k.c, k.s = newSimulator(t, name)
		simulators[name] = k
	}
	return k.c, k.s.NewRunner(rand.New(rand.NewPCG(1, 2)))
}

// simulators are those that simulator has made.
var simulators = map[string]struct {
	c *translate.Compiled
	s *sim.Simulator
}{}

func newSimulator(t *testing.T, name string) (*translate.Compiled, *sim.Simulator) {
	t.Helper()
	c, err := RDDL(context.Background(), name, true)
	if err != nil {
		t.Fatal(err)
	}
	ranges := sim.Ranges{}
	tk, err := Task(name)
	if err != nil {
		t.Fatal(err)
	}
	for f, r := range tk.Ranges {
		ranges[f] = sim.Range{Lo: float64(r.Lo), Hi: float64(r.Hi)}
	}
	s, err := sim.New(c.Ground, sim.WithRanges(ranges))
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// set applies "a=1 b=0" to base; fluents that are not named keep their values.
func set(t *testing.T, c *translate.Compiled, text string, base []float64, order []int) []float64 {
	t.Helper()
	out := append([]float64(nil), base...)
	for _, part := range strings.Fields(text) {
		name, value, found := strings.Cut(part, "=")
		x := 1.0
		if found {
			x = float64(value[0] - '0')
			if len(value) == 2 {
				x = 10*x + float64(value[1]-'0')
			}
		}
		fluent, ok := c.Ground.ByName[name]
		if !ok {
			t.Fatalf("no fluent %s", name)
		}
		for i, f := range order {
			if f == fluent {
				out[i] = x
			}
		}
	}
	return out
}

// reaches reports whether the step was taken, possibly into a state that violates an
// invariant.
func reaches(err error) bool {
	var v *sim.Violation
	return err == nil || errors.As(err, &v) && v.Kind == sim.Invariant
}

// traces are steps derived by hand from the rules of the domains: the differences from the
// initial state, the actions, and what must hold afterwards.
var traces = []struct {
	name, from, action, to string
}{
	// Navigation: the grid is x21 x14 x9 from the west, y12 y15 y20 from the
	// north; (x21,y15) and (x14,y15) are blocked.
	{"navigation/3x3", "", "move-east", "robot-at(x9,y20)=1 robot-at(x14,y20)=0"},
	{"navigation/3x3", "", "move-west", "robot-at(x21,y20)=1 robot-at(x14,y20)=0"},
	{"navigation/3x3", "", "move-north", "robot-at(x14,y20)=1 robot-at(x14,y15)=0"}, // into a blocked cell
	{"navigation/3x3", "", "move-south", "robot-at(x14,y20)=1"},                     // off the grid
	{"navigation/3x3", "", "", "robot-at(x14,y20)=1 robot-at(x9,y20)=0"},
	{"navigation/3x3", "robot-at(x14,y20)=0 robot-at(x9,y20)", "move-north", "robot-at(x9,y15)=1 robot-at(x9,y20)=0"},
	{"navigation/3x3", "robot-at(x14,y20)=0 robot-at(x9,y15)", "move-west", "robot-at(x9,y15)=1 robot-at(x14,y15)=0"},
	{"navigation/3x3", "robot-at(x14,y20)=0 robot-at(x9,y15)", "move-east", "robot-at(x9,y15)=1"},
	{"navigation/3x3", "robot-at(x14,y20)=0 robot-at(x9,y12)", "move-west", "robot-at(x14,y12)=1 robot-at(x9,y12)=0"},
	{"navigation/3x3", "robot-at(x14,y20)=0 robot-at(x14,y12)", "move-south", "robot-at(x14,y12)=1 robot-at(x14,y15)=0"},
	{"navigation/4x4", "", "move-south", "robot-at(x14,y6)=1 robot-at(x14,y12)=0"},
	{"navigation/4x4", "", "move-east", "robot-at(x9,y6)=1"},
	{"navigation/5x5", "robot-at(x14,y6)=0 robot-at(x6,y15)", "move-west", "robot-at(x6,y15)=1"},
	{"navigation/5x5", "robot-at(x14,y6)=0 robot-at(x6,y15)", "move-south", "robot-at(x6,y20)=1"},

	// Inventory: demand, then order; the threshold within 2 of the demand.
	{"inventory/2", "", "", "quant(c1)=0 month=1 threshold_met(c1)=1"}, // demand 0
	{"inventory/2", "", "resupply(c1)", "quant(c1)=5 month=1 threshold_met(c1)=1"},
	{"inventory/2", "month=1", "resupply(c1)", "quant(c1)=5 month=0 threshold_met(c1)=0"},             // 3 missing; the order arrives afterwards
	{"inventory/2", "month=1 quant(c1)=1", "", "quant(c1)=0 month=0 threshold_met(c1)=1"},             // 2 missing
	{"inventory/2", "month=1 quant(c1)=5", "", "quant(c1)=2 threshold_met(c1)=1"},                     // 2 too many
	{"inventory/2", "month=1 quant(c1)=6", "", "quant(c1)=3 threshold_met(c1)=0"},                     // 3 too many
	{"inventory/2", "quant(c1)=12", "resupply(c1)", "quant(c1)=15 threshold_met(c1)=0"},               // saturates
	{"inventory/4", "month=2 quant(c1)=3", "resupply(c1)", "quant(c1)=6 month=3 threshold_met(c1)=1"}, // demand 2
	{"inventory/4", "month=3 quant(c1)=3", "", "quant(c1)=0 month=0 threshold_met(c1)=1"},
	// The text's variant: order, then demand; only a shortage counts; phases 0..N.
	{"inventory/2-text", "month=1", "resupply(c1)", "quant(c1)=2 month=2 threshold_met(c1)=1"},
	{"inventory/2-text", "month=1 quant(c1)=9", "", "quant(c1)=6 threshold_met(c1)=1"},
	{"inventory/2-text", "month=1", "", "quant(c1)=0 threshold_met(c1)=0"},
	{"inventory/2-text", "month=2", "", "month=0"},

	// SysAdmin/4: c1 has one connection, c2 three, c3 and c4 two.
	{"sysadmin/4", "", "", "age(c1)=1 running(c1)=1"},
	{"sysadmin/4", "age(c1)=1 age(c2)=1", "reboot(c1)", "age(c1)=0 age(c2)=2 running(c1)=1 running(c2)=1"},
	{"sysadmin/4", "age(c1)=2", "", "running(c1)=0 age(c1)=3"},                             // 2 * (1 - 1/2) = 1
	{"sysadmin/4", "age(c1)=2", "reboot(c1)", "running(c1)=1 age(c1)=0"},                   //
	{"sysadmin/4", "age(c3)=2 age(c2)=3", "", "running(c3)=1 running(c2)=1 age(c2)=3"},     // 2/3; 3/4, saturated
	{"sysadmin/4", "age(c3)=3", "", "running(c3)=0"},                                       // 3/3
	{"sysadmin/4", "age(c2)=2 running(c1)=0", "", "running(c2)=0 running(c1)=0 age(c1)=0"}, // 2 * (1 - 2/4) = 1
	{"sysadmin/4", "running(c1)=0 age(c1)=3", "reboot(c1)", "running(c1)=1 age(c1)=0"},
	{"sysadmin/5", "age(c1)=3 age(c2)=2", "", "running(c1)=1 running(c2)=0"},

	// Cellda: walls and blocks.
	{"cellda/x", "", "move-left", "cellda-loc(x)=0 cellda-loc(y)=0 cellda-alive=1"},
	{"cellda/x", "", "move-right", "cellda-loc(x)=1 cellda-loc(y)=0"},
	{"cellda/x", "cellda-loc(y)=1", "move-right", "cellda-loc(x)=0 cellda-loc(y)=1"}, // block
	{"cellda/x", "cellda-loc(y)=2", "move-right", "cellda-loc(x)=0"},                 // block
	{"cellda/x", "cellda-loc(y)=3", "move-right", "cellda-loc(x)=1 has-key=1"},       // the key
	{"cellda/x", "cellda-loc(y)=3", "move-up", "cellda-loc(y)=3 has-key=0"},          // wall
	{"cellda/x", "has-key cellda-loc(x)=2", "move-down", "has-key=1 cellda-loc(x)=2"},
	// The enemy goes along x first in x, along y first in y.
	{"cellda/x", "", "move-up", "enem-loc(e1,x)=2 enem-loc(e1,y)=0"},
	{"cellda/y", "", "move-up", "enem-loc(e1,x)=3 enem-loc(e1,y)=1"},
	{"cellda/y", "", "", "enem-loc(e1,x)=2 enem-loc(e1,y)=0"}, // no move needed along y: x
	// Towards her next cell, not her present one: (0,0) to (0,1), the enemy at (0,3).
	{"cellda/x", "enem-loc(e1,x)=0 enem-loc(e1,y)=3", "move-up", "enem-loc(e1,x)=0 enem-loc(e1,y)=2"},
	// Along the other axis only if the first needs no move. If blocked, it stays: at (2,1), x
	// first, she at (0,1): (1,1) is a block.
	{"cellda/x", "cellda-loc(y)=1 enem-loc(e1,x)=2 enem-loc(e1,y)=1", "", "enem-loc(e1,x)=2 enem-loc(e1,y)=1"},
	// It does not go around a block: at (2,1), she at (0,3): along x is blocked, along y
	// would be free.
	{"cellda/x", "cellda-loc(y)=3 enem-loc(e1,x)=2 enem-loc(e1,y)=1", "", "enem-loc(e1,x)=2 enem-loc(e1,y)=1"},
	{"cellda/y", "cellda-loc(y)=3 enem-loc(e1,x)=2 enem-loc(e1,y)=1", "", "enem-loc(e1,x)=2 enem-loc(e1,y)=2"},
	// Under the block at (1,1), y first: stays.
	{"cellda/y", "cellda-loc(y)=1 enem-loc(e1,x)=1", "", "enem-loc(e1,x)=1 enem-loc(e1,y)=0"},
	// If it is already there it stays, and she dies by moving there.
	{"cellda/x", "cellda-loc(x)=2", "move-right", "cellda-loc(x)=3 enem-loc(e1,x)=3 cellda-alive=0"},
	// She dies by staying where it is, or by leaving from there.
	{"cellda/x", "cellda-loc(x)=3", "", "cellda-alive=0"},
	{"cellda/x", "cellda-loc(x)=3", "move-up", "cellda-alive=0 cellda-loc(y)=1"},
	// She lives when they pass each other, and is where it arrives.
	{"cellda/x", "cellda-loc(x)=2", "", "cellda-alive=1 enem-loc(e1,x)=2"},
	// The dead do not move; the enemy still follows the intention.
	{"cellda/x", "cellda-alive=0", "move-up", "cellda-loc(y)=0 cellda-alive=0 enem-loc(e1,x)=2"},
}

func TestTraces(t *testing.T) {
	for _, c := range traces {
		comp, r := simulator(t, c.name)
		s := r.Simulator()
		if err := r.Reset(); err != nil {
			t.Fatal(err)
		}
		state := set(t, comp, c.from, r.State(nil), s.States())
		if err := r.SetState(state); !reaches(err) {
			t.Fatal(err)
		}
		if _, err := r.Advance(set(t, comp, c.action, s.Noop(nil), s.Actions())); !reaches(err) {
			t.Fatalf("%s: %s, %s: %v", c.name, c.from, c.action, err)
		}
		got := r.State(nil)
		want := set(t, comp, c.to, got, s.States())
		for i, f := range s.States() {
			if got[i] != want[i] {
				t.Errorf("%s: %q, %q: %s' is %v, want %v", c.name, c.from, c.action, comp.Ground.Fluents[f].Name, got[i], want[i])
			}
		}
	}
}

// TestFigure1 replays both plans of the paper's Figure 1.
func TestFigure1(t *testing.T) {
	comp, r := simulator(t, "cellda/y")
	s := r.Simulator()
	run := func(moves string) (steps int, err error) {
		if err := r.Reset(); err != nil {
			t.Fatal(err)
		}
		names := map[rune]string{'w': "", 'u': "move-up", 'r': "move-right"}
		for _, m := range moves {
			if _, err := r.Step(set(t, comp, names[m], s.Noop(nil), s.Actions())); err != nil {
				return steps, err
			}
			steps++
		}
		return steps, nil
	}
	if _, err := run("wwuuurrr"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"cellda-loc(x)": 3, "cellda-loc(y)": 3, "has-key": 1, "cellda-alive": 1} {
		if got := r.Value(comp.Ground.ByName[name]); got != want {
			t.Errorf("%s is %v at the end", name, got)
		}
	}
	if _, err := run("uuurrr"); err == nil || !strings.Contains(err.Error(), "cellda-alive") {
		t.Errorf("the naive plan: %v", err)
	}
}

// TestSimulatorAgrees draws states and actions and compares the step of the
// simulator with the compiled problem's.
func TestSimulatorAgrees(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			comp, r := simulator(t, name)
			s := r.Simulator()
			rng := rand.New(rand.NewPCG(3, 4))
			legal := 0
			for range 400 {
				values := make([]float64, len(comp.Ground.Fluents))
				draw := func(order []int) []float64 {
					out := make([]float64, len(order))
					for i, f := range order {
						v := comp.Variable(f)
						out[i] = float64(v.Lo + rng.Int64N(v.Hi-v.Lo+1))
						if strings.HasPrefix(v.Name, "running") || v.Name == "cellda-alive" || strings.HasPrefix(v.Name, "threshold") {
							out[i] = 1
						}
						values[f] = out[i]
					}
					return out
				}
				state := draw(s.States())
				if strings.HasPrefix(name, "navigation") {
					clear(state)
					state[rng.IntN(len(state))] = 1
					for i, f := range s.States() {
						values[f] = state[i]
					}
				}
				action := draw(s.Actions())
				if err := r.SetState(state); !reaches(err) {
					t.Fatal(err)
				}
				ok := r.CheckState() == nil && r.CheckAction(action) == nil
				if _, err := r.Advance(action); !reaches(err) {
					t.Fatal(err)
				}
				here, err := comp.Valuation(values)
				if err != nil {
					t.Fatal(err)
				}
				after := make([]float64, len(values))
				for i, f := range s.States() {
					after[f] = r.State(nil)[i]
				}
				there, err := comp.Valuation(after)
				if err != nil {
					t.Fatal(err)
				}
				fail, err := validate.CheckStep(comp.Problem, nil, here, there)
				if err != nil {
					t.Fatal(err)
				}
				if (fail == nil) != ok {
					t.Fatalf("%v under %v: the simulator says legal %v, the model %v", state, action, ok, fail)
				}
				if ok {
					legal++
					b := comp.Problem.Bits(0)[rng.IntN(len(comp.Problem.Bits(0)))]
					there[b] = !there[b]
					if fail, _ := validate.CheckStep(comp.Problem, nil, here, there); fail == nil {
						t.Fatalf("%v under %v: another successor is accepted", state, action)
					}
				}
			}
			if legal < 20 {
				t.Errorf("only %d of 400 steps were legal", legal)
			}
		})
	}
}
