package ground

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// gridDomain is a small problem with every section.
const gridDomain = `domain grid {
	requirements = { concurrent };
	types { xpos : object; mode : {@slow, @fast}; };
	pvariables {
		NEXT(xpos, xpos) : { non-fluent, bool, default = false };
		GOAL : { non-fluent, xpos, default = @x1 };
		at(xpos) : { state-fluent, bool, default = false };
		speed : { state-fluent, mode, default = @fast };
		fuel : { state-fluent, int, default = 7 };
		go(xpos) : { action-fluent, bool, default = false };
		change : { action-fluent, mode, default = @slow };
		busy : { interm-fluent, bool };
		stuck : { derived-fluent, bool };
		seen(mode) : { observ-fluent, bool };
	};
	cpfs {
		seen(?m) = speed' == ?m;
		at'(?x) = if (busy) then exists_{?y : xpos} [go(?x) ^ NEXT(?y, ?x) ^ at(?y)] else at(?x);
		speed' = change;
		fuel' = fuel - (exists_{?x : xpos} (at'(?x) ^ ~at(?x)));
		busy = ~stuck ^ (exists_{?x : xpos} go(?x));
		stuck = fuel == 0;
	};
	reward = -[sum_{?x : xpos} go(?x)] + 10 * at'(GOAL);
	action-preconditions {
		forall_{?x : xpos} [go(?x) => (exists_{?y : xpos} [NEXT(?y, ?x) ^ at(?y)])];
		~(stuck ^ (exists_{?x : xpos} go(?x)));
	};
	state-invariants {
		([sum_{?x : xpos} at(?x)] == 1) ^ fuel >= 0;
	};
	state-action-constraints {
		([sum_{?x : xpos} go(?x)] <= 1);
		~(exists_{?x : xpos} [at(?x) ^ stuck]) ^ GOAL == @x1;
		forall_{?x : xpos, ?y : xpos} [NEXT(?x, ?y) => ~(go(?x) ^ go(?y))];
	};
	termination {
		fuel == 0 | (exists_{?x : xpos} [at(?x) ^ ?x == GOAL]);
	};
}
non-fluents nf { domain = grid; objects { xpos : {x1, x2}; }; non-fluents { NEXT(x1, x2); }; }
instance i { domain = grid; non-fluents = nf;
	init-state { at(x2); speed = @slow; };
	max-nondef-actions = 2; horizon = 5; discount = 0.9;
}
`

func TestGround(t *testing.T) {
	p := mustGround(t, gridDomain)
	var got []string
	for _, f := range p.Fluents {
		line := fmt.Sprintf("%s %s %s %s %s", f.Kind, f.Type, f.Name, f.ValueName(f.Default), f.ValueName(f.Initial))
		if f.CPF != nil {
			line += " = " + f.CPF.String()
		}
		got = append(got, line)
	}
	got = append(got, "reward "+p.Reward.String())
	order := "order"
	for _, i := range p.Order {
		order += " " + p.Fluents[i].Name
	}
	got = append(got, order)
	for i, list := range [][]Condition{p.Preconditions, p.Invariants, p.Termination} {
		for _, c := range list {
			got = append(got, fmt.Sprintf("%s %d:%d %s, for %s", []string{"pre", "inv", "end"}[i], c.Pos.Line, c.Pos.Col, c.Expr, c.Text))
		}
	}
	want := []string{
		"state bool at(x1) false false = ~busy ^ at(x1)",
		"state bool at(x2) false true = if (busy) then go(x2) ^ at(x1) else at(x2)",
		"state enum speed fast slow = change",
		"state int fuel 7 7 = fuel - (at'(x1) ^ ~at(x1) | at'(x2) ^ ~at(x2))",
		"action bool go(x1) false false",
		"action bool go(x2) false false",
		"action enum change slow slow",
		"interm bool busy false false = ~stuck ^ (go(x1) | go(x2))",
		"interm bool stuck false false = fuel == 0",
		"observ bool seen(slow) false false = speed' == @slow",
		"observ bool seen(fast) false false = speed' == @fast",
		"reward -(go(x1) + go(x2)) + 10 * at'(x1)",
		"order stuck busy at(x1) at(x2) speed fuel seen(slow) seen(fast)",
		"pre 26:23 ~go(x1), for go(x1) => (exists_{?y : xpos} [NEXT(?y, x1) ^ at(?y)]) [?x = x1]",
		"pre 26:23 go(x2) => at(x1), for go(x2) => (exists_{?y : xpos} [NEXT(?y, x2) ^ at(?y)]) [?x = x2]",
		"pre 27:5 ~(stuck ^ (go(x1) | go(x2))), for ~(stuck ^ (exists_{?x : xpos} [go(?x)]))",
		"pre 33:5 go(x1) + go(x2) <= 1, for (sum_{?x : xpos} [go(?x)]) <= 1",
		"pre 35:34 ~(go(x1) ^ go(x2)), for NEXT(x1, x2) => ~(go(x1) ^ go(x2)) [?x = x1, ?y = x2]",
		"inv 30:5 at(x1) + at(x2) == 1, for (sum_{?x : xpos} [at(?x)]) == 1",
		"inv 30:37 fuel >= 0, for fuel >= 0",
		"inv 34:25 ~(at(x1) ^ stuck), for ~(at(x1) ^ stuck) [?x = x1]",
		"inv 34:25 ~(at(x2) ^ stuck), for ~(at(x2) ^ stuck) [?x = x2]",
		"end 38:3 fuel == 0, for fuel == 0",
		"end 38:36 at(x1), for at(x1) ^ x1 == GOAL [?x = x1]",
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d\n got %s\nwant %s", i, strings.Join(got[min(i, len(got)):], "\n     "), strings.Join(want[min(i, len(want)):], "\n     "))
		}
	}
	if p.MaxActions != 2 || p.Horizon != 5 || p.Discount != 0.9 || p.Domain != "grid" || p.Instance != "i" {
		t.Errorf("%s %s: %d actions, horizon %d, discount %v", p.Domain, p.Instance, p.MaxActions, p.Horizon, p.Discount)
	}
	if i, ok := p.ByName["at(x2)"]; !ok || p.Fluents[i].Name != "at(x2)" || !slices.Equal(p.Fluents[i].Args, []string{"x2"}) {
		t.Errorf("at(x2) is %d, %v", i, ok)
	}
	if ok, n := p.Deterministic(); !ok {
		t.Errorf("%s is drawn", n)
	}
	busy := p.ByName["busy"]
	stuck := p.ByName["stuck"]
	if !p.DependsOnAction(&Node{Op: Ref, Fluent: busy}) || p.DependsOnAction(&Node{Op: Ref, Fluent: stuck}) {
		t.Error("DependsOnAction does not look through intermediate fluents, or sees too much")
	}
}

// TestBare grounds the smallest problem: no horizon, no bound on actions, no reward.
func TestBare(t *testing.T) {
	p := mustGround(t, `domain d { pvariables { q : { state-fluent, bool, default = false }; a : { action-fluent, bool, default = false }; };
		cpfs { q' = q | Bernoulli(if (a) then 0.5 else 0.0); }; reward = 0; }
		instance i { domain = d; max-nondef-actions = pos-inf; horizon = pos-inf; discount = 1.0; }`)
	if p.MaxActions != -1 || p.Horizon != 0 || !p.Reward.IsConst(0) {
		t.Errorf("%d actions, horizon %d, reward %s", p.MaxActions, p.Horizon, p.Reward)
	}
	ok, n := p.Deterministic()
	if ok || n.Name != "Bernoulli" || n.Pos.Line != 2 || n.Pos.Col != 19 {
		t.Errorf("deterministic %v, %v", ok, n)
	}
}

// TestShared expects one node for equal parts of one place, and two for draws.
func TestShared(t *testing.T) {
	p := mustGround(t, foldDomain)
	for text, want := range map[string]bool{
		"forall_{?x : xpos} [p(?x) | (exists_{?y : xpos} [q ^ p(?y)])]":                                     true,
		"forall_{?x : xpos} [p(?x) | (exists_{?y : xpos} [q ^ p(?y) ^ Bernoulli(0.5)])]":                    false,
		"forall_{?x : xpos} [p(?x) | Bernoulli(0.5)]":                                                       false,
		"forall_{?x : xpos} [p(?x) | (exists_{?y : xpos} [NEXT(?x, ?y) ^ (exists_{?z : xpos} m(?z) > n)])]": true,
	} {
		e, err := typed(p, text)
		if err != nil {
			t.Fatal(err)
		}
		n, err := p.Expr(e)
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Args[0].Args[1] == n.Args[1].Args[1]; got != want {
			t.Errorf("%s: shared %v, want %v", text, got, want)
		}
	}
}

// TestConditions checks that the user's conditions are split as the problem's own are.
func TestConditions(t *testing.T) {
	p := mustGround(t, foldDomain)
	for text, want := range map[string]string{
		"q ^ (a ^ n > 1)": "q; a; n > 1",
		"~(q | ~a)":       "~q; a",
		"~(exists_{?x : xpos} (p(?x) | WALL(?x)))":                      "~p(x1) [?x = x1]; ~p(x2) [?x = x2]; ~WALL(x2) [?x = x2]",
		"forall_{?x : xpos} forall_{?y : xpos} (NEXT(?x, ?y) => p(?y))": "NEXT(x1, x2) => p(x2) [?x = x1, ?y = x2]; NEXT(x2, x3) => p(x3) [?x = x2, ?y = x3]",
		"YES":                    "",
		"NO":                     "NO",
		"q ^ NO ^ a":             "q; NO",
		"TWO > 3 ^ n / ZERO > 1": "TWO > 3",
		"n > 3 ^ n / ZERO > 1":   "n > 3; n / ZERO > 1",
		"q | (a ^ NO)":           "q | a ^ NO",
	} {
		e, err := typed(p, text)
		if err != nil {
			t.Fatal(err)
		}
		list, err := p.Conditions(e)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var texts []string
		for _, c := range list {
			texts = append(texts, c.Text)
		}
		got := strings.Join(texts, "; ")
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	if _, err := new(Problem).Conditions(nil); err == nil {
		t.Error("a problem made by hand grounds conditions")
	}
}
