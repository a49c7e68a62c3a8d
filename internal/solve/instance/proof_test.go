package instance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/certify/drat"
	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/instance"
	"github.com/fdplan/fdplan/internal/solve/instance/embedded"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// answer is what a run with a proof gives.
type answer struct {
	status      instance.Status
	cost        int64 // with Optimal
	text, proof []byte
}

// prove writes an instance as portably as can be, reads it back, and solves it
// with a proof.
func prove(t testing.TB, in *instance.Instance, f proof.Format) answer {
	t.Helper()
	text, err := Text(in, Dialect{Format: in.Format, Portable: true})
	if err != nil {
		t.Fatal(err)
	}
	return proveText(t, text, in.Format, f)
}

func proveText(t testing.TB, text []byte, kind instance.Format, f proof.Format) answer {
	t.Helper()
	in, err := instance.Read(context.Background(), "instance", bytes.NewReader(text), kind, instance.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	a := answer{text: text}
	var out bytes.Buffer
	solver := embedded.New(embedded.Options{Proof: &embedded.Proof{W: &out, Format: f}})
	a.status, err = instance.Solve(context.Background(), in, func(ctx context.Context, in *instance.Instance, report func(instance.Progress)) (instance.Result, error) {
		r, err := solver(ctx, in, report)
		if r.Status == instance.Optimal {
			a.cost = *r.Bound
		}
		return r, err
	}, io.Discard)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a.proof = out.Bytes()
	return a
}

// check has the project's checkers read a proof and compares its verdict with
// the answer.
func (a answer) check(kind instance.Format) error {
	if kind == instance.CNF {
		if a.status != instance.Unsatisfiable {
			return nil
		}
		return drat.Check(bytes.NewReader(a.text), bytes.NewReader(a.proof))
	}
	checker := veripb.Check
	if kind != instance.OPB {
		checker = veripb.CheckWCNF
	}
	v, err := checker(bytes.NewReader(a.text), bytes.NewReader(a.proof))
	if err != nil {
		return err
	}
	want := map[instance.Status]veripb.Kind{instance.Unsatisfiable: veripb.Unsat, instance.Optimal: veripb.Optimal, instance.Satisfiable: veripb.Satisfiable}[a.status]
	if v.Kind != want || want == veripb.Optimal && v.Lower.Int64() != a.cost {
		return fmt.Errorf("%v %d, the proof shows %v", a.status, a.cost, v)
	}
	return nil
}

var versions = []proof.Format{proof.VeriPB12, proof.VeriPB20, proof.VeriPB30}

// randomKinds are the kinds of random instances that are proven.
var randomKinds = []struct {
	name   string
	format instance.Format
	draw   func(seed uint64) *instance.Instance
}{
	{"cnf", instance.CNF, func(seed uint64) *instance.Instance { return ThreeSAT(seed, 20+int(seed%81)) }},
	{"opb", instance.OPB, func(seed uint64) *instance.Instance { return OPB(seed, 5+int(seed%16), 1e6) }},
	{"opb small", instance.OPB, func(seed uint64) *instance.Instance { return OPB(seed, 4+int(seed%26), 6) }},
	{"cover", instance.OPB, cover},
	{"wcnf", instance.WCNF, func(seed uint64) *instance.Instance { return wcnf(seed, instance.WCNF) }},
	{"wcnf-old", instance.WCNFOld, func(seed uint64) *instance.Instance { return wcnf(seed, instance.WCNFOld) }},
}

// wcnf has soft clauses of any length, some of them empty or without weight.
func wcnf(seed uint64, f instance.Format) *instance.Instance {
	in := WCNF(seed, 4+int(seed%14), []int64{1, 9, 1e9}[seed%3])
	in.Format = f
	return in
}

// TestProofs has proofs of random instances checked: of every answer in OPB,
// and WCNF, of those that there is no solution in CNF.
func TestProofs(t *testing.T) {
	for _, k := range randomKinds {
		t.Run(k.name, func(t *testing.T) {
			var statuses [4]int
			for seed := range uint64(*instances) {
				a := prove(t, k.draw(seed), versions[seed%uint64(len(versions))])
				statuses[a.status]++
				if err := a.check(k.format); err != nil {
					t.Fatalf("seed %d: %v\n%s\n%s", seed, err, short(a.text), short(a.proof))
				}
			}
			t.Logf("%v", statuses)
			if *instances >= 100 && statuses[instance.Unsatisfiable]+statuses[instance.Optimal] < *instances/4 {
				t.Errorf("few proofs: %v", statuses)
			}
		})
	}
}

// TestProofsOutside has others' checkers read proofs.
func TestProofsOutside(t *testing.T) {
	for _, k := range randomKinds {
		t.Run(k.name, func(t *testing.T) {
			tool, outside := "veripb", extsolver.VeriPB
			switch k.format {
			case instance.CNF:
				tool, outside = "drat-trim", extsolver.DRATTrim
			case instance.WCNF:
				t.Skip("version 1.2 is of a veripb that reads the other dialect")
			case instance.WCNFOld:
				outside = extsolver.VeriPBWCNF
			}
			extsolver.RequireChecker(t, tool)
			for seed := range uint64(20) {
				a := prove(t, k.draw(seed), proof.VeriPB12)
				if a.status == instance.Satisfiable {
					continue
				}
				if ok, output := outside(t, a.text, a.proof, time.Minute); !ok {
					t.Errorf("%s refuses\n%s\nof\n%s\n%s", tool, short(a.proof), short(a.text), output)
				}
			}
		})
	}
}

// cover asks for a cheap choice of literals out of random clauses: many cores,
// whose counters are paid in further cores.
func cover(seed uint64) *instance.Instance {
	in := WCNF(seed, 10+int(seed%14), []int64{1, 9, 1e9}[seed%3])
	out := &instance.Instance{Format: instance.OPB, NumVars: in.NumVars, Optimises: true}
	for _, clause := range in.Clauses.All() {
		l := instance.Linear{K: 1}
		for _, x := range clause {
			l.Terms = append(l.Terms, instance.Term{Coef: 1, Lit: max(x, -x)})
		}
		out.Linear = append(out.Linear, l)
	}
	for v := range in.NumVars {
		w := int64(1)
		if int(v) < len(in.Soft) {
			w = in.Soft[v].Weight
		}
		out.Objective = append(out.Objective, instance.Term{Coef: w, Lit: proof.Lit(v + 1)})
	}
	return out
}

func short(text []byte) []byte {
	if len(text) > 6000 {
		return append(slices.Clone(text[:6000]), " …"...)
	}
	return text
}

// TestProofsWithDeletions proves what takes long enough for learned clauses to
// be deleted and the rest to be moved.
func TestProofsWithDeletions(t *testing.T) {
	for _, c := range []struct {
		in     *instance.Instance
		format proof.Format
	}{
		{ThreeSAT(4, 160), proof.DRAT},
		{pigeons(7), proof.VeriPB12},
		{vertexCover(85, 450), proof.VeriPB20},
	} {
		a := prove(t, c.in, c.format)
		if err := a.check(c.in.Format); err != nil {
			t.Errorf("%v: %v", c.format, err)
		}
		deletions := bytes.Count(a.proof, []byte("\nd")) // d in DRAT, del id in VeriPB
		if a.status == instance.Satisfiable || deletions < 100 {
			t.Errorf("%v: %v, %d deletions; expected a long proof", c.format, a.status, deletions)
		}
	}
}

// pigeons puts n+1 pigeons into n holes.
func pigeons(n int32) *instance.Instance {
	in := &instance.Instance{Format: instance.OPB, NumVars: n * (n + 1)}
	for i := range n + 1 {
		l := instance.Linear{K: 1}
		for j := range n {
			l.Terms = append(l.Terms, instance.Term{Coef: 1, Lit: proof.Lit(i*n + j + 1)})
		}
		in.Linear = append(in.Linear, l)
	}
	for j := range n {
		l := instance.Linear{K: int64(n)}
		for i := range n + 1 {
			l.Terms = append(l.Terms, instance.Term{Coef: 1, Lit: -proof.Lit(i*n + j + 1)})
		}
		in.Linear = append(in.Linear, l)
	}
	return in
}

// vertexCover asks for the cheapest vertices that touch all edges of a graph.
func vertexCover(vertices, edges int32) *instance.Instance {
	in := &instance.Instance{Format: instance.OPB, NumVars: vertices, Optimises: true}
	r := rand.New(rand.NewPCG(1, 1))
	for range edges {
		a := r.Int32N(vertices)
		b := (a + 1 + r.Int32N(vertices-1)) % vertices
		in.Linear = append(in.Linear, instance.Linear{Terms: []instance.Term{{Coef: 1, Lit: proof.Lit(a + 1)}, {Coef: 1, Lit: proof.Lit(b + 1)}}, K: 1})
	}
	for v := range vertices {
		in.Objective = append(in.Objective, instance.Term{Coef: 1 + r.Int64N(3), Lit: proof.Lit(v + 1)})
	}
	return in
}

// TestProofEdges proves what is decided before any search.
func TestProofEdges(t *testing.T) {
	for name, c := range map[string]struct {
		kind   instance.Format
		text   string
		status instance.Status
	}{
		"empty clause":          {instance.CNF, "p cnf 2 2\n1 2 0\n0\n", instance.Unsatisfiable},
		"opposite units":        {instance.CNF, "p cnf 1 2\n1 0\n-1 0\n", instance.Unsatisfiable},
		"units":                 {instance.CNF, "p cnf 3 4\n1 0\n-1 2 0\n-2 3 0\n-3 -1 0\n", instance.Unsatisfiable},
		"repeated literals":     {instance.CNF, "p cnf 2 4\n1 1 2 0\n1 -2 -2 0\n-1 2 2 0\n-1 -1 -2 0\n", instance.Unsatisfiable},
		"nothing":               {instance.CNF, "p cnf 0 0\n", instance.Satisfiable},
		"empty sum":             {instance.OPB, "min: 1 x1 ;\n1 x1 >= 0 ;\n0 x1 >= 1 ;\n", instance.Unsatisfiable},
		"too much":              {instance.OPB, "2 x1 3 x2 >= 6 ;\n", instance.Unsatisfiable},
		"forced both ways":      {instance.OPB, "2 x1 3 x2 >= 4 ;\n1 ~x1 1 ~x2 >= 1 ;\n", instance.Unsatisfiable},
		"an equation":           {instance.OPB, "2 x1 2 x2 = 3 ;\n", instance.Unsatisfiable},
		"free":                  {instance.OPB, "1 x1 1 x2 >= 1 ;\n", instance.Satisfiable},
		"no objective":          {instance.OPB, "", instance.Satisfiable},
		"objective 0":           {instance.OPB, "min: ;\n1 x1 >= 1 ;\n", instance.Optimal},
		"objective cancels":     {instance.OPB, "min: 1 x1 1 ~x1 ;\n1 x1 1 x2 >= 1 ;\n", instance.Optimal},
		"objective negative":    {instance.OPB, "min: -3 x1 -2 ~x2 2 x3 ;\n1 ~x1 1 x2 >= 1 ;\n1 x3 1 ~x1 >= 1 ;\n", instance.Optimal},
		"objective alone":       {instance.OPB, "min: 1 x1 -1 x2 ;\n", instance.Optimal},
		"objective unsolvable":  {instance.OPB, "min: 1 x1 ;\n1 x1 >= 1 ;\n1 ~x1 >= 1 ;\n", instance.Unsatisfiable},
		"objective of one unit": {instance.OPB, "min: 5 x1 ;\n1 x1 >= 1 ;\n", instance.Optimal},
		"soft alone":            {instance.WCNF, "3 1 2 0\n2 -1 0\n1 -2 0\n", instance.Optimal},
		"soft and its opposite": {instance.WCNF, "3 1 0\n2 -1 0\nh 2 0\n4 1 0\n", instance.Optimal},
		"soft of all kinds":     {instance.WCNF, "c no header\n3 0\n0 1 2 0\nh 1 -1 0\n0 3 0\n5 2 2 0\n7 2 -2 1 0\n0 0\nh -2 -2 0\n", instance.Optimal},
		"soft nothing":          {instance.WCNF, "", instance.Optimal},
		"soft unsolvable":       {instance.WCNF, "4 1 3 0\nh 0\n4 1 2 0\n", instance.Unsatisfiable},
		"soft without top":      {instance.WCNFOld, "p wcnf 3 3\n4 1 3 0\n2 -1 0 1 -3\n0\n", instance.Optimal},
		"soft with a header":    {instance.WCNFOld, "p wcnf 5 4 9\n4 1 3 0\n9 -1 0\n12 -3 0\n3 0\n", instance.Optimal},
	} {
		for _, f := range versions {
			a := proveText(t, []byte(c.text), c.kind, f)
			if a.status != c.status {
				t.Errorf("%s: %v, expected %v", name, a.status, c.status)
			}
			if err := a.check(c.kind); err != nil && !(c.status == instance.Satisfiable && f == proof.VeriPB12) {
				t.Errorf("%s: %v\n%s", name, err, a.proof)
			}
		}
	}
}

// TestFlippedProofs changes single numbers of proofs: a change is refused, or
// what the proof then says is still true.
func TestFlippedProofs(t *testing.T) {
	refused, tried := 0, 0
	for seed := range uint64(18) {
		kind, in := instance.CNF, ThreeSAT(seed, 40)
		switch seed % 3 {
		case 0:
			kind, in = instance.OPB, cover(seed)
		case 1:
			kind, in = instance.WCNF, wcnf(seed, instance.WCNF)
		}
		a := prove(t, in, versions[1+seed/3%2])
		if kind == instance.CNF && a.status != instance.Unsatisfiable {
			continue
		}
		lines := bytes.Split(a.proof, []byte("\n"))
		for i := 0; i < len(lines); i += 1 + len(lines)/60 {
			at := bytes.IndexAny(lines[i], "12345678")
			if at < 0 || bytes.HasPrefix(lines[i], []byte("pseudo")) {
				continue
			}
			flipped := bytes.Clone(lines[i])
			flipped[at]++
			b := a
			b.proof = bytes.Join(slices.Concat(lines[:i], [][]byte{flipped}, lines[i+1:]), []byte("\n"))
			tried++
			if err := b.check(kind); err == nil {
				continue
			} else if strings.Contains(err.Error(), "the proof shows") && !strings.Contains(err.Error(), "bounds") {
				t.Errorf("seed %d: %s for %s: %v", seed, flipped, lines[i], err)
			}
			refused++
		}
	}
	if refused < tried/4 || tried < 50 {
		t.Errorf("of %d flipped numbers only %d were refused", tried, refused)
	}
}

// TestCutShort ends a run early: the bounds so far are proven.
func TestCutShort(t *testing.T) {
	in := cover(5)
	in.NumVars = 400
	for v := int32(24); v < 400; v++ {
		in.Objective = append(in.Objective, instance.Term{Coef: int64(v%7 + 1), Lit: proof.Lit(v + 1)})
	}
	for i := int32(0); i < 1200; i++ {
		l := instance.Linear{K: 2}
		for j := range int32(5) {
			l.Terms = append(l.Terms, instance.Term{Coef: 1, Lit: proof.Lit((i*i*7+j*(i+31))%400 + 1)})
		}
		in.Linear = append(in.Linear, l)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	text, err := Text(in, Dialect{Format: instance.OPB, Portable: true})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r, err := embedded.New(embedded.Options{Proof: &embedded.Proof{W: &out, Format: proof.VeriPB20}})(ctx, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != instance.Satisfiable {
		t.Fatalf("%v; expected to be cut short", r.Status)
	}
	v, err := veripb.Check(bytes.NewReader(text), &out)
	if err != nil {
		t.Fatal(err)
	}
	if v.Kind != veripb.Bounds || v.Lower.Int64() != *r.Bound {
		t.Errorf("bound %d, the proof shows %v", *r.Bound, v)
	}
}

// TestNoProof refuses soft clauses without a place in a file.
func TestNoProof(t *testing.T) {
	_, err := embedded.New(embedded.Options{Proof: &embedded.Proof{W: io.Discard}})(context.Background(), WCNF(1, 5, 5), nil)
	if !errors.Is(err, embedded.ErrNoProof) {
		t.Errorf("%v", err)
	}
}
