package learn

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// restartRows writes a CSV of transitions from states drawn at random; each cell
// of a state or action is empty with probability gaps.
func restartRows(t *testing.T, name string, rows int, gaps float64) (*load.Problem, string) {
	t.Helper()
	p, err := load.Load(context.Background(), load.Ref{Name: name, Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := Collect(context.Background(), p, file, collect.Options{Rows: rows, Policy: collect.Restart, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	width := len(p.Truth.Sim.States()) + len(p.Truth.Sim.Actions())
	for i := range lines[1:] {
		cells := strings.Split(lines[i+1], ",")
		for k := range cells[:width] {
			if rng.Float64() < gaps {
				cells[k] = ""
			}
		}
		lines[i+1] = strings.Join(cells, ",")
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return p, file
}

// TestStructureExact: networks from few rows, some with empty cells, are
// right on every legal row, and are the same on any number of threads.
func TestStructureExact(t *testing.T) {
	for _, c := range []struct {
		name    string
		rows    int
		gaps    float64
		threads int // numbers of them to compare
	}{{"sysadmin/4", 300, 0, 2}, {"sysadmin/5", 1000, 0, 1}, {"sysadmin/5", 2000, 0.02, 1}, {"inventory/2", 2000, 0, 2}, {"navigation/3x3", 1000, 0, 1}} {
		p, file := restartRows(t, c.name, c.rows, c.gaps)
		var first []byte
		for _, threads := range []int{1, 3}[:c.threads] {
			res, err := Train(context.Background(), p, file, Training{Recipe: RecipeStructure, Config: train.Config{Threads: threads, Seed: 1}})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			var text bytes.Buffer
			if err := res.Write(&text); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = text.Bytes()
			} else if !bytes.Equal(first, text.Bytes()) {
				t.Errorf("%s: %d threads give another network", c.name, threads)
			}
			if (res.Incomplete > 0) != (c.gaps > 0) {
				t.Errorf("%s: %d rows with empty cells, drawn with probability %v", c.name, res.Incomplete, c.gaps)
			}
		}
		tested, err := Test(context.Background(), p, "network", first, Testing{})
		if err != nil {
			t.Fatal(err)
		}
		if tested.Legal == nil || tested.Legal.Wrong > 0 {
			t.Errorf("%s, %d rows: %v, expected no legal row wrong", c.name, c.rows, tested.Legal)
		}
	}
}

// TestStructureReport: a line an output, and a drawing that is XML.
func TestStructureReport(t *testing.T) {
	p, file := restartRows(t, "sysadmin/4", 500, 0)
	res, err := Train(context.Background(), p, file, Training{Recipe: RecipeStructure})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReport(context.Background(), p, res)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range r.Files() {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = b.String()
	}
	if n := strings.Count(texts["structure.txt"], "exact"); n != len(p.Problem.Outputs) {
		t.Errorf("%d exact outputs in the report, expected %d:\n%s", n, len(p.Problem.Outputs), texts["structure.txt"])
	}
	links := 0
	for d := xml.NewDecoder(strings.NewReader(texts["structure.svg"])); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" {
			links++
		}
	}
	if links == 0 || links != len(res.Found.links) {
		t.Errorf("%d lines are drawn, expected %d", links, len(res.Found.links))
	}
}

// TestExclusive: the rules of problems forbid what no legal row has.
func TestExclusive(t *testing.T) {
	for name, want := range map[string]int{"navigation/3x3": 9*8/2 + 4*3/2, "sysadmin/4": 0, "cellda/x": 4 * 3 / 2} {
		p, err := load.Load(context.Background(), load.Ref{Name: name, Untrained: true})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := train.Legal(context.Background(), p.Truth.Compiled, p.Truth.Sim, maxLegal)
		if err != nil {
			t.Fatal(err)
		}
		forbidden, n := exclusive(p.Problem), 0
		for a := range 2 * rows.Inputs {
			for b := range a {
				if !forbidden(a, b) {
					continue
				}
				n++
				for r := range rows.Rows() {
					in := rows.Input(r)
					if in[a/128]>>(a/2%64)&1 == uint64(a%2) && in[b/128]>>(b/2%64)&1 == uint64(b%2) {
						t.Fatalf("%s: literals %d and %d are forbidden, and a legal row has both", name, a, b)
					}
				}
			}
		}
		if n != want {
			t.Errorf("%s: %d pairs of literals are forbidden, expected %d", name, n, want)
		}
	}
}

// TestDense: a weighted sum of 24 inputs, which neither rules nor a tree learn, is learned by
// trained units better than by the other kinds.
func TestDense(t *testing.T) {
	const n = 24
	draw := func(rows int, seed uint64) *structure.Table {
		rng := rand.New(rand.NewPCG(seed, 2))
		tab := structure.NewTable(n, 1, nil)
		for range rows {
			in, sum := rng.Uint64()&(1<<n-1), 0
			for i := range n {
				sum += int(in>>i&1) * (i%5 + 1)
			}
			out := uint64(0)
			if 2*sum > 70 {
				out = 1
			}
			tab.Add([]uint64{in}, []uint64{out}, nil, nil)
		}
		if err := tab.Close(); err != nil {
			t.Fatal(err)
		}
		return tab
	}
	rows, other := draw(3000, 1), draw(3000, 2)
	wrong := func(o structure.Options) (structure.Kind, int) {
		st, err := structure.Learn(context.Background(), rows, o)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for r := range other.Rows() {
			if st.Outputs[0].Eval(other.Input(r)) != other.Output(r, 0) {
				n++
			}
		}
		return st.Outputs[0].Kind, n
	}
	_, without := wrong(structure.Options{Seed: 1, Sums: true})
	kind, with := wrong(structure.Options{Seed: 1, Sums: true, Dense: train.Units(1)})
	if kind != structure.ByDense || 2*with > without {
		t.Errorf("kind %s, %d of %d rows wrong, %d without trained units; expected dense, and at most half", kind, with, other.Rows(), without)
	}
}

// TestNoNextAction has rows of values make a table where 0, which stands for the next value of an action, is not in the action's range.
func TestNoNextAction(t *testing.T) {
	p := factored.NewProblem("room")
	for _, v := range []factored.Variable{{Name: "warm", Kind: factored.State, Bool: true}, {Name: "setpoint", Kind: factored.Action, Lo: 18, Hi: 23}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	p.Inputs, p.Outputs = append(p.Bits(factored.State), p.Bits(factored.Action)...), p.Bits(factored.State)
	of := &load.Problem{Task: engine.Task{Problem: p}}
	if _, err := tableOfValues(of, [][]int64{{0, 20}}, [][]int64{{1, 0}}); err != nil {
		t.Error(err)
	}
	if _, err := tableOfValues(of, [][]int64{{0, 17}}, [][]int64{{1, 0}}); err == nil {
		t.Error("an action out of its range is taken")
	}
}
