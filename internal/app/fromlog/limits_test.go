package fromlog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLimited: what there is limits what is sold, and the room what is ordered; what someone does by rule limits nothing.
func TestLimited(t *testing.T) {
	for _, c := range []struct {
		name  string
		act   func(rng *rand.Rand, stock int) int
		want  string
		drift int
	}{
		{"any", func(rng *rand.Rand, stock int) int { return rng.IntN(min(6-stock, 2)+min(stock, 2)+1) - min(stock, 2) }, "stock + trade <= 6, stock + trade >= 0", 0},
		{"ordered", func(rng *rand.Rand, stock int) int { return rng.IntN(min(6-stock, 2) + 1) }, "stock + trade <= 6", -1},
		{"by twos", func(rng *rand.Rand, stock int) int { return 2 * rng.IntN(min((6-stock)/2, 2)+1) }, "stock + trade <= 6", -1},
		{"filled up", func(rng *rand.Rand, stock int) int { return 6 - stock }, "", 0},
		{"a threshold", func(rng *rand.Rand, stock int) int {
			if stock > 3 {
				return -1
			}
			return rng.IntN(3)
		}, "", 0},
	} {
		rng := rand.New(rand.NewPCG(4, 4))
		log := "stock,trade\n"
		for stock := 3; strings.Count(log, "\n") < 400; {
			a := c.act(rng, stock)
			log += fmt.Sprintf("%d,%d\n", stock, a)
			stock = max(0, min(6, stock+a+c.drift+rng.IntN(3)-1))
		}
		res := initOf(t, log, Request{Actions: []string{"trade"}})
		const says = "if actions were tried anywhere: "
		i := slices.IndexFunc(res.Notes, func(n string) bool { return strings.Contains(n, says) })
		got := ""
		if i >= 0 {
			_, got, _ = strings.Cut(res.Notes[i], says)
		}
		if got, _, _ = strings.Cut(got, ";"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
