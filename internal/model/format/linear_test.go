package format

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

// wide is a model with rows of many terms and large numbers.
func wide(t testing.TB, horizon int, weight int64) *model.Model {
	t.Helper()
	p := factored.NewProblem("wide")
	c := factored.Constraint{Op: factored.GE, K: -1 << 50}
	for i := range 150 {
		if _, err := p.AddVariable(factored.Variable{Name: fmt.Sprint("b", i), Bool: true}); err != nil {
			t.Fatal(err)
		}
		l := factored.Lit{Bit: factored.Bit(i), Next: i%2 == 0}
		c.Terms = append(c.Terms, factored.Term{Coef: int64(i-75)<<44 | 1, Lit: l})
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: l, Weight: weight})
	}
	p.Transition = []factored.Constraint{c}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	m, err := model.New(p, nil, horizon, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLineLength keeps the lines of LP files below 255 characters.
func TestLineLength(t *testing.T) {
	lp := text(t, wide(t, 20, -1<<49), Options{Kind: LP})
	longest := 0
	for line := range strings.Lines(lp) {
		longest = max(longest, len(line)-1)
	}
	if longest >= 255 || longest < 150 {
		t.Errorf("the longest line has %d characters", longest)
	}
}

// TestColumns reads an MPS file back and compares its matrix with the rows of the LP file,
// which different code writes.
func TestColumns(t *testing.T) {
	for seed := range uint64(60) {
		p, net, h := randprob.New(seed, randprob.Options{Horizon: 6})
		m, err := model.New(p, net, h, model.Options{Propagate: seed%3 == 0})
		if err != nil {
			t.Fatal(err)
		}
		lp, mps := lpMatrix(t, text(t, m, Options{Kind: LP})), mpsMatrix(t, text(t, m, Options{Kind: MPS}))
		if len(lp) != len(mps) {
			t.Fatalf("seed %d: %d cells in LP, %d in MPS", seed, len(lp), len(mps))
		}
		for cell, v := range lp {
			if mps[cell] != v {
				t.Errorf("seed %d: %v is %d in LP, %d in MPS", seed, cell, v, mps[cell])
			}
		}
	}
}

// lpMatrix returns the cells of an LP file by "row column"; the right-hand side and the
// binaries are columns too.
func lpMatrix(t *testing.T, text string) map[string]int64 {
	cells := map[string]int64{}
	row, section := "", ""
	var sign, coef int64 = 1, 1
	for line := range strings.Lines(text) {
		if line[0] == '\\' {
			continue
		}
		switch s := strings.TrimSpace(line); s {
		case "Minimize", "Bounds", "Binaries", "Subject To", "End":
			section = s
			continue
		}
		for _, w := range strings.Fields(line) {
			switch {
			case section == "Binaries":
				cells["bin "+w] = 1
			case section == "Bounds":
			case strings.HasSuffix(w, ":"):
				row, sign, coef = strings.TrimSuffix(w, ":"), 1, 1
			case w == "+" || w == "-":
				sign, coef = 1, 1
				if w == "-" {
					sign = -1
				}
			case w == "<=" || w == ">=" || w == "=":
				cells[row+" op"] = int64(w[0])
				row, sign = row+" rhs", 1
			case w[0] == 'x' || w == "one":
				if c := sign * coef; c != 0 {
					cells[row+" "+w] = c
				}
			default:
				n, err := strconv.ParseInt(w, 10, 64)
				if err != nil {
					t.Fatalf("%q in %q", w, line)
				}
				coef = n
				if strings.HasSuffix(row, " rhs") && n != 0 {
					cells[row] = n
				}
			}
		}
	}
	return cells
}

func mpsMatrix(t *testing.T, text string) map[string]int64 {
	cells := map[string]int64{}
	section := ""
	lastColumn, seen := "", map[string]bool{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if line[0] == '*' {
			continue
		}
		if line[0] != ' ' {
			section = f[0]
			continue
		}
		number := func() int64 {
			n, err := strconv.ParseInt(f[2], 10, 64)
			if err != nil {
				t.Fatalf("%q", line)
			}
			// Fields of the fixed format.
			if len(line) != 37 || line[14] == ' ' || line[4] == ' ' || strings.TrimSpace(line[24:36]) != f[2] {
				t.Fatalf("line %q leaves the columns of the fixed format", line)
			}
			return n
		}
		switch section {
		case "ROWS":
			if f[0] != "N" {
				cells[f[1]+" op"] = int64(map[string]byte{"L": '<', "G": '>', "E": '='}[f[0]])
			}
		case "COLUMNS":
			if f[0] != lastColumn && seen[f[0]] {
				t.Fatalf("column %s stands in two places", f[0])
			}
			lastColumn, seen[f[0]] = f[0], true
			if n := number(); n != 0 {
				cells[f[1]+" "+f[0]] = n
			}
		case "RHS":
			cells[f[1]+" rhs"] = number()
		case "BOUNDS":
			if f[0] == "BV" {
				cells["bin "+f[2]] = 1
			}
		}
	}
	return cells
}
