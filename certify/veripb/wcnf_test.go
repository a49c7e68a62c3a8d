package veripb

import (
	"strings"
	"testing"
)

// TestWCNF compares what VeriPB makes of a file for the versions of proofs.
func TestWCNF(t *testing.T) {
	const old = "c old\np wcnf 4 5 10\n10 1 -2 0\n3 1 2\n3 0\n11 1 1 0 2 -3 0\n5 0\n"
	for _, c := range []struct {
		name, wcnf string
		version    version
		want       string
	}{
		{"names by the header", old, version12, "min: 3 x5 2 x6 5 x7 + 0; 1 x1 1 ~x2 >= 1; 1 x1 1 x2 1 x3 1 x5 >= 1; 2 x1 >= 1; 1 ~x3 1 x6 >= 1; 1 x7 >= 1"},
		{"names by the clause", old, version20, "min: -3 _b2 2 x3 + 8; 1 ~x2 1 x1 >= 1; 1 x1 1 x2 1 x3 1 ~_b2 >= 1; 1 x1 >= 1"},
		{"no header", "h 2 0\n4 -2 -2 0\nc\nh 2 -2 2 1 0\n", version12, "min: 4 x3 + 0; 1 x2 >= 1; 2 ~x2 1 x3 >= 1; 1 x2 1 x1 >= 0"},
		{"repeated literals", "h 2 0\n4 -2 -2 0\nh 2 -2 2 1 0\n", version30, "min: -4 _b2 + 4; 1 x2 >= 1; 1 ~x2 1 ~_b2 >= 1; 1 x1 >= 0"},
		{"opposite costs", "4 1 0\n3 -1 0\n0 2 0\n", version30, "min: -1 x1 + 4"},
		{"nothing", "", version20, "min: + 0"},
	} {
		f, err := readWCNF(strings.NewReader(c.wcnf))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p := f.problem(c.version)
		var b strings.Builder
		b.WriteString("min: ")
		for _, x := range p.objective {
			if x.coef.sign() != 0 {
				b.WriteString(x.coef.String() + " " + p.names.text(x.lit) + " ")
			}
		}
		b.WriteString("+ " + p.constant.String())
		for _, k := range p.constraints {
			b.WriteString("; " + k.text(&p.names))
		}
		if b.String() != c.want {
			t.Errorf("%s:\n%s\nexpected\n%s", c.name, b.String(), c.want)
		}
	}
}

// TestWCNFFaults reads files that are none.
func TestWCNFFaults(t *testing.T) {
	for _, c := range []struct{ wcnf, want string }{
		{"1 2", "formula:1:1: the file ends inside a clause"},
		{"h 1 0\np wcnf 1 1 2\n", "formula:2:1: found a header, expected it once"},
		{"p wcnf 1 1 2\nh 1 0\n", "formula:2:1: found \"h\", expected the weight"},
		{"p wcnf 1 1 2\n1 2 0\n", "formula:2:3: variable 2, expected at most 1"},
		{"p cnf 1 1\n", "formula:1:3: found \"cnf\", expected \"wcnf\""},
		{"p wcnf -1 1\n", "-1 variables, expected 0 to"},
		{"p wcnf 1 1 2 3\n", "formula:1:14: found \"3\", expected the end of the line"},
		{"-1 1 0\n", "formula:1:1: found \"-1\", expected the weight"},
		{"1 x 0\n", "formula:1:3: found \"x\", expected a literal or 0"},
		{"1 2147483648 0\n", "expected a literal or 0"},
	} {
		if _, err := CheckWCNF(strings.NewReader(c.wcnf), strings.NewReader(v1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, expected %q", c.wcnf, err, c.want)
		}
	}
}
