// Package counted writes numbers of things.
package counted

import "fmt"

// Of returns "1 step", "2 steps" and so on for what, the name of one of them.
func Of(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
