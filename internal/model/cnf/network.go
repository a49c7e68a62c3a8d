package cnf

import "github.com/fdplan/fdplan/internal/model"

// This file follows the appendix "CNF Encoding of the Cardinality Networks" (after Asín,
// Nieuwenhuis, Oliveras and Rodríguez-Carbonell 2009) literally. Every network returns its
// sorted outputs, the largest first, in fresh variables. All sizes are powers of two except
// the number of inputs of CN, which is a multiple of k.

// comparator is the six clauses of Eq. card3: hi = x or y, lo = x and y.
func comparator(s Sink, x, y model.Lit) (hi, lo model.Lit) {
	hi, lo = s.NewVar(), s.NewVar()
	s.Clause(-x, -y, lo)
	s.Clause(-x, hi)
	s.Clause(-y, hi)
	s.Clause(x, y, -hi)
	s.Clause(x, -lo)
	s.Clause(y, -lo)
	return hi, lo
}

// oddEven splits a sorted sequence into its 1st, 3rd, … and its 2nd, 4th, …
func oddEven(x []model.Lit) (odd, even []model.Lit) {
	for i, l := range x {
		if i%2 == 0 {
			odd = append(odd, l)
		} else {
			even = append(even, l)
		}
	}
	return odd, even
}

// halfMerging is HM (Eqs. card3 to card7): two sorted sequences of n become
// one of 2n.
func halfMerging(s Sink, x, y []model.Lit) []model.Lit {
	n := len(x)
	if n == 1 {
		hi, lo := comparator(s, x[0], y[0])
		return []model.Lit{hi, lo}
	}
	xo, xe := oddEven(x)
	yo, ye := oddEven(y)
	d := halfMerging(s, xo, yo)
	e := halfMerging(s, xe, ye)
	c := make([]model.Lit, 2*n)
	c[0], c[2*n-1] = d[0], e[n-1]
	for i := 1; i < n; i++ {
		c[2*i-1], c[2*i] = comparator(s, d[i], e[i-1])
	}
	return c
}

// halfSorting is HS (Eqs. card8 to card12). The paper starts at two inputs. The published k
// also leads to a single input, which is already sorted.
func halfSorting(s Sink, x []model.Lit) []model.Lit {
	switch n := len(x); n {
	case 1:
		return x
	case 2:
		return halfMerging(s, x[:1], x[1:])
	default:
		return halfMerging(s, halfSorting(s, x[:n/2]), halfSorting(s, x[n/2:]))
	}
}

// simplifiedMerging is SM (Eqs. card13 to card17): two sorted sequences of n become the n+1
// largest.
func simplifiedMerging(s Sink, x, y []model.Lit) []model.Lit {
	n := len(x)
	if n == 1 {
		return halfMerging(s, x, y)
	}
	xo, xe := oddEven(x)
	yo, ye := oddEven(y)
	d := simplifiedMerging(s, xo, yo)
	e := simplifiedMerging(s, xe, ye)
	c := make([]model.Lit, n+1)
	c[0] = d[0]
	for i := 1; i <= n/2; i++ {
		c[2*i-1], c[2*i] = comparator(s, d[i], e[i-1])
	}
	return c
}

// cardinalityNetwork is CN (Eqs. card18 to card22): the k largest of x. The first k of SM's
// k+1 outputs are kept.
func cardinalityNetwork(s Sink, x []model.Lit, k int) []model.Lit {
	if len(x) == k {
		return halfSorting(s, x)
	}
	d := cardinalityNetwork(s, x[:k], k)
	e := cardinalityNetwork(s, x[k:], k)
	return simplifiedMerging(s, d, e)[:k]
}
