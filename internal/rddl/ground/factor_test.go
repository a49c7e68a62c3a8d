package ground

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFactoredSums compares sums of random conjunctions with the same sums grounded without
// folding or factoring, in random states.
func TestFactoredSums(t *testing.T) {
	p := mustGround(t, foldDomain)
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	factored := 0
	for range 400 {
		var parts []string
		for range 1 + rng.IntN(4) {
			v := func() string { return pick("?x", "?y", "?z") }
			parts = append(parts, pick("", "~")+pick("p("+v()+")", "NEXT("+v()+", "+v()+")", "("+v()+" == "+v()+")", "(at == "+v()+")", "q", "(p("+v()+") | WALL("+v()+"))", "(c("+v()+") ~= @red)"))
		}
		text := "forall_{?z : xpos} ([sum_{?x : xpos, ?y : xpos} [" + strings.Join(parts, " ^ ") + "]] < " + fmt.Sprint(rng.IntN(6)) + ")"
		e, err := typed(p, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		b := newBuilder(context.Background(), maxNodes)
		g := newGrounder(p, b)
		g.few = 1
		got := g.expr(e)
		pb := newBuilder(context.Background(), maxNodes)
		pb.plain = true
		plain := newGrounder(p, pb).expr(e)
		if b.err != nil || pb.err != nil {
			t.Fatalf("%s: %v, %v", text, b.err, pb.err)
		}
		if len(g.inner) > 0 {
			factored++
		}
		for range 10 {
			now := randomState(p, rng)
			x, err := Eval(got, &Values{Now: now})
			y, err2 := Eval(plain, &Values{Now: now})
			if err != nil || err2 != nil || x != y {
				t.Fatalf("%s\nfactored %s = %v, %v\nplain %s = %v, %v", text, got, x, err, plain, y, err2)
			}
		}
	}
	if factored < 100 {
		t.Errorf("only %d sums were factored", factored)
	}
}

// TestJoins compares quantifiers that need non-fluents, grounded by joins, with the same without.
func TestJoins(t *testing.T) {
	p := mustGround(t, foldDomain)
	rng := rand.New(rand.NewPCG(5, 6))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	joins := 0
	for range 600 {
		v := func() string { return pick("?x", "?y", "?z") }
		part := func() string {
			return pick("", "", "~") + pick("p("+v()+")", "NEXT("+v()+", "+v()+")", "NEXT("+v()+", "+v()+")", "("+v()+" == "+v()+")", "q", "WALL("+v()+")", "(WALL("+v()+") ^ NEXT("+v()+", "+v()+"))")
		}
		parts := func(op string) string {
			list := []string{part()}
			for range rng.IntN(4) {
				list = append(list, part())
			}
			return "(" + strings.Join(list, op) + ")"
		}
		text := pick(
			"forall_{?x : xpos, ?y : xpos} ["+parts(" ^ ")+" => "+parts(pick(" ^ ", " | "))+"]",
			"forall_{?x : xpos, ?y : xpos} ["+parts(" | ")+"]", "exists_{?x : xpos, ?y : xpos} ["+parts(" ^ ")+"]",
			"([sum_{?x : xpos, ?y : xpos} ["+parts(" ^ ")+" * 3]] > 2)", "([sum_{?x : xpos, ?y : xpos} [if ("+parts(" ^ ")+") then 2 else 0]] > 3)",
		)
		e, err := typed(p, "exists_{?z : xpos} ("+text+" ^ p(?z))")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		b, other := newBuilder(context.Background(), maxNodes), newBuilder(context.Background(), maxNodes)
		g, without := newGrounder(p, b), newGrounder(p, other)
		g.fewJoined, without.fewJoined = 1, math.MaxInt
		got, want := g.expr(e), without.expr(e)
		if b.err != nil || other.err != nil || got.String() != want.String() {
			t.Fatalf("%s\njoined %s, %v\nwithout %s, %v", text, got, b.err, want, other.err)
		}
		if len(g.holding) > 0 {
			joins++
		}
	}
	if joins < 200 {
		t.Errorf("only %d were joined", joins)
	}
}

// TestLargeTables grounds aggregations over large tables and products of fluents with far fewer
// nodes than they have choices of values.
func TestLargeTables(t *testing.T) {
	objects := make([]string, 120)
	for i := range objects {
		objects[i] = fmt.Sprintf("o%d", i)
	}
	text := `domain d { types { t : object; };
	pvariables {
		COST(t, t) : { non-fluent, int, default = 3 }; LESS(t, t) : { non-fluent, bool, default = false };
		by(t, t) : { state-fluent, bool, default = false }; n(t) : { state-fluent, int, default = 0 };
		choose(t, t) : { action-fluent, bool, default = false };
	};
	cpfs {
		by'(?x, ?y) = by(?x, ?y) | [sum_{?u : t, ?v : t} (COST(?u, ?v) * (LESS(?u, ?v) + 1))] < 0;
		n'(?x) = [sum_{?u : t, ?v : t} [choose(?u, ?v) ^ by(?x, ?v)]];
	};
	reward = 0; }
	non-fluents nf { domain = d; objects { t : {` + strings.Join(objects, ", ") + `}; }; }
	instance i { domain = d; non-fluents = nf; horizon = 1; discount = 1.0; }`
	p := mustGround(t, text)
	nodes := map[*Node]bool{}
	p.Walk(func(n *Node) bool { nodes[n] = true; return true })
	// 120^3 choices; two nodes for each value of ?x and ?v, and the fluents.
	if len(nodes) > 5*120*120 {
		t.Errorf("%d nodes", len(nodes))
	}
	now := make([]float64, len(p.Fluents))
	for _, name := range []string{"choose(o1,o7)", "choose(o2,o7)", "choose(o2,o8)", "by(o5,o7)", "by(o5,o9)"} {
		now[p.ByName[name]] = 1
	}
	if v, err := Eval(p.Fluents[p.ByName["n(o5)"]].CPF, &Values{Now: now}); err != nil || v != 2 {
		t.Errorf("n(o5) becomes %v, %v, want 2", v, err)
	}
}
