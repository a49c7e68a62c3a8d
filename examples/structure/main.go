// Command structure measures how many rows the recipes of fdplan train need: for each task it
// draws transitions, learns networks from the first few of them, and counts the legal rows on
// which they are wrong. It prints a Markdown table:
//
//	cd examples && go run ./structure structure/domains/*/task.toml
//	cd examples && go run ./structure -rows 300,1000 -dense structure/domains/hanoi/task.toml
//
// The domains are puzzles and crowds whose functions have many inputs; see
// docs/learning-structure.md for the figures.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// settings are the flags.
type settings struct {
	rows    []int
	policy  collect.Policy
	dense   bool
	threads int
	samples int
}

func main() {
	rows := flag.String("rows", "300,1000,3000,10000", "numbers of transitions to learn from")
	policy := flag.String("policy", "restart", "how transitions are drawn: restart, or exploration where legal states cannot be drawn; they are then tested on an exploration of another seed")
	dense := flag.Bool("dense", false, "learn with the dense recipe too, at its default settings")
	threads := flag.Int("threads", 0, "threads; 0 for one per core")
	samples := flag.Int("samples", 200_000, "rows drawn for the test where the legal ones cannot be listed")
	flag.Parse()
	s := settings{policy: collect.Policy(*policy), dense: *dense, threads: *threads, samples: *samples}
	for _, f := range strings.Split(*rows, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "structure: -rows %s; expected numbers such as 300,1000\n", *rows)
			os.Exit(2)
		}
		s.rows = append(s.rows, n)
	}
	if err := run(context.Background(), os.Stdout, flag.Args(), s); err != nil {
		fmt.Fprintln(os.Stderr, "structure:", err)
		os.Exit(2)
	}
}

// run prints a line for each task and number of rows.
func run(ctx context.Context, w io.Writer, tasks []string, s settings) error {
	if len(tasks) == 0 {
		return errors.New("no task; expected task files")
	}
	fmt.Fprintln(w, "| task | transitions | structure: rows wrong | edges | learned by | dense: rows wrong | edges |\n| --- | --- | --- | --- | --- | --- | --- |")
	for _, name := range tasks {
		p, err := load.Load(ctx, load.Ref{Name: name, Untrained: true})
		if err != nil {
			return err
		}
		for _, n := range s.rows {
			l, err := measure(ctx, p, n, s)
			if err != nil {
				return fmt.Errorf("%s, %d transitions: %w", name, n, err)
			}
			fmt.Fprintf(w, "| %s | %d | %s | %d | %s | %s | %s |\n", filepath.Base(filepath.Dir(name)), n, percent(l.structure.wrong), l.structure.edges, l.kinds, l.dense.text(), l.dense.size())
		}
	}
	return nil
}

// line is what was measured of a task and a number of rows.
type line struct {
	structure, dense outcome
	kinds            string // how outputs were described, with their numbers
}

// outcome is the share of rows on which a network is wrong, and its edges; 0 edges for none.
type outcome struct {
	wrong float64
	edges int
}

func (o outcome) text() string {
	if o.edges == 0 {
		return ""
	}
	return percent(o.wrong)
}

func (o outcome) size() string {
	if o.edges == 0 {
		return ""
	}
	return strconv.Itoa(o.edges)
}

func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// measure learns from n rows.
func measure(ctx context.Context, p *load.Problem, n int, s settings) (l line, err error) {
	dir, err := os.MkdirTemp("", "structure")
	if err != nil {
		return l, err
	}
	defer os.RemoveAll(dir)
	data := filepath.Join(dir, "rows.parquet")
	if err := learn.Collect(ctx, p, data, collect.Options{Rows: n, Policy: s.policy, Seed: 1, Threads: s.threads}); err != nil {
		return l, err
	}
	other := ""
	if s.policy != collect.Restart {
		other = filepath.Join(dir, "other.parquet")
		if err := learn.Collect(ctx, p, other, collect.Options{Rows: s.samples, Policy: s.policy, Seed: 77, Threads: s.threads}); err != nil {
			return l, err
		}
	}
	res, err := learn.Train(ctx, p, data, learn.Training{Recipe: learn.RecipeStructure, Config: train.Config{Threads: s.threads}})
	if err != nil {
		return l, err
	}
	l.kinds = kinds(res.Found)
	if l.structure, err = test(ctx, p, res, other, s.samples); err != nil || !s.dense {
		return l, err
	}
	res, err = learn.Train(ctx, p, data, learn.Training{Recipe: learn.RecipeDense, Split: train.SplitRandom, Config: train.Config{Hidden: []int{128, 128}, Threads: s.threads}})
	if err != nil {
		return l, err
	}
	l.dense, err = test(ctx, p, res, other, s.samples)
	return l, err
}

// kinds counts the outputs by how they were described.
func kinds(f *learn.Found) string {
	counts := map[string]int{}
	for _, o := range f.Outputs {
		counts[o.How]++
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}

// test counts the wrong rows among all legal ones, among legal ones that are drawn if they are
// too many, or in a data set.
func test(ctx context.Context, p *load.Problem, res *learn.Trained, data string, samples int) (outcome, error) {
	var text bytes.Buffer
	if err := res.Write(&text); err != nil {
		return outcome{}, err
	}
	t, err := learn.Test(ctx, p, "network", text.Bytes(), learn.Testing{Data: data, Seed: 7, Samples: samples})
	if err != nil {
		return outcome{}, err
	}
	l := t.Legal
	switch {
	case t.ErrorLine != nil:
		l = t.ErrorLine
	case l == nil:
		l = t.Drawn
	}
	if l == nil {
		return outcome{}, fmt.Errorf("no legal rows to test on: %s", t.Unlisted)
	}
	return outcome{l.RowError, res.Edges}, nil
}
