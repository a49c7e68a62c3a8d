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
