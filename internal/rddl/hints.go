package rddl

import (
	"sort"
	"strconv"
	"strings"
)

// nearest returns "; did you mean X?" for the name that differs least, or "".
func nearest(name string, known []string) string {
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
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance returns the edit distance: the number of single letters to insert, delete or
// replace. Any result from limit on means limit or more.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 100 {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diag
			if a[i-1] != b[j-1] {
				change++
			}
			diag = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

func (c *checker) typeHint(name string) string {
	var known []string
	for t := range c.types {
		known = append(known, t)
	}
	sort.Strings(known)
	return nearest(name, known)
}

func (c *checker) fluentHint(name string) string {
	if h := c.minusHint(name); h != "" {
		return h
	}
	var known []string
	for v := range c.prog.PVars {
		known = append(known, v)
	}
	for f := range Functions {
		known = append(known, f)
	}
	sort.Strings(known)
	return nearest(name, known)
}

// minusHint checks whether an unknown name may be a subtraction written without spaces.
func (c *checker) minusHint(name string) string {
	known := func(s string) bool {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return true
		}
		return c.prog.PVars[s] != nil || c.owners[s] != nil
	}
	for i, r := range name {
		if r == '-' && i > 0 && known(name[:i]) && known(name[i+1:]) {
			return "; names may hold -, did you mean " + name[:i] + " - " + name[i+1:] + ", with spaces?"
		}
	}
	return ""
}

// varHint does the same for a variable.
func (c *checker) varHint(name string) string {
	var known []string
	for _, p := range c.scope {
		known = append(known, p.Name)
		if rest, ok := strings.CutPrefix(name, p.Name+"-"); ok {
			return "; names may hold -, did you mean ?" + p.Name + " - " + rest + ", with spaces?"
		}
	}
	if h := nearest(name, known); h != "" {
		return strings.Replace(h, "mean ", "mean ?", 1)
	}
	return ""
}
