package fromlog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRuns: a column that begins again with the same number, where the states do not go on, counts the rows of a run, unless what follows depends on it; where they
// go on, it is the hour of a day.
func TestRuns(t *testing.T) {
	type row struct {
		run, at, level int
		act            string
	}
	const runs, length = 60, 15
	// step goes on from a level; begin is where the next run starts after one that ended with a level.
	course := func(seed uint64, step func(rng *rand.Rand, r row) int, begin func(rng *rand.Rand, last int) int) (rows []row) {
		rng := rand.New(rand.NewPCG(seed, 1))
		level := 5
		for k := range runs {
			level = begin(rng, level)
			for at := range length {
				r := row{k, at + 1, level, []string{"up", "down"}[rng.IntN(2)]}
				rows = append(rows, r)
				level = max(0, min(10, step(rng, r)))
			}
		}
		return rows
	}
	walk := func(rng *rand.Rand, r row) int {
		if r.act == "up" {
			return r.level + rng.IntN(2)
		}
		return r.level - rng.IntN(2)
	}
	anywhere := func(rng *rand.Rand, last int) int { return rng.IntN(11) }
	goesOn := func(rng *rand.Rand, last int) int { return last }
	for _, c := range []struct {
		name, header, format string
		rows                 []row
		want                 string
	}{
		{"numbers", "trial,turn,level,act", "%[1]d,%[2]d,%[3]d,%[4]s\n", course(1, walk, anywhere), "trial episode, turn time, level state, act action"},
		{"names", "batch,turn,level,act", "B%[1]d,%[2]d,%[3]d,%[4]s\n", course(2, walk, anywhere), "batch episode, turn time, level state, act action"},
		{"seconds", "trial,sec,level,act", "%[1]d,%[2]d0,%[3]d,%[4]s\n", course(6, walk, anywhere), "trial episode, sec time, level state, act action"},
		{"no names", "turn,level,act", "%[2]d,%[3]d,%[4]s\n", course(3, walk, anywhere), "turn time, level state, act action"},
		{"no turns", "trial,level,act", "%[1]d,%[3]d,%[4]s\n", course(7, walk, anywhere), "trial episode, level state, act action"},
		{"days", "day,level,act", "%[1]d,%[3]d,%[4]s\n", course(8, walk, goesOn), "day state, level state, act action"},
		{"a day and its hours", "day,hour,level,act", "%[1]d,%[2]d,%[3]d,%[4]s\n", course(4, walk, goesOn), "day state, hour state, level state, act action"},
		{"ageing", "trial,turn,level,act", "%[1]d,%[2]d,%[3]d,%[4]s\n", course(5, func(rng *rand.Rand, r row) int {
			if r.at > 10 && rng.IntN(2) == 0 {
				return r.level - 1
			}
			return walk(rng, r)
		}, anywhere), "trial episode, turn state, level state, act action"},
	} {
		log := c.header + "\n"
		for _, r := range c.rows {
			log += fmt.Sprintf(c.format, r.run, r.at, r.level, r.act)
		}
		res := initOf(t, log, Request{Actions: []string{"act"}})
		if got := usesOf(res); got != c.want {
			t.Errorf("%s: %s, want %s\n%v", c.name, got, c.want, res.Notes)
		}
	}
}

// TestEndsBesideNext: cards are drawn until someone stops, which ends an episode in any state, or has more than 9, and the other one's card is one for each
// episode. An episode that is cut off by a limit of time is not ended by its actions.
func TestEndsBesideNext(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	log := func(limit int) string {
		var b strings.Builder
		b.WriteString("points,other,act,next_points,done\n")
		for range 200 {
			points, other := 1+rng.IntN(5), 1+rng.IntN(3)
			for step := 1; ; step++ {
				act := []string{"draw", "stop"}[rng.IntN(2)]
				next := points
				if act == "draw" {
					next = min(10, points+1+rng.IntN(3))
				}
				if limit > 0 {
					next = 1 + next%9 // goes on
				}
				done := limit == 0 && (act == "stop" || next == 10) || step == limit
				fmt.Fprintf(&b, "%d,%d,%s,%d,%v\n", points, other, act, next, done)
				if points = next; done {
					break
				}
			}
		}
		return b.String()
	}
	text := taskOf(t, log(0), Request{Actions: []string{"act"}})
	for _, want := range []string{"final = [\"done\"]", "[[input]]\nname = \"other\"", `next = {"done" = "done", "points" = "next_points"}`} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	if text := taskOf(t, log(7), Request{Actions: []string{"act"}}); strings.Contains(text, "final = [") {
		t.Errorf("a limit of time ends in\n%s", text)
	}
}
