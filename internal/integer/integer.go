// Package integer has arithmetic on whole numbers that Go's operators do otherwise.
package integer

// FloorDiv returns a/b, rounded down.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// CeilDiv returns a/b, rounded up.
func CeilDiv(a, b int64) int64 { return -FloorDiv(-a, b) }

// Mod returns a modulo b, which is not negative where b is positive.
func Mod(a, b int64) int64 { return a - b*FloorDiv(a, b) }

// GCD returns the greatest common divisor, which is not negative.
func GCD(a, b int64) int64 {
	a, b = max(a, -a), max(b, -b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Below lists the numbers from 0 to n-1.
func Below[T int | int32](n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(i)
	}
	return list
}
