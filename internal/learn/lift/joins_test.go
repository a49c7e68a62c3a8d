package lift

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/translate"
)

const cells = `domain cells {
	types { cell : object; way : object; };
	pvariables {
		LINK(cell, way, cell) : { non-fluent, bool, default = false };
		GOAL(cell) : { non-fluent, bool, default = false };
		here(cell) : { state-fluent, bool, default = false };
		pair(cell, cell) : { state-fluent, bool, default = false };
		level(cell) : { state-fluent, int, default = 0 };
		go(way) : { action-fluent, bool, default = false };
	};
	cpfs {
		here'(?c) = here(?c);
		pair'(?c, ?d) = pair(?c, ?d);
		level'(?c) = level(?c);
	};
	reward = 0;
}
non-fluents nf { domain = cells; objects { cell : { a, b, c, d }; way : { n, s }; }; non-fluents { %s }; }
instance i { domain = cells; non-fluents = nf; init-state { here(a); }; max-nondef-actions = 1; horizon = 4; discount = 1.0; }
`

// drawn is a world with random relations, and a random row.
func drawn(t *testing.T, rng *rand.Rand) (*World, Row) {
	t.Helper()
	var facts []string
	ranges := map[string]translate.Range{}
	for _, c := range []string{"a", "b", "c", "d"} {
		ranges["level("+c+")"] = translate.Range{Lo: 0, Hi: 3}
		if rng.IntN(2) == 0 {
			facts = append(facts, "GOAL("+c+");")
		}
		for _, w := range []string{"n", "s"} {
			for range rng.IntN(3) {
				facts = append(facts, fmt.Sprintf("LINK(%s, %s, %c);", c, w, 'a'+rune(rng.IntN(4))))
			}
		}
	}
	slices.Sort(facts)
	f, err := rddl.Parse("cells.rddl", fmt.Appendf(nil, cells, strings.Join(slices.Compact(facts), " ")))
	if err != nil {
		t.Fatal(err)
	}
	g, err := ground.File(context.Background(), f, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := translate.Problem(context.Background(), g, translate.Options{Learned: []string{"here", "pair", "level"}, Ranges: ranges})
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWorld(c.Problem, g)
	if err != nil {
		t.Fatal(err)
	}
	row := Row{In: make([]bool, len(c.Problem.Inputs))}
	for i := range row.In {
		row.In[i] = rng.IntN(2) == 0
	}
	return w, row
}

// drawJoin is a random conjunction of the objects own and more, each of which a true literal has.
func (j *joiner) drawJoin(rng *rand.Rand) (c []condition, types []string) {
	for _, o := range j.own {
		types = append(types, o.typ)
	}
	for range 1 + rng.IntN(4) {
		x := condition{predicate: rng.IntN(len(j.predicates))}
		fresh := false
		for _, p := range j.predicates[x.predicate].params {
			var of []int
			for v, typ := range types {
				if typ == p.typ {
					of = append(of, v)
				}
			}
			v := len(types)
			if len(of) > 0 && (rng.IntN(2) == 0 || len(types) >= len(j.own)+maxVariables) {
				v = of[rng.IntN(len(of))]
			} else {
				fresh, types = true, append(types, p.typ)
			}
			x.args = append(x.args, v)
		}
		x.neg = !fresh && rng.IntN(2) == 0
		c = append(c, x)
	}
	return c, types
}

// TestJoins: whether a random conjunction holds, and how many objects its feature counts, are what all choices of objects say.
func TestJoins(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	counted := 0
	for range 400 {
		w, row := drawn(t, rng)
		own, err := w.typed("cell")
		if err != nil {
			t.Fatal(err)
		}
		j := &joiner{rows: []Row{row}, own: []*objects{own}, output: Atom{"here", []string{"?1"}}}
		for _, d := range w.order {
			j.predicates = append(j.predicates, predicatesOf(w, d)...)
		}
		j.facts = append(j.facts, j.factsOf(&row))
		c, types := j.drawJoin(rng)
		for at := range own.names {
			all, apart := 0, 0 // choices, and those in which objects that no relation names are not the output's
			var kinds []*objects
			for _, typ := range types[1:] {
				o, err := w.typed(typ)
				if err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, o)
			}
			choices(kinds, func(more []int) {
				chosen := slices.Concat([]int{at}, more)
				fits, alone := true, true
				related := map[int]bool{}
				for _, x := range c {
					var args []int
					for _, v := range x.args {
						args = append(args, chosen[v])
						related[v] = related[v] || j.predicates[x.predicate].Static && !x.neg
					}
					fits = fits && j.truth(&j.predicates[x.predicate], args, 0) != x.neg
				}
				for v := 1; v < len(chosen); v++ {
					alone = alone && (related[v] || types[v] != "cell" || chosen[v] != at)
				}
				all += int(bit64(fits))
				apart += int(bit64(fits && alone))
			})
			if got := j.matches(c, example{row: 0, own: []int{at}}); got != (all > 0) {
				t.Fatalf("%v of %v for object %d: %v, expected %d choices", c, types, at, got, all)
			}
			f, ok := j.feature(c)
			if !ok {
				continue
			}
			if err := f.check(1); err != nil {
				t.Fatalf("%s: %v", &f, err)
			}
			x, err := newGrounder(w).feature(&f, []string{"cell"}, []int{at})
			if err != nil {
				t.Fatalf("%s: %v", &f, err)
			}
			lo, hi := x.span(func(b int) int { return int(bit64(row.In[b])) })
			if lo != hi || int(lo) != apart {
				t.Fatalf("%s for object %d counts %v to %v, expected %d", &f, at, lo, hi, apart)
			}
			counted += apart
		}
	}
	if counted == 0 {
		t.Error("no feature counts anything")
	}
}
