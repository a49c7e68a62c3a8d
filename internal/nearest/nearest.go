// Package nearest finds the name that the writer of a misspelled one may have meant.
package nearest

import "strings"

// Hint returns "; did you mean X?" for the known name that differs least from name, by its
// letters whatever their case; "" if none is near. Short names have to differ in one letter at
// most, longer ones in two. The first in alphabetical order wins a tie. If none is near, it is a
// name that begins with name.
func Hint(name string, known []string) string {
	best, bestDist := "", 3
	if len(name) <= 4 {
		bestDist = 2
	}
	for _, k := range known {
		if k == name {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(k), bestDist+1); d < bestDist || d == bestDist && best != "" && k < best {
			best, bestDist = k, d
		}
	}
	for _, k := range known {
		// The beginning of a name, as of load_kg or age(c1).
		if rest, ok := strings.CutPrefix(strings.ToLower(k), strings.ToLower(name)); best == "" && len(name) > 2 && ok && rest != "" && strings.ContainsAny(rest[:1], "_-(. ") {
			best = k
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance returns the edit distance: the number of letters to insert, delete or replace, and
// of neighbours to exchange. Any result from limit on means limit or more.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 100 {
		return limit
	}
	var before []int // the row before the last
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := row[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			next[j] = min(change, row[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
