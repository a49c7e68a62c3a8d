// Package leastsquares solves normal equations.
package leastsquares

import (
	"math"
	"slices"
)

// jitter is added to the diagonal, relative to it, so that terms that follow from others do no harm.
const jitter = 1e-9

// Solve solves a x = b for a symmetric positive matrix a of len(b) rows, by its decomposition of Cholesky. It overwrites a. Terms that
// follow from earlier ones get 0.
func Solve(a, b []float64) []float64 {
	m := len(b)
	fixed := make([]bool, m)
	for i := range m {
		whole := a[i*m+i] * (1 + jitter)
		for j := range i + 1 {
			sum := a[i*m+j]
			if i == j {
				sum = whole
			}
			for k := range j {
				sum -= a[i*m+k] * a[j*m+k]
			}
			switch {
			case i != j && fixed[j]:
				a[i*m+j] = 0
			case i != j:
				a[i*m+j] = sum / a[j*m+j]
			case sum <= 4*jitter*whole || whole <= 0:
				fixed[i] = true
			default:
				a[i*m+i] = math.Sqrt(sum)
			}
		}
	}
	x := slices.Clone(b)
	for i := range m {
		if fixed[i] {
			x[i] = 0
			continue
		}
		for k := range i {
			x[i] -= a[i*m+k] * x[k]
		}
		x[i] /= a[i*m+i]
	}
	for i := m - 1; i >= 0; i-- {
		if fixed[i] {
			x[i] = 0
			continue
		}
		for k := i + 1; k < m; k++ {
			x[i] -= a[k*m+i] * x[k]
		}
		x[i] /= a[i*m+i]
	}
	return x
}
