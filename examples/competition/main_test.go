package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

const domain = `domain coins {
	pvariables {
		heads : { state-fluent, bool, default = true };
		stop : { action-fluent, bool, default = false };
	};
	cpfs { heads' = Bernoulli(0.5); };
	reward = heads - 0.5 * stop;
}`

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestMeasure plays the sessions of policies that do not plan, once.
func TestMeasure(t *testing.T) {
	folder, out := filepath.Join(t.TempDir(), "coins"), t.TempDir()
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "coins_mdp.rddl", domain)
	for _, n := range []string{"1", "5", "10"} {
		write(t, folder, "coins_inst_mdp__"+n+".rddl", "instance coins_"+n+" { domain = coins; horizon = 40; discount = 1.0; max-nondef-actions = 1; }")
	}
	ctx, s := context.Background(), settings{rounds: 20, steps: 10, step: time.Second, seed: 1}
	planners := []string{"noop", "prost", "random"}
	for range 2 {
		if err := measure(ctx, s, []string{folder}, []string{"1", "5"}, planners, out, 0); err != nil {
			t.Fatal(err)
		}
	}
	j, err := journal.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if text, err := os.ReadFile(filepath.Join(out, journal.Name)); err != nil || bytes.Count(text, []byte("\n")) != 4 {
		t.Errorf("want 4 lines, 2 instances of 2 planners, each once: %v\n%s", err, text)
	}
	cells, err := list([]string{folder}, []string{"1", "5"}, planners)
	if err != nil || len(cells) != 6 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	noop, random := j.Last(s.id(cells[0])), j.Last(s.id(cells[2]))
	// Heads in 1 + 9/2 steps on average, with variance 9/4; random stops in half of them.
	if noop.Status != "measured" || *noop.Reward < 4 || *noop.Reward > 7 || spreadOf(noop).Error <= 0.1 || *random.Reward >= *noop.Reward-1 {
		t.Errorf("noop %v ± %v, random %v", *noop.Reward, spreadOf(noop).Error, *random.Reward)
	}
	table := s.table(j, cells, planners)
	if rows := strings.Split(strings.TrimSpace(table), "\n"); len(rows) != 4 || !strings.Contains(rows[2], "coins/coins_1 |") || !strings.Contains(rows[2], "| - |") {
		t.Errorf("the table is\n%s", table)
	}
}

// TestBroken: the reward of rounds that a rule ended early is not shown without that.
func TestBroken(t *testing.T) {
	folder, out := t.TempDir(), t.TempDir()
	write(t, folder, "coins_mdp.rddl", strings.Replace(domain, "reward =", "action-preconditions { ~heads | stop; }; reward =", 1))
	write(t, folder, "coins_inst_1.rddl", "instance coins_1 { domain = coins; horizon = 40; discount = 1.0; }")
	s := settings{rounds: 20, steps: 10, step: time.Second, seed: 1}
	if err := measure(context.Background(), s, []string{folder}, []string{"1"}, []string{"noop"}, out, 0); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	cells, err := list([]string{folder}, []string{"1"}, []string{"noop"})
	if err != nil {
		t.Fatal(err)
	}
	if table := s.table(j, cells, []string{"noop"}); !strings.Contains(table, "(20 broken) |") {
		t.Errorf("the table is\n%s", table)
	}
}

// TestListErrors: folders that cannot be measured.
func TestListErrors(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "inst_1.rddl", "instance coins_1 { domain = coins; horizon = 40; discount = 1.0; }")
	for _, c := range []struct {
		folders, instances []string
		want               string
	}{
		{nil, []string{"1"}, "no folder"},
		{[]string{folder}, []string{"one"}, `"one" is not a number`},
		{[]string{folder}, []string{"2"}, "no instance 2"},
		{[]string{folder}, []string{"1"}, "its domain is in no file"},
		{[]string{filepath.Join(folder, "none")}, []string{"1"}, "no instance 1"},
	} {
		if _, err := list(c.folders, c.instances, []string{"noop"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v; want %q", c.folders, err, c.want)
		}
	}
}

// TestLastLine: what went wrong is kept, not the request to report it.
func TestLastLine(t *testing.T) {
	for _, text := range []string{"begins\nends\n", "begins\nends\nThis is a bug. Please report it.\n"} {
		if line := lastLine([]byte(text)); line != "ends" {
			t.Errorf("the last line of %q is said to be %q", text, line)
		}
	}
}
