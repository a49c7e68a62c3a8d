package fromlog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// TestBarred: where actions are tried anywhere, what is never done in some states is not possible there; someone who acts by habit may do it.
func TestBarred(t *testing.T) {
	for _, c := range []struct {
		name string
		act  func(rng *rand.Rand, doses int, open string) string
		want string
	}{
		{"doses", func(rng *rand.Rand, doses int, open string) string {
			return []string{"rest", "low", "high"}[rng.IntN(1+min(2, doses))]
		},
			`"therapy == @high => doses >= 2", "therapy == @low => doses >= 1"`},
		{"a door", func(rng *rand.Rand, doses int, open string) string {
			if open == "no" {
				return []string{"rest", "low"}[rng.IntN(2)]
			}
			return []string{"rest", "low", "high"}[rng.IntN(3)]
		}, `"therapy == @high => open"`},
		{"habit", func(rng *rand.Rand, doses int, open string) string {
			switch {
			case doses > 2 && rng.IntN(4) > 0:
				return "high"
			case doses > 1 && rng.IntN(3) > 0:
				return "low"
			case doses > 1:
				return "high"
			}
			return []string{"rest", "low"}[min(doses, rng.IntN(5)/4)]
		}, ""},
		{"anywhere", func(rng *rand.Rand, doses int, open string) string {
			return []string{"rest", "low", "high"}[rng.IntN(3)]
		}, ""},
	} {
		rng := rand.New(rand.NewPCG(6, 6))
		log := "doses,open,therapy\n"
		for doses, i := 4, 0; i < 600; i++ {
			open := []string{"no", "yes"}[rng.IntN(2)]
			act := c.act(rng, doses, open)
			log += fmt.Sprintf("%d,%s,%s\n", doses, open, act)
			if doses -= map[string]int{"low": 1, "high": 2}[act]; doses <= 0 && rng.IntN(3) == 0 {
				doses = 4
			}
			doses = max(0, doses)
		}
		text := taskOf(t, log, Request{Actions: []string{"therapy"}})
		got := ""
		for _, line := range strings.Split(text, "\n") {
			if rules, ok := strings.CutPrefix(line, "rules = ["); ok {
				got, _, _ = strings.Cut(rules, "]")
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestBarredBeyond: a state of few rows beyond those in which an action is not possible has it no more than these.
func TestBarredBeyond(t *testing.T) {
	counts := map[[2]float64]int{}
	for q, n := range []int{60, 90, 70, 80, 50, 4} {
		counts[[2]float64{float64(q), 0}] = n
		if q < 3 {
			counts[[2]float64{float64(q), 1}] = n / 2
		}
	}
	x := newCross(counts)
	if !x.barred() {
		t.Fatal("nothing is barred")
	}
	stock := &dataset.Column{Name: "stock", Type: dataset.Int, Lo: 0, Hi: 5}
	order := &dataset.Column{Name: "order", Type: dataset.Int, Lo: 0, Hi: 1}
	if got := x.rules(stock, order, ""); !slices.Equal(got, []string{"order == 1 => stock <= 2"}) {
		t.Errorf("got %q", got)
	}
}
