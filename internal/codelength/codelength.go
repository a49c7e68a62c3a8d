// Package codelength has lengths of codes, by which descriptions of rows are compared.
package codelength

import "math"

// KT is the length in bits of the code of Krichevsky and Trofimov (The performance of universal encoding, 1981) for a sequence with so many of
// each symbol, two symbols or more.
func KT(counts ...int) float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	n, sum := 0, 0.0
	for _, k := range counts {
		n += k
		sum += lg(float64(k) + .5)
	}
	symbols := float64(len(counts))
	return -(sum - lg(float64(n)+symbols/2) - symbols*lg(.5) + lg(symbols/2)) / math.Ln2
}
