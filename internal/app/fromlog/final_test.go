package fromlog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/rddl/task"
)

// finalOf makes a task of a log whose action is a, and returns its conditions on final states, and what is said of it.
func finalOf(t *testing.T, log string) (final, notes []string) {
	t.Helper()
	res := initOf(t, log, Request{Actions: []string{"a"}})
	k, err := task.Load("out/task.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	return k.Final, res.Notes
}

// TestFinalStates: the states that every row into them ends an episode in are final. Those in which
// a limit of time ended one are not.
func TestFinalStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	var b strings.Builder
	b.WriteString("row,col,mode,a,next_row,next_col,next_mode,done\n")
	for range 300 {
		row, col, mode := rng.IntN(3), rng.IntN(3), "walk"
		for k := range 8 {
			if row == 2 && col == 2 {
				break
			}
			a := rng.IntN(2)
			next := [2]int{min(2, row+a), min(2, col+1-a)}
			done := k == 7 || next == [2]int{2, 2}
			fmt.Fprintf(&b, "%d,%d,%s,%d,%d,%d,%s,%v\n", row, col, mode, a, next[0], next[1], mode, done)
			if row, col = next[0], next[1]; done {
				break
			}
		}
	}
	b.WriteString("0,0,walk,1,0,0,rest,False\n0,0,rest,1,0,0,walk,False\n")
	final, notes := finalOf(t, b.String())
	if got := strings.Join(final, "; "); got != `row == 2 ^ col == 2 ^ mode == @walk` {
		t.Errorf("final states: %s; %v", got, notes)
	}
}

// TestInferredEnds: without a column that tells, a state that is often entered and never left is final; one where a single
// run was cut off is not.
func TestInferredEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	b.WriteString("row,col,a,next_row,next_col\n")
	for range 60 {
		row, col := 0, 0
		for row+col < 6 && (row != 2 || col != 2) {
			a := rng.IntN(2)
			next := [2]int{min(3, row+a), min(3, col+1-a)}
			fmt.Fprintf(&b, "%d,%d,%d,%d,%d\n", row, col, a, next[0], next[1])
			row, col = next[0], next[1]
		}
	}
	b.WriteString("0,0,1,0,4\n")
	final, notes := finalOf(t, b.String())
	if got := strings.Join(final, "; "); got != "row == 2 ^ col == 2; row == 3 ^ col == 3" && got != "row == 3 ^ col == 3; row == 2 ^ col == 2" {
		t.Errorf("final states: %s; %v", got, notes)
	}
}

// TestWrongEnds: a state that rows lead to by a wrong record alone is not final. The row that follows begins where such steps lead.
func TestWrongEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	b.WriteString("place,a,next_place\n")
	place := 0
	for i := range 600 {
		a := rng.IntN(2)
		next := (place + 1 + a) % 6
		said := next
		if i%30 == 29 {
			said = 9
		}
		fmt.Fprintf(&b, "%d,%d,%d\n", place, a, said)
		place = next
	}
	final, notes := finalOf(t, b.String())
	if len(final) > 0 {
		t.Errorf("final states: %v; %v", final, notes)
	}
}

// TestEndsOfOneFluent: a value in which no row begins ends runs, whatever the other fluents are. A state that a single run was
// cut off in is no end, though no other row leads there.
func TestEndsOfOneFluent(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var b strings.Builder
	b.WriteString("stage,x,y,z,a,next_stage,next_x,next_y,next_z\n")
	for range 60 {
		stage := "open"
		at := [3]int{}
		for range 40 {
			a := rng.IntN(3)
			next, then := at, stage
			if next[a] = (at[a] + 1) % 9; at[a] == 8 && rng.IntN(3) == 0 {
				then = "closed"
			}
			fmt.Fprintf(&b, "%s,%d,%d,%d,%d,%s,%d,%d,%d\n", stage, at[0], at[1], at[2], a, then, next[0], next[1], next[2])
			if at, stage = next, then; stage == "closed" {
				break
			}
		}
	}
	final, notes := finalOf(t, b.String())
	if got := strings.Join(final, "; "); got != "stage == @closed" {
		t.Errorf("final states: %s; %v", got, notes)
	}
}

// orders logs orders whose rows are time steps on irregular days. Some are lost, most are sent, and none goes on after that; wrong
// of the stages are others.
func orders(rng *rand.Rand, wrong float64) string {
	stages := []string{"new", "paid", "packed", "held", "sent", "lost"}
	next := map[string][]string{"new": {"new", "paid", "held"}, "paid": {"paid", "packed", "packed", "held"}, "packed": {"packed", "sent", "sent", "lost"}, "held": {"held", "new"}}
	var b strings.Builder
	b.WriteString("case,day,stage,place,a\n")
	for k := range 250 {
		stage, day := "new", rng.IntN(300)
		for range 12 {
			said := stage
			if rng.Float64() < wrong {
				said = stages[rng.IntN(len(stages))]
			}
			fmt.Fprintf(&b, "c%d,%s,%s,%d,%d\n", k, time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day).Format(time.DateOnly), said, rng.IntN(3), rng.IntN(2))
			if next[stage] == nil {
				break
			}
			stage, day = next[stage][rng.IntN(len(next[stage]))], day+1+rng.IntN(9)
		}
	}
	return b.String()
}

// TestEndsOfTimeSteps: where rows are time steps, the last state of a run is one in which no step begins. Neither irregular times nor wrong
// records of such a state hide it.
func TestEndsOfTimeSteps(t *testing.T) {
	for seed := range uint64(5) {
		for _, wrong := range []float64{0, .01, .03} {
			final, notes := finalOf(t, orders(rand.New(rand.NewPCG(seed, 13)), wrong))
			if got := strings.Join(final, "; "); got != "stage == @sent; stage == @lost" {
				t.Errorf("seed %d, %v wrong: final states: %s; %v", seed, wrong, got, notes)
			}
		}
	}
}

// TestNoEndsOfTimeSteps: a state that most runs end in is none that they must end in, if some go on from there in a way of their own.
func TestNoEndsOfTimeSteps(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 17))
		var b strings.Builder
		b.WriteString("case,stage,place,a\n")
		for k := range 250 {
			stage := "new"
			for range 12 {
				fmt.Fprintf(&b, "c%d,%s,%d,%d\n", k, stage, rng.IntN(3), rng.IntN(2))
				if stage == "sent" && rng.IntN(8) > 0 {
					break
				}
				switch stage {
				case "new", "back":
					stage = []string{"new", "packed"}[rng.IntN(2)]
				case "packed":
					stage = []string{"packed", "sent"}[rng.IntN(2)]
				case "sent":
					stage = "back"
				}
			}
		}
		if final, notes := finalOf(t, b.String()); len(final) > 0 {
			t.Errorf("seed %d: final states: %v; %v", seed, final, notes)
		}
	}
}
