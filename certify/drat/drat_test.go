package drat

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	// The clauses exclude every assignment of two variables.
	square = "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n"
	// The example of the DRAT format's authors: four variables, eight clauses.
	four = "c four variables\np cnf 4 8\n1 2 -3 0\n-1 -2 3 0\n2 3 -4 0\n-2 -3 4 0\n-1 -3 -4 0\n1 3 4 0\n-1 2 4 0\n1 -2 -4 0\n"
)

func TestAccepted(t *testing.T) {
	for name, c := range map[string]struct{ cnf, proof string }{
		"rup":                     {square, "1 0\n0\n"},
		"no line for the end":     {square, "1 0"},
		"empty clause at once":    {"p cnf 1 2\n1 0\n-1 0\n", ""},
		"empty clause in it":      {"p cnf 0 1\n0\n", ""},
		"comments and deletions":  {square, "c why\n1 0\nd 2 1 0\n0\n"},
		"rat":                     {four, "-1 0\nd -1 2 4 0\n2 0\n0\n"},
		"over several lines":      {square, "1\n 0 0\n"},
		"doubled literals":        {"p cnf 2 3\n1 1 2 0\n-2 1 1 0\n-1 0\n", "1 1 1 0\n0\n"},
		"tautologies":             {"p cnf 2 5\n1 -1 0\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n", "2 -2 0\n1 0\n0\n"},
		"new variables":           {square, "3 1 0\n3 2 0\n-3 -1 -2 0\n1 0\n0\n"},
		"reasons are not deleted": {"p cnf 3 4\n1 0\n-1 2 0\n-2 3 0\n-3 -1 0\n", ""},
	} {
		if err := Check(strings.NewReader(c.cnf), strings.NewReader(c.proof)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ cnf, proof, want string }{
		"not implied":           {"p cnf 2 3\n1 2 0\n1 -2 0\n-1 2 0\n", "c x\n0\n", "proof:2:1: the clause [] has neither"},
		"no rat":                {"p cnf 2 2\n1 2 0\n-1 2 0\n", "-2 0\n", "proof:1:1: the clause [-2]"},
		"other first literal":   {"p cnf 3 2\n1 2 0\n-1 3 0\n", "-2 -3 0\n", "proof:1:1: "},
		"not finished":          {square, "", "proof:1:1: the proof ends without the empty clause"},
		"deleted":               {four, "d 1 2 -3 0\n-1 0\n2 0\n0\n", "proof:"},
		"deletion of none":      {square, "d 1 0\n", "proof:1:1: there is no clause [1] to delete"},
		"open clause":           {square, "1 2", "proof:1:4: the file ends inside a clause"},
		"open deletion":         {square, "d", "proof:1:2: the file ends"},
		"no literal":            {square, "1 x 0\n", "proof:1:3: found \"x\""},
		"large variable":        {square, "999999999999 0\n", "expected a literal"},
		"long word":             {square, strings.Repeat("1", 200) + " 0\n", "proof:1:1: found \"1111"},
		"header":                {"p sat 1 1\n", "", "formula:1:3: found \"sat\""},
		"count":                 {"p cnf 1 2\n1 0\n", "", "formula:2:5: the file has 1 clauses, its header says 2"},
		"variable":              {"p cnf 1 1\n2 0\n", "", "found variable 2"},
		"bad number of clauses": {"p cnf 1 -2\n1 0\n", "", "formula:1:9: found \"-2\""},
		"empty":                 {"", "", "formula:1:1: the file ends, expected \"p\""},
	} {
		err := Check(strings.NewReader(c.cnf), strings.NewReader(c.proof))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected one with %q", name, err, c.want)
		}
	}
	broken := iotest.ErrReader(errors.New("broken"))
	if err := Check(strings.NewReader(square), broken); err == nil || !strings.Contains(err.Error(), "proof:1: cannot be read: broken") {
		t.Errorf("broken reader: %v", err)
	}
}

// satisfiable tries all assignments of a CNF that Check can read.
func satisfiable(t testing.TB, cnf string) (yes, small bool) {
	var words []string
	for _, line := range strings.Split(cnf, "\n") {
		if !strings.HasPrefix(line, "c") {
			words = append(words, strings.Fields(line)...)
		}
	}
	clauses, most := [][]int{nil}, 0
	for _, word := range words[4:] { // p cnf VARIABLES CLAUSES
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		last := len(clauses) - 1
		if most = max(most, n, -n); n == 0 {
			clauses = append(clauses, nil)
		} else {
			clauses[last] = append(clauses[last], n)
		}
	}
	if most > 12 {
		return false, false
	}
	for bits := range 1 << most {
		broken := func(clause []int) bool {
			return !slices.ContainsFunc(clause, func(n int) bool { return bits>>(max(n, -n)-1)&1 == 1 == (n > 0) })
		}
		if !slices.ContainsFunc(clauses[:len(clauses)-1], broken) {
			return true, true
		}
	}
	return false, true
}

var steps = flag.Uint64("instances", 4000, "random proofs to check")

// TestRandomSteps presents random clauses and deletions as proofs: none may refute a
// satisfiable formula.
func TestRandomSteps(t *testing.T) {
	accepted := 0
	for seed := range *steps {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(3)
		clause := func() string {
			text := ""
			for range 1 + rng.IntN(3) {
				text += fmt.Sprint((1+rng.IntN(n))*(1-2*rng.IntN(2)), " ")
			}
			return text + "0\n"
		}
		m := 2*n + rng.IntN(4)
		cnf := fmt.Sprintf("p cnf %d %d\n", n, m)
		var clauses []string
		for range m {
			clauses = append(clauses, clause())
			cnf += clauses[len(clauses)-1]
		}
		proof := ""
		for range 6 {
			if rng.IntN(3) == 0 {
				proof += "d " + clauses[rng.IntN(len(clauses))]
			} else {
				clauses = append(clauses, clause())
				proof += clauses[len(clauses)-1]
			}
		}
		if Check(strings.NewReader(cnf), strings.NewReader(proof+"0\n")) != nil {
			continue
		}
		accepted++
		if yes, _ := satisfiable(t, cnf); yes {
			t.Fatalf("seed %d: refuted, though there is a solution:\n%s\n%s", seed, cnf, proof)
		}
	}
	if accepted < int(*steps)/20 {
		t.Errorf("only %d proofs accepted", accepted)
	}
}

// FuzzCheck looks for accepted proofs of a satisfiable CNF, and for panics.
func FuzzCheck(f *testing.F) {
	f.Add(square, "1 0\nd 1 2 0\n0\n")
	f.Add(four, "-1 0\nd -1 2 4 0\n2 0\n0\n")
	f.Fuzz(func(t *testing.T, cnf, proof string) {
		// Memory grows with the number of the largest variable.
		for _, text := range []string{cnf, proof} {
			for _, word := range strings.Fields(text) {
				if len(word) > 5 {
					return
				}
			}
		}
		if Check(strings.NewReader(cnf), strings.NewReader(proof)) != nil {
			return
		}
		if yes, small := satisfiable(t, cnf); yes && small {
			t.Error("accepted, though there is a solution")
		}
	})
}
