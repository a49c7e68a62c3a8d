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
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/train"
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
		name string
		rows int
		gaps float64
	}{{"sysadmin/4", 300, 0}, {"sysadmin/5", 1000, 0}, {"sysadmin/5", 2000, 0.02}, {"inventory/2", 2000, 0}, {"navigation/3x3", 1000, 0}} {
		p, file := restartRows(t, c.name, c.rows, c.gaps)
		var first []byte
		for _, threads := range []int{1, 3} {
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
		tested, err := Test(context.Background(), p, "network", first, "", 0, DrawnRows)
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
