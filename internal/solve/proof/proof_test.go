package proof_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/certify/drat"
	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

var (
	instances = flag.Int("instances", 150, "random problems of each kind")
	crossed   = flag.Int("crossed", 25, "random problems of each kind whose proofs an outside checker reads")
)

// versions are those of VeriPB's format.
var versions = []proof.Format{proof.VeriPB12, proof.VeriPB20, proof.VeriPB30}

// want is the verdict on an instance by brute force.
func (in instance) want() string {
	best, feasible := in.least()
	switch {
	case !feasible:
		return "unsatisfiable"
	case in.objective == nil:
		return "satisfiable"
	}
	return fmt.Sprint("optimal ", best)
}

// TestRandom solves random problems, has the checker of this project read the
// proofs of both versions, and compares the verdicts with brute force.
func TestRandom(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(2 * *instances) {
		in := randomInstance(rand.New(rand.NewPCG(seed, 1)), seed%2 == 0)
		for _, format := range versions {
			text, err := solve(in, format, rand.New(rand.NewPCG(seed, 2)))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			v, err := veripb.Check(bytes.NewReader(in.opb()), bytes.NewReader(text))
			if err != nil || v.String() != in.want() {
				t.Fatalf("seed %d, %v: verdict %v, error %v, expected %s\n%s\n%s", seed, format, v, err, in.want(), in.opb(), text)
			}
			count[v.Kind.String()]++
		}
	}
	for _, kind := range []string{"optimal", "unsatisfiable", "satisfiable"} {
		if count[kind] < *instances/10 {
			t.Errorf("only %d problems were %s", count[kind], kind)
		}
	}
}

// TestVeriPB has VeriPB itself read such proofs.
func TestVeriPB(t *testing.T) {
	extsolver.RequireChecker(t, "veripb")
	for _, format := range versions {
		t.Run(format.String(), func(t *testing.T) {
			for seed := range uint64(2 * *crossed) {
				in := randomInstance(rand.New(rand.NewPCG(seed, 1)), seed%2 == 0)
				text, err := solve(in, format, rand.New(rand.NewPCG(seed, 2)))
				if err != nil {
					t.Fatal(err)
				}
				ok, output := extsolver.VeriPB(t, in.opb(), text, time.Minute)
				if !ok && seed == 0 && strings.Contains(output, "version") {
					t.Skipf("the installed veripb does not read this version: %s", output)
				}
				if !ok {
					t.Fatalf("seed %d: refused: %s\n%s\n%s", seed, output, in.opb(), text)
				}
			}
		})
	}
}

// randomCNF makes clauses of three literals around the threshold.
func randomCNF(rng *rand.Rand) instance {
	in := instance{vars: 5 + rng.Int32N(6)}
	for range int(4.8 * float64(in.vars)) {
		var r row
		for _, v := range rng.Perm(int(in.vars))[:3] {
			r.terms = append(r.terms, proof.Term{Coef: 1, Lit: proof.Lit(v + 1).If(rng.Int32N(2) == 0)})
		}
		r.k = 1
		in.rows = append(in.rows, r)
	}
	return in
}

func (in instance) cnf() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "c random\np cnf %d %d\n", in.vars, len(in.rows))
	for _, r := range in.rows {
		for _, t := range r.terms {
			fmt.Fprint(&b, t.Lit, " ")
		}
		fmt.Fprintln(&b, 0)
	}
	return b.Bytes()
}

// TestDRAT does the same with clauses and DRAT.
func TestDRAT(t *testing.T) {
	refuted := 0
	for seed := range uint64(2 * *instances) {
		in := randomCNF(rand.New(rand.NewPCG(seed, 3)))
		text, err := solve(in, proof.DRAT, rand.New(rand.NewPCG(seed, 4)))
		if err != nil {
			t.Fatal(err)
		}
		err = drat.Check(bytes.NewReader(in.cnf()), bytes.NewReader(text))
		if _, feasible := in.least(); feasible != (err != nil) {
			t.Fatalf("seed %d: solutions: %v, error %v\n%s\n%s", seed, feasible, err, in.cnf(), text)
		}
		if err == nil {
			refuted++
		}
	}
	if refuted < *instances/3 {
		t.Errorf("only %d problems without solution", refuted)
	}
}

// TestDRATTrim has drat-trim read such proofs.
func TestDRATTrim(t *testing.T) {
	extsolver.RequireChecker(t, "drat-trim")
	accepted := 0
	for seed := range uint64(2 * *crossed) {
		in := randomCNF(rand.New(rand.NewPCG(seed, 3)))
		if _, feasible := in.least(); feasible {
			continue
		}
		text, err := solve(in, proof.DRAT, rand.New(rand.NewPCG(seed, 4)))
		if err != nil {
			t.Fatal(err)
		}
		if ok, output := extsolver.DRATTrim(t, in.cnf(), text, time.Minute); !ok {
			t.Fatalf("seed %d: %s\n%s\n%s", seed, output, in.cnf(), text)
		}
		accepted++
	}
	if accepted == 0 {
		t.Error("no problem without solution")
	}
}

// TestLines compares what each step writes.
func TestLines(t *testing.T) {
	steps := func(l *proof.Logger) []proof.ID {
		l.Comment("a\nb")
		ids := []proof.ID{l.Learn([]proof.Lit{-1, 2}), l.LearnPB([]proof.Term{{Coef: 2, Lit: 1}, {Coef: -1, Lit: -3}}, -1)}
		l.BeginPol(1)
		l.Add(2, 1)
		l.Add(4, 3)
		l.AddAxiom(-2, 1)
		l.AddAxiom(2, 5)
		l.Saturate()
		l.Multiply(2)
		l.Divide(1)
		l.Divide(2)
		ids = append(ids, l.EndPol())
		l.BeginPolAxiom(-1)
		ids = append(ids, l.EndPol(), l.Implied(1, []proof.Term{{Coef: 1, Lit: 1}}, 0))
		ids = append(ids, l.Solution([]proof.Lit{1, -2, 3}))
		l.Show([]proof.Lit{1, -2, 3})
		l.Delete(3)
		only, when := l.Reify(-5, []proof.Term{{Coef: 2, Lit: 1}, {Coef: -1, Lit: 2}}, 1)
		ids = append(ids, only, when, l.Contradiction())
		return ids
	}
	const body = "* a b\nrup 1 ~x1 1 x2 >= 1 ;\nrup 2 x1 -1 ~x3 >= -1 ;\n" +
		"pol 1 2 + 4 3 * + ~x2 + x2 5 * + s 2 * 2 d\npol ~x1\n%sdel id 3\n" +
		"red 2 x1 1 ~x2 2 x5 >= 2 ; x5 -> 1\nred 2 ~x1 1 x2 2 ~x5 >= 2 ; x5 -> 0\nrup >= 1 ;\n"
	want := map[proof.Format]string{
		proof.VeriPB12: "pseudo-Boolean proof version 1.2\nf 2\n" + fmt.Sprintf(body, "j 1 1 x1 >= 0 ;\no x1 ~x2 x3\nov x1 ~x2 x3\n") + "c 11\n",
		proof.VeriPB20: "pseudo-Boolean proof version 2.0\nf 2\n" + fmt.Sprintf(body, "ia 1 x1 >= 0 ; 1\nsoli x1 ~x2 x3\nsol x1 ~x2 x3\n") +
			"rup 1 x1 1 x2 1 x3 >= 2 ;\noutput NONE\nconclusion BOUNDS 2 : 12 2\nend pseudo-Boolean proof\n",
		proof.VeriPB30: "pseudo-Boolean proof version 3.0\nf 2 ;\n% a b\nrup 1 ~x1 1 x2 >= 1 ;\nrup 2 x1 -1 ~x3 >= -1 ;\n" +
			"pol 1 2 + 4 3 * + ~x2 + x2 5 * + s 2 * 2 d ;\npol ~x1 ;\nia 1 x1 >= 0 : 1 ;\nsoli x1 ~x2 x3 ;\nsol x1 ~x2 x3 ;\ndel id 3 ;\n" +
			"red 2 x1 1 ~x2 2 x5 >= 2 : x5 -> 1 ;\nred 2 ~x1 1 x2 2 ~x5 >= 2 : x5 -> 0 ;\nrup >= 1 ;\n" +
			"rup 1 x1 1 x2 1 x3 >= 2 ;\noutput NONE ;\nconclusion BOUNDS 2 : 12 2 ;\nend pseudo-Boolean proof ;\n",
	}
	for format, want := range want {
		var b bytes.Buffer
		l := proof.New(&b, proof.Options{Format: format, Constraints: 2, Objective: []proof.Term{{Coef: 1, Lit: 1}, {Coef: 1, Lit: 2}, {Coef: 1, Lit: 3}}})
		if ids := steps(l); !slices.Equal(ids, []proof.ID{3, 4, 5, 6, 7, 8, 9, 10, 11}) {
			t.Errorf("%v: numbers %v", format, ids)
		}
		l.ConcludeOptimal(2, 11)
		if err := l.Close(); err != nil || b.String() != want {
			t.Errorf("%v: error %v\n%s\nexpected\n%s", format, err, &b, want)
		}
	}
}

// TestSoft compares the names of what VeriPB adds to soft clauses.
func TestSoft(t *testing.T) {
	var b bytes.Buffer
	l := proof.New(&b, proof.Options{Format: proof.VeriPB30, Objective: []proof.Term{{Coef: 3, Lit: 4}, {Coef: 2, Lit: -1}}, Constant: 10, FirstSoft: 4, Soft: []int{2, 7}})
	l.Learn([]proof.Lit{-3, 4, -5, 6})
	l.BeginPol(1)
	l.AddAxiom(5, 2)
	l.EndPol()
	l.ConcludeOptimal(15, l.Contradiction())
	want := "pseudo-Boolean proof version 3.0\nf 0 ;\nrup 1 ~x3 1 ~_b2 1 _b7 1 x6 >= 1 ;\npol 1 ~_b7 2 * + ;\n" +
		"rup >= 1 ;\nrup 3 ~_b2 2 ~x1 >= 5 ;\noutput NONE ;\nconclusion BOUNDS 15 : 4 15 ;\nend pseudo-Boolean proof ;\n"
	if err := l.Close(); err != nil || b.String() != want {
		t.Errorf("error %v\n%s\nexpected\n%s", err, &b, want)
	}
}

// TestConclusions compares the last lines of version 2.0.
func TestConclusions(t *testing.T) {
	objective := []proof.Term{{Coef: 1, Lit: 1}}
	for _, c := range []struct {
		objective []proof.Term
		conclude  func(*proof.Logger)
		want      string
	}{
		{nil, func(*proof.Logger) {}, "NONE"},
		{nil, func(l *proof.Logger) { l.ConcludeUnsat(7) }, "UNSAT : 7"},
		{nil, (*proof.Logger).ConcludeSat, "SAT"},
		{objective, func(l *proof.Logger) { l.ConcludeUnsat(7) }, "BOUNDS INF : 7 INF"},
		{objective, func(l *proof.Logger) { l.ConcludeBounds(-3, 4, true, 7) }, "BOUNDS -3 : 7 4"},
		{objective, func(l *proof.Logger) { l.ConcludeBounds(-3, 4, false, 0) }, "BOUNDS -3 INF"},
	} {
		var b bytes.Buffer
		l := proof.New(&b, proof.Options{Format: proof.VeriPB20, Objective: c.objective})
		c.conclude(l)
		err := l.Close()
		want := "pseudo-Boolean proof version 2.0\nf 0\noutput NONE\nconclusion " + c.want + "\nend pseudo-Boolean proof\n"
		if err != nil || b.String() != want {
			t.Errorf("%s: error %v\n%s", c.want, err, &b)
		}
	}
}

// failing is a writer that fails at once.
type failing struct{}

var errFailing = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFailing }

func TestErrors(t *testing.T) {
	terms := []proof.Term{{Coef: 1, Lit: 1}}
	huge := []proof.Term{{Coef: math.MaxInt64 / 2, Lit: 1}, {Coef: 1, Lit: 2}}
	objective := proof.Options{Format: proof.VeriPB20, Objective: terms}
	for _, c := range []struct {
		name    string
		options proof.Options
		step    func(*proof.Logger)
		want    error
	}{
		{"linear in DRAT", proof.Options{Format: proof.DRAT}, func(l *proof.Logger) { l.LearnPB(terms, 1) }, proof.ErrUnsupported},
		{"pol in DRAT", proof.Options{Format: proof.DRAT}, func(l *proof.Logger) { l.BeginPol(1); l.Add(1, 1); l.EndPol() }, proof.ErrUnsupported},
		{"implication in DRAT", proof.Options{Format: proof.DRAT}, func(l *proof.Logger) { l.Implied(1, terms, 1) }, proof.ErrUnsupported},
		{"solution in DRAT", proof.Options{Format: proof.DRAT}, func(l *proof.Logger) { l.Show([]proof.Lit{1}) }, proof.ErrUnsupported},
		{"definition in DRAT", proof.Options{Format: proof.DRAT}, func(l *proof.Logger) { l.Reify(1, terms, 1) }, proof.ErrUnsupported},
		{"bounds in DRAT", proof.Options{Format: proof.DRAT}, func(l *proof.Logger) { l.ConcludeOptimal(1, 1) }, proof.ErrUnsupported},
		{"solution without objective", proof.Options{}, func(l *proof.Logger) { l.Solution([]proof.Lit{1}) }, proof.ErrUnsupported},
		{"bounds without objective", proof.Options{Format: proof.VeriPB20}, func(l *proof.Logger) { l.ConcludeBounds(1, 1, true, 1) }, proof.ErrUnsupported},
		{"large definition", objective, func(l *proof.Logger) { l.Reify(3, huge, 1) }, proof.ErrNumber},
		{"large degree", objective, func(l *proof.Logger) { l.Reify(3, terms, math.MinInt64) }, proof.ErrNumber},
		{"smallest coefficient", objective, func(l *proof.Logger) { l.Reify(3, []proof.Term{{Coef: math.MinInt64, Lit: 1}}, 0) }, proof.ErrNumber},
	} {
		l := proof.New(io.Discard, c.options)
		c.step(l)
		if err := l.Close(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	l := proof.New(failing{}, objective)
	l.Learn([]proof.Lit{1})
	if l.Err() != nil {
		t.Error("written before the buffer was full")
	}
	if err := l.Close(); !errors.Is(err, errFailing) {
		t.Errorf("got %v", err)
	}
	if _, err := proof.ParseFormat("3.1"); err == nil {
		t.Error("version 3.1 accepted")
	}
	for text, want := range map[string]proof.Format{"1.2": proof.VeriPB12, "2.0": proof.VeriPB20, "3.0": proof.VeriPB30} {
		if got, err := proof.ParseFormat(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// TestAllocations checks that steps allocate nothing.
func TestAllocations(t *testing.T) {
	lits := make([]proof.Lit, 100)
	for i := range lits {
		lits[i] = proof.Lit(i + 1).If(i&1 == 0)
	}
	terms := []proof.Term{{Coef: 3, Lit: 1}, {Coef: -2, Lit: -7}}
	for _, format := range append(slices.Clone(versions), proof.DRAT) {
		l := proof.New(io.Discard, proof.Options{Format: format, Objective: terms})
		n := testing.AllocsPerRun(1000, func() {
			id := l.Learn(lits)
			l.Delete(id, lits...)
			if format == proof.DRAT {
				return
			}
			l.LearnPB(terms, 2)
			l.BeginPol(1)
			l.Add(2, 3)
			l.Divide(3)
			l.EndPol()
			l.Solution(lits)
			l.Reify(200, terms, 1)
		})
		if n != 0 || l.Close() != nil {
			t.Errorf("%v: %v allocations a round", format, n)
		}
	}
}

func BenchmarkLearn(b *testing.B) {
	lits := make([]proof.Lit, 50)
	for i := range lits {
		lits[i] = proof.Lit(i*37%1000 + 1).If(i&1 == 0)
	}
	l := proof.New(io.Discard, proof.Options{Format: proof.VeriPB20})
	b.ReportAllocs()
	for range b.N {
		l.Learn(lits)
	}
}
