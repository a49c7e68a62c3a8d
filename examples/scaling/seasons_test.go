package main

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// seasonDomain draws shops whose demand a day decides that is one of several Booleans, and that send goods to each other: sums over days with stocks
// are compiled with gates that follow from one stock.
func seasonDomain(r *rand.Rand) *files {
	sold := []string{"min[stock(?s), demand(?s)]", "(if (demand(?s) > stock(?s)) then stock(?s) else demand(?s))", "min[demand(?s), max[0, stock(?s) - KEEP(?s)]]"}[r.IntN(3)]
	demand := "(sum_{?d : day} [WANT(?s, ?d) * today(?d)])"
	sends := []string{"(sum_{?r : shop} [move(?s, ?r)]) <= stock(?s)", "(sum_{?r : shop} [move(?s, ?r)]) + min[stock(?s), " + demand + "] <= stock(?s)"}[r.IntN(2)]
	domain := fmt.Sprintf(`domain seasons {
	types { shop : object; day : object; };
	pvariables {
		NEXT(day, day)   : { non-fluent, bool, default = false };
		NEAR(shop, shop) : { non-fluent, bool, default = false };
		WANT(shop, day)  : { non-fluent, int, default = 1 };
		PRICE(shop) : { non-fluent, int, default = 2 };
		KEEP(shop)  : { non-fluent, int, default = 1 };
		today(day)  : { state-fluent, bool, default = false };
		stock(shop) : { state-fluent, int, default = 3 };
		due(shop)   : { state-fluent, bool, default = false };
		demand(shop) : { interm-fluent, int };
		sold(shop)   : { interm-fluent, int };
		move(shop, shop) : { action-fluent, bool, default = false };
		order(shop)      : { action-fluent, bool, default = false };
	};
	cpfs {
		today'(?d) = exists_{?e : day} [today(?e) ^ NEXT(?e, ?d)];
		demand(?s) = %s;
		sold(?s) = %s;
		stock'(?s) = min[9, max[0, stock(?s) - sold(?s) - (sum_{?r : shop} [move(?s, ?r)])] + 2 * due(?s) + (sum_{?r : shop} [move(?r, ?s)])];
		due'(?s) = order(?s);
	};
	reward = (sum_{?s : shop} [PRICE(?s) * sold(?s) - 3 * order(?s) - (stock(?s) > 4)]) - (sum_{?r : shop, ?s : shop} [move(?r, ?s)]);
	action-preconditions {
		forall_{?r : shop, ?s : shop} [move(?r, ?s) => NEAR(?r, ?s)];
		forall_{?s : shop} [%s];
	};
}
`, demand, sold, sends)
	shops, days := numbered("s", 2+r.IntN(2)), numbered("d", 3+r.IntN(5))
	var nf []string
	initial := []string{fmt.Sprintf("today(%s);", days[0])}
	for i, d := range days {
		nf = append(nf, fmt.Sprintf("NEXT(%s, %s);", d, days[(i+1)%len(days)]))
	}
	for i, s := range shops {
		next := shops[(i+1)%len(shops)]
		nf = append(nf, fmt.Sprintf("PRICE(%s) = %d; KEEP(%s) = %d; NEAR(%s, %s); NEAR(%s, %s);", s, 1+r.IntN(5), s, r.IntN(2), s, next, next, s))
		for _, d := range days {
			nf = append(nf, fmt.Sprintf("WANT(%s, %s) = %d;", s, d, r.IntN(4)))
		}
		initial = append(initial, fmt.Sprintf("stock(%s) = %d;", s, r.IntN(6)))
	}
	x := &instance{kinds: []kind{{"shop", shops}, {"day", days}}, facts: nf, initial: initial, ranges: []string{"stock = [0, 9]", "demand = [0, 3]", "sold = [0, 3]"}}
	return x.files("seasons", domain, 2+r.IntN(3))
}

// TestSeasons compares the bounds and plans of random problems with such shops with a search through all states, and certifies the answers.
func TestSeasons(t *testing.T) {
	apart := 0
	for i := range max(1, *instances/2) {
		seed := *firstSeed + uint64(i)
		if x := checkSmall(t, fmt.Sprintf("seed %d", seed), seasonDomain(rand.New(rand.NewPCG(seed, 0x736561736f6e))), i); len(x.Groups) > 2 {
			apart++
		}
	}
	if apart < *instances/4 {
		t.Errorf("%d of %d problems fall into groups", apart, max(1, *instances/2))
	}
}
