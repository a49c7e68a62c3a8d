package veripb

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

// The problems of the tables.
const (
	// At least two of three variables are false, yet two pairs each need a true one.
	unsatOPB = "* #variable= 3 #constraint= 4\n+1 x1 +1 x2 >= 1 ;\n+1 x1 +1 x3 >= 1 ;\n+1 x2 +1 x3 >= 1 ;\n-1 x1 -1 x2 -1 x3 >= -1 ;\n"
	// The least value is 2: two of the variables, by cutting planes.
	coverOPB = "* a cover\nmin: +1 x1 +1 x2 +1 x3 ;\n+1 x1 +1 x2 >= 1 ;\n+1 x1 +1 x3 >= 1 ;\n+1 x2 +1 x3 >= 1 ;\n"
	// The least value is -3, at x1, ~x2.
	weightOPB = "min: -5 x1 2 ~x2\n -0 x3 ;\n1 x1 +1 ~x2 = 2 ;\n+1 x3 +1 x4 = 1;"
	bigOPB    = "min: 1 x1 ;\n100000000000000000000 x1 +99999999999999999999 x2 >= 100000000000000000000 ;\n-1 x2 >= 0;\n"
)

const (
	v1 = "pseudo-Boolean proof version 1.2\n"
	v2 = "pseudo-Boolean proof version 2.0\n"
	v3 = "pseudo-Boolean proof version 3.0\n"
)

// concluded3 ends a proof of version 3.0.
func concluded3(what string) string {
	return "output NONE;\nconclusion " + what + ";\nend pseudo-Boolean proof;\n"
}

// concluded ends a proof of version 2.0.
func concluded(what string) string {
	return "output NONE\nconclusion " + what + "\nend pseudo-Boolean proof\n"
}

func TestAccepted(t *testing.T) {
	for _, c := range []struct{ name, opb, proof, want string }{
		{"cutting planes", unsatOPB, v1 + "* comment\n\nf 4\np 1 2 + 3 + 2 d\np 5 4 +\nc 6\n", "unsatisfiable"},
		{"old zeros", unsatOPB, v1 + "f 4 0\np 1 2 + 3 + 2 d 0\np 5 4 + 0\nc 6 0\n", "unsatisfiable"},
		{"rup", unsatOPB, v1 + "f\nu 1 x1 >= 1 ;\nu >= 1 ;\nc -1", "unsatisfiable"},
		{"rup 2.0", unsatOPB, v2 + "f 4\nrup 1 x1 >= 1 ; ~ 1 2 4\nrup >= 1 ;\n" + concluded("UNSAT : 6") + "anything", "unsatisfiable"},
		{"no hint", unsatOPB, v2 + "rup 1 x1 >= 1 ;\nrup >= 1 ;\n" + concluded("UNSAT"), "unsatisfiable"},
		{"nothing claimed", unsatOPB, v1 + "f 4\n", "none"},
		{"nothing concluded", unsatOPB, v2 + concluded("NONE"), "none"},
		{"axioms one by one", unsatOPB, v1 + "l 1\nl 2\nl 3\nl 4\nu 1 x1 >= 1 ;\nu >= 1 ;\nc 6\n", "unsatisfiable"},
		{"optimum", coverOPB, v1 + "f 3\no x1 x2 x3\no x1 x2 ~x3\npol 1 2 + 3 + 2 d\npol 6 5 +\nc 7\n", "optimal 2"},
		{"optimum 2.0", coverOPB, v2 + "f 3\nsoli x1 x2 ~x3\npol 1 2 + 3 + 2 d ;\npol 5 4 +\nrup 1 x1 1 x2 1 x3 >= 2 ;\n" + concluded("BOUNDS 2 : 7 2"), "optimal 2"},
		{"optimum from a contradiction", coverOPB, v2 + "soli x1 x2 ~x3\npol 1 2 + 3 + 2 d\npol 5 4 +\n" + concluded("BOUNDS 2 : 6 2"), "optimal 2"},
		{"bound without contradiction", coverOPB, v2 + "sol x1 x2 ~x3\npol 1 2 + 3 + 2 d\n" + concluded("BOUNDS 2 2"), "optimal 2"},
		{"bound and a solution at the end", coverOPB, v2 + "pol 1 2 + 3 + 2 d\n" + concluded("BOUNDS 2 : 4 2 : x1 x2 ~x3"), "optimal 2"},
		{"bounds", coverOPB, v2 + "sol x1 x2 x3\n" + concluded("BOUNDS 1 3"), "bounds 1 3"},
		{"lower bound", coverOPB, v2 + "pol 1 2 + 3 + 2 d\n" + concluded("BOUNDS 2 INF"), "bounds 2 INF"},
		{"bound of version 1.2", coverOPB, v1 + "f 3\no x1 x2 x3\np 1 2 +\n", "bounds 1 3"},
		{"optimum of version 1.2 without c", coverOPB, v1 + "f 3\no x1 x2 ~x3\np 1 2 + 3 + 2 d\n", "optimal 2"},
		{"lower bound of version 1.2", coverOPB, v1 + "f 3\np 1 2 + 3 + 2 d\n", "bounds 2 INF"},
		{"infeasible with objective", "min: 1 x1 ;\n" + unsatOPB, v2 + "rup 1 x1 >= 1 ;\nrup >= 1 ;\n" + concluded("BOUNDS INF INF"), "unsatisfiable"},
		{"satisfiable", unsatOPB[:strings.LastIndex(unsatOPB, "-1 x1")], v2 + "sol x1 x2 x3\n" + concluded("SAT"), "satisfiable"},
		{"satisfiable, said at the end", "+1 x1 >= 1 ;", v2 + concluded("SAT : x1"), "satisfiable"},
		{"satisfiable 1.2", "+1 x1 >= 1 ;", v1 + "ov x1\n", "satisfiable"},
		{"all solutions", "+1 x1 +1 x2 >= 1 ;", v1 + "f 1\nv x1 x2\nv ~x1\nv ~x2\nu >= 1 ;\nc 5\n", "satisfiable"},
		{"negative and negated objective", weightOPB, v1 + "f 4\no x1 ~x2 x3 ~x4\nu >= 1 ;\nc 6", "optimal -3"},
		{"open variables follow", weightOPB, v1 + "f 4\no x1 ~x2 x3\nu >= 1 ;\nc 6", "optimal -3"},
		{"beyond 64 bits", bigOPB, v1 + "f 2\no x1 ~x2\nu >= 1 ;\nc 4", "optimal 1"},
		{"beyond 64 bits, cutting planes", bigOPB, v1 + "f 2\np 2 99999999999999999999 * 1 + 99999999999999999999 d\ne 3 2 x1 >= 2 ;\n", "bounds 1 INF"},
		{"levels", unsatOPB, v1 + "f 4\n# 1\nu 1 x1 >= 1 ;\n# 2\nu 1 x2 >= 1 ;\n# 1\nw 2\nu >= 1 ;\nd 5\nw 0\nu 1 x1 >= 1 ;\n", "none"},
		{"deletion", unsatOPB, v2 + "rup 1 x1 >= 1 ;\ndel id 1\ndel range 2 4\ndel range 5 6\ndel spec -1 x1 -1 x2 -1 x3 >= -1 ;\n" + concluded("NONE"), "none"},
		{"deletion by number", unsatOPB, v2 + "rup 1 x1 >= 1 ;\ndelc 1 2\ndeld 5\ncore id 3\ncore range 3 5\n" + concluded("NONE"), "none"},
		{"implication", "2 x1 +1 x2 >= 2 ;", v1 + "f 1\ni 1 1 x1 1 x3 >= 1 ;\nj 1 1 x1 >= 0 ;\nj 1 3 x1 1 x2 1 x3 >= 2 ;\ne 3 1 x2 3 x1 1 x3 >= 2 ;\n", "none"},
		{"implication 2.0", "2 x1 +1 x2 >= 2 ;", v2 + "i 1 x1 1 x3 >= 1 ;\nia 1 x1 >= 0 ; 1\nia 3 x1 1 x2 1 x3 >= 2 ; -2\ne 1 x2 3 x1 1 x3 >= 2 ; 3\nea 1 x2 2 x1 >= 2 ;\n" + concluded("NONE"), "none"},
		{"saturation and weakening", "3 x1 +2 x2 +1 ~x3 >= 2 ;", v1 + "f 1\np 1 s\ne 2 2 x1 2 x2 1 ~x3 >= 2 ;\np 1 x3 w\ne 3 3 x1 2 x2 >= 1 ;\np 1 x3 2 * + ~x2 +\ne 4 3 x1 1 x2 1 x3 >= 0 ;\np x1 ~x1 + s\ne 5 >= -1 ;", "none"},
		{"double variables", "1 x1 2 x1 1 ~x1 >= 2 ;", v1 + "f 1\ne 1 2 x1 >= 1 ;\nu 1 x1 >= 1 ;\n", "none"},
		{"names", "1 a_1 +1 ~[b] >= 1 ;1 _c^{2} >= 0;"[:18] + "\n", v1 + "f 1\nu 2 a_1 1 zz >= 0 ;\n", ""},
		{"definition", "1 x1 1 x2 1 x3 >= 2 ;", v1 + "f 1\nred 1 x1 1 x2 1 x3 2 ~y1 >= 2 ; y1 -> 0\nred 1 ~x1 1 ~x2 1 ~x3 2 y1 >= 2 ; y1 1\np 1 3 +\nu 1 y1 >= 1 ;\n", "none"},
		{"symmetry", "1 x1 1 x2 >= 1 ;", v2 + "red 1 x1 >= 1 ; x1 -> x2 x2 -> x1\n" + concluded("NONE"), "none"},
		{"pure literal, objective kept", "min: 1 x1 ;\n1 x1 1 x2 >= 1 ;", v2 + "red 1 x2 >= 1 ; x2 -> 1\nsoli ~x1 x2\nrup >= 1 ;\n" + concluded("BOUNDS 0 : 4 0"), "optimal 0"},
		{"rup 3.0", unsatOPB, v3 + "f 4;\nrup 1 x1 >= 1 : ~ 1 2 4;\nrup >= 1;\n" + concluded3("UNSAT : 6"), "unsatisfiable"},
		{"empty hints", unsatOPB, v3 + "rup 1 x1 >= 1 : ;\nrup >= 1:;\n" + concluded3("UNSAT"), "unsatisfiable"},
		{"statements across lines", unsatOPB, v3 + "% pol 1;\nf\n 4 % of them;\n;rup 1 x1\n>=\n1;rup >= 1; " + concluded3("UNSAT\n:\n6"), "unsatisfiable"},
		{"optimum 3.0", coverOPB, v3 + "f 3 ;\nsoli x1 x2 ~x3 : 2;\npol 1 2 + 3 + 2 d ;\npol 5 4 +;\nrup 1 x1 1 x2 1 x3 >= 2 ;\n" + concluded3("BOUNDS 2 : 7 2"), "optimal 2"},
		{"bound and a solution at the end 3.0", coverOPB, v3 + "pol 1 2 + 3 + 2 d;" + concluded3("BOUNDS 2: 4 2:x1 x2 ~x3"), "optimal 2"},
		{"implication 3.0", "2 x1 +1 x2 >= 2 ;", v3 + "i 1 x1 1 x3 >= 1;\nia 1 x1 >= 0 : 1;\nia 3 x1 1 x2 1 x3 >= 2 : -2;\ne 1 x2 3 x1 1 x3 >= 2 : 3;\n" + concluded3("NONE"), "none"},
		{"definition 3.0", "1 x1 1 x2 1 x3 >= 2 ;", v3 + "red 1 x1 1 x2 1 x3 2 ~y1 >= 2 : y1 -> 0;\nred 1 ~x1 1 ~x2 1 ~x3 2 y1 >= 2 : y1 1 ;\npol 1 3 +;\nrup 1 y1 >= 1;\n" + concluded3("NONE"), "none"},
		{"deletion 3.0", unsatOPB, v3 + "setlvl 1;rup 1 x1 >= 1 ;wiplvl 1;\ndel id 1 2;\ndel range 3 4;\ndel spec -1 x1 -1 x2 -1 x3 >= -1;\n" + concluded3("NONE"), "none"},
		{"empty problem", "", v1 + "f 0\n", "none"},
		{"no constraint", "min: ;", v1 + "f\no\nc 1", "optimal 0"},
		{"empty sum", ">= 1 ;", v1 + "f 1\nc 1\n", "unsatisfiable"},
	} {
		v, err := Check(strings.NewReader(c.opb), strings.NewReader(c.proof))
		switch {
		case c.want == "": // a fault in the problem
			if err == nil || !strings.HasPrefix(err.Error(), "formula:1:") {
				t.Errorf("%s: verdict %v, error %v, expected a fault in line 1 of the problem", c.name, v, err)
			}
		case err != nil || v.String() != c.want:
			t.Errorf("%s: verdict %v, error %v, expected %s", c.name, v, err, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, opb, proof, want string }{
		{"rup that does not follow", unsatOPB, v1 + "f 4\nu 1 ~x1 1 x2 >= 2 ;\n", "proof:3:1: 1 ~x1 1 x2 >= 2 does not follow"},
		{"rup without the problem", unsatOPB, v1 + "u 1 x1 >= 1 ;\n", "proof:2:1: 1 x1 >= 1 does not follow"},
		{"no contradiction", unsatOPB, v1 + "f 4\np 1 2 +\nc 5", "proof:4:3: 2 x1 1 x2 1 x3 >= 2 is not a contradiction"},
		{"deleted", unsatOPB, v1 + "f 4\ndel id 1\np 1 2 +\n", "proof:4:7: constraint 1 was deleted"},
		{"deleted twice", unsatOPB, v1 + "f 4\ndel id 1 1\n", "proof:3:10: constraint 1 was deleted"},
		{"what rests on deleted constraints", unsatOPB, v1 + "f 4\nu 1 x1 >= 1 ;\nu 1 x2 >= 1 ;\ndel id 1 2 3 4 5\nu 1 x1 >= 1 ;", "proof:6:1: "},
		{"number beyond", unsatOPB, v1 + "f 4\np 1 5 +\n", "proof:3:7: there is no constraint 5, the last is 4"},
		{"number before", unsatOPB, v1 + "f 4\np 1 -5 +\n", "there is no constraint -5"},
		{"zero", unsatOPB, v1 + "f 4\np 1 0 +\n", "there is no constraint 0"},
		{"count", unsatOPB, v1 + "f 3\n", "proof:2:3: the problem has 4 constraints"},
		{"axiom beyond", unsatOPB, v1 + "l 5\n", "the problem has no constraint 5"},
		{"assumption", unsatOPB, v1 + "f 4\na >= 1 ;\n", "proof:3:1: an assumption proves nothing"},
		{"unknown rule", unsatOPB, v1 + "f 4\ndom 1 x1 >= 1 ; x1 -> 0", "proof:3:1: found \"dom\""},
		{"rule of the other version", unsatOPB, v1 + "f 4\nsoli x1\n", "is not of this version"},
		{"rule of the first version", unsatOPB, v2 + "c 4\n", "is not of this version"},
		{"version", unsatOPB, "pseudo-Boolean proof version 3.1\n", "proof:1:30: found \"3.1\", expected version 1.2, 2.0 or 3.0"},
		{"short name 3.0", unsatOPB, v3 + "u 1 x1 >= 1;\n", "is not of this version"},
		{"solution 3.0", coverOPB, v3 + "solx x1 x2 x3;\n", "is not of this version"},
		{"star 3.0", unsatOPB, v3 + "* comment;\n", "proof:2:1: found \"*\""},
		{"semicolon inside", coverOPB, v3 + "ia 1 x1 1 x2 >= 1 ; 1;\n", "proof:2:21: found \"1\""},
		{"no end of a statement", coverOPB, v3 + "pol 1\n2 +\n", "proof:2:1: the statement has no end"},
		{"fault in a long statement", coverOPB, v3 + "\npol 1\n2 /;\n", "proof:3: found \"/\""},
		{"second statement of a line", coverOPB, v3 + "pol 1; pol 9 1 +;\n", "proof:2:16: there is no constraint 9"},
		{"no witness 3.0", coverOPB, v3 + "red 1 x1 1 x2 >= 1;\n", "expected \":\" and the variables"},
		{"subproof 3.0", coverOPB, v3 + "red 1 x1 >= 0 : x1 -> 1 : subproof qed;\n", "subproofs are not known"},
		{"proof by contradiction", coverOPB, v3 + "pbc 1 x1 >= 1 : subproof qed;\n", "found \"pbc\""},
		{"wrong value", coverOPB, v3 + "soli x1 x2 ~x3 : 3;\n", "the objective has the value 2, not 3"},
		{"no end 3.0", coverOPB, v3 + "output NONE;conclusion NONE;", "expected \"end pseudo-Boolean proof\""},
		{"header", unsatOPB, "f 4", "proof:1:1: found \"f\", expected \"pseudo-Boolean\""},
		{"empty", unsatOPB, "", "proof:1:1: the line ends"},
		{"division by 0", unsatOPB, v1 + "f 4\np 1 0 d\n", "needs a positive number"},
		{"negative factor", unsatOPB, v1 + "f 4\np 1 -1 *\n", "needs a positive number"},
		{"factor that is a constraint", unsatOPB, v1 + "f 4\np 1 1 2 + *\n", "needs a positive number"},
		{"weakening by a literal", unsatOPB, v1 + "f 4\np 1 ~x1 w\n", "needs a variable"},
		{"few operands", unsatOPB, v1 + "f 4\np 1 +\n", "proof:3:5: \"+\" needs 2 operands, there are 1"},
		{"many operands", unsatOPB, v1 + "f 4\np 1 2\n", "2 constraints are left"},
		{"no operand", unsatOPB, v1 + "f 4\np\n", "0 constraints are left"},
		{"bad word", unsatOPB, v1 + "f 4\np 1 2 r\n", "proof:3:7: found \"r\""},
		{"worse solution", coverOPB, v1 + "f 3\no x1 x2 ~x3\no x1 x2 x3\n", "proof:4:1: no solution"},
		{"not better", coverOPB, v1 + "f 3\no x1 x2 ~x3\no ~x1 x2 x3\n", "proof:4:1: no solution"},
		{"no solution", coverOPB, v1 + "f 3\no x1 ~x2 ~x3\n", "proof:3:1: no solution"},
		{"no solution of the problem", coverOPB, v1 + "o x1 ~x2 ~x3\n", "proof:2:1: no solution: the problem's"},
		{"no solution of what was deleted", coverOPB, v2 + "del id 3\nsoli x1 ~x2 ~x3\n", "proof:3:1: no solution: the problem's"},
		{"objective left open", coverOPB, v1 + "f 3\no x1 x2\n", "leaves x3 of the objective open"},
		{"no objective", unsatOPB, v1 + "f 4\no x1\n", "no objective"},
		{"original", coverOPB, v1 + "ov x1\n", "no solution: the problem's"},
		{"contradictory literals", "1 x1 >= 0;", v1 + "ov x1 ~x1\n", "true and false"},
		{"red without witness", "1 x1 1 x2 >= 1 ;", v1 + "f 1\nred 1 x1 >= 1 ;\n", "proof:3:1: "},
		{"red that leaves itself", "1 x4 1 x3 >= 1 ;\n1 x4 1 ~x3 >= 1 ;", v1 + "f\nred 1 ~x1 1 x2 >= 1 ; x1 -> 1 x2 -> x4\nred 1 ~x1 1 ~x2 >= 1 ;", "proof:4:1: "},
		{"red that breaks another", "1 x1 1 x2 >= 1 ;", v1 + "f 1\nred 1 ~x1 >= 1 ; x1 -> 0\n", "proof:3:1: 1 x1 1 x2 >= 1 under the substitution"},
		{"red that worsens the objective", "min: 1 x2 ;\n1 x1 1 x2 >= 1 ;", v2 + "red 1 x2 >= 1 ; x2 -> 1\n", "proof:2:1: objective not raised"},
		{"wrong definition", "1 x1 1 x2 1 x3 >= 0 ;", v1 + "f 1\nred 1 x1 1 x2 1 x3 2 ~y1 >= 2 ; y1 -> 0\nred 1 ~x1 1 ~x2 1 ~x3 3 y1 >= 3 ; y1 1\n", "proof:4:1: "},
		{"problem after red", "1 x1 >= 1 ;", v1 + "red 1 ~x1 >= 1 ; x1 -> 0\nf 1\n", "proof:3:1: constraints of the problem cannot be added"},
		{"axiom after red", "1 x1 >= 1 ;", v1 + "red 1 ~x1 >= 1 ; x1 -> 0\nl 1\n", "proof:3:1: constraints of the problem cannot be added"},
		{"subproof", "1 x1 >= 1 ;", v2 + "red 1 x2 >= 1 ; x2 -> 1 ; begin\n", "subproofs are not known"},
		{"bad substitution", "1 x1 >= 1 ;", v2 + "red 1 x2 >= 1 ; ~x2 -> 1\n", "expected a variable"},
		{"double substitution", "1 x1 >= 1 ;", v2 + "red 1 x2 >= 1 ; x2 -> 1 x2 -> 0\n", "substituted twice"},
		{"bad image", "1 x1 >= 1 ;", v2 + "red 1 x2 >= 1 ; x2 -> 2\n", "expected 0, 1 or a literal"},
		{"equals", "2 x1 >= 1 ;", v1 + "f 1\ne 1 1 x1 >= 1 ;", "does not equal"},
		{"implies", "2 x1 1 x2 >= 1 ;", v1 + "f 1\ni 1 1 x1 >= 1 ;", "does not imply"},
		{"implied by none", "2 x1 1 x2 >= 1 ;", v2 + "ia 1 x1 >= 1 ;", "no constraint is there to imply"},
		{"equation in a rule", unsatOPB, v1 + "f 4\nu 1 x1 = 1 ;", "found \"=\", expected \">=\""},
		{"no semicolon", unsatOPB, v1 + "f 4\nu 1 x1 >= 1", "expected \";\""},
		{"no degree", unsatOPB, v1 + "f 4\nu 1 x1 ;", "the constraint ends early"},
		{"end missing", unsatOPB, v2, "expected \"end pseudo-Boolean proof\""},
		{"conclusion missing", unsatOPB, v2 + "end pseudo-Boolean proof\n", "expected the output and conclusion lines"},
		{"output missing", unsatOPB, v2 + "conclusion NONE\n", "expected one after the output line"},
		{"other output", unsatOPB, v2 + "output DERIVABLE IMPLICIT\n", "expected \"NONE\""},
		{"rule after output", unsatOPB, v2 + "output NONE\nrup 1 x1 >= 1 ;", "after the output line"},
		{"unsat unproved", unsatOPB, v2 + concluded("UNSAT"), "proof:3:1: no constraint is a contradiction"},
		{"unsat, wrong hint", unsatOPB, v2 + concluded("UNSAT : 1"), "is not a contradiction"},
		{"unsat with a solution", "1 x1 >= 0;", v2 + "solx x1\nsolx ~x1\nrup >= 1 ;\n" + concluded("UNSAT"), "the proof has shown a solution"},
		{"sat unproved", "1 x1 >= 0;", v2 + concluded("SAT"), "shown no solution"},
		{"sat, wrong", "1 x1 >= 1;", v2 + concluded("SAT : ~x1"), "no solution"},
		{"lower bound unproved", coverOPB, v2 + concluded("BOUNDS 2 INF"), "lower bound 2 is not implied"},
		{"lower bound, wrong hint", coverOPB, v2 + "pol 1 2 + 3 + 2 d\n" + concluded("BOUNDS 2 : 1 INF"), "lower bound 2 is not implied"},
		{"upper bound unproved", coverOPB, v2 + concluded("BOUNDS 0 3"), "shown no solution"},
		{"upper bound too low", coverOPB, v2 + "sol x1 x2 x3\n" + concluded("BOUNDS 0 2"), "the best solution shown has 3"},
		{"lower bound beyond the solutions", coverOPB, v2 + "soli x1 x2 ~x3\npol 1 2 + 3 + 2 d\npol 5 4 +\n" + concluded("BOUNDS 3 : 6 3"), "solution with 2"},
		{"infeasible with a solution", coverOPB, v2 + "soli x1 x2 ~x3\npol 1 2 + 3 + 2 d\npol 5 4 +\n" + concluded("BOUNDS INF : 6 INF"), "shown a solution"},
		{"bounds without objective", unsatOPB, v2 + concluded("BOUNDS 0 INF"), "no objective to bound"},
		{"wiped", unsatOPB, v1 + "f 4\n# 1\nu 1 x1 >= 1 ;\nw 1\np 5 x1 +\n", "constraint 5 was deleted"},
		{"bad level", unsatOPB, v1 + "# -1\n", "expected a level"},
		{"bad deletion", unsatOPB, v1 + "f 4\ndel 1\n", "expected \"id\", \"range\" or \"spec\""},
		{"nothing deleted", unsatOPB, v1 + "f 4\ndel id\n", "expected the number"},
		{"deletion of what is not there", unsatOPB, v1 + "f 4\ndel spec 1 x1 >= 1 ;\n", "there is no constraint"},

		{"term without variable", "1 x1 1 >= 1 ;", v1, "formula:1:8: found \">=\", expected a variable"},
		{"product", "1 x1 x2 >= 1 ;", v1, "formula:1:6: found \"x2\", expected a coefficient"},
		{"at most", "1 x1 <= 1 ;", v1, "formula:1:6: found \"<=\""},
		{"late objective", "1 x1 >= 1 ;\nmin: 1 x1 ;", v1, "formula:2:1: found \"min:\", expected it once"},
		{"open end", "1 x1 >= 1", v1, "expected \";\""},
		{"open objective", "min: 1 x1", v1, "expected \";\""},
		{"no right-hand side", "1 x1 >= ;", v1, "expected \">=\" or \"=\" and an integer"},
		{"two right-hand sides", "1 x1 >= 1 1 ;", v1, "formula:1:11: found \"1\", expected \";\""},
		{"fraction", "1.5 x1 >= 1 ;", v1, "formula:1:1: found \"1.5\""},
		{"short name", "1 x >= 1 ;", v1, "expected a variable"},
	} {
		v, err := Check(strings.NewReader(c.opb), strings.NewReader(c.proof))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: verdict %v, error %v, expected one with %q", c.name, v, err, c.want)
		}
	}
}

// TestReadErrors checks that the readers' errors are reported.
func TestReadErrors(t *testing.T) {
	broken := iotest.ErrReader(errors.New("broken"))
	if _, err := Check(broken, strings.NewReader(v1)); err == nil || !strings.Contains(err.Error(), "formula:1: cannot be read: broken") {
		t.Errorf("problem: %v", err)
	}
	if _, err := Check(strings.NewReader(""), broken); err == nil || !strings.Contains(err.Error(), "proof:1: cannot be read: broken") {
		t.Errorf("proof: %v", err)
	}
	// Lines longer than the reader's buffer.
	long := "1 x1 " + strings.Repeat(" ", 1<<17) + ">= 1 ;\n"
	if _, err := Check(strings.NewReader(long), strings.NewReader(v1+"f 1\ne 1 "+long)); err != nil {
		t.Error(err)
	}
}
