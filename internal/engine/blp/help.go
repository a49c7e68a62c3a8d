package blp

import (
	"fmt"
	"strings"
)

// Help says what a solver gets besides the paper's program; see the package's
// comment. The zero value is the program alone.
type Help struct {
	Fix, Tighten, Cuts, Replace, Reach, Flow, Tables, Rollout, Search, Cutoff, Priorities bool
}

// parts lists the parts of h by name, in the order in which they are written.
func (h *Help) parts() []struct {
	name string
	on   *bool
} {
	return []struct {
		name string
		on   *bool
	}{
		{"fix", &h.Fix}, {"tighten", &h.Tighten}, {"cuts", &h.Cuts}, {"replace", &h.Replace}, {"reach", &h.Reach},
		{"flow", &h.Flow}, {"tables", &h.Tables}, {"rollout", &h.Rollout}, {"search", &h.Search}, {"cutoff", &h.Cutoff}, {"priorities", &h.Priorities},
	}
}

// All is every help there is.
func All() Help {
	var h Help
	for _, p := range h.parts() {
		*p.on = true
	}
	return h
}

// Light is all help that neither searches nor looks at reachable states one by
// one.
func Light() Help {
	h := All()
	h.Reach, h.Flow, h.Tables, h.Search = false, false, false, false
	return h
}

// ParseHelp reads none, light, all, or names of parts with commas between.
func ParseHelp(s string) (Help, error) {
	switch s {
	case "none", "":
		return Help{}, nil
	case "light":
		return Light(), nil
	case "all":
		return All(), nil
	}
	var h Help
	var names []string
	parts := h.parts()
	for _, p := range parts {
		names = append(names, p.name)
	}
next:
	for _, word := range strings.Split(s, ",") {
		for _, p := range parts {
			if p.name == strings.TrimSpace(word) {
				*p.on = true
				continue next
			}
		}
		return Help{}, fmt.Errorf("unknown help %q, expected none, light, all, or a list of %s", word, strings.Join(names, ", "))
	}
	return h, nil
}

// String returns what ParseHelp reads.
func (h Help) String() string {
	switch h {
	case Help{}:
		return "none"
	case Light():
		return "light"
	case All():
		return "all"
	}
	var names []string
	for _, p := range h.parts() {
		if *p.on {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ",")
}
