package factored

import (
	"fmt"
	"math/big"
	"testing"
)

// fixed returns a variable of a range with a step.
func fixed(t *testing.T, name, text, unit string) Variable {
	t.Helper()
	lo, hi, view, err := ParseRange(text)
	if err != nil {
		t.Fatal(err)
	}
	view.Unit = unit
	return Variable{Name: name, Lo: lo, Hi: hi, View: view}
}

func TestFixedRounding(t *testing.T) {
	v := fixed(t, "level", "-10..10 by 0.05", "V")
	for text, want := range map[string]string{
		"0.02": "0.00", "0.025": "0.00", "0.03": "0.05", "0.075": "0.10", "-0.025": "0.00", "-0.075": "-0.10", "1e-1": "0.10",
		"9.99": "10.00", "10.025": "10.00", "-3.14159": "-3.15", "0.0750000000000000000001": "0.10", "0.0249999999999999999999": "0.00",
	} {
		x, err := v.Parse(text)
		if err != nil || v.Decimal(x) != want || fmt.Sprint(v.Show(x)) != want {
			t.Errorf("%s is read as %s, %v, want %s", text, v.Decimal(x), err, want)
		}
	}
	// Numbers in floating point stand for their decimals.
	for k := v.Lo * 4; k <= v.Hi*4; k++ {
		q, _ := new(big.Rat).SetFrac64(k, 80).Float64()
		if x, err := v.Level(q); err != nil || x != v.Nearest(new(big.Rat).SetFrac64(k, 80)) {
			t.Errorf("%v is read as step %d, %v, want %d", q, x, err, v.Nearest(new(big.Rat).SetFrac64(k, 80)))
		}
	}
	for _, text := range []string{"", "x", "nan", "1e9999", "0x10", "1..2"} {
		if x, err := v.Parse(text); err == nil {
			t.Errorf("%q is read as %d", text, x)
		}
	}
	if x, err := v.Level(10.03); err == nil {
		t.Errorf("10.03 is read as %d", x)
	}
	if got := v.RangeText(); got != "-10.00..10.00 V" {
		t.Error(got)
	}
}

func TestParseRange(t *testing.T) {
	for text, want := range map[string]string{
		"0..3": "0..3, ", "-2..5": "-2..5, ", "0..10 by 0.05": "0..200, 1/20", "0..1000 by 10": "0..100, 10/1", "0.5..2 by 0.25": "2..8, 1/4", "-1..1 by 1e-2": "-100..100, 1/100", "0..5 by 1": "0..5, 1/1",
		"0..1 by 0.3": "1 is no multiple of the step 0.3; expected bounds that are", "0..1 by 0": "", "0..1 by -1": "", "3..1": "", "0..1.5": "", "a..b": "", "1..0 by 0.1": "", "0..1e12 by 1e-6": "",
		"0..1 by 1e-13": "",
	} {
		lo, hi, view, err := ParseRange(text)
		step := ""
		if view != nil {
			step = fmt.Sprintf("%d/%d", view.Num, view.Den)
		}
		got := fmt.Sprintf("%d..%d, %s", lo, hi, step)
		if err != nil {
			got = err.Error()
		}
		if want != "" && got != want || want == "" && err == nil {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestFormatFixed compares what constraints on quantities are written as.
func TestFormatFixed(t *testing.T) {
	p := NewProblem("tank")
	for _, v := range []Variable{fixed(t, "level", "0..10 by 0.05", "V"), fixed(t, "flow", "-2..2 by 0.5", ""), {Name: "count", Hi: 7}, {Name: "open", Bool: true}, fixed(t, "wide", "0..100 by 0.01", "")} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	sum := func(op Op, k int64, coefs ...int64) *Constraint {
		c := &Constraint{Op: op, K: k}
		for i, f := range coefs {
			v := &p.Variables[i]
			for j := range v.Width {
				if f != 0 {
					c.Terms = append(c.Terms, Term{f * v.Weight(j), Lit{Bit: v.First + Bit(j)}})
				}
			}
		}
		return c
	}
	for _, c := range []struct {
		of     *Constraint
		format string
		words  string
	}{
		{sum(LE, 140, 1), "level <= 7.00 V", "level must be at most 7.00 V"},
		{sum(EQ, 3, 0, 1), "flow == 1.5", "flow must be 1.5"},
		{sum(LE, 50, 1, 10), "level + flow <= 2.5", "level + flow must be at most 2.5"},
		{sum(GE, 7, 1, 3), "10*level + 3*flow >= 3.5", "10*level + 3*flow must be at least 3.5"},
		{sum(GE, 7, 1, 0, -2), "10*level - count >= 3.5", "10*level must be at least count + 3.5"},
		{sum(LE, 1234, 0, 0, 0, 0, 1), "wide <= 12.34", "wide must be at most 12.34"},
		{sum(LE, 200, 1, 0, 0, 160), "open => level <= 2.00 V", ""},
	} {
		if got := p.Format(c.of); got != c.format {
			t.Errorf("%s, want %s", got, c.format)
		}
		if got := p.Words(c.of); c.words != "" && got != c.words {
			t.Errorf("%s, want %s", got, c.words)
		}
	}
}
