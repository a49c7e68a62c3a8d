package factored

import (
	"fmt"
	"strings"
)

// Canonical returns a name without its spaces and with round brackets.
func Canonical(name string) string {
	return strings.NewReplacer(" ", "", "\t", "", "[", "(", "]", ")").Replace(name)
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
func (p *Problem) LitName(l Lit) string {
	name := p.BitName(l.Bit)
	if l.Next {
		name += "'"
	}
	if l.Neg {
		name = "~" + name
	}
	return name
}

// Format returns c in readable form: the sum, the relation, the bound.
func (p *Problem) Format(c *Constraint) string {
	var b strings.Builder
	if len(c.Terms) == 0 {
		b.WriteByte('0')
	}
	for i, t := range c.Terms {
		sign, coef := "+", t.Coef
		if coef < 0 {
			sign, coef = "-", -coef
		}
		switch {
		case i > 0:
			fmt.Fprintf(&b, " %s ", sign)
		case sign == "-":
			b.WriteByte('-')
		}
		if coef != 1 {
			fmt.Fprintf(&b, "%d*", coef)
		}
		b.WriteString(p.LitName(t.Lit))
	}
	fmt.Fprintf(&b, " %s %d", c.Op, c.K)
	return b.String()
}
