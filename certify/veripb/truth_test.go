package veripb

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"
)

// untrue describes what is wrong with a verdict on a problem of few variables, by trying all
// assignments. It returns "" if the verdict is true.
func untrue(p *problem, v Verdict) string {
	var least *big.Int
	models(len(p.names.all), p.constraints, func(truth func(lit) bool) bool {
		c := checker{problem: p}
		if value := c.objectiveValue(truth).value(); least == nil || value.Cmp(least) < 0 {
			least = value
		}
		return true
	})
	switch v.Kind {
	case None:
	case Satisfiable:
		if least == nil {
			return "there is no solution"
		}
	case Unsat:
		if least != nil {
			return fmt.Sprint("there is a solution with ", least)
		}
	case Optimal, Bounds:
		switch {
		case v.Kind == Optimal && (v.Lower == nil || v.Upper == nil || v.Lower.Cmp(v.Upper) != 0):
			return "the bounds of the optimum differ"
		case least == nil && v.Upper != nil:
			return "there is no solution"
		case least != nil && v.Upper != nil && v.Upper.Cmp(least) < 0, least != nil && v.Lower != nil && v.Lower.Cmp(least) > 0:
			return fmt.Sprint("the least value is ", least)
		}
	default:
		return "no such verdict"
	}
	return ""
}

// certificates are proofs with every kind of number.
var certificates = []struct{ name, opb, proof string }{
	{"cutting planes 1.2", unsatOPB, v1 + "f 4\np 1 2 + 3 + 2 d\np 5 4 +\nc 6\n"},
	{"propagation 1.2", unsatOPB, v1 + "f 4\nu 1 x1 >= 1 ;\ndel id 1\nu >= 1 ;\nc 6\n"},
	{"optimum 1.2", coverOPB, v1 + "f 3\no x1 x2 ~x3\npol 1 2 + 3 + 2 d\npol 5 4 +\nc 6\n"},
	{"optimum 2.0", coverOPB, v2 + "f 3\nsoli x1 x2 x3\nsoli x1 x2 ~x3\npol 1 2 + 3 + 2 d\npol 6 5 +\nrup 1 x1 1 x2 1 x3 >= 2 ;\n" + concluded("BOUNDS 2 : 8 2")},
	{"definition 2.0", coverOPB, v2 + "f 3\nred 1 x1 1 x2 1 x3 2 ~x4 >= 2 ; x4 -> 0\nred 1 ~x1 1 ~x2 1 ~x3 2 x4 >= 2 ; x4 -> 1\npol 1 2 + 3 + 2 d\npol 6 5 +\nrup 1 x4 >= 1 ;\nsoli x1 x2 ~x3 x4\npol 6 9 +\n" + concluded("BOUNDS 2 : 10 2")},
	{"weights 1.2", weightOPB, v1 + "f 4\no x1 ~x2 x3 ~x4\nu >= 1 ;\nc 6\n"},
	{"optimum 3.0", coverOPB, v3 + "f 3;\nsoli x1 x2 x3 : 3;\nsoli x1 x2 ~x3;\npol 1 2 + 3 + 2 d;pol 6 5 +;\nrup 1 x1 1 x2 1 x3 >= 2 : 1 2 3 ~;\n" + concluded3("BOUNDS 2 : 8 2")},
	{"definition 3.0", coverOPB, v3 + "f 3 ;\nred 1 x1 1 x2 1 x3 2 ~x4 >= 2 : x4 -> 0 ;\nred 1 ~x1 1 ~x2 1 ~x3 2 x4 >= 2 : x4 -> 1 ;\npol 1 2 + 3 + 2 d ;\npol 6 5 + ;\nrup 1 x4 >= 1 ;\nsoli x1 x2 ~x3 x4 ;\npol 6 9 + ;\n" + concluded3("BOUNDS 2 : 10 2")},
	{"bounds 2.0", coverOPB, v2 + "f 3\nsol x1 x2 x3\npol 1 2 + 3 + 2 d s 3 * 2 d\nia 1 x1 1 x2 >= 1 ; 1\n" + concluded("BOUNDS 1 : 1 3")},
}

// softWCNF has clauses of all kinds. The least cost is 2.
const softWCNF = "h 1 2 0\n3 -1 0\n2 -2 -1 0\n4 -2 3 0\n1 -3 0\n0 2 3 0\n1 0\n"

// softCertificates are proofs about softWCNF.
var softCertificates = []struct{ name, proof string }{
	{"soft clauses 1.2", v1 + "f 7\no ~x1 x2 ~x3 ~x4 ~x5 x6 ~x7 ~x8 x9\no ~x1 x2 x3 ~x4 ~x5 ~x6 x7 ~x8 x9\nrup 1 ~x4 >= 1 ;\nrup 1 ~x5 >= 1 ;\nrup 1 ~x6 >= 1 ;\nrup >= 1 ;\nc 13\n"},
	{"soft clauses 2.0", v2 + "f 4\nsoli ~x1 x2 x3 _b3 _b4 _b6\nrup 1 ~x1 >= 1 ;\nrup >= 1 ;\n" + concluded("BOUNDS 2 : 7 2")},
	{"soft clauses 3.0", v3 + "f 4;\nsoli ~x1 x2 ~x3 _b3 ~_b4 _b6 : 5;\nrup 1 _b4 >= 1;\nsoli ~x1 x2 x3 _b3 _b4 _b6;\nrup 1 ~x1 >= 1;\nrup >= 1;\n" + concluded3("BOUNDS 2 : 9 2")},
	{"a bound 3.0", v3 + "sol ~x1 x2 x3 _b3 _b4 _b6 : 2;\n" + concluded3("BOUNDS 1 2")},
}

// softProblem is what a proof of a version is about.
func softProblem(t testing.TB, wcnf, proof string) *problem {
	t.Helper()
	f, err := readWCNF(strings.NewReader(wcnf))
	if err != nil {
		t.Fatal(err)
	}
	v := version30
	switch {
	case strings.HasPrefix(proof, v1):
		v = version12
	case strings.HasPrefix(proof, v2):
		v = version20
	}
	return f.problem(v)
}

// TestFlippedNumbers changes every number of a proof in turn. Whatever is still accepted must
// still be true. Numbers of some classes must always be refused: those of the constraints
// that the last steps depend on.
func TestFlippedNumbers(t *testing.T) {
	for _, c := range certificates {
		p, err := readOPB(strings.NewReader(c.opb))
		if err != nil {
			t.Fatal(err)
		}
		flip(t, c.name, p, c.proof, func(proof string) (Verdict, error) {
			return Check(strings.NewReader(c.opb), strings.NewReader(proof))
		})
	}
	for _, c := range softCertificates {
		flip(t, c.name, softProblem(t, softWCNF, c.proof), c.proof, func(proof string) (Verdict, error) {
			return CheckWCNF(strings.NewReader(softWCNF), strings.NewReader(proof))
		})
	}
}

// flip changes every number of a proof about a problem in turn.
func flip(t *testing.T, name string, p *problem, proof string, check func(string) (Verdict, error)) {
	t.Helper()
	v, err := check(proof)
	if err != nil || v.Kind == None || untrue(p, v) != "" {
		t.Fatalf("%s: verdict %v, error %v: %s", name, v, err, untrue(p, v))
	}
	mutants, accepted, same := 0, 0, 0
	for _, at := range regexp.MustCompile(`\d+`).FindAllStringIndex(proof, -1) {
		if at[0] < len(v1) { // the header
			continue
		}
		var n int
		fmt.Sscan(proof[at[0]:at[1]], &n)
		for _, m := range []int{n + 1, n - 1, 2*n + 1, 0, 1, 2, 3, 99} {
			if m == n {
				continue
			}
			mutants++
			changed := proof[:at[0]] + fmt.Sprint(m) + proof[at[1]:]
			got, err := check(changed)
			if err != nil {
				continue
			}
			accepted++
			if got.String() == v.String() {
				same++
			}
			if why := untrue(p, got); why != "" {
				t.Errorf("%s: accepted as %v, though %s:\n%s", name, got, why, changed)
			}
		}
	}
	if accepted*2 > mutants {
		t.Errorf("%s: %d of %d changed proofs accepted", name, accepted, mutants)
	}
	t.Logf("%s: %d changed proofs, %d accepted, %d of them with the same verdict; all true", name, mutants, accepted, same)
}

// FuzzCheck looks for accepted proofs of false claims, and for panics.
func FuzzCheck(f *testing.F) {
	for _, c := range certificates {
		f.Add(c.opb, c.proof)
	}
	f.Add(bigOPB, v1+"f 2\no x1 ~x2\nu >= 1 ;\nc 4")
	f.Add("1 x1 1 x2 >= 1 ;", v2+"solx x1 x2\nsolx ~x1\n# 1\nred 1 x1 >= 1 ; x1 -> x2 x2 -> x1\nw 1\n"+concluded("SAT"))
	f.Fuzz(func(t *testing.T, opb, proof string) {
		v, err := Check(strings.NewReader(opb), strings.NewReader(proof))
		if err != nil {
			if v != (Verdict{}) {
				t.Errorf("verdict %v with the error %v", v, err)
			}
			return
		}
		p, err := readOPB(strings.NewReader(opb))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.names.all) > 8 {
			return
		}
		if why := untrue(p, v); why != "" {
			t.Errorf("accepted as %v, though %s", v, why)
		}
	})
}

// FuzzCheckWCNF does the same with problems in WCNF.
func FuzzCheckWCNF(f *testing.F) {
	for _, c := range softCertificates {
		f.Add(softWCNF, c.proof)
	}
	f.Add("p wcnf 2 3 9\n9 1 1 2 0\n3 -1\n1 0 4 -2 0\n", v1+"f 3\no ~x1 x2 x3 x4\n")
	f.Fuzz(func(t *testing.T, wcnf, proof string) {
		v, err := CheckWCNF(strings.NewReader(wcnf), strings.NewReader(proof))
		if err != nil {
			if v != (Verdict{}) {
				t.Errorf("verdict %v with the error %v", v, err)
			}
			return
		}
		if p := softProblem(t, wcnf, proof); len(p.names.all) <= 10 {
			if why := untrue(p, v); why != "" {
				t.Errorf("accepted as %v, though %s", v, why)
			}
		}
	})
}
