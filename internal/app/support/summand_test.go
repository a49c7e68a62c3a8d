package support

import (
	"testing"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestSummand: rows show a summand with the values that they have of a condition, and with all values of a number between two of theirs.
func TestSummand(t *testing.T) {
	p := factored.NewProblem("shop")
	for _, v := range []factored.Variable{{Name: "stock", Kind: factored.State, Hi: 9}, {Name: "price", Kind: factored.State, Hi: 3}, {Name: "open", Kind: factored.Action, Bool: true, Hi: 1}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := expr.SetReward(p, "max[0, stock - stock'] + 2*(open ^ price == 1) - (stock >= 7 ^ open)", "reward"); err != nil {
		t.Fatal(err)
	}
	parts := expr.Parts(&p.Reward)
	if len(parts) != 3 {
		t.Fatalf("%d parts", len(parts))
	}
	var summands []*summand
	for _, part := range parts {
		summands = append(summands, newSummand(part))
	}
	step := func(stock, price, open, then int64) (now, next factored.Valuation) {
		now, next = make(factored.Valuation, p.NumBits()), make(factored.Valuation, p.NumBits())
		for i, x := range []int64{stock, price, open} {
			if err := p.Variables[i].Set(now, x); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Variables[0].Set(next, then); err != nil {
			t.Fatal(err)
		}
		return now, next
	}
	for _, row := range [][4]int64{{2, 0, 0, 1}, {7, 3, 1, 2}, {5, 1, 0, 6}} {
		for _, s := range summands {
			s.add(step(row[0], row[1], row[2], row[3]))
		}
	}
	for _, c := range []struct {
		step [4]int64
		want bool
	}{
		{[4]int64{4, 0, 0, 3}, true},  // 4 and 3 are between 2 and 7, and 1 and 6
		{[4]int64{7, 3, 1, 3}, true},  // open, price 3, stock 7
		{[4]int64{7, 1, 1, 3}, false}, // no row is open at price 1
		{[4]int64{8, 0, 0, 3}, false}, // no row has so much stock
		{[4]int64{4, 0, 0, 0}, false},
		{[4]int64{6, 3, 1, 3}, false}, // no row is open with less stock than 7
	} {
		got := true
		for _, s := range summands {
			got = got && s.shown(step(c.step[0], c.step[1], c.step[2], c.step[3]))
		}
		if got != c.want {
			t.Errorf("%v: shown %v, want %v", c.step, got, c.want)
		}
	}
}
