package chance_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/problem/chance"
)

const followed = `draw row, on
blocked clamp
follow on = true when row >= 5
follow on = false
when light(x,y) == "red" ^ a >= 2
1/2: row + 1
1/2: row - 1
otherwise
1: row = 3`

// TestCopies: a copy draws what the model does, whatever the states of the others are.
func TestCopies(t *testing.T) {
	p := grid(t)
	rng := rand.New(rand.NewPCG(5, 5))
	for _, text := range []string{moves, sums, followed} {
		m := parse(t, p, text)
		systems := []string{"A", "B", "C"}
		q, err := p.Copies(systems)
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Copies(q, systems)
		if err != nil {
			t.Fatal(err)
		}
		if _, line, err := chance.Parse(q, c.Lines()); err != nil {
			t.Errorf("line %d of the copies: %v", line+1, err)
		}
		for range 200 {
			var now, next []int64
			for range systems {
				for _, v := range p.Variables {
					now, next = append(now, v.Lo+rng.Int64N(v.Hi-v.Lo+1)), append(next, v.Lo+rng.Int64N(v.Hi-v.Lo+1))
				}
			}
			n := len(p.Variables)
			for i := range c.Groups {
				k, g := i/len(m.Groups), &m.Groups[i%len(m.Groups)]
				if got, want := outcomes(&c.Groups[i], now, next), outcomes(g, now[k*n:(k+1)*n], next[k*n:(k+1)*n]); got != want {
					t.Fatalf("%v: %s of %s, want %s", now, got, systems[k], want)
				}
			}
		}
	}
}
