package ground

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// nestedText has sums, disjunctions and conjunctions over those before a unit, and sums over neighbours, of which some are nested by chance.
func nestedText(n int) string {
	var names, facts []string
	for i := range n {
		names = append(names, fmt.Sprintf("u%d", i))
		for j := range i {
			facts = append(facts, fmt.Sprintf("BEFORE(u%d, u%d);", j, i))
		}
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < n {
				facts = append(facts, fmt.Sprintf("NEAR(u%d, u%d);", j, i))
			}
		}
	}
	return fmt.Sprintf(`domain nested {
	types { unit : object; };
	pvariables {
		BEFORE(unit, unit) : { non-fluent, bool, default = false };
		NEAR(unit, unit)   : { non-fluent, bool, default = false };
		wants(unit) : { interm-fluent, int };
		left(unit)  : { interm-fluent, int };
		level(unit) : { state-fluent, int, default = 1 };
		on(unit)    : { state-fluent, bool, default = false };
		open(unit)  : { action-fluent, bool, default = false };
		send        : { action-fluent, int, default = 0 };
	};
	cpfs {
		wants(?u) = if (open(?u)) then level(?u) else 0;
		left(?u) = 7 + send - (sum_{?v : unit} [BEFORE(?v, ?u) * wants(?v)]);
		level'(?u) = max[0, min[3, left(?u)]] + (sum_{?v : unit} [NEAR(?v, ?u) * on(?v)]);
		on'(?u) = (open(?u) ^ ~(exists_{?v : unit} [BEFORE(?v, ?u) ^ on(?v)])) | (forall_{?v : unit} [BEFORE(?v, ?u) => (on(?v) | open(?v))]);
	};
	reward = (sum_{?u : unit} [left(?u)]) - 2 * (sum_{?u : unit} [wants(?u)]);
}
non-fluents nf { domain = nested; objects { unit : { %s }; }; non-fluents { %s }; }
instance i { domain = nested; non-fluents = nf; horizon = 3; discount = 1.0; }
`, strings.Join(names, ", "), strings.Join(facts, " "))
}

func TestNested(t *testing.T) {
	p := mustGround(t, nestedText(6))
	q := p.Nested()
	bases := map[string]int{}
	for i := range q.Fluents[len(p.Fluents):] {
		bases[q.Fluents[len(p.Fluents)+i].Base]++
	}
	if want := (map[string]int{"sum": 4, "any": 4, "all": 4}); fmt.Sprint(bases) != fmt.Sprint(want) {
		t.Errorf("new fluents are %v, expected %v", bases, want)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var now [2][]float64
		for k, x := range []*Problem{p, q} {
			now[k] = make([]float64, len(x.Fluents))
		}
		for i := range p.Fluents {
			switch f := &p.Fluents[i]; {
			case f.Kind != State && f.Kind != Action:
			case f.Type == Bool:
				now[0][i] = float64(r.IntN(2))
			default:
				now[0][i] = float64(r.IntN(5))
			}
			now[1][i] = now[0][i]
		}
		for k, x := range []*Problem{p, q} {
			v := &Values{Now: now[k]}
			for _, i := range x.Order {
				y, err := Eval(x.Fluents[i].CPF, v)
				if err != nil {
					t.Fatal(err)
				}
				if x.Fluents[i].Kind == Interm {
					now[k][i] = y
				} else if want, err := Eval(p.Fluents[i].CPF, &Values{Now: now[0]}); err != nil || y != want {
					t.Fatalf("%s' is %v, expected %v, %v", x.Fluents[i].Name, y, want, err)
				}
			}
			y, err := Eval(x.Reward, v)
			if want, _ := Eval(p.Reward, &Values{Now: now[0]}); err != nil || y != want {
				t.Fatalf("the reward is %v, expected %v, %v", y, want, err)
			}
		}
	}
	if p := mustGround(t, nestedText(3)); p.Nested() != p {
		t.Error("a problem without nested sums is rewritten")
	}
}
