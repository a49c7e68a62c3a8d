package chance_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// grid has an action a in 1..4, the states row and col in 0..9, a light and a Boolean.
func grid(t testing.TB) *factored.Problem {
	t.Helper()
	p := factored.NewProblem("grid")
	for _, v := range []factored.Variable{
		{Name: "a", Kind: factored.Action, Lo: 1, Hi: 4, Default: 0},
		{Name: "row", Lo: 0, Hi: 9},
		{Name: "col", Lo: 0, Hi: 9},
		{Name: "light(x,y)", Lo: 0, Hi: 2, View: &factored.View{Names: []string{"red", "dark green", "a, b"}}},
		{Name: "on", Bool: true, Hi: 1},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

const moves = `draw row, col
blocked rest
noise row 1/500
when a == 1 ^ row <= 3
rows 213
150/213: row + 1
21/71: col - 2, row = 4
when a == row
3/5: keep
2/5: row - 1, col + 1
otherwise
7/10: col + 1
1/5: col - 1
1/10: row + 1
draw light(x,y)
blocked clamp
when on
1/3: light(x,y) = "dark green"
2/3: light(x,y) = "a, b"
draw on
blocked keep
otherwise
9/10: on'
1/10: on = false`

const sums = `draw row
blocked clamp
otherwise
1/3: row = row - a + 2
1/3: row = col
1/3: row = row + col - a - 1`

func parse(t testing.TB, p *factored.Problem, text string) *chance.Model {
	t.Helper()
	m, line, err := chance.Parse(p, strings.Split(text, "\n"))
	if err != nil {
		t.Fatalf("line %d: %v", line+1, err)
	}
	return m
}

// outcomes lists a distribution as text, sorted by values.
func outcomes(g *chance.Group, now, predicted []int64) string {
	var d chance.Distribution
	g.Outcomes(&d, now, predicted)
	var parts []string
	for i, v := range d.Values {
		parts = append(parts, fmt.Sprint(v, " ", big.NewRat(d.Weights[i], d.Total).RatString()))
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

func TestLinesReadBack(t *testing.T) {
	p := grid(t)
	m := parse(t, p, moves)
	text := strings.Join(m.Lines(), "\n")
	if again := strings.Join(parse(t, p, text).Lines(), "\n"); again != text {
		t.Errorf("read back:\n%s\nwritten:\n%s", again, text)
	}
	if !strings.Contains(text, "150/213: row + 1\n63/213: row = 4, col - 2") {
		t.Errorf("unexpected text:\n%s", text)
	}
	if got := strings.Join(parse(t, p, sums).Lines(), "\n"); got != sums {
		t.Errorf("read back:\n%s\nwritten:\n%s", got, sums)
	}
}

func TestOutcomes(t *testing.T) {
	p := grid(t)
	m := parse(t, p, moves)
	predicted := []int64{0, 0, 0, 1, 1}
	m.Groups = append(m.Groups, parse(t, p, sums).Groups...)
	for _, c := range []struct {
		group int
		now   []int64
		want  string
	}{
		{0, []int64{1, 2, 5, 0, 0}, "[3 5] 50/71; [4 3] 21/71"},
		{0, []int64{1, 2, 0, 0, 0}, "[3 0] 1"}, // the second would leave the range
		{0, []int64{4, 4, 4, 0, 0}, "[3 5] 2/5; [4 4] 3/5"},
		{0, []int64{2, 9, 5, 0, 0}, "[9 4] 3/10; [9 6] 7/10"}, // row + 1: all of it to col - 1
		{0, []int64{2, 5, 0, 0, 0}, "[5 1] 7/10; [6 0] 3/10"}, // col - 1: all of it to row + 1
		{0, []int64{2, 5, 9, 0, 0}, "[5 8] 2/3; [6 9] 1/3"},   // the most likely: to both
		{1, []int64{2, 5, 9, 0, 1}, "[1] 1/3; [2] 2/3"},
		{1, []int64{2, 5, 9, 0, 0}, "[1] 1"}, // no context: as predicted
		{2, []int64{2, 5, 9, 0, 0}, "[0] 1/10; [1] 9/10"},
		{3, []int64{4, 5, 1, 0, 0}, "[1] 2/3; [3] 1/3"},
		{3, []int64{1, 8, 7, 0, 0}, "[7] 1/3; [9] 2/3"}, // 13 stays at the end
	} {
		if got := outcomes(&m.Groups[c.group], c.now, predicted); got != c.want {
			t.Errorf("group %d at %v: %s; expected %s", c.group, c.now, got, c.want)
		}
	}
}

// An output that follows from others has one value for each of theirs, and its own value before the step tells nothing.
func TestFollow(t *testing.T) {
	p := grid(t)
	const text = `draw row, col, on
blocked keep
follow on = true when row >= 8
follow on = true when col == row
follow on = false
otherwise
1/4: row + 1
1/4: col - 1
1/2: keep`
	m := parse(t, p, text)
	if got := strings.Join(m.Lines(), "\n"); got != text {
		t.Errorf("read back:\n%s\nwritten:\n%s", got, text)
	}
	g := &m.Groups[0]
	for now, want := range map[[2]int64]string{
		{7, 8}: "[7 7 1] 1/4; [7 8 0] 1/2; [8 8 1] 1/4",
		{9, 3}: "[9 2 1] 1/4; [9 3 1] 3/4",
		{3, 0}: "[3 0 0] 3/4; [4 0 0] 1/4",
	} {
		for on := range int64(2) {
			if got := outcomes(g, []int64{1, now[0], now[1], 0, on}, nil); got != want {
				t.Errorf("at %v: %s; expected %s", now, got, want)
			}
		}
	}
	if got := g.Reads(); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("the group reads %v; expected row and col", got)
	}
	for _, wrong := range []string{
		"follow on = false when row == 1",                 // no last case
		"follow on = false\nfollow on = true",             // a case after it
		"follow on = false when on\nfollow on = true",     // from itself
		"follow on = false when a == 1\nfollow on = true", // from an action
		"follow on + 1", // no value
		"follow on = true when row == 1\nfollow row = 1\nfollow on = false", // from what follows
	} {
		if _, _, err := chance.Parse(p, strings.Split("draw row, col, on\n"+wrong+"\notherwise\n1: row + 1", "\n")); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

func TestBlocked(t *testing.T) {
	p := grid(t)
	const text = "draw row, col\nblocked %s\notherwise\n1/2: row + 2, col - 1\n1/4: row - 1\n1/4: keep"
	now := []int64{1, 8, 0, 0, 0}
	for blocked, want := range map[string]string{
		"clamp":  "[7 0] 1/4; [8 0] 1/4; [9 0] 1/2",
		"keep":   "[7 0] 1/4; [8 0] 3/4",
		"others": "[7 0] 1/2; [8 0] 1/2",
		"rest":   "[7 0] 1/2; [8 0] 1/2",
	} {
		m := parse(t, p, fmt.Sprintf(text, blocked))
		if got := outcomes(&m.Groups[0], now, nil); got != want {
			t.Errorf("%s: %s; expected %s", blocked, got, want)
		}
	}
}

// Joint outcomes have probability 1 together, and the drawn ones have their frequencies.
func TestJointAndSample(t *testing.T) {
	m := parse(t, grid(t), moves)
	now, predicted := []int64{4, 4, 4, 0, 1}, []int64{0, 0, 0, 1, 1}
	sum, want := new(big.Rat), map[string]float64{}
	m.Outcomes(now, predicted, func(j *chance.Joint) {
		sum.Add(sum, j.Fraction())
		want[fmt.Sprint(j.Values)] += j.P()
	})
	if sum.Cmp(big.NewRat(1, 1)) != 0 || len(want) != 8 {
		t.Errorf("%d outcomes of probability %s; expected 8 of 1", len(want), sum)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 20000
	seen := map[string]float64{}
	next := slices.Clone(now)
	for range n {
		m.Sample(next, now, predicted, rng)
		seen[fmt.Sprint(next[1:])] += 1. / n
	}
	for key, p := range want {
		if d := seen[key] - p; d > .02 || d < -.02 {
			t.Errorf("%s: drawn in %.3f, probability %.3f", key, seen[key], p)
		}
	}
	m.Likely(next, now, predicted)
	if got := fmt.Sprint(next); got != "[4 4 4 2 1]" {
		t.Errorf("likely %s", got)
	}
}

func TestMalformed(t *testing.T) {
	p := grid(t)
	for _, c := range []struct{ text, want string }{
		{"when a == 1", "1: expected draw NAME, … first"},
		{"draw hue", `1: there is no state variable "hue" to draw`},
		{"draw a\notherwise\n1: keep", `1: there is no state variable "a" to draw`},
		{"draw row", "1: the group of row has no context; expected one at least"},
		{"draw row\n1: keep", "2: expected when CONDITION or otherwise before an outcome"},
		{"draw row\nblocked maybe", `2: blocked is "maybe"; expected clamp, keep, others, rest`},
		{"draw row\nnoise col 1/2", `2: "col 1/2" is no share of wrong records`},
		{"draw row\nnoise row 3/2", `2: "row 3/2" is no share of wrong records`},
		{"draw row\notherwise\n1/2: row + 1\n1/3: row - 1", "2: the probabilities sum to 5/6; expected 1"},
		{"draw row\notherwise\n.333: row + 1\n.667: row - 1\n.1: keep", "2: the probabilities sum to 11/10; expected 1"},
		{"draw row\notherwise\n-1/2: row + 1\n3/2: row - 1", "3: the probability -1/2 is outside 0..1"},
		{"draw row\notherwise\n0: row + 1\n1: row - 1", "3: the probability 0 is outside 0..1"},
		{"draw row\notherwise\n1/0: row + 1", `3: "1/0" is no probability`},
		{"draw row\notherwise\n1e9: row + 1", `3: "1e9" is no probability`},
		{"draw row\notherwise", "2: the context has no outcome"},
		{"draw row\nwhen row == 12\n1: keep", "2: row == 12 is never true; the range of row is 0..9"},
		{"draw row\nwhen row <= 3\n1: keep\nwhen row == 2\n1: row + 1", "4: no state and action has this context"},
		{"draw row\notherwise\n1: keep\nwhen row == 2\n1: row + 1", "4: no state and action has this context: the one before holds always"},
		{"draw row\nwhen rwo <= 3\n1: keep", "2: 1:1: there is no variable rwo in grid; did you mean row?"},
		{"draw row\nwhen row' <= 3\n1: keep", "2: 1:1:"},
		{"draw row\notherwise\n1: row = 12", "3: row cannot be 12; its range is 0..9"},
		{"draw row\notherwise\n1: col + 1", `3: "col + 1" is no effect`},
		{"draw row\notherwise\n1: row + x", `3: "x" is no whole number to add to row`},
		{"draw row\notherwise\n1: row = col + x", `3: "x" is no whole number to add to row`},
		{"draw row\notherwise\n1: row = col + on", "2: on is no number to add"},
		{"draw row\notherwise\n1: row + 1, row - 1", "3: row has two effects in one outcome"},
		{"draw row\notherwise\nrow + 1", `3: "row + 1" is no outcome`},
		{"draw row\notherwise\n1: keep\ndraw row\notherwise\n1: keep", "4: row is drawn twice"},
		{"draw light(x,y)\notherwise\n1: light(x,y) + 1", "3: light(x,y) has names for values, to which nothing can be added"},
		{"draw light(x,y)\notherwise\n1: light(x,y) = blue", "3: "},
		{"draw row\notherwise\nrows 0\n1: keep", `3: "0" is not a number of rows`},
		{"draw row\notherwise\n1/4294967296: row + 1\n4294967295/4294967296: keep", "2: the probabilities have no common denominator"},
	} {
		_, line, err := chance.Parse(p, strings.Split(c.text, "\n"))
		if got := fmt.Sprintf("%d: %v", line+1, err); err == nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: %s; expected %s", c.text, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	p := grid(f)
	f.Add(moves)
	f.Add("draw row\notherwise\n33.4%: row + 1\n66.6%: row'")
	f.Add(sums)
	f.Fuzz(func(t *testing.T, text string) {
		m, line, err := chance.Parse(p, strings.Split(text, "\n"))
		if err != nil {
			if line < 0 || line > strings.Count(text, "\n") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("line %d: %v", line, err)
			}
			return
		}
		written := strings.Join(m.Lines(), "\n")
		again := parse(t, p, written)
		if got := strings.Join(again.Lines(), "\n"); got != written {
			t.Fatalf("%q reads back as %q", written, got)
		}
		sum := new(big.Rat)
		m.Outcomes([]int64{1, 9, 0, 2, 1}, []int64{1, 3, 3, 1, 0}, func(j *chance.Joint) { sum.Add(sum, j.Fraction()) })
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Fatalf("%q: the outcomes have probability %s", written, sum)
		}
	})
}
