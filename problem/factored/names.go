package factored

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
)

var canonicalForm = strings.NewReplacer(" ", "", "\t", "", "[", "(", "]", ")")

// Canonical returns a name without its spaces and with round brackets.
func Canonical(name string) string { return canonicalForm.Replace(name) }

// Hint returns "; did you mean X?" for a name that no variable of a kind has, if one has a
// similar name; else "". No kinds are all of them.
func (p *Problem) Hint(name string, kinds ...Kind) string {
	var known []string
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Clock == 0 && (len(kinds) == 0 && v.Kind != Auxiliary || slices.Contains(kinds, v.Kind)) {
			known = append(known, v.Name)
		}
	}
	return nearest.Hint(Canonical(name), known)
}

// BitName returns the name of the variable that b belongs to, followed by #i for the bit of
// weight 2^i of an integer.
func (p *Problem) BitName(b Bit) string {
	v, i := p.Owner(b)
	if v.Bool {
		return v.Name
	}
	return fmt.Sprintf("%s#%d", v.Name, v.Width-1-i)
}

// LitName returns l as the constraint files write it: ~ for a negation, ' for the next step.
// An auxiliary variable with a meaning is written as that, in parentheses.
func (p *Problem) LitName(l Lit) string {
	name := p.BitName(l.Bit)
	if v, _ := p.Owner(l.Bit); v.Meaning != "" {
		name = "(" + v.Meaning + ")"
	}
	if l.Next {
		name += "'"
	}
	if l.Neg {
		name = "~" + name
	}
	return name
}
