package train

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/source"
)

// system returns the legal rows of SysAdmin with 4 computers, a tenth of them held out.
func system(t *testing.T) (rows, held *Examples) {
	t.Helper()
	c, s := problem(t, "sysadmin/4")
	all, err := Legal(context.Background(), c, s, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	rows, held, err = Split(all, SplitDistinct, 1)
	if err != nil {
		t.Fatal(err)
	}
	return rows, held
}

// table formats the parts of a grid that must not depend on threads or interruptions.
func table(g *GridResult) string {
	var b strings.Builder
	for _, c := range g.Cells {
		fmt.Fprint(&b, c.Hidden, c.Neurons, " ", c.Weights, " ", c.Verdict)
		if r := c.Result; r != nil {
			fmt.Fprintf(&b, " epoch %d of %d, %d+%d wrong, %d edges, %08x", r.Epoch, r.Epochs, r.Train.WrongRows, r.wrongRows()-r.Train.WrongRows, r.Network.Edges(), crc32.ChecksumIEEE(fmt.Append(nil, r.Network.Layers)))
		}
		fmt.Fprintln(&b)
	}
	return fmt.Sprint(b.String(), g.Chosen, g.Met)
}

// TestCells checks the order of shapes.
func TestCells(t *testing.T) {
	e := &Examples{Inputs: 10, Outputs: 4}
	for _, c := range []struct {
		by             Smallest
		widths, depths []int
		want           string
	}{
		{SmallestNeurons, nil, nil, "[36] [36 36] [96] [36 36 36] [128] [96 96] [128 128] [96 96 96] [128 128 128]"},
		{SmallestEdges, nil, nil, "[36] [96] [128] [36 36] [36 36 36] [96 96] [128 128] [96 96 96] [128 128 128]"},
		{SmallestNeurons, []int{40, 20, 20}, []int{2, 1}, "[20] [40] [20 20] [40 40]"}, // 40x1 has 560 weights, 20x2 680
	} {
		g, err := GridConfig{Widths: c.widths, Depths: c.depths, Smallest: c.by}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range g.cells(e) {
			got = append(got, fmt.Sprint(x.Hidden))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.by, got, c.want)
		}
	}
}

// TestHopeless applies the rule to curves of wrong rows: 100 epochs, a window of 20, and a
// discrete search from 5.
func TestHopeless(t *testing.T) {
	curve := func(from, fall float64, flatAfter, n int) []Record {
		var h []Record
		for i := range n {
			w := from - fall*float64(min(i, flatAfter))
			h = append(h, Record{Epoch: i + 1, Train: Errors{Wrong: int(max(w, 0)), BitError: w / 1000}, Test: Errors{BitError: w / 1000}})
		}
		return h
	}
	for name, c := range map[string]struct {
		h      []Record
		target float64
		polish int
		want   bool
	}{
		"too early":                  {curve(1000, 0, 0, 50), 0, 5, false},
		"no fall":                    {curve(1000, 0, 0, 51), 0, 5, true},
		"fast enough":                {curve(1000, 6.8, 100, 51), 0, 5, false}, // 660 left, 13.6 an epoch for 49 epochs
		"too slow":                   {curve(1000, 6.7, 100, 51), 0, 5, true},  // 665 left, 13.4
		"flat at the end":            {curve(1000, 18, 50, 75), 0, 5, true},
		"few enough for the search":  {curve(1000, 19.9, 50, 75), 0, 5, false},
		"not without a search":       {curve(1000, 19.9, 50, 76), 0, 0, true},
		"at the end":                 {curve(1000, 0, 0, 100), 0, 5, false},
		"a bit error under its rate": {curve(1000, 19, 50, 75), 0.1, 5, false}, // 0.05 < 0.1
		"a bit error over it":        {curve(1000, 17, 50, 75), 0.1, 5, true},
	} {
		g := GridConfig{Config: Config{Epochs: 100}, TargetError: c.target}
		if got := g.hopeless(c.h, c.polish, true); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestGrid: the smallest cell that meets the target is chosen, smaller ones miss it, larger
// ones are not reported; the result is the same on any number of threads.
func TestGrid(t *testing.T) {
	e := adder()
	rows, held := system(t)
	for _, c := range []struct {
		name    string
		c       GridConfig
		e, test *Examples
		met     bool
		want    []Verdict // by cell; "" for any
	}{
		{"exact", GridConfig{Widths: []int{2, 16, 24, 28}, Depths: []int{1, 2}}, e, nil, true, []Verdict{Hopeless, Hopeless}},
		{"by edges", GridConfig{Widths: []int{2, 24, 32}, Depths: []int{2}, Smallest: SmallestEdges}, e, nil, true, nil},
		{"bits", GridConfig{Widths: []int{4, 24, 48, 64}, Depths: []int{1, 2}, TargetError: 0.03, Config: Config{Epochs: 30, Batch: 64}}, rows, held, true, nil},
		{"binary", GridConfig{Widths: []int{4, 24, 40}, Depths: []int{1, 2}, TargetError: 0.03, Config: Config{Weights: Binary}, Smallest: SmallestEdges}, e, nil, true, nil},
		{"none", GridConfig{Widths: []int{2, 3}, Depths: []int{1}, Config: Config{Epochs: 20}}, rows, held, false, nil},
	} {
		if c.c.Seed = 1; c.c.Epochs == 0 {
			c.c.Epochs, c.c.WeightThreshold = 400, 0.5
		}
		first := ""
		for _, threads := range []int{1, 2, 5} {
			c.c.Threads = threads
			g, err := Grid(context.Background(), c.c, c.e, GridOptions{Test: c.test})
			if err != nil {
				t.Fatal(err)
			}
			if now := table(g); first == "" {
				first = now
				check(t, c.name, c.c, g, c.e, c.met, c.want)
			} else if now != first {
				t.Errorf("%s: %d threads give\n%s\nnot\n%s", c.name, threads, now, first)
			}
		}
	}
}

// check compares a grid with its own report, and with training each cell separately.
func check(t *testing.T, name string, c GridConfig, g *GridResult, e *Examples, met bool, want []Verdict) {
	t.Helper()
	if g.Met != met || g.Chosen < 0 {
		t.Fatalf("%s: %s", name, table(g))
	}
	var verdicts []Verdict
	for i, x := range g.Cells {
		verdicts = append(verdicts, x.Verdict)
		if x.Result == nil {
			if x.Verdict != Larger || i < g.Chosen {
				t.Errorf("%s: %v is %s and has no network", name, x.Hidden, x.Verdict)
			}
			continue
		}
		m, err := Test(x.Result.Network, e)
		if err != nil || !reflect.DeepEqual(m, x.Result.Train) {
			t.Errorf("%s: %v: %+v, measured %+v, %v", name, x.Hidden, x.Result.Train, m, err)
		}
		if ok := c.meets(x.Result); ok != (x.Verdict == Chosen || x.Verdict == Meets) || (x.Verdict == Chosen) != (i == g.Chosen && met) {
			t.Errorf("%s: %v is %s, meets the target %v", name, x.Hidden, x.Verdict, ok)
		}
		if x.Verdict == Meets && x.Result.Network.Edges() < g.Cells[g.Chosen].Result.Network.Edges() {
			t.Errorf("%s: %v has fewer edges than the chosen cell", name, x.Hidden)
		}
		if x.Verdict != Hopeless && c.TargetError == 0 {
			own := c.Config
			own.Hidden = x.Hidden
			r, err := Run(context.Background(), own, e, Options{})
			if err != nil || name != "none" && !reflect.DeepEqual(r.Network, x.Result.Network) {
				t.Errorf("%s: %v by itself gives another network, %v", name, x.Hidden, err)
			}
		}
	}
	for i, v := range want {
		if verdicts[i] != v {
			t.Errorf("%s: verdicts %v, want %v", name, verdicts, want)
		}
	}
	t.Logf("%s: %v, %v", name, verdicts, g.Cells[g.Chosen].Hidden)
}

// TestGridResume: a grid that is repeatedly interrupted ends as if it had not been.
func TestGridResume(t *testing.T) {
	e, test := system(t)
	c := GridConfig{Widths: []int{4, 24, 48, 64}, Depths: []int{1, 2}, TargetError: 0.03, Config: Config{Epochs: 30, Seed: 9, Batch: 64, Threads: 2}}
	want, err := Grid(context.Background(), c, e, GridOptions{Test: test})
	if err != nil {
		t.Fatal(err)
	}
	if v := want.Cells[0].Verdict; !want.Met || want.Chosen == 0 || want.Chosen == len(want.Cells)-1 {
		t.Fatalf("a poor choice of target: %s, %s", v, table(want))
	}
	folder := filepath.Join(t.TempDir(), "a", "grid")
	o := GridOptions{Test: test, Folder: folder, Now: time.Now}
	cuts := 0
	for ; ; cuts++ {
		ctx, cancel := context.WithCancel(context.Background())
		left := atomic.Int32{}
		left.Store(17)
		o.Progress = func(p GridProgress) {
			if left.Add(-1) == 0 {
				cancel()
			}
		}
		got, err := Grid(ctx, c, e, o)
		cancel()
		o.Resume = true
		if err == nil {
			if table(got) != table(want) {
				t.Errorf("after %d interruptions\n%s\nnot\n%s", cuts, table(got), table(want))
			}
			break
		}
		if !errors.Is(err, context.Canceled) || cuts > 100 {
			t.Fatal(err)
		}
		for i, x := range got.Cells {
			if x.Verdict == Larger && (!got.Met || i < got.Chosen) {
				t.Errorf("cut off, and %v counts as larger: %s", x.Hidden, table(got))
			}
		}
	}
	if cuts < 3 {
		t.Errorf("%d interruptions", cuts)
	}
	// A process that was killed leaves a temporary file.
	if err := os.WriteFile(filepath.Join(folder, ".24x24.result.123-0.fdplan-tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// A finished cell is not trained again, and one with other settings is refused.
	epochs := 0
	o.Progress = func(p GridProgress) { epochs++ }
	c.Threads = 1
	again, err := Grid(context.Background(), c, e, o)
	if err != nil || table(again) != table(want) || epochs != 0 {
		t.Errorf("once more, %d epochs: %v", epochs, err)
	}
	var fault *source.Error
	other := c
	other.TargetError = 0.2
	if _, err := Grid(context.Background(), other, e, o); !errors.As(err, &fault) || !strings.Contains(err.Error(), "other settings") {
		t.Error(err)
	}
	if _, err := Grid(context.Background(), c, test, o); !errors.As(err, &fault) || !strings.Contains(err.Error(), "other rows") {
		t.Error(err)
	}
	// Without Resume the grid starts anew.
	o.Resume = false
	if _, err := Grid(context.Background(), other, e, o); err != nil || epochs == 0 {
		t.Error(err)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), ".") {
			t.Errorf("left behind: %s", f.Name())
		}
	}
}

func TestGridErrors(t *testing.T) {
	for want, c := range map[string]GridConfig{
		"expected none":     {Config: Config{Hidden: []int{3}}},
		"width 0":           {Widths: []int{8, 0}},
		"depth 0":           {Depths: []int{0}},
		"no cells":          {Widths: []int{}},
		"no size \"bytes\"": {Smallest: "bytes"},
		"target error 1":    {TargetError: 1},
		"-1 epochs":         {Config: Config{Epochs: -1}},
	} {
		if _, err := Grid(context.Background(), c, adder(), GridOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := Grid(context.Background(), GridConfig{}, &Examples{Inputs: 1, Outputs: 1}, GridOptions{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("no rows: %v", err)
	}
}
