package outcome_test

import (
	"context"
	"encoding/csv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// logs are logs of others, which are beside the checkout where they are at all.
const logs = "../../../../shared/data/logs/"

// readLog reads a log, whose primed columns are next states and whose last columns are rewards or not.
func readLog(t testing.TB, name string) (header []string, rows [][]string) {
	t.Helper()
	f, err := os.Open(logs + name)
	if err != nil {
		t.Skipf("the log %s is not here: %v", name, err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

// problemOf declares the columns of a log.
func problemOf(t testing.TB, header []string, rows [][]string, action string) *factored.Problem {
	p := factored.NewProblem("log")
	for i, name := range header {
		if name == "reward" || strings.HasSuffix(name, "'") {
			continue
		}
		v := factored.Variable{Name: name, Kind: factored.State}
		if name == action {
			v.Kind, v.Default = factored.Action, -1
		}
		names := []string{}
		seen := map[string]bool{}
		for _, r := range rows {
			if !seen[r[i]] {
				seen[r[i]] = true
				names = append(names, r[i])
			}
			if x, err := strconv.Atoi(r[i]); err == nil {
				v.Lo, v.Hi = min(v.Lo, int64(x)), max(v.Hi, int64(x))
			}
		}
		if _, err := strconv.Atoi(rows[0][i]); err != nil {
			v.Hi, v.View = int64(len(names))-1, &factored.View{Names: names}
		}
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// each calls row with the values before and after each row of a log.
func each(t testing.TB, p *factored.Problem, header []string, rows [][]string, row func(now, next []int64)) {
	t.Helper()
	now, next := make([]int64, len(p.Variables)), make([]int64, len(p.Variables))
	for _, r := range rows {
		for i, name := range header {
			base, primed := strings.CutSuffix(name, "'")
			for k := range p.Variables {
				if v := &p.Variables[k]; v.Name == base {
					x, err := v.Parse(r[i])
					if err != nil {
						t.Fatal(err)
					}
					if primed {
						next[k] = x
					} else {
						now[k] = x
					}
				}
			}
		}
		row(now, next)
	}
}

func learnLog(t testing.TB, name, action string, n int, opt outcome.Options) (*factored.Problem, *chance.Model) {
	header, rows := readLog(t, name)
	p := problemOf(t, header, rows, action)
	rows = rows[:min(n, len(rows))]
	s := outcome.NewSource(p, states(p))
	each(t, p, header, rows, func(now, next []int64) { s.Add(now, next, false) })
	groups, err := outcome.Learn(context.Background(), &s.Table, seq(len(s.Outputs)), opt)
	if err != nil {
		t.Fatal(err)
	}
	return p, modelOf(t, p, s, groups)
}

// states lists the states of a problem.
func states(p *factored.Problem) (outputs []int) {
	for i := range p.OfKind(factored.State) {
		outputs = append(outputs, i)
	}
	return outputs
}

func modelOf(t testing.TB, p *factored.Problem, s *outcome.Source, groups []*outcome.Group) *chance.Model {
	t.Helper()
	var all []chance.Group
	for _, g := range groups {
		c, err := s.Chance(g)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *c)
	}
	m, g, c, err := chance.New(p, all)
	if err != nil {
		t.Fatalf("group %d, context %d: %v", g, c, err)
	}
	return m
}

func seq(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// likelihood is the log-likelihood of the rows of a log, in bits a row.
func likelihood(t testing.TB, p *factored.Problem, m *chance.Model, name string) float64 {
	header, rows := readLog(t, name)
	bits := 0.0
	each(t, p, header, rows, func(now, next []int64) {
		for i := range m.Groups {
			bits += math.Log2(m.Groups[i].Probability(now, nil, next))
		}
	})
	return bits / float64(len(rows))
}

func contexts(m *chance.Model) (n int) {
	for i := range m.Groups {
		n += len(m.Groups[i].Contexts)
	}
	return n
}

// Moves of a stochastic grid and of FrozenLake are random together, in few contexts.
func TestGridsOfOthers(t *testing.T) {
	for _, c := range []struct {
		train, test, action string
		rows, contexts      int
		bits                float64
	}{
		{"aa_small_tr.csv", "aa_small_te.csv", "a", 1000, 10, -1.44},
		{"aa_small_tr.csv", "aa_small_te.csv", "a", 3000, 10, -1.402},
		{"fl_tr.csv", "fl_te.csv", "action", 300, 4, -1.56},
		{"fl_tr.csv", "fl_te.csv", "action", 3000, 4, -1.53},
	} {
		p, m := learnLog(t, c.train, c.action, c.rows, outcome.Options{})
		bits := likelihood(t, p, m, c.test)
		if len(m.Groups) != 1 || contexts(m) > c.contexts || bits < c.bits {
			t.Errorf("%s, %d rows: %d groups, %d contexts, %.3f bits a row; expected 1, at most %d, at least %.3f", c.train, c.rows, len(m.Groups), contexts(m), bits, c.contexts, c.bits)
		}
	}
}

// wrongCells replaces values of next states by others.
func wrongCells(header []string, rows [][]string, rate float64) [][]string {
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]map[string]bool, len(header))
	for i := range header {
		values[i] = map[string]bool{}
		for _, r := range rows {
			values[i][r[i]] = true
		}
	}
	var out [][]string
	for _, r := range rows {
		r = slices.Clone(r)
		for i, name := range header {
			if strings.HasSuffix(name, "'") && rng.Float64() < rate {
				others := slices.Sorted(maps.Keys(values[i]))
				r[i] = others[rng.IntN(len(others))]
			}
		}
		out = append(out, r)
	}
	return out
}

// wrongStates replaces values of states by others, after a step and before the next one.
func wrongStates(header []string, rows [][]string, rate float64) [][]string {
	after := wrongCells(header, rows, rate)
	for i, r := range after {
		for k, name := range header {
			base, primed := strings.CutSuffix(name, "'")
			if at := slices.Index(header, base); primed && i > 0 && rows[i-1][k] == rows[i][at] {
				r[at] = after[i-1][k]
			}
		}
	}
	return after
}

// A collection of garbage for every few megabytes takes a quarter of the time of these tests.
func init() { debug.SetGCPercent(400) }

// A deterministic system with wrong records is learned without a wrong row, and the next
// steps show that the records are wrong; those of a stochastic one show chance.
func TestWrongRecords(t *testing.T) {
	header, rows := readLog(t, "taxid_tr.csv")
	p := problemOf(t, header, rows, "action")
	learn := func(rows [][]string) (*outcome.Source, []*outcome.Group) {
		s := outcome.NewSource(p, states(p))
		each(t, p, header, rows, func(now, next []int64) { s.Add(now, next, false) })
		groups, err := outcome.Learn(context.Background(), &s.Table, seq(len(s.Outputs)), outcome.Options{Determined: true, Refined: true})
		if err != nil {
			t.Fatal(err)
		}
		return s, groups
	}
	s, groups := learn(wrongCells(header, rows[:8000], .05))
	if r := outcome.Read(&s.Table, groups); !r.Decided() || r.Errors() < .9 {
		t.Errorf("wrong records: %+v", r)
	}
	m := modelOf(t, p, s, groups)
	_, test := readLog(t, "taxid_te.csv")
	wrong := 0
	each(t, p, header, test, func(now, next []int64) {
		got := slices.Clone(next)
		if m.Likely(got, now, nil); !slices.Equal(got, next) {
			wrong++
		}
	})
	if wrong > 0 {
		t.Errorf("%d of %d clean rows are wrong", wrong, len(test))
	}
	s, _ = learn(wrongStates(header, rows[:6000], .05))
	if groups, _, _, err := outcome.Functions(context.Background(), &s.Table, seq(len(s.Outputs)), nil, false); err != nil {
		t.Fatal(err)
	} else if m, wrong = modelOf(t, p, s, groups), 0; contexts(m) > 30 {
		t.Errorf("%d contexts", contexts(m))
	}
	each(t, p, header, test, func(now, next []int64) {
		got := slices.Clone(next)
		if m.Likely(got, now, nil); !slices.Equal(got, next) {
			wrong++
		}
	})
	if 1000*wrong > len(test) { // one row of the log tells the westward step from a cell
		t.Errorf("wrong states: %d of %d clean rows are wrong", wrong, len(test))
	}
	header, rows = readLog(t, "aa_small_tr.csv")
	p = problemOf(t, header, rows, "a")
	s, groups = learn(rows[:2000])
	if r := outcome.Read(&s.Table, groups); !r.Decided() || r.Errors() > .5 {
		t.Errorf("chance: %+v", r)
	}
}

// Random systems of known effects are found, whatever is done with blocked effects.
func TestKnownSystems(t *testing.T) {
	p := factored.NewProblem("walk")
	for _, v := range []factored.Variable{{Name: "a", Kind: factored.Action, Hi: 2, Default: -1}, {Name: "x", Hi: 7}, {Name: "y", Hi: 7}, {Name: "z", Bool: true, Hi: 1}, {Name: "n", Hi: 5}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, blocked := range []string{"clamp", "keep", "others"} {
		text := "draw x, y\nblocked " + blocked + "\nwhen a == 0\n1/2: x + 1\n1/2: y - 1\nwhen a == 1 ^ z\n4/5: x - 1, y + 1\n1/5: keep\notherwise\n1: keep\ndraw z\nblocked clamp\nwhen n >= 3\n3/10: z = true\n7/10: z = false\notherwise\n1: keep\n" +
			"draw n\nblocked clamp\nwhen a == 2\n1: n = 0\notherwise\n2/3: n + 1\n1/3: n - 2"
		m, loss := learnSystem(t, p, text)
		if loss > .03 || len(m.Groups) != 3 {
			t.Errorf("blocked %s: %d groups, %.3f bits a row worse than the truth:\n%s", blocked, len(m.Groups), loss, strings.Join(m.Lines(), "\n"))
		}
	}
}

// learnSystem learns from rows that a system draws, and returns by how many bits a row what was learned is worse
// than the truth on others.
func learnSystem(t *testing.T, p *factored.Problem, text string) (*chance.Model, float64) {
	t.Helper()
	truth, line, err := chance.Parse(p, strings.Split(text, "\n"))
	if err != nil {
		t.Fatalf("line %d: %v", line+1, err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	s := outcome.NewSource(p, states(p))
	var test [][2][]int64
	for i := range 6000 {
		now := make([]int64, len(p.Variables))
		for j := range now {
			now[j] = rng.Int64N(p.Variables[j].Hi + 1)
		}
		next := slices.Clone(now)
		if truth.Sample(next, now, nil, rng); i < 4000 {
			s.Add(now, next, true)
		} else {
			test = append(test, [2][]int64{now, next})
		}
	}
	groups, err := outcome.Learn(context.Background(), &s.Table, seq(len(s.Outputs)), outcome.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := modelOf(t, p, s, groups)
	loss := 0.0
	for _, r := range test {
		for i := range truth.Groups {
			loss += math.Log2(truth.Groups[i].Probability(r[0], nil, r[1]))
		}
		for i := range m.Groups {
			loss -= math.Log2(m.Groups[i].Probability(r[0], nil, r[1]))
		}
	}
	return m, loss / float64(len(test))
}

// A position moves by a velocity, and a store by what is ordered and asked for: few contexts tell both.
func TestSums(t *testing.T) {
	p := factored.NewProblem("car")
	for _, v := range []factored.Variable{{Name: "a", Kind: factored.Action, Hi: 4, Default: -1}, {Name: "x", Lo: -20, Hi: 20}, {Name: "v", Lo: -3, Hi: 3}, {Name: "stock", Hi: 12}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	m, loss := learnSystem(t, p, `draw x, v
blocked clamp
when a == 0
3/4: x = x + v
1/4: x = x + v + 1, v - 1
otherwise
2/3: x = x + v, v + 1
1/3: x = x + v
draw stock
blocked clamp
otherwise
1/2: stock = stock + a - 1
1/4: stock = stock + a - 3
1/4: stock = stock + a`)
	contexts := 0
	for i := range m.Groups {
		contexts += len(m.Groups[i].Contexts)
	}
	if loss > .03 || contexts > 4 {
		t.Errorf("%d contexts, %.3f bits a row worse than the truth:\n%s", contexts, loss, strings.Join(m.Lines(), "\n"))
	}
}

// Two stocks share a shelf, and the longer of two queues is served: contexts are about two numbers together, and the same outcomes in several are described once.
func TestTogether(t *testing.T) {
	p := factored.NewProblem("shelf")
	for _, v := range []factored.Variable{{Name: "a", Kind: factored.Action, Hi: 2, Default: -1}, {Name: "x", Hi: 6}, {Name: "y", Hi: 6}, {Name: "z", Hi: 4}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	m, loss := learnSystem(t, p, `draw x
blocked clamp
when x + y <= 6 ^ a == 1
7/10: x + 1
2/10: keep
1/10: x - 1
when x + y <= 6
2/10: x + 1
5/10: keep
3/10: x - 1
otherwise
1: keep
draw z
blocked clamp
when x - y > 1
4/5: z - 1
1/5: keep
otherwise
1/3: z + 1
2/3: keep`)
	contexts := 0
	for i := range m.Groups {
		contexts += len(m.Groups[i].Contexts)
	}
	if text := strings.Join(m.Lines(), "\n"); loss > .01 || contexts > 6 || !strings.Contains(text, "x + y") || !strings.Contains(text, "x - y") {
		t.Errorf("%d contexts, %.3f bits a row worse than the truth:\n%s", contexts, loss, text)
	}
}

// What follows from where a random step ends is no chance of its own, and is known in all contexts.
func TestFollowers(t *testing.T) {
	p := factored.NewProblem("walk")
	for _, v := range []factored.Variable{{Name: "a", Kind: factored.Action, Hi: 3, Default: -1}, {Name: "x", Hi: 7}, {Name: "y", Hi: 5}, {Name: "ground", Hi: 2}, {Name: "n", Hi: 3}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	m, loss := learnSystem(t, p, `draw x, y, ground
blocked keep
follow ground = 0 when x + y <= 3
follow ground = 1 when x == y
follow ground = 2
when a == 0 ^ ground == 0
9/10: x + 1
1/10: keep
when a == 0
1/2: x + 1
1/2: y + 1
when a == 1
4/5: y - 1
1/5: x - 1
otherwise
1: y + 1
draw n
blocked clamp
otherwise
1/2: n + 1
1/2: n - 1`)
	text := strings.Join(m.Lines(), "\n")
	if contexts := strings.Count(text, "rows "); loss > .03 || contexts > 6 || !strings.Contains(text, "follow ground = 1 when ") {
		t.Errorf("%d contexts, %.3f bits a row worse than the truth:\n%s", contexts, loss, text)
	}
}

// The same rows give the same model.
func TestSameTwice(t *testing.T) {
	var before string
	for range 2 {
		_, m := learnLog(t, "aa_small_tr.csv", "a", 600, outcome.Options{})
		text := strings.Join(m.Lines(), "\n")
		if before != "" && text != before {
			t.Fatalf("two runs differ:\n%s\n\n%s", before, text)
		}
		before = text
	}
}
