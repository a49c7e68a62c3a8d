package outcome_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/outcome"
)

// corridor logs a robot in a corridor of five cells that carries something or not. A part of its moves fails, and a part of the cells is
// recorded wrong, each time anew.
func corridor(rows int, fails, wrong float64, twice bool) *outcome.Table {
	rng := rand.New(rand.NewPCG(1, 2))
	t := &outcome.Table{
		Variables: []outcome.Variable{{Values: 5, Ordered: true}, {Values: 2}, {Values: 3}},
		Outputs:   []int{0, 1}, Now: make([][]int32, 3), Next: make([][]int32, 2), Begins: make([]bool, rows),
	}
	record := func(x, values int32) int32 {
		if rng.Float64() < wrong {
			return rng.Int32N(values)
		}
		return x
	}
	at, load := int32(2), int32(0)
	for i := range rows {
		action := rng.Int32N(3)
		seen := [2]int32{record(at, 5), record(load, 2)}
		if !twice && i > 0 {
			t.Next[0][i-1], t.Next[1][i-1] = seen[0], seen[1]
		}
		switch {
		case action == 2:
			load = 1 - load
		case rng.Float64() >= fails:
			at = min(max(at+2*action-1, 0), 4)
		}
		for v, x := range []int32{seen[0], seen[1], action} {
			t.Now[v] = append(t.Now[v], x)
		}
		t.Next[0], t.Next[1] = append(t.Next[0], record(at, 5)), append(t.Next[1], record(load, 2))
	}
	t.Begins[0] = true
	return t
}

// TestDropped: what stands on either side of rows that were dropped are not two records of one state.
func TestDropped(t *testing.T) {
	rows := corridor(3000, .25, 0, true)
	left := &outcome.Table{Variables: rows.Variables, Outputs: rows.Outputs, Now: make([][]int32, 3), Next: make([][]int32, 2)}
	for i := range rows.Rows() {
		if i%10 == 9 {
			continue
		}
		for v := range rows.Now {
			left.Now[v] = append(left.Now[v], rows.Now[v][i])
		}
		for o := range rows.Next {
			left.Next[o] = append(left.Next[o], rows.Next[o][i])
		}
		left.Begins, left.Apart = append(left.Begins, i == 0), append(left.Apart, i%10 == 0)
	}
	if a := left.Agreed(); a != nil {
		t.Errorf("records differ in %g of the steps", a.Share)
	}
	if left.Apart = nil; left.Agreed() == nil {
		t.Error("without that, all records agree")
	}
}

// TestNoOutputs: the only variable that is predicted may have too many values for a table.
func TestNoOutputs(t *testing.T) {
	rows := corridor(100, .25, .03, true)
	rows.Outputs, rows.Next = nil, nil
	if a := rows.Agreed(); a != nil {
		t.Errorf("%+v", a)
	}
}

// TestAgreed tells wrong records from chance where states are recorded twice.
func TestAgreed(t *testing.T) {
	for _, c := range []struct {
		name         string
		fails, wrong float64
		twice        bool
		found, drawn bool
	}{
		{"clean", .25, 0, true, false, false},
		{"one record", .25, .03, false, false, false},
		{"wrong records", 0, .03, true, true, false},
		{"many wrong records", 0, .1, true, true, false},
		{"both", .25, .03, true, true, true},
		{"rarely", .03, .02, true, true, true},
	} {
		rows := corridor(3000, c.fails, c.wrong, c.twice)
		a := rows.Agreed()
		if (a != nil) != c.found || a != nil && a.Drawn != c.drawn {
			t.Errorf("%s: %+v", c.name, a)
			continue
		}
		if a == nil {
			continue
		}
		if a.Share < c.wrong || a.Share > 3*c.wrong {
			t.Errorf("%s: %.3f of the records differ", c.name, a.Share)
		}
		for _, i := range a.Kept {
			if i > 0 && rows.Now[0][i] != rows.Next[0][i-1] && rows.Now[1][i] == rows.Next[1][i-1] {
				t.Fatalf("%s: row %d is kept", c.name, i)
			}
		}
	}
}

// TestTold tells rare failures of two machines, which stay broken until they are repaired, from records that are as often wrong: the same share of the rows, whatever
// the state and the action.
func TestTold(t *testing.T) {
	for _, c := range []struct {
		name         string
		fails, wrong float64
	}{{"failures", .03, 0}, {"wrong records", 0, .03}} {
		rng := rand.New(rand.NewPCG(4, 9))
		rows := &outcome.Table{Variables: []outcome.Variable{{Values: 2}, {Values: 2}, {Values: 3}}, Outputs: []int{0, 1}, Now: make([][]int32, 3), Next: make([][]int32, 2)}
		broken := [2]int32{}
		for i := range 600 {
			action := rng.Int32N(3) // repairs one of them, or changes both
			for m := range broken {
				record := broken[m]
				if rng.Float64() < c.wrong {
					record = 1 - record
				}
				if rows.Now[m] = append(rows.Now[m], record); i > 0 {
					rows.Next[m] = append(rows.Next[m], record)
				}
			}
			rows.Now[2], rows.Begins = append(rows.Now[2], action), append(rows.Begins, i == 0)
			for m := range broken {
				switch {
				case action == int32(m):
					broken[m] = 0
				case action == 2:
					broken[m] = 1 - broken[m]
				case rng.Float64() < c.fails:
					broken[m] = 1
				}
			}
		}
		for m := range broken {
			rows.Next[m] = append(rows.Next[m], broken[m])
		}
		groups, err := outcome.Learn(t.Context(), rows, []int{0, 1}, outcome.Options{Determined: true})
		if err != nil {
			t.Fatal(err)
		}
		bits, right, wrong := rows.Told(groups)
		if c.fails > 0 && (bits < 12 || right < 5*wrong) || c.wrong > 0 && (bits > -12 || wrong < right) {
			t.Errorf("%s: %.1f bits in %d and %d rows", c.name, bits, right, wrong)
		}
		all, err := outcome.Learn(t.Context(), rows, []int{0, 1}, outcome.Options{Recorded: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range all {
			if c.fails > 0 && !g.Random() {
				t.Errorf("%s: output %v is not drawn", c.name, g.Outputs)
			}
		}
	}
}
