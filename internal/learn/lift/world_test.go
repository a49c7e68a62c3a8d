package lift_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/lift"
	"github.com/fdplan/fdplan/internal/learn/synthesis"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/translate"
)

// lights is a domain of lamps and doors: a function that counts neighbours, one of an integer,
// one of a fluent without objects, and one of a price.
const lights = `domain lights {
	types { lamp : object; };
	pvariables {
		NEXT(lamp, lamp) : { non-fluent, bool, default = false };
		BROKEN(lamp) : { non-fluent, bool, default = false };
		on(lamp) : { state-fluent, bool, default = false };
		age(lamp) : { state-fluent, int, default = 0 };
		alarm : { state-fluent, bool, default = false };
		press(lamp) : { action-fluent, bool, default = false };
		reset : { action-fluent, bool, default = false };
	};
	cpfs {
		on'(?l) = ~BROKEN(?l) ^ ~alarm ^ (on(?l) <=> ~press(?l));
		age'(?l) = if (reset) then 0 else if ((sum_{?k : lamp} [NEXT(?k, ?l) ^ on(?k)]) >= 2) then min[3, age(?l) + 1] else age(?l);
		alarm' = if (reset) then false else exists_{?l : lamp} [age(?l) == 3];
	};
	reward = -(sum_{?l : lamp} [press(?l)]);
}
`

// instance grounds an instance with these neighbours and broken lamps, and what a network of it
// learns: all fluents.
func instance(t *testing.T, lamps int, next [][2]int, broken ...int) (*lift.World, *translate.Compiled, *sim.Simulator) {
	t.Helper()
	var names []string
	var facts strings.Builder
	for i := range lamps {
		names = append(names, fmt.Sprintf("l%d", i))
	}
	for _, e := range next {
		fmt.Fprintf(&facts, "NEXT(l%d, l%d); ", e[0], e[1])
	}
	for _, b := range broken {
		fmt.Fprintf(&facts, "BROKEN(l%d); ", b)
	}
	text := lights + fmt.Sprintf("non-fluents nf { domain = lights; objects { lamp : { %s }; }; non-fluents { %s }; }\ninstance i { domain = lights; non-fluents = nf; init-state { alarm = false; }; max-nondef-actions = 1; horizon = 4; discount = 1.0; }\n",
		strings.Join(names, ", "), facts.String())
	ranges := map[string]translate.Range{}
	for i := range lamps {
		ranges[fmt.Sprintf("age(l%d)", i)] = translate.Range{Lo: 0, Hi: 3}
	}
	return world(t, text, ranges, "on", "age", "alarm")
}

// world grounds a text, and what a network of these fluents learns.
func world(t *testing.T, text string, ranges map[string]translate.Range, learned ...string) (*lift.World, *translate.Compiled, *sim.Simulator) {
	t.Helper()
	f, err := rddl.Parse("world.rddl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := ground.File(context.Background(), f, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := translate.Problem(context.Background(), g, translate.Options{Learned: learned, Ranges: ranges})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sim.New(g)
	if err != nil {
		t.Fatal(err)
	}
	w, err := lift.NewWorld(c.Problem, g)
	if err != nil {
		t.Fatal(err)
	}
	return w, c, s
}

// ring has two neighbours for each lamp.
func ring(n int) (next [][2]int) {
	for i := range n {
		next = append(next, [2]int{i, (i + 1) % n}, [2]int{(i + 1) % n, i})
	}
	return next
}

// all lists the legal rows.
func all(t *testing.T, c *translate.Compiled, s *sim.Simulator) []lift.Row {
	t.Helper()
	e, err := train.Legal(context.Background(), c, s, 1<<22)
	if err != nil {
		t.Fatal(err)
	}
	bits := func(words []uint64, n int) []bool {
		out := make([]bool, n)
		for i := range out {
			out[i] = words[i/64]>>(i%64)&1 == 1
		}
		return out
	}
	var rows []lift.Row
	for i := range e.Rows() {
		rows = append(rows, lift.Row{In: bits(e.Input(i), e.Inputs), Out: bits(e.Output(i), e.Outputs)})
	}
	return rows
}

// eval is the value of a function of cubes for a row.
func eval(f *synthesis.Function, in []bool) bool {
	var cell uint64
	for i, b := range f.Inputs {
		if in[b] {
			cell |= 1 << i
		}
	}
	for _, c := range f.On {
		if cell&c.Care == c.Value {
			return true
		}
	}
	return false
}

// TestLearnedWorlds learns functions from some rows of one instance and compares them, in others
// of other sizes, with all rows: an output that is not listed as unseen is never wrong there,
// and where the learned instance shows all cases nothing is.
func TestLearnedWorlds(t *testing.T) {
	learned, compiled, simulator := instance(t, 3, ring(3))
	rows := all(t, compiled, simulator)
	rng := rand.New(rand.NewPCG(5, 6))
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	rows = rows[:min(len(rows), 350)]
	var model lift.Model
	before := ""
	for threads := 1; threads <= 2; threads++ {
		found, err := lift.Learn(context.Background(), learned, rows, lift.Options{Seed: 3, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		var classes []lift.Class
		for i := range found {
			classes = append(classes, found[i].Class)
			for b, o := range found[i].Outputs {
				if o.Wrong > 0 {
					t.Errorf("bit %d of %s: %d of %d rows are wrong", b, found[i].Output, o.Wrong, o.Rows)
				}
			}
		}
		text, err := json.Marshal(classes)
		if err != nil {
			t.Fatal(err)
		}
		if threads == 2 && string(text) != before {
			t.Error("the functions depend on the number of threads")
		}
		model.Classes, before = classes, string(text)
	}
	var err error
	if model.Met, err = learned.Meet(rows); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		lamps  int
		next   [][2]int
		broken []int
		unseen bool // expected
	}{
		"the same":       {3, ring(3), nil, false},
		"a ring of four": {4, ring(4), nil, true}, // four lamps may be on
		"a broken lamp":  {3, ring(3), []int{1}, true},
		"a chain":        {4, [][2]int{{0, 1}, {1, 2}, {2, 3}}, nil, true},
	} {
		w, compiled, simulator := instance(t, c.lamps, c.next, c.broken...)
		applied, err := model.Apply(w)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		unseen := map[string]bool{}
		for _, u := range applied.Unseen {
			unseen[u.Output] = true
			if u.Reason == "" {
				t.Errorf("%s: %s is unseen without a reason", name, u.Output)
			}
		}
		if (len(unseen) > 0) != c.unseen {
			t.Errorf("%s: unseen are %v, expected some: %t", name, applied.Unseen, c.unseen)
		}
		wrong := map[string]int{}
		for _, r := range all(t, compiled, simulator) {
			for o := range applied.Functions {
				bit := w.Problem.BitName(w.Problem.Outputs[o])
				if eval(&applied.Functions[o], r.In) != r.Out[o] {
					wrong[bit]++
				}
			}
		}
		for bit, n := range wrong {
			if !unseen[bit] {
				t.Errorf("%s: %s is wrong on %d rows and not listed as unseen", name, bit, n)
			}
		}
	}
	if n := len(learned.Symmetries()); n == 0 {
		t.Error("a ring of lamps has no symmetries")
	}
}

// TestFits: functions are refused for instances whose fluents differ.
func TestFits(t *testing.T) {
	w, compiled, simulator := instance(t, 3, ring(3))
	rows := all(t, compiled, simulator)[:200]
	found, err := lift.Learn(context.Background(), w, rows, lift.Options{Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(c *lift.Class){
		"another range":  func(c *lift.Class) { c.Hi = 9 },
		"another fluent": func(c *lift.Class) { c.Output.Name = "off" },
		"another type":   func(c *lift.Class) { c.Types = []string{"door"} },
	} {
		m := &lift.Model{}
		for i := range found {
			m.Classes = append(m.Classes, found[i].Class)
		}
		spoil(&m.Classes[0])
		if _, err := m.Apply(w); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (&lift.Model{}).Apply(w); err == nil {
		t.Error("a model without functions: no error")
	}
}

// shop is a domain whose next values follow from numbers that instances have: the demand of a day.
const shop = `domain shop {
	types { good : object; day : object; };
	pvariables {
		INDEX(day) : { non-fluent, int, default = 0 };
		DEMAND(good, day) : { non-fluent, int, default = 0 };
		stock(good) : { state-fluent, int, default = 0 };
		today : { state-fluent, int, default = 0 };
		buy(good) : { action-fluent, bool, default = false };
	};
	cpfs {
		stock'(?g) = min[7, max[0, stock(?g) - (sum_{?d : day} [(today == INDEX(?d)) * DEMAND(?g, ?d)])] + 2 * buy(?g)];
		today' = if (today < 1) then today + 1 else 0;
	};
	reward = 0;
}
`

// TestFormula learns a formula over numbers in one shop and compares it with all rows of another, whose demand
// no row has shown.
func TestFormula(t *testing.T) {
	of := func(demand [2][2]int) (*lift.World, *translate.Compiled, *sim.Simulator) {
		facts := "INDEX(d1) = 1; "
		for g, days := range demand {
			for d, n := range days {
				facts += fmt.Sprintf("DEMAND(g%d, d%d) = %d; ", g, d, n)
			}
		}
		text := shop + "non-fluents nf { domain = shop; objects { good : { g0, g1 }; day : { d0, d1 }; }; non-fluents { " + facts +
			"}; }\ninstance i { domain = shop; non-fluents = nf; init-state { today = 0; }; horizon = 4; discount = 1.0; }\n"
		return world(t, text, map[string]translate.Range{"stock(g0)": {Hi: 7}, "stock(g1)": {Hi: 7}, "today": {Hi: 1}}, "stock", "today")
	}
	w, compiled, simulator := of([2][2]int{{0, 3}, {1, 2}})
	rows := all(t, compiled, simulator)
	found, err := lift.Learn(context.Background(), w, rows, lift.Options{Seed: 3, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := &lift.Model{}
	formulas := ""
	for i := range found {
		m.Classes = append(m.Classes, found[i].Class)
		if f := found[i].Formula; f != nil {
			formulas += f.String()
		}
	}
	if !strings.Contains(formulas, "DEMAND") {
		t.Errorf("the formulas are %q; expected one that reads DEMAND", formulas)
	}
	if m.Met, err = w.Meet(rows); err != nil {
		t.Fatal(err)
	}
	w, compiled, simulator = of([2][2]int{{4, 6}, {6, 5}})
	applied, err := m.Apply(w)
	if err != nil {
		t.Fatal(err)
	}
	if len(applied.Unseen) == 0 {
		t.Error("no output is listed as unseen")
	}
	for _, r := range all(t, compiled, simulator) {
		for o := range applied.Functions {
			if eval(&applied.Functions[o], r.In) != r.Out[o] {
				t.Fatalf("%s is wrong for %v", w.Problem.BitName(w.Problem.Outputs[o]), r.In)
			}
		}
	}
}
