package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
)

// accountSpellings are ways to write what an account holds next, of what it gets and gives.
var accountSpellings = []string{
	"level(?u) + GETS - GIVES",
	"max[0, min[CAP, level(?u) + GETS - GIVES]]",
	"min[CAP, max[level(?u) - GIVES, 0] + GETS]",
	"if (odd) then max[0, min[CAP, level(?u) - GIVES + GETS]] else max[0, min[CAP, level(?u) + GETS]]",
	"if (level(?u) + GETS - GIVES > CAP) then CAP else max[0, level(?u) + GETS - GIVES]",
}

// poolSpellings are ways to write what the pool holds next.
var poolSpellings = []string{
	"pool - TAKEN + BACK",
	"max[0, min[ROOM, pool - TAKEN + BACK]]",
	"if (odd) then min[ROOM, pool + BACK - TAKEN] else max[0, pool - TAKEN]",
}

// sumRewards are what a reward may say of sums over all accounts.
var sumRewards = []string{
	"- 3 * max[0, WANT - (sum_{?u : unit} [SIZE(?u) * level(?u)])]",
	"- 3 * max[0, WANT - (sum_{?u : unit} [SIZE(?u) * take(?u)])]",
	"- 2 * max[0, (sum_{?u : unit} [take(?u) - back(?u)]) - 1]",
	"+ (if (odd) then 3 else 1) * (sum_{?u : unit} [SIZE(?u) * back(?u)])",
	"- abs[(sum_{?u : unit} [SIZE(?u) * (take(?u) ^ ~odd)]) - (sum_{?u : unit} [back(?u)])]",
	"+ min[WANT, (sum_{?u : unit} [SIZE(?u) * level(?u) + back(?u)])]",
	"- 4 * (sum_{?u : unit} [max[0, SIZE(?u) - level(?u) - take(?u)]])",
}

// accountDomain draws accounts that take from a pool, and give back or to each other, with a reward for sums over all of them.
func accountDomain(r *rand.Rand) *files {
	gets, gives := "take(?u)", "back(?u)"
	links, move := r.IntN(2) == 0, ""
	if links {
		gets += " + (sum_{?v : unit} [move(?v, ?u)])"
		gives = "(sum_{?v : unit} [move(?u, ?v)])"
		move = "move(unit, unit) : { action-fluent, bool, default = false };"
	}
	fill := strings.NewReplacer("GETS", "("+gets+")", "GIVES", "("+gives+")", "TAKEN", "(sum_{?u : unit} [take(?u)])", "BACK", "(sum_{?u : unit} [back(?u)])")
	legal := []string{"", "(sum_{?u : unit} [take(?u)]) <= pool;", "(sum_{?u : unit} [take(?u) + back(?u)]) <= 2;", "forall_{?u : unit} [back(?u) <= level(?u)];"}[r.IntN(4)]
	if links {
		legal += " (sum_{?u : unit} [back(?u)]) <= 0; forall_{?u : unit, ?v : unit} [move(?u, ?v) => LINK(?u, ?v)];"
		legal += []string{"", " forall_{?u : unit} [(sum_{?v : unit} [move(?u, ?v)]) <= level(?u)];"}[r.IntN(2)]
	}
	reward := "(sum_{?u : unit} [SIZE(?u) * level(?u) - take(?u)])"
	if r.IntN(2) == 0 {
		reward = "pool"
	}
	for range 1 + r.IntN(2) {
		reward += " " + sumRewards[r.IntN(len(sumRewards))]
	}
	domain := fmt.Sprintf(`domain accounts {
	types { unit : object; };
	pvariables {
		LINK(unit, unit) : { non-fluent, bool, default = false };
		SIZE(unit) : { non-fluent, int, default = 1 };
		CAP  : { non-fluent, int, default = 3 };
		ROOM : { non-fluent, int, default = 7 };
		WANT : { non-fluent, int, default = 4 };
		pool : { state-fluent, int, default = 3 };
		odd  : { state-fluent, bool, default = false };
		level(unit) : { state-fluent, int, default = 1 };
		take(unit)  : { action-fluent, bool, default = false };
		back(unit)  : { action-fluent, bool, default = false };
		%s
	};
	cpfs {
		odd' = ~odd;
		pool' = %s;
		level'(?u) = %s;
	};
	reward = %s;
	action-preconditions { %s };
}
`, move, fill.Replace(poolSpellings[r.IntN(len(poolSpellings))]), fill.Replace(accountSpellings[r.IntN(len(accountSpellings))]), reward, legal)
	n := 3 + r.IntN(2)
	if links {
		n = 3
	}
	names := numbered("u", n)
	room := []int{3, 7}[r.IntN(2)]
	nf := []string{fmt.Sprintf("ROOM = %d; WANT = %d; CAP = %d;", room, 2+r.IntN(5), 2+r.IntN(2))}
	initial := []string{fmt.Sprintf("pool = %d;", r.IntN(room+1))}
	for i, u := range names {
		nf = append(nf, fmt.Sprintf("SIZE(%s) = %d;", u, 1+r.IntN(3)))
		initial = append(initial, fmt.Sprintf("level(%s) = %d;", u, r.IntN(3)))
		if links {
			nf = append(nf, fmt.Sprintf("LINK(%s, %s);", u, names[(i+1)%n]))
		}
	}
	x := &instance{kinds: []kind{{"unit", names}}, facts: nf, initial: initial, ranges: []string{fmt.Sprintf("pool = [0, %d]", room), "level = [0, 3]"}}
	return x.files("accounts", domain, 2+r.IntN(2))
}

// TestAccounts compares the bounds and plans of random accounts, where sums over many groups decide what the next state and the reward
// are, with a search through all states, and certifies the answers.
func TestAccounts(t *testing.T) {
	apart, sums := 0, 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		x := checkSmall(t, fmt.Sprintf("seed %d", seed), accountDomain(rand.New(rand.NewPCG(seed, 0x6163636f756e7473))), i)
		if len(x.Groups) > 1 {
			apart++
		}
		if countsSum(x) {
			sums++
		}
	}
	t.Logf("%d of %d have groups, %d sums over them", apart, *instances, sums)
	if apart < *instances/2 {
		t.Errorf("%d of %d problems fall into groups", apart, *instances)
	}
}

// TestUsedUp has accounts that pay more than they have together, though each may get money of the others: prices show that no plan exists, before any beam.
func TestUsedUp(t *testing.T) {
	const domain = `domain debts {
	types { account : object; };
	pvariables {
		DUE(account) : { non-fluent, int, default = 1 };
		money(account) : { state-fluent, int, default = 5 };
		pass(account, account) : { action-fluent, int, default = 0 };
	};
	cpfs { money'(?a) = money(?a) - DUE(?a) + (sum_{?b : account} pass(?b, ?a)) - (sum_{?b : account} pass(?a, ?b)); };
	reward = (sum_{?a : account} [money(?a) >= 4]) - (sum_{?a : account, ?b : account} [pass(?a, ?b) > 0]);
	action-preconditions {
		forall_{?a : account} [money(?a) - DUE(?a) + (sum_{?b : account} pass(?b, ?a)) - (sum_{?b : account} pass(?a, ?b)) >= 0];
		forall_{?a : account} [money(?a) - DUE(?a) + (sum_{?b : account} pass(?b, ?a)) - (sum_{?b : account} pass(?a, ?b)) <= 15];
		forall_{?a : account} [pass(?a, ?a) == 0];
	};
}
`
	x := &instance{kinds: []kind{{"account", numbered("a", 4)}}, facts: []string{"DUE(a1) = 3;", "DUE(a2) = 0;"}, ranges: []string{"money = [0, 15]", "pass = [0, 3]"}}
	for _, h := range []int{4, 5} { // 20 in all, 5 due in each step
		what, h := loadFiles(t, x.files("debts", domain, h))
		s, err := bound.Start(t.Context(), what, h, engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rounds := int64(0)
		for !s.Done() && s.Nodes() < 3_000_000 {
			if err := s.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
			rounds = s.Result().Stats["price_rounds"]
		}
		if r := s.Result(); r.Status == engine.Infeasible != (h == 5) {
			t.Errorf("%d steps: %s after %d rounds", h, r.Status, rounds)
		}
	}
}
