// Package leastsquares solves normal equations.
package leastsquares

import (
	"math"
	"slices"
)

// jitter is added to the diagonal, relative to it, so that terms that follow from others do no harm.
const jitter = 1e-9

// Work has the memory for systems of equations that are solved one after the other. The zero value is ready.
type Work struct {
	a     []float64
	fixed []bool
	x     []float64
}

// Solve solves a x = b for a symmetric positive matrix a of len(b) rows, of which the lower half is read, by its decomposition of Cholesky. It
// overwrites a. Terms that follow from earlier ones get 0.
func Solve(a, b []float64) []float64 {
	var w Work
	w.Factor(a, len(b))
	return w.Solve(b)
}

// Factor decomposes a symmetric positive matrix of m rows, of which the lower half is read. It overwrites a, which Solve reads.
func (w *Work) Factor(a []float64, m int) {
	w.a, w.fixed, w.x = a, slices.Grow(w.fixed[:0], m)[:m], slices.Grow(w.x[:0], m)[:m]
	clear(w.fixed)
	for i := range m {
		row := a[i*m : i*m+i+1]
		whole := row[i] * (1 + jitter)
		for j := range row {
			sum := row[j]
			if i == j {
				sum = whole
			}
			other := a[j*m : j*m+j+1]
			for k, x := range row[:j] {
				sum -= x * other[k]
			}
			switch {
			case i != j && w.fixed[j]:
				row[j] = 0
			case i != j:
				row[j] = sum / other[j]
			case sum <= 4*jitter*whole || whole <= 0:
				w.fixed[i] = true
			default:
				row[i] = math.Sqrt(sum)
			}
		}
	}
}

// Solve returns the solution for b of the matrix that was factored last. It is valid until the next call.
func (w *Work) Solve(b []float64) []float64 {
	a, x, m := w.a, w.x, len(b)
	copy(x, b)
	for i := range m {
		if w.fixed[i] {
			x[i] = 0
			continue
		}
		for k, y := range a[i*m : i*m+i] {
			x[i] -= y * x[k]
		}
		x[i] /= a[i*m+i]
	}
	for i := m - 1; i >= 0; i-- {
		if w.fixed[i] {
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
