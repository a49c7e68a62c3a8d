package policy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
)

// changeSums changes a number of a proof.
func changeSums(rng *rand.Rand, c *policy.Sums) {
	pattern := &c.Patterns[rng.IntN(len(c.Patterns))]
	drop := func(list []int) []int {
		if len(list) == 0 {
			return list
		}
		k := rng.IntN(len(list))
		return append(list[:k:k], list[k+1:]...)
	}
	row := func() *policy.SumRow {
		if len(c.Rows) == 0 {
			c.Rows = []policy.SumRow{{}}
		}
		return &c.Rows[rng.IntN(len(c.Rows))]
	}
	switch rng.IntN(10) {
	case 0:
		pattern.Variables = drop(pattern.Variables)
	case 1:
		pattern.Variables = append(pattern.Variables, rng.IntN(len(c.Variables)))
	case 2:
		pattern.Parts = drop(pattern.Parts)
	case 3:
		pattern.Parts = append(pattern.Parts, rng.IntN(4))
	case 4:
		if len(pattern.Prices) > 0 {
			prices := pattern.Prices[rng.IntN(len(pattern.Prices))]
			prices[rng.IntN(len(prices))] += rng.Int64N(1<<40) - 1<<39
		}
	case 5:
		r := row()
		r.Next = append(r.Next, []int{rng.IntN(len(c.Actions)), rng.IntN(len(c.Rows))})
	case 6:
		if r := row(); len(r.Next) > 0 {
			k := rng.IntN(len(r.Next))
			r.Next[k] = append(r.Next[k], rng.IntN(len(c.Rows)))
		}
	case 7:
		r := row()
		r.Left += rng.IntN(3) - 1
	case 8:
		r := row()
		r.State = rng.IntN(len(c.States) + 1)
	default:
		k := rng.IntN(len(c.Rows) + 1)
		c.Rows = c.Rows[:k]
	}
}

// proveBounds compares what the checker proves of an interval, as it is and after changes, with the best value.
func proveBounds(t *testing.T, p *load.Problem, d *policy.Document, best *big.Rat, seed uint64, text string, kinds map[string]int) {
	if d.Proof == nil {
		kinds["not proven"]++
		t.Logf("%v\n%s", d.NoProof, text)
		return
	}
	kinds["proven"]++
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 12 {
		bound, err := policy.Proven(t.Context(), p, d, func(c *policy.Sums) {
			for range 1 + rng.IntN(2) {
				changeSums(rng, c)
			}
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if bound == nil {
			kinds["refused"]++
			continue
		}
		kinds["changed, accepted"]++
		if bound.Cmp(best) < 0 {
			t.Fatalf("a changed proof shows that no policy is worth more than %s, and the best one is worth %s\n%s", bound.FloatString(9), best.FloatString(9), text)
		}
	}
}

// ring loads a ring of machines of which an interval is asked, in tables of several parts.
func ring(t *testing.T) (*load.Problem, *policy.Document) {
	t.Helper()
	domain, err := os.ReadFile("../../../examples/machines/machines.rddl")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(domain), "\ninstance")
	objects, before := []string{}, ""
	const machines = 9
	for i := range machines {
		objects = append(objects, fmt.Sprint("c", i))
		before += fmt.Sprintf("BEFORE(c%d, c%d); ", i, (i+1)%machines)
	}
	text += fmt.Sprintf("\ninstance ring { domain = machines; objects { computer : {%s}; }; non-fluents { %s }; max-nondef-actions = 1; horizon = 2; discount = 1.0; }\n", strings.Join(objects, ", "), before)
	read := func(string) ([]byte, error) { return []byte(text), nil }
	p, err := load.Load(t.Context(), load.Ref{Source: load.Source{Domain: "ring.rddl"}, Read: read, Chance: true})
	if err != nil {
		t.Fatal(err)
	}
	r := policy.Request{Certify: true, Now: time.Now, Started: time.Now()}
	r.Limits.Memory = 2 // too little for dynamic programming
	d, err := policy.Plan(t.Context(), p, r)
	if err != nil || d.Proof == nil {
		t.Fatal(d, err, d.NoProof)
	}
	return p, d
}

// TestCertifiedInterval: the proof of an interval is read again, and refused for another bound and for other prices.
func TestCertifiedInterval(t *testing.T) {
	p, d := ring(t)
	dir := filepath.Join(t.TempDir(), "c")
	if err := d.Write(dir); err != nil {
		t.Fatal(err)
	}
	c := claim{"ring", p, d, dir}
	answer, sums := file[map[string]json.RawMessage](t, dir, certify.AnswerFile), file[policy.Sums](t, dir, policy.CeilingFile)
	r, err := policy.Certify(t.Context(), dir, p)
	if err != nil || !r.Accepted || len(r.Claims) != 1 || !strings.Contains(r.Claims[0].Shows, "no policy is worth more than") {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, name := range []string{"bound", "horizon", "objective", "goal", "problem", "proof"} {
		was := answer[name]
		for _, value := range []string{"1", "81", "null", "true", `"success"`} {
			if answer[name] = json.RawMessage(value); value != string(was) {
				if ok, _ := c.changed(t, certify.AnswerFile, answer); ok {
					t.Errorf("%s: %s is accepted", name, value)
				}
			}
		}
		answer[name] = was
	}
	refused := func(what, want string, change func(*policy.Sums)) {
		t.Helper()
		text, _ := json.Marshal(sums)
		var other policy.Sums
		if err := json.Unmarshal(text, &other); err != nil {
			t.Fatal(err)
		}
		change(&other)
		if ok, says := c.changed(t, policy.CeilingFile, other); ok || !strings.Contains(says, want) {
			t.Errorf("%s: %v, %s", what, ok, says)
		}
	}
	last := len(sums.Rows) - 1
	refused("a price", "sum to less than 0", func(c *policy.Sums) { c.Patterns[0].Prices[1][2]-- })
	refused("a summand paid twice", "each in one pattern", func(c *policy.Sums) { c.Patterns[0].Parts = append(c.Patterns[0].Parts, c.Patterns[0].Parts[0]) })
	refused("no rows", "bound", func(c *policy.Sums) { c.Rows = nil })
	refused("a row twice", "each once", func(c *policy.Sums) {
		next := c.Rows[last].Next
		next[0] = append(next[0], next[0][1])
	})
	refused("an action twice", "a second one", func(c *policy.Sums) { c.Rows[last].Next = append(c.Rows[last].Next, c.Rows[last].Next[0]) })
	refused("a row of itself", "earlier rows", func(c *policy.Sums) { c.Rows[last].Next[0][1] = last })
	refused("another horizon", "its horizon is 3", func(c *policy.Sums) { c.Horizon = 3 })
	refused("a goal", "reaching a goal", func(c *policy.Sums) { c.Goal = true })
	refused("a unit", "2^-", func(c *policy.Sums) { c.Unit = 1000 })
	refused("a variable", "expected 0 to", func(c *policy.Sums) { c.Patterns[0].Variables[0] = -1 })
}

// TestProofOutOfTime: without time for the proof there is still the interval.
func TestProofOutOfTime(t *testing.T) {
	p := pits(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	r := policy.Request{Certify: true, Now: time.Now, Started: time.Now()}
	r.Limits.Memory = 2
	if d, err := policy.Plan(ctx, p, r); err == nil && d.Proof == nil && d.NoProof == nil {
		t.Error("neither a proof nor why there is none")
	}
}
