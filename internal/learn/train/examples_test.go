package train

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/translate"
)

func TestBuilder(t *testing.T) {
	b := NewBuilder(2, 1)
	for _, r := range [][3]bool{{true, false, true}, {false, false, true}, {true, false, false}, {true, false, false}, {false, false, true}} {
		b.Add(r[:2], r[2:])
	}
	e := b.Examples()
	want := &Examples{Inputs: 2, Outputs: 1, In: []uint64{0, 1}, Out: []uint64{1, 0}, Count: []int32{2, 2}, Conflicts: Conflicts{Inputs: 1, Dropped: 1}}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("%+v, want %+v", e, want)
	}
	if r := e.Repeated(); r.Rows() != 4 || r.Total() != 4 || !slices.Equal(r.Out, []uint64{1, 1, 0, 0}) {
		t.Errorf("repeated: %+v", r)
	}
}

func TestSplit(t *testing.T) {
	e := noise(2000, 10, 3, 1)
	for _, mode := range []SplitMode{SplitRandom, SplitDistinct} {
		training, testing, err := Split(e, mode, 1)
		if err != nil {
			t.Fatal(err)
		}
		if training.Total()+testing.Total() != e.Total() {
			t.Errorf("%s: %d and %d of %d rows", mode, training.Total(), testing.Total(), e.Total())
		}
		both := 0
		for i := range testing.Rows() {
			for j := range training.Rows() {
				if slices.Equal(testing.Input(i), training.Input(j)) {
					both++
				}
			}
		}
		switch mode {
		case SplitRandom:
			if testing.Total() != e.Total()/10 || both == 0 {
				t.Errorf("random: %d of %d rows for testing, %d in both parts", testing.Total(), e.Total(), both)
			}
		case SplitDistinct:
			if testing.Rows() != e.Rows()/10 || both != 0 {
				t.Errorf("distinct: %d of %d rows for testing, %d in both parts", testing.Rows(), e.Rows(), both)
			}
		}
		again, _, _ := Split(e, mode, 1)
		other, _, _ := Split(e, mode, 2)
		if !reflect.DeepEqual(training, again) || reflect.DeepEqual(training, other) {
			t.Errorf("%s: the split does not follow the seed", mode)
		}
	}
	if _, _, err := Split(e, "half", 1); err == nil || !strings.Contains(err.Error(), "expected random or distinct") {
		t.Error(err)
	}
}

func problem(t testing.TB, name string) (*translate.Compiled, *sim.Simulator) {
	t.Helper()
	c, err := bundled.RDDL(context.Background(), name, false)
	if err != nil {
		t.Fatal(err)
	}
	tk, err := bundled.Task(name)
	if err != nil {
		t.Fatal(err)
	}
	ranges := sim.Ranges{}
	for n, r := range tk.Ranges {
		ranges[n] = sim.Range{Lo: float64(r.Lo), Hi: float64(r.Hi)}
	}
	s, err := sim.New(c.Ground, sim.WithRanges(ranges))
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// TestLegal: the numbers follow from the domains. Navigation has five joint actions in each
// cell; the inventory 16 levels and the months, with or without an order, and with the
// threshold met if required; SysAdmin 4 ages and at most two reboots; in Cellda the network
// reads neither the key nor the life.
func TestLegal(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name string
		rows int
	}{
		{"navigation/3x3", 9 * 5},
		{"navigation/5x5", 25 * 5},
		{"inventory/2", 16 * 2 * 2},
		{"sysadmin/4", 256 * 11},
		{"cellda/x", 256 * 5},
	} {
		comp, s := problem(t, c.name)
		e, err := Legal(ctx, comp, s, 10_000_000)
		if err != nil {
			t.Fatal(err)
		}
		if e.Rows() != c.rows || e.Conflicts.Inputs != 0 {
			t.Errorf("%s: %d rows, %+v, want %d", c.name, e.Rows(), e.Conflicts, c.rows)
		}
	}
	comp, s := problem(t, "sysadmin/5")
	if _, err := Legal(ctx, comp, s, 1000); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Legal(ended, comp, s, 1<<40); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	known, err := bundled.RDDL(context.Background(), "sysadmin/4", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Legal(ctx, known, s, 1); err == nil || !strings.Contains(err.Error(), "nothing to learn") {
		t.Error(err)
	}
}

// TestFromSources: data drawn from all legal states contains exactly the legal rows.
func TestFromSources(t *testing.T) {
	for _, name := range []string{"navigation/4x4", "inventory/4", "sysadmin/4", "cellda/y"} {
		c, s := problem(t, name)
		file := filepath.Join(t.TempDir(), "data.npz")
		if err := collect.ToFile(context.Background(), file, s, collect.Options{Rows: 40_000, Policy: collect.Restart, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		d, err := dataset.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FromSources(c.Problem, Source{Data: d})
		if err != nil {
			t.Fatal(err)
		}
		want, err := Legal(context.Background(), c, s, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		if got.Total() != 40_000 || got.Conflicts.Inputs != 0 || !slices.Equal(got.In, want.In) || !slices.Equal(got.Out, want.Out) {
			t.Errorf("%s: %d distinct rows, %+v, want %d", name, got.Rows(), got.Conflicts, want.Rows())
		}
	}
}

func TestFromSourcesErrors(t *testing.T) {
	c, s := problem(t, "inventory/2")
	schema, err := collect.Schema(s)
	if err != nil {
		t.Fatal(err)
	}
	width := len(schema.Columns)
	column := func(name string) int {
		return slices.IndexFunc(schema.Columns, func(c dataset.Column) bool { return c.Name == name })
	}
	good := make([]float64, 2*width)
	data := func(change func(values []float64)) *dataset.Data {
		v := slices.Clone(good)
		if change != nil {
			change(v)
		}
		return dataset.NewData(schema, v)
	}
	if e, err := FromSources(c.Problem, Source{Data: data(nil)}); err != nil || e.Rows() != 1 || e.Total() != 2 {
		t.Errorf("%+v %v", e, err)
	}
	for want, d := range map[string]*dataset.Data{
		"row 2: column quant(c1): ":          data(func(v []float64) { v[width+column("quant(c1)")] = 16 }),
		"row 1: column quant(c1)': ":         data(func(v []float64) { v[column("quant(c1)'")] = 0.5 }),
		"no column month, expected one":      {Schema: without(t, schema, "month"), Rows: 0},
		"no column quant(c1), expected one":  {Schema: without(t, schema, "quant(c1)"), Rows: 0},
		"there are no rows to learn from":    {Schema: schema},
		"no column resupply(c1), expected o": {Schema: without(t, schema, "resupply(c1)")},
	} {
		if _, err := FromSources(c.Problem, Source{Data: d}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func without(t *testing.T, s *dataset.Schema, name string) *dataset.Schema {
	t.Helper()
	var states, actions []dataset.Column
	for _, c := range s.Columns {
		switch {
		case c.Name == name:
		case c.Role == dataset.State:
			states = append(states, c)
		case c.Role == dataset.Action:
			actions = append(actions, c)
		}
	}
	out, err := dataset.NewSchema(s.Problem, states, actions)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestProbableStates: the estimate is right where the values of variables do not depend on each
// other, and not too large where they do.
func TestProbableStates(t *testing.T) {
	for _, c := range []struct {
		name        string
		least, most float64
	}{{"sysadmin/4", 256, 256}, {"sysadmin/5", 1024, 1024}, {"navigation/3x3", 2, 9}, {"cellda/x", 16, 512}} {
		comp, s := problem(t, c.name)
		l, err := newLister(context.Background(), comp, s, 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := l.probableStates(); err != nil || n < c.least || n > c.most {
			t.Errorf("%s: %g states, error %v; expected %g to %g", c.name, n, err, c.least, c.most)
		}
		if e, err := Legal(context.Background(), comp, s, 1<<40); err != nil || e.Rows() == 0 {
			t.Errorf("%s: the estimate leaves values behind: error %v", c.name, err)
		}
	}
}
