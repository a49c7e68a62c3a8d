package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// flowSpellings are ways to write what a tank lets out.
var flowSpellings = []string{
	"if (open(?t)) then min[RATE(?t), level(?t)] else 0",
	"open(?t) * min[RATE(?t), level(?t)]",
	"max[0, min[level(?t), RATE(?t) * open(?t)]]",
	"if (~open(?t)) then 0 else if (level(?t) > RATE(?t)) then RATE(?t) else level(?t)",
	"if (open(?t) ^ level(?t) >= RATE(?t)) then RATE(?t) else 0",
}

// levelSpellings are ways to write the next level of a tank, with what runs out and in.
var levelSpellings = []string{
	"min[CAP(?t), level(?t) - OUT + IN]",
	"if (level(?t) - OUT + IN >= CAP(?t)) then CAP(?t) else level(?t) - OUT + IN",
	"max[0, min[CAP(?t), level(?t) + IN - OUT - LEAK(?t)]]",
	"min[CAP(?t), level(?t) - OUT + (if (odd) then IN else 0)]",
}

// flowDomain draws tanks that let water run into each other, along a forest, with a limit on how many are open.
func flowDomain(r *rand.Rand) *files {
	out := flowSpellings[r.IntN(len(flowSpellings))]
	in := "(sum_{?u : tank} [INTO(?u, ?t) * FLOW]) + RAIN(?t)"
	flow, fluents, cpf := "flow(?t)", "flow(tank) : { interm-fluent, int };", fmt.Sprintf("flow(?t) = %s;", out)
	if r.IntN(2) == 0 { // no fluent for what runs
		flow, fluents, cpf = "("+out+")", "", ""
	}
	in = strings.ReplaceAll(in, "FLOW", strings.ReplaceAll(flow, "?t", "?u"))
	level := strings.NewReplacer("OUT", flow, "IN", "("+in+")").Replace(levelSpellings[r.IntN(len(levelSpellings))])
	legal := []string{"", "(sum_{?t : tank} [open(?t)]) <= CREWS;", "forall_{?t : tank, ?u : tank} [INTO(?t, ?u) => ~(open(?t) ^ open(?u))];"}[r.IntN(3)]
	reward := []string{"(sum_{?t : tank} [VALUE(?t) * " + flow + " - open(?t)])", "(sum_{?t : tank} [VALUE(?t) * (level'(?t) >= LOW(?t)) - open(?t)])"}[r.IntN(2)]
	domain := fmt.Sprintf(`domain flows {
	types { tank : object; };
	pvariables {
		INTO(tank, tank) : { non-fluent, bool, default = false };
		CAP(tank)   : { non-fluent, int, default = 3 };
		RATE(tank)  : { non-fluent, int, default = 1 };
		LEAK(tank)  : { non-fluent, int, default = 0 };
		RAIN(tank)  : { non-fluent, int, default = 0 };
		LOW(tank)   : { non-fluent, int, default = 1 };
		VALUE(tank) : { non-fluent, int, default = 1 };
		CREWS : { non-fluent, int, default = 1 };
		odd         : { state-fluent, bool, default = false };
		level(tank) : { state-fluent, int, default = 2 };
		open(tank)  : { action-fluent, bool, default = false };
		%s
	};
	cpfs {
		%s
		odd' = ~odd;
		level'(?t) = %s;
	};
	reward = %s;
	action-preconditions { %s };
}
`, fluents, cpf, level, reward, legal)
	names := numbered("t", 2+r.IntN(4))
	nf := []string{fmt.Sprintf("CREWS = %d;", 1+r.IntN(2))}
	var initial []string
	for i, t := range names {
		if i > 0 && r.IntN(5) > 0 {
			nf = append(nf, fmt.Sprintf("INTO(%s, %s);", t, names[r.IntN(i)]))
		}
		room := []int{1, 3, 3, 7}[r.IntN(4)]
		nf = append(nf, fmt.Sprintf("CAP(%s) = %d; RATE(%s) = %d; LEAK(%s) = %d; RAIN(%s) = %d; LOW(%s) = %d; VALUE(%s) = %d;",
			t, room, t, 1+r.IntN(3), t, r.IntN(2), t, r.IntN(2), t, 1+r.IntN(room), t, r.IntN(6)))
		initial = append(initial, fmt.Sprintf("level(%s) = %d;", t, r.IntN(room+1)))
	}
	x := &instance{kinds: []kind{{"tank", names}}, facts: nf, initial: initial, ranges: []string{"level = [0, 7]"}}
	if fluents != "" {
		x.ranges = append(x.ranges, "flow = [0, 7]")
	}
	return x.files("flows", domain, 2+r.IntN(5))
}

// TestFlows compares the bounds and plans of random tanks, where what one lets out another takes in, with a search through all states, and
// certifies the answers.
func TestFlows(t *testing.T) {
	apart := 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		x := checkSmall(t, fmt.Sprintf("seed %d", seed), flowDomain(rand.New(rand.NewPCG(seed, 0x666c6f77))), i)
		if len(x.Groups) > 1 {
			apart++
		}
	}
	t.Logf("%d of %d have groups", apart, *instances)
	if apart < *instances/2 {
		t.Errorf("%d of %d problems fall into groups", apart, *instances)
	}
}
