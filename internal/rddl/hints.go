package rddl

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

func (c *checker) typeHint(name string) string {
	return nearest.Hint(name, slices.Sorted(maps.Keys(c.types)))
}

func (c *checker) fluentHint(name string) string {
	if h := c.minusHint(name); h != "" {
		return h
	}
	known := slices.Concat(slices.Collect(maps.Keys(c.prog.PVars)), slices.Collect(maps.Keys(operator.Functions)))
	slices.Sort(known)
	return nearest.Hint(name, known)
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
	if h := nearest.Hint(name, known); h != "" {
		return strings.Replace(h, "mean ", "mean ?", 1)
	}
	return ""
}
