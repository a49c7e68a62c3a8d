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

// Below lists the numbers from 0 to n-1.
func Below[T int | int32](n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(i)
	}
	return list
}
