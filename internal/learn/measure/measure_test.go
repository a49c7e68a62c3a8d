package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// tank has a quantity, an integer, an enumeration and a Boolean, two of which a network gives, and an action.
func tank(t *testing.T) (*factored.Problem, *dataset.Schema) {
	t.Helper()
	p := factored.NewProblem("tank")
	for _, v := range []factored.Variable{
		{Name: "level", Kind: factored.State, Hi: 3, View: &factored.View{Edges: []float64{0, 1, 2.5, 4, 8}, Unit: "m"}},
		{Name: "count", Kind: factored.State, Lo: -2, Hi: 3},
		{Name: "mode", Kind: factored.State, Hi: 2, View: &factored.View{Names: []string{"a", "b", "c"}}},
		{Name: "open", Kind: factored.State, Bool: true},
		{Name: "go", Kind: factored.Action, Bool: true},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	p.Inputs = append(p.Bits(factored.State), p.Bits(factored.Action)...)
	p.Outputs = p.Bits(factored.State)
	s, err := dataset.OfProblem(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// guess predicts something that depends on all inputs: any values of the outputs' bits.
func guess(out, in []uint64) { out[0] = (in[0]*0x9e37_79b9 ^ in[0]>>3) & 0xff }

// drawRow draws values from few, now and then one that its fluent does not have.
func drawRow(rng *rand.Rand) []float64 {
	state := func() []float64 {
		x := []float64{float64(rng.IntN(8)) + rng.Float64()/8, float64(rng.IntN(4) - 1), float64(rng.IntN(2)), float64(rng.IntN(2))}
		switch rng.IntN(40) {
		case 0:
			x[0] = 9 + float64(rng.IntN(2))
		case 1:
			x[1] = 7 + float64(rng.IntN(2))
		case 2:
			x[2] = dataset.Unseen(fmt.Sprint(rng.IntN(2)))
		}
		return x
	}
	return slices.Concat(state(), []float64{float64(rng.IntN(2))}, state())
}

// level is the bin of a quantity, the nearest one of those outside.
func level(x float64) float64 {
	k := 0.
	for _, edge := range []float64{1, 2.5, 4} {
		if x >= edge {
			k++
		}
	}
	return k
}

// byDefinition is the measure by definition: over all pairs of rows.
func byDefinition(rows [][]float64) *Measure {
	m := &Measure{Rows: len(rows), Fluents: Fluents{{Name: "level"}, {Name: "count"}, {Name: "mode"}, {Name: "open"}}}
	levels := make([][]float64, len(rows))
	for i, r := range rows {
		levels[i] = slices.Clone(r)
		levels[i][0], levels[i][5] = level(r[0]), level(r[5])
	}
	seen := map[string]bool{}
	errs := make([][]float64, 2)
	for i, r := range levels {
		predicted := predictedFor(r[:5])
		outside := rows[i][0] > 8 || rows[i][5] > 8
		var wrong, changed bool
		for k := range 4 {
			bad := predicted == nil || predicted[k] != r[5+k]
			if bad {
				m.Fluents[k].Wrong++
			}
			if r[k] != r[5+k] {
				m.Fluents[k].Unchanged++
			}
			wrong, changed = wrong || bad, changed || r[k] != r[5+k]
			outside = outside || predictedFor([]float64{0, r[1], r[2], 0, 0}) == nil || predictedFor([]float64{0, r[6], r[7], 0, 0}) == nil
		}
		m.Wrong, m.Unchanged, m.OutOfRange = m.Wrong+one(wrong), m.Unchanged+one(changed), m.OutOfRange+one(outside)
		if predicted != nil {
			centers := []float64{.5, 1.75, 3.25, 6}
			errs[0] = append(errs[0], math.Abs(centers[int(predicted[0])]-rows[i][5]), rows[i][5]-rows[i][0])
			errs[1] = append(errs[1], math.Abs(predicted[1]-rows[i][6]), rows[i][6]-rows[i][1])
		}
		if key := fmt.Sprint(r[:5]); !seen[key] {
			seen[key] = true
			m.Distinct++
			m.Floor += lost(levels, r[:5], 5, 9)
			for k := range 4 {
				m.Fluents[k].Floor += lost(levels, r[:5], 5+k, 6+k)
			}
		}
	}
	for k, e := range errs {
		m.Fluents[k].Distance = summary(e)
	}
	m.Fluents[0].Unit = "m"
	return m
}

// lost counts the rows with some inputs that do not have the most frequent values of columns from..to-1.
func lost(rows [][]float64, inputs []float64, from, to int) int {
	counts, n, most := map[string]int{}, 0, 0
	for _, r := range rows {
		if slices.Equal(r[:5], inputs) {
			k := fmt.Sprint(r[from:to])
			counts[k]++
			n, most = n+1, max(most, counts[k])
		}
	}
	return n - most
}

// summary takes absolute errors, each followed by the change.
func summary(e []float64) *Distance {
	d := &Distance{}
	var absolute []float64
	n := float64(len(e) / 2)
	for i := 0; i < len(e); i += 2 {
		absolute = append(absolute, e[i])
		d.RMS, d.RMSUnchanged, d.Mean = d.RMS+e[i]*e[i]/n, d.RMSUnchanged+e[i+1]*e[i+1]/n, d.Mean+e[i]/n
	}
	d.RMS, d.RMSUnchanged = math.Sqrt(d.RMS), math.Sqrt(d.RMSUnchanged)
	slices.Sort(absolute)
	d.P95 = absolute[(len(absolute)*95+99)/100-1]
	return d
}

// predictedFor is what guess predicts from values; nil if one of them is outside.
func predictedFor(values []float64) []float64 {
	if values[1] > 3 || values[2] < 0 {
		return nil
	}
	in, at := uint64(0), 0
	put := func(x, width int) {
		for k := range width {
			in |= uint64(x>>(width-1-k)&1) << (at + k)
		}
		at += width
	}
	put(int(values[0]), 2)
	put(int(values[1])&7, 3)
	put(int(values[2]), 2)
	put(int(values[3]), 1)
	put(int(values[4]), 1)
	out := make([]uint64, 1)
	guess(out, []uint64{in})
	bit := func(i int) float64 { return float64(out[0] >> i & 1) }
	return []float64{2*bit(0) + bit(1), -4*bit(2) + 2*bit(3) + bit(4), 2*bit(5) + bit(6), bit(7)}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestMeasure: the measure of random rows, many of which contradict each other, is that of a count
// over all pairs of rows.
func TestMeasure(t *testing.T) {
	p, s := tank(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		n := 1 + rng.IntN(400)
		stored := &dataset.Data{Schema: s.Stored()}
		var rows [][]float64
		for range n {
			rows = append(rows, drawRow(rng))
			stored.Add(rows[len(rows)-1])
		}
		c := NewCounter(p, guess)
		_, err := Each(p, func(*train.Row) *Counter { return c }, train.Source{Data: s.Quantise(stored), Stored: stored, Outside: true})
		if err != nil {
			t.Fatal(err)
		}
		got, want := c.Measure(), byDefinition(rows)
		if !same(got, want) {
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			t.Fatalf("%d rows:\n got %s\nwant %s", n, a, b)
		}
		if got.Floor > min(got.Wrong, got.Unchanged) {
			t.Fatalf("the floor %d is above %d and %d", got.Floor, got.Wrong, got.Unchanged)
		}
		sum, wrong := 0, 0
		c.EachPair(func(x Pair) {
			sum += x.Rows
			if x.WrongIn(func(int) bool { return true }) {
				wrong += x.Rows
			}
		})
		if want.Rows-sum+wrong != want.Wrong { // of other inputs all rows are wrong
			t.Fatalf("%d of %d pairs are wrong, of %d rows %d", wrong, sum, want.Rows, want.Wrong)
		}
		for _, x := range c.Confusion(3) {
			sum -= x.Rows
		}
		if sum != 0 { // a Boolean is never outside
			t.Fatalf("the confusion has %d rows too few", sum)
		}
		text, err := json.Marshal(got)
		var back Measure
		if err != nil || json.Unmarshal(text, &back) != nil {
			t.Fatalf("%s: %v", text, err)
		}
		slices.SortFunc(got.Fluents, func(a, b Fluent) int {
			return slices.Index([]string{"count", "level", "mode", "open"}, a.Name) - slices.Index([]string{"count", "level", "mode", "open"}, b.Name)
		})
		if !reflect.DeepEqual(got, &back) {
			t.Fatalf("%s is read as %+v", text, back)
		}
	}
}

// same compares measures, distances but for rounding.
func same(a, b *Measure) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*(1+math.Abs(y)) }
	x, y := *a, *b
	x.Fluents, y.Fluents = slices.Clone(a.Fluents), slices.Clone(b.Fluents)
	for k := range x.Fluents {
		d, e := x.Fluents[k].Distance, y.Fluents[k].Distance
		if (d == nil) != (e == nil) || d != nil && !(near(d.RMS, e.RMS) && near(d.RMSUnchanged, e.RMSUnchanged) && near(d.Mean, e.Mean) && near(d.P95, e.P95) && d.Unit == e.Unit) {
			return false
		}
		x.Fluents[k].Distance, y.Fluents[k].Distance = nil, nil
	}
	return reflect.DeepEqual(x, y)
}

// TestManyRows: of very many errors some are kept for the percentile.
func TestManyRows(t *testing.T) {
	d := &distances{v: &factored.Variable{}}
	for i := range 3*mostKept + 7 {
		d.add(float64(i%1000), 0, 0)
	}
	got := d.distance()
	if len(d.absolute) >= mostKept || got.P95 < 945 || got.P95 > 955 || math.Abs(got.Mean-499.5) > .5 || got.RMS != got.RMSUnchanged {
		t.Errorf("%d errors are kept, %+v", len(d.absolute), got)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		m        Measure
		text, no string
	}{
		{Measure{Rows: 10000, Wrong: 3657, Floor: 3655, Unchanged: 9081}, "36.57 % wrong, floor 36.55 %, unchanged 90.81 % (3657, 3655 and 9081 of 10000 rows)", ""},
		{Measure{Rows: 1, Unchanged: 1}, "0 % wrong, floor 0 %, unchanged 100.00 % (0, 0 and 1 of 1 row)", ""},
		{Measure{Rows: 1_000_000, Wrong: 3, Floor: 2, Unchanged: 3}, "0.0003 % wrong, floor 0.0002 %, unchanged 0.0003 % (3, 2 and 3 of 1000000 rows)",
			`NO BETTER THAN "NOTHING CHANGES" on x: 0.0003 % of the predicted next states are wrong, and 0.0003 % if nothing is predicted to change.`},
		{Measure{Rows: 4, Wrong: 2, Floor: 1, Unchanged: 1}, "50.00 % wrong, floor 25.00 %, unchanged 25.00 % (2, 1 and 1 of 4 rows)",
			`NO BETTER THAN "NOTHING CHANGES" on x: 50.00 % of the predicted next states are wrong, and 25.00 % if nothing is predicted to change. No function of these columns is better here: use finer bins, or record what decides.`},
		{Measure{}, "0 % wrong, floor 0 %, unchanged 0 % (0, 0 and 0 of 0 rows)", ""},
	} {
		if got, no := c.m.String(), c.m.NoBetter("x"); got != c.text || no != c.no {
			t.Errorf("got %q, %q", got, no)
		}
	}
}
