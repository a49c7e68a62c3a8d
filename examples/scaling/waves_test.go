package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
)

// passSpellings are ways to write what a site passes on to those after it.
var passSpellings = []string{
	"((~take(?s)) * under(?s))",
	"(if (take(?s)) then 0 else under(?s))",
	"(if (take(?s)) then max[0, under(?s) - 1] else under(?s))",
	"(if (take(?s) | ODD) then 0 else under(?s))",
	"(max[0, under(?s) - take(?s)])",
}

// keepSpellings are ways to write the next stock of a site, with what it takes.
var keepSpellings = []string{
	"max[0, min[CAP(?s), stock(?s) + TAKEN - USE(?s)]]",
	"if (TAKEN > 0) then min[CAP(?s), stock(?s) + TAKEN] else max[0, stock(?s) - USE(?s)]",
	"min[CAP(?s), max[0, stock(?s) - (USE(?s) * odd)] + TAKEN]",
}

// waveDomain draws sites along a forest, to which goods are under way for a step, and a source that sends them, or several of them: what is under way
// depends on what was before that, not on what is under way now.
func waveDomain(r *rand.Rand) *files {
	pass := strings.ReplaceAll(passSpellings[r.IntN(len(passSpellings))], "ODD", "odd")
	keep := strings.ReplaceAll(keepSpellings[r.IntN(len(keepSpellings))], "TAKEN", "(take(?s) * under(?s))")
	sent := []string{"send", "(if (odd) then send else 0)", "min[send, 1]", "(send + late)"}[r.IntN(4)]
	legal := []string{
		"", "(sum_{?s : site} [take(?s)]) <= CREWS;", "forall_{?s : site, ?u : site} [FROM(?s, ?u) => ~(take(?s) ^ take(?u))];",
		"forall_{?s : site} [take(?s) => under(?s) > 0];", "forall_{?s : site} [(under(?s) > 1 ^ stock(?s) > 1) => ~take(?s)];",
	}[r.IntN(5)]
	invariant := []string{"", "", "", "(sum_{?s : site} [under(?s)]) <= 4;"}[r.IntN(4)]
	reward := []string{
		"(sum_{?s : site} [VALUE(?s) * (stock(?s) >= LOW(?s)) - take(?s)])",
		"(sum_{?s : site} [VALUE(?s) * (stock'(?s) >= LOW(?s)) - under(?s)])",
		"(sum_{?s : site} [VALUE(?s) * (stock(?s) == LOW(?s)) - (take(?s) ^ odd)]) - send",
	}[r.IntN(3)]
	goal := []string{"", "", "", "stock(s1) >= 1", "under(s1) == 0", "under(s1) + stock(s2) >= 2"}[r.IntN(6)]
	domain := fmt.Sprintf(`domain waves {
	types { site : object; };
	pvariables {
		FROM(site, site) : { non-fluent, bool, default = false };
		FIRST(site) : { non-fluent, bool, default = false };
		CAP(site)   : { non-fluent, int, default = 2 };
		USE(site)   : { non-fluent, int, default = 1 };
		LOW(site)   : { non-fluent, int, default = 1 };
		VALUE(site) : { non-fluent, int, default = 1 };
		CREWS : { non-fluent, int, default = 1 };
		odd         : { state-fluent, bool, default = false };
		late        : { state-fluent, int, default = 0 };
		left        : { state-fluent, int, default = 3 };
		stock(site) : { state-fluent, int, default = 1 };
		under(site) : { state-fluent, int, default = 0 };
		take(site)  : { action-fluent, bool, default = false };
		send        : { action-fluent, int, default = 0 };
	};
	cpfs {
		odd' = ~odd;
		late' = min[send, 1];
		left' = min[3, left - send + odd];
		stock'(?s) = %s;
		under'(?s) = if (FIRST(?s)) then min[2, %s] else min[2, (sum_{?g : site} [FROM(?g, ?s) * %s])];
	};
	reward = %s;
	action-preconditions { send <= left; send <= 2; send >= 0; %s };
	state-invariants { %s };
}
`, keep, sent, strings.ReplaceAll(pass, "?s", "?g"), reward, legal, invariant)
	names := numbered("s", 2+r.IntN(4))
	nf := []string{fmt.Sprintf("CREWS = %d; FIRST(s1);", 1+r.IntN(2))}
	var initial []string
	for i, s := range names {
		switch from := i - 1 - r.IntN(2)*r.IntN(2); {
		case i > 0 && from >= 0 && r.IntN(6) > 0:
			nf = append(nf, fmt.Sprintf("FROM(%s, %s);", names[from], s))
		case i > 0:
			nf = append(nf, fmt.Sprintf("FIRST(%s);", s))
		}
		room := 2 + r.IntN(4)
		nf = append(nf, fmt.Sprintf("CAP(%s) = %d; USE(%s) = %d; LOW(%s) = %d; VALUE(%s) = %d;", s, room, s, r.IntN(2), s, 1+r.IntN(room), s, 1+r.IntN(5)))
		initial = append(initial, fmt.Sprintf("stock(%s) = %d; under(%s) = %d;", s, r.IntN(room+1), s, r.IntN(2)*r.IntN(3)))
	}
	x := &instance{kinds: []kind{{"site", names}}, facts: nf, initial: initial, goal: goal, ranges: []string{"stock = [0, 5]", "under = [0, 2]", "left = [0, 3]", "late = [0, 1]", "send = [0, 2]"}}
	return x.files("waves", domain, 2+r.IntN(6))
}

// TestWaves does the same as TestFlows with goods that are under way for a step: beams go by waves.
func TestWaves(t *testing.T) {
	waves := 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		made := waveDomain(rand.New(rand.NewPCG(seed, 0x7761766573)))
		checkSmall(t, fmt.Sprintf("seed %d", seed), made, i)
		if by, steps := wavesOf(t, made); by > int64(steps) {
			waves++
		}
	}
	t.Logf("%d of %d go by waves", waves, *instances)
	if waves < *instances/4 {
		t.Errorf("%d of %d problems go by waves", waves, *instances)
	}
}

// wavesOf is how many waves beams go through, and how many steps there are.
func wavesOf(t *testing.T, made *files) (waves int64, steps int) {
	t.Helper()
	what, h := loadFiles(t, made)
	s, err := bound.Start(t.Context(), what, h, engine.Limits{Threads: 1}, nil)
	if err != nil {
		return 0, h
	}
	for !s.Done() {
		if err := s.Advance(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return s.Result().Stats["waves"], h
}
