package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
)

// chainSpellings are ways to write what comes to a unit when what is sent is handed on in order, and what it takes of that.
var chainSpellings = []struct{ name, fluents, cpfs, takes string }{
	{"all of it", "comes(unit) : { interm-fluent, int };",
		"comes(?u) = if (FIRST(?u)) then send else (sum_{?v : unit} [AFTER(?v, ?u) * (if (open(?v)) then 0 else comes(?v))]);", "(open(?u) * comes(?u))"},
	{"none before", "comes(unit) : { interm-fluent, int };",
		"comes(?u) = if (exists_{?v : unit} [BEFORE(?v, ?u) ^ open(?v)]) then 0 else send;", "(open(?u) * comes(?u))"},
	{"what is left", "rest(unit) : { interm-fluent, int }; takes(unit) : { interm-fluent, int };",
		"rest(?u) = if (FIRST(?u)) then send else (sum_{?v : unit} [AFTER(?v, ?u) * (rest(?v) - takes(?v))]); takes(?u) = if (open(?u)) then min[ROOM(?u) - level(?u), rest(?u)] else 0;", "takes(?u)"},
	{"sum before", "wants(unit) : { interm-fluent, int }; takes(unit) : { interm-fluent, int };",
		"wants(?u) = if (open(?u)) then min[2, ROOM(?u) - level(?u)] else 0; takes(?u) = max[0, min[wants(?u), send - (sum_{?v : unit} [BEFORE(?v, ?u) * wants(?v)])]];", "takes(?u)"},
	{"first that asks", "free(unit) : { interm-fluent, bool };",
		"free(?u) = if (FIRST(?u)) then (send > 0) else (exists_{?v : unit} [AFTER(?v, ?u) ^ free(?v) ^ ~(open(?v) ^ level(?v) < 2)]);", "(if (free(?u) ^ open(?u)) then 2 else 0)"},
	{"what adds up", "load(unit) : { interm-fluent, int };",
		"load(?u) = open(?u) * min[2, 1 + level(?u)] + (sum_{?v : unit} [AFTER(?v, ?u) * load(?v)]);", "(if (open(?u) ^ load(?u) <= send + 1) then 2 else 0)"},
	{"nobody asks", "quiet(unit) : { interm-fluent, bool };",
		"quiet(?u) = forall_{?v : unit} [BEFORE(?v, ?u) => ~(open(?v) ^ level(?v) < LOW(?v))];", "(if (quiet(?u) ^ open(?u)) then min[2, send] else 0)"},
}

// chainDomain draws units to which something is handed on in order within a step.
func chainDomain(r *rand.Rand) (name string, made *files) {
	s := chainSpellings[r.IntN(len(chainSpellings))]
	level := []string{"min[ROOM(?u), max[0, level(?u) - USE(?u)] + TAKES]", "max[0, min[ROOM(?u), level(?u) + TAKES] - (if (odd) then USE(?u) else 0)]"}[r.IntN(2)]
	reward := []string{"(sum_{?u : unit} [VALUE(?u) * (level'(?u) >= LOW(?u)) - open(?u)]) - send", "(sum_{?u : unit} [VALUE(?u) * TAKES - open(?u)]) + store'"}[r.IntN(2)]
	fill := strings.NewReplacer("TAKES", s.takes).Replace
	legal := []string{"", "(sum_{?u : unit} [open(?u)]) <= 2;", "forall_{?u : unit} [open(?u) => (level(?u) < ROOM(?u))];"}[r.IntN(3)]
	domain := fmt.Sprintf(`domain chains {
	types { unit : object; };
	pvariables {
		AFTER(unit, unit)  : { non-fluent, bool, default = false };
		BEFORE(unit, unit) : { non-fluent, bool, default = false };
		FIRST(unit) : { non-fluent, bool, default = false };
		ROOM(unit)  : { non-fluent, int, default = 3 };
		USE(unit)   : { non-fluent, int, default = 1 };
		LOW(unit)   : { non-fluent, int, default = 1 };
		VALUE(unit) : { non-fluent, int, default = 1 };
		COMES : { non-fluent, int, default = 1 };
		odd         : { state-fluent, bool, default = false };
		store       : { state-fluent, int, default = 3 };
		level(unit) : { state-fluent, int, default = 1 };
		open(unit)  : { action-fluent, bool, default = false };
		send        : { action-fluent, int, default = 0 };
		%s
	};
	cpfs {
		%s
		odd' = ~odd;
		store' = min[7, store - send + COMES];
		level'(?u) = %s;
	};
	reward = %s;
	action-preconditions { send <= store; %s };
}
`, s.fluents, s.cpfs, fill(level), fill(reward), legal)
	names := numbered("u", 3+r.IntN(3))
	nf := []string{fmt.Sprintf("FIRST(%s); COMES = %d;", names[0], r.IntN(3))}
	var initial []string
	for i, u := range names {
		for j, v := range names[:i] {
			nf = append(nf, fmt.Sprintf("BEFORE(%s, %s);", v, u))
			if j == i-1 {
				nf = append(nf, fmt.Sprintf("AFTER(%s, %s);", v, u))
			}
		}
		room := []int{1, 2, 3, 3}[r.IntN(4)]
		nf = append(nf, fmt.Sprintf("ROOM(%s) = %d; USE(%s) = %d; LOW(%s) = %d; VALUE(%s) = %d;", u, room, u, r.IntN(2), u, 1+r.IntN(room), u, r.IntN(7)))
		initial = append(initial, fmt.Sprintf("level(%s) = %d;", u, r.IntN(room+1)))
	}
	x := &instance{kinds: []kind{{"unit", names}}, facts: nf, initial: append(initial, fmt.Sprintf("store = %d;", r.IntN(6))), ranges: []string{"level = [0, 3]", "store = [0, 7]", "send = [0, 3]"}}
	return s.name, x.files("chains", domain, 2+r.IntN(3))
}

// TestChains compares the bounds and plans of random problems in which something is handed on from one to the next within a step, spelled in
// several ways, with a search through all states, and certifies the answers.
func TestChains(t *testing.T) {
	checkSpellings(t, 0x636861696e, chainDomain, len(chainSpellings), func(_ string, x *bound.Summary) bool { return len(x.Groups) > 2 })
}

// TestLinkedCost does the same where moves of a group differ only in what it hands on, which others tell by classes, and cost different amounts.
func TestLinkedCost(t *testing.T) {
	_, made := chainDomain(rand.New(rand.NewPCG(50000, 0x636861696e)))
	checkSmall(t, "seed 50000", made, 0)
}

// TestLinkText: prices on what is handed on are told by its values.
func TestLinkText(t *testing.T) {
	what, h := load(t, "rations -n 4 -H 6")
	s, err := bound.Start(t.Context(), what, h, engine.Limits{Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range bound.Summarize(t.Context(), s).Rules {
		texts = append(texts, r.Text)
	}
	for _, want := range []string{"send is 4 as read by lack(c1)", "left(c2) is 4 as read by lack(c2)", "left(c3) is 4 or 5 or 6 as read by lack(c3)"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no price has the text %q; there are %q", want, texts)
		}
	}
}
