package instance_test

import (
	"bytes"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/literal"
	"github.com/fdplan/fdplan/internal/solve/instance"
)

// Dialect controls how an instance is written.
type Dialect struct {
	Format instance.Format
	// Portable restricts the output to what every solver reads: no <=; equations with
	// coefficients other than 1 and -1 as two inequalities (clasp 3.3.5 reports 2 x1 + 2 x2 =
	// 1 as satisfiable); no empty sums; no soft clauses of weight 0.
	Portable bool
}

// Text writes an instance, with a correct header if the format has one.
func Text(in *instance.Instance, d Dialect) ([]byte, error) {
	var b bytes.Buffer
	switch d.Format {
	case instance.CNF:
		if len(in.Linear) > 0 || in.Optimises {
			return nil, fmt.Errorf("CNF holds clauses alone")
		}
		fmt.Fprintf(&b, "p cnf %d %d\n", in.NumVars, in.Clauses.Len())
		writeClauses(&b, in, "")
	case instance.WCNF, instance.WCNFOld:
		if len(in.Linear) > 0 || len(in.Objective) > 0 || !in.Optimises {
			return nil, fmt.Errorf("WCNF holds clauses alone, and always minimises")
		}
		var soft []instance.Soft
		total := int64(0)
		for _, s := range in.Soft {
			if s.Weight > 0 || !d.Portable {
				soft = append(soft, s)
			}
			total += s.Weight // cannot overflow, as package instance guarantees
		}
		hard := "h "
		if d.Format == instance.WCNFOld {
			if total == math.MaxInt64 {
				return nil, fmt.Errorf("the weights leave no room for a top weight")
			}
			fmt.Fprintf(&b, "p wcnf %d %d %d\n", in.NumVars, in.Clauses.Len()+len(soft), total+1)
			hard = fmt.Sprint(total+1, " ")
		}
		writeClauses(&b, in, hard)
		for _, s := range soft {
			writeClause(&b, fmt.Sprint(s.Weight, " "), s.Clause)
		}
	case instance.OPB:
		if len(in.Soft) > 0 {
			return nil, fmt.Errorf("OPB has no soft clauses")
		}
		writeOPB(&b, in, d.Portable)
	}
	return b.Bytes(), nil
}

func writeClauses(b *bytes.Buffer, in *instance.Instance, before string) {
	for _, c := range in.Clauses.All() {
		writeClause(b, before, c)
	}
}

func writeClause(b *bytes.Buffer, before string, lits []literal.Lit) {
	b.WriteString(before)
	for _, l := range lits {
		fmt.Fprintf(b, "%d ", l)
	}
	b.WriteString("0\n")
}

// writeOPB writes the clauses as sums, after the linear constraints.
func writeOPB(b *bytes.Buffer, in *instance.Instance, portable bool) {
	constraints := 0
	var body bytes.Buffer
	put := func(terms []instance.Term, op instance.Op, k int64) {
		if portable && op == instance.LE {
			negated := make([]instance.Term, len(terms))
			for i, t := range terms {
				negated[i] = instance.Term{Coef: -t.Coef, Lit: t.Lit}
			}
			terms, op, k = negated, instance.GE, -k
		}
		constraints++
		writeTerms(&body, terms, portable)
		fmt.Fprintf(&body, "%v %d ;\n", op, k)
	}
	for _, l := range in.Linear {
		if portable && l.Op == instance.EQ && !unit(l.Terms) {
			put(l.Terms, instance.GE, l.K)
			put(l.Terms, instance.LE, l.K)
			continue
		}
		put(l.Terms, l.Op, l.K)
	}
	for _, c := range in.Clauses.All() {
		var terms []instance.Term
		for _, l := range c {
			terms = append(terms, instance.Term{Coef: 1, Lit: l})
		}
		if !portable || len(c) > 0 {
			put(terms, instance.GE, 1)
			continue
		}
		put([]instance.Term{{Coef: 0, Lit: 1}}, instance.GE, 1)
	}
	fmt.Fprintf(b, "* #variable= %d #constraint= %d\n", in.NumVars, constraints)
	if in.Optimises {
		b.WriteString("min: ")
		writeTerms(b, in.Objective, false)
		b.WriteString(";\n")
	}
	b.Write(body.Bytes())
}

func unit(terms []instance.Term) bool {
	seen := map[literal.Lit]bool{}
	for _, t := range terms {
		v := max(t.Lit, -t.Lit)
		if t.Coef != 1 && t.Coef != -1 || seen[v] {
			return false
		}
		seen[v] = true
	}
	return true
}

func writeTerms(b *bytes.Buffer, terms []instance.Term, some bool) {
	if some && len(terms) == 0 {
		b.WriteString("+0 x1 ")
	}
	for _, t := range terms {
		sign := ""
		if t.Lit < 0 {
			sign = "~"
		}
		fmt.Fprintf(b, "%+d %sx%d ", t.Coef, sign, max(t.Lit, -t.Lit))
	}
}
