package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/translate"
)

// TestParted compares the operators of puzzles, whose actions are parted by rules such as that a truck stands at one place, with propagation.
func TestParted(t *testing.T) {
	ctx := context.Background()
	parted := 0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 0))
		domain, instance := puzzle(rng)
		text, err := os.ReadFile("../../../examples/pddl/" + domain + ".rddl")
		if err != nil {
			t.Fatal(err)
		}
		g := newGraph(fromRDDL(ctx, t, string(text)+instance))
		g.addInitial(ctx, func() bool { return false })
		w := g.s.newWorker(ctx, 0)
		for g.states.Len() < 150 && !g.saturated() {
			g.expandLayer(ctx, []*worker{w}, func() bool { return false }, func() {})
		}
		gens := generators(ctx, t, g)
		for i := range min(150, g.states.Len()) {
			var want successors
			w.expand(g.states.key(uint32(i)), &want)
			for _, gen := range gens {
				if err := compareOperators(g.s, gen, g.states.key(uint32(i)), &want); err != nil {
					t.Fatalf("%s, seed %d, state %d: %v", domain, seed, i, err)
				}
			}
		}
		if len(gens) == 1 || len(gens) == 2 && conditions(gens[1]) < conditions(gens[0]) {
			parted++
		}
	}
	if parted < 6 {
		t.Errorf("the operators of only %d puzzles of 6 are parted", parted)
	}
}

// conditions counts the effects with conditions.
func conditions(g *generator) (n int) {
	for i := range g.ops {
		n += g.ops[i].when.count()
	}
	return n
}

func (c *changes) count() int {
	n := len(c.always)
	for i := range c.then {
		n += c.then[i].count()
	}
	return n
}

// puzzle draws an instance of one of three domains.
func puzzle(rng *rand.Rand) (domain, instance string) {
	var objects, non, state []string
	add := func(list *[]string, format string, args ...any) { *list = append(*list, fmt.Sprintf(format, args...)) }
	where := rng.Perm(6)
	beside := func(f func(a, b int, way string)) {
		for c := range 6 {
			for d := range 6 {
				switch {
				case c%3 == d%3 && c != d:
					f(c, d, fmt.Sprint("w", 2+d/3))
				case c/3 == d/3 && (c-d == 1 || d-c == 1):
					f(c, d, fmt.Sprint("w", (d-c+1)/2))
				}
			}
		}
	}
	switch domain = []string{"tiles", "logistics", "sokoban"}[rng.IntN(3)]; domain {
	case "tiles":
		objects = []string{"tile : { t1, t2, t3, t4, t5 }", "cell : { c0, c1, c2, c3, c4, c5 }"}
		beside(func(a, b int, _ string) { add(&non, "joined(c%d, c%d)", a, b) })
		add(&state, "empty(c%d)", where[0])
		for i := 1; i < 6; i++ {
			add(&state, "on(t%d, c%d)", i, where[i])
		}
	case "logistics":
		objects = []string{"parcel : { p0, p1 }", "vehicle : { t0, t1, plane }", "place : { l0, l1, l2, l3 }", "city : { k0, k1 }"}
		non = []string{"truck(t0)", "truck(t1)", "airplane(plane)", "airport(l0)", "airport(l2)", "in-city(l0, k0)", "in-city(l1, k0)", "in-city(l2, k1)", "in-city(l3, k1)"}
		add(&state, "at(t0, l%d)", rng.IntN(2))
		add(&state, "at(t1, l%d)", 2+rng.IntN(2))
		add(&state, "at(plane, l%d)", 2*rng.IntN(2))
		for p := range 2 {
			add(&state, "lies(p%d, l%d)", p, rng.IntN(4))
		}
	default:
		objects = []string{"cell : { c0, c1, c2, c3, c4, c5 }", "direction : { w0, w1, w2, w3 }"}
		beside(func(a, b int, way string) { add(&non, "next(c%d, c%d, %s)", a, b, way) })
		add(&state, "at(c%d)", where[0])
		for i := 1; i < 2+rng.IntN(2); i++ {
			add(&state, "box(c%d)", where[i])
		}
	}
	return domain, fmt.Sprintf("non-fluents facts { domain = %s; objects { %s; }; non-fluents { %s; }; }\n"+
		"instance puzzle { domain = %s; non-fluents = facts; init-state { %s; }; max-nondef-actions = 1; horizon = 20; discount = 1.0; }\n",
		domain, strings.Join(objects, "; "), strings.Join(non, "; "), domain, strings.Join(state, "; "))
}

// fromRDDL is the step of a problem in RDDL.
func fromRDDL(ctx context.Context, t *testing.T, text string) *relation {
	t.Helper()
	file := filepath.Join(t.TempDir(), "puzzle.rddl")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := ground.Load(ctx, file, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := translate.Problem(ctx, g, translate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newRelation(engine.Task{Problem: c.Problem})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
