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
