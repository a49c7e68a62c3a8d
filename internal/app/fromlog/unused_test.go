package fromlog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
)

// TestUnused: a speed that is empty where a machine is not run is a value there, of which rules say so, and no row is dropped; train reads the log alike.
// Cells that are empty now and then, or with some of the rows of each value, are missing.
func TestUnused(t *testing.T) {
	for name, c := range map[string]struct {
		speed func(i int, command string) string
		none  string
		rules []string
		rows  int
	}{
		"numbers": {func(i int, command string) string {
			return map[bool]string{true: fmt.Sprint(1 + i%4)}[command == "run"]
		}, "0",
			[]string{"~(command == @run) => speed == 0", "(command == @run) => ~(speed == 0)"}, 499},
		"numbers with missing ones": {func(i int, command string) string {
			return map[bool]string{true: fmt.Sprint(1 + i%4)}[command == "run" && i%40 > 0]
		}, "0", []string{"~(command == @run) => speed == 0", "(command == @run) => ~(speed == 0)"}, 492},
		"far from 0": {func(i int, command string) string {
			return map[bool]string{true: fmt.Sprint(60 + i%4)}[command == "run"]
		}, "60",
			[]string{"~(command == @run) => speed == 60"}, 499},
		"texts": {func(i int, command string) string {
			return map[bool]string{true: []string{"slow", "fast"}[i%2]}[command != "stop"]
		}, "none", []string{"~(command == @run | command == @repair) => speed == @none", "(command == @run | command == @repair) => ~(speed == @none)"}, 499},
		"accidents": {func(i int, command string) string { return map[bool]string{true: fmt.Sprint(1 + i%4)}[i%3 > 0] }, "", nil, 332},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		var b strings.Builder
		b.WriteString("wear,command,speed\n")
		for i := range 500 {
			command := []string{"run", "run", "stop", "repair"}[r.IntN(4)]
			fmt.Fprintf(&b, "%d,%s,%s\n", i%5, command, c.speed(i, command))
		}
		folder := t.TempDir()
		log := filepath.Join(folder, "log.csv")
		if err := os.WriteFile(log, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(folder, "out")
		res, err := Init(t.Context(), Request{Log: log, Out: out, Actions: []string{"command", "speed"}})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(res.Notes, func(n string) bool { return strings.Contains(n, "it has the value "+c.none+" there") })
		if told != (c.none != "") || res.Transitions != c.rows {
			t.Errorf("%s: %d transitions, want %d; notes %q", name, res.Transitions, c.rows, res.Notes)
		}
		p, err := load.Load(context.Background(), load.Ref{Name: filepath.Join(out, taskFile), Untrained: true})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(sorted(p.Declared.Rules), sorted(c.rules)) {
			t.Errorf("%s: rules %q, want %q", name, p.Declared.Rules, c.rules)
		}
		want, err := dataset.Read(filepath.Join(out, dataFile))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := p.ReadLog(t.Context(), log)
		if err != nil {
			t.Fatal(err)
		}
		if got.Data.Rows != want.Rows {
			t.Fatalf("%s: %d rows of the log, %d of the data set", name, got.Data.Rows, want.Rows)
		}
		for i := range want.Rows {
			if !slices.Equal(got.Data.Row(i), want.Row(i)) {
				t.Fatalf("%s: row %d is %v, and %v in the data set", name, i, got.Data.Row(i), want.Row(i))
			}
		}
	}
}

func sorted(x []string) []string { return slices.Sorted(slices.Values(x)) }
