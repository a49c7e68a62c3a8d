package fromlog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestPlaces: a number that comes to few values by chance from the same state and action is an integer, and so is one to which actions add what they are; one with many values then, or that a function gives, is a quantity.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		noise int // next values are spread so far
		rare  int // of so many rows, one has it
		ask   Request
		want  string
	}{
		"chance":    {1, 2, Request{}, "range = [0, 199]"},
		"asked for": {1, 2, Request{Decimals: []string{"place=0"}}, "by 1"},
		"stock":     {9, 1, Request{}, "range = [0, 199]"},
		"measured":  {18, 1, Request{}, "by 1"},
		"certain":   {0, 1, Request{}, "by 1"},
		"few rows":  {1, 200, Request{}, "by 1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 5))
			var log strings.Builder
			log.WriteString("place,push,place'\n")
			for i := range 6000 {
				place, push := r.IntN(200), []int{-20, -11, -7, -3, 2, 5, 8, 13, 17, 23}[r.IntN(10)]
				next := place + push
				if i%c.rare == 0 {
					next += r.IntN(2*c.noise+1) - c.noise
				}
				fmt.Fprintf(&log, "%d,%d,%d\n", place, push, min(max(next, 0), 199))
			}
			ask := c.ask
			ask.Actions = []string{"push"}
			if text := taskOf(t, log.String(), ask); !strings.Contains(text, c.want) {
				t.Errorf("%s is missing in\n%s", c.want, text)
			}
		})
	}
}

// TestTimeOfRows: of several columns of stamps, that of the rows is their time, and not that of their case.
func TestTimeOfRows(t *testing.T) {
	var log strings.Builder
	log.WriteString("deadline,case,stage,activity,stamp\n")
	for i := range 40 {
		fmt.Fprintf(&log, "2024-02-%02d 12:00:00,%d,stage %d,do it %d,2024-01-%02d 0%d:00:00\n", 1+i/4, i/4, i%4, i%4, 1+i/4, i%4)
	}
	res := initOf(t, log.String(), Request{Actions: []string{"activity"}})
	if got := usesOf(res); !strings.Contains(got, "deadline dropped") || !strings.Contains(got, "stamp time") {
		t.Error(got)
	}
	// Names of several words stand in rules as texts.
	text, err := os.ReadFile("out/task.toml")
	if err != nil || !strings.Contains(string(text), `activity == \"do it 0\" => stage == \"stage 0\"`) {
		t.Errorf("%v in\n%s", err, text)
	}
}

// TestEndsBeyond: ends that are above all values in which steps begin are one condition.
func TestEndsBeyond(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var log strings.Builder
	log.WriteString("place,push,place'\n")
	for place := 0; log.Len() < 60_000; {
		push := 1 + r.IntN(3)
		next := min(place+push, 22)
		fmt.Fprintf(&log, "%d,%d,%d\n", place, push, next)
		if place = next; place >= 20 {
			place = r.IntN(5)
		}
	}
	if text := taskOf(t, log.String(), Request{Actions: []string{"push"}}); !strings.Contains(text, `final = ["place >= 20"]`) {
		t.Error(text)
	}
}
