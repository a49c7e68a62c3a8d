package rddl

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Print writes a file such that Parse returns an equal tree from the output, apart from
// positions. Comments are dropped, sections have a fixed order, and every aggregation inside
// a larger expression is in brackets.
func Print(w io.Writer, f *File) error {
	p := &printer{}
	gap := func() {
		if p.b.Len() > 0 {
			p.put("\n")
		}
	}
	for _, d := range f.Domains {
		gap()
		p.domain(d)
	}
	for _, n := range f.NonFluents {
		gap()
		p.nonFluents(n)
	}
	for _, in := range f.Instances {
		gap()
		p.instance(in)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *printer) putf(format string, args ...any) { p.put(fmt.Sprintf(format, args...)) }

func (p *printer) domain(d *Domain) {
	p.putf("domain %s {\n", d.Name.Name)
	if len(d.Requirements) > 0 {
		p.putf("  requirements = { %s };\n", names(d.Requirements))
	}
	if len(d.Types) > 0 {
		p.put("  types {\n")
		for _, t := range d.Types {
			if !t.Enum {
				p.putf("    %s : object;\n", t.Name.Name)
				continue
			}
			p.putf("    %s : {", t.Name.Name)
			for i, v := range t.Values {
				if i > 0 {
					p.put(", ")
				}
				p.put("@" + v.Name)
			}
			p.put("};\n")
		}
		p.put("  };\n")
	}
	p.objects(d.Objects)
	if len(d.PVariables) > 0 {
		p.put("  pvariables {\n")
		for _, v := range d.PVariables {
			p.pvariable(v)
		}
		p.put("  };\n")
	}
	if len(d.CPFs) > 0 || d.CDFs {
		if d.CDFs {
			p.put("  cdfs {\n")
		} else {
			p.put("  cpfs {\n")
		}
		for _, c := range d.CPFs {
			p.cpf(c)
		}
		p.put("  };\n")
	}
	if d.Reward != nil {
		p.put("  reward = ")
		p.expr(d.Reward, 0)
		p.put(";\n")
	}
	p.conditions("action-preconditions", d.Preconditions)
	p.conditions("state-invariants", d.Invariants)
	p.conditions("state-action-constraints", d.Constraints)
	p.conditions("termination", d.Termination)
	p.put("}\n")
}

func (p *printer) conditions(section string, list []Expr) {
	if len(list) == 0 {
		return
	}
	p.putf("  %s {\n", section)
	for _, e := range list {
		p.put("    ")
		p.expr(e, 0)
		p.put(";\n")
	}
	p.put("  };\n")
}

func (p *printer) pvariable(v *PVariable) {
	p.put("    " + v.Name.Name)
	if len(v.Params) > 0 {
		p.put("(" + names(v.Params) + ")")
	}
	p.putf(" : { %v, %s", v.Kind, v.Range.Name)
	if v.Default != nil {
		p.put(", default = ")
		p.expr(v.Default, 0)
	}
	if v.HasLevel {
		p.putf(", level = %d", v.Level)
	}
	p.put(" };\n")
}

func (p *printer) cpf(c *CPF) {
	p.put("    " + c.Name.Name)
	if c.Primed {
		p.put("'")
	}
	for i, x := range c.Params {
		if i == 0 {
			p.put("(")
		} else {
			p.put(", ")
		}
		p.put("?" + x.Name)
	}
	if len(c.Params) > 0 {
		p.put(")")
	}
	p.put(" =")
	p.put("\n      ")
	p.expr(c.Expr, 0)
	p.put(";\n")
}

func (p *printer) objects(list []*Objects) {
	if len(list) == 0 {
		return
	}
	p.put("  objects {\n")
	for _, o := range list {
		p.putf("    %s : {", o.Type.Name)
		for i, v := range o.Names {
			if i > 0 {
				p.put(", ")
			}
			if !isAlpha(v.Name[0]) || isReserved(v.Name) {
				p.put("@") // this form is mandatory
			}
			p.put(v.Name)
		}
		p.put("};\n")
	}
	p.put("  };\n")
}

func (p *printer) assigns(section string, list []*Assign) {
	if len(list) == 0 {
		return
	}
	p.putf("  %s {\n", section)
	for _, a := range list {
		p.put("    ")
		if v, ok := a.Value.(*Bool); ok && a.Short && !v.Value {
			p.put("~")
		}
		p.put(a.Name.Name)
		for i, x := range a.Args {
			if i == 0 {
				p.put("(")
			} else {
				p.put(", ")
			}
			p.expr(x, 0)
		}
		if len(a.Args) > 0 {
			p.put(")")
		}
		if !a.Short {
			p.put(" = ")
			p.expr(a.Value, 0)
		}
		p.put(";\n")
	}
	p.put("  };\n")
}

func (p *printer) nonFluents(n *NonFluents) {
	p.putf("non-fluents %s {\n", n.Name.Name)
	if n.Domain.Name != "" {
		p.putf("  domain = %s;\n", n.Domain.Name)
	}
	p.objects(n.Objects)
	p.assigns("non-fluents", n.Init)
	p.put("}\n")
}

func (p *printer) instance(in *Instance) {
	p.putf("instance %s {\n", in.Name.Name)
	if in.Domain.Name != "" {
		p.putf("  domain = %s;\n", in.Domain.Name)
	}
	if in.NonFluents.Name != "" {
		p.putf("  non-fluents = %s;\n", in.NonFluents.Name)
	}
	p.objects(in.Objects)
	p.assigns("non-fluents", in.Statics)
	p.assigns("init-state", in.Init)
	bound := func(key string, n int) {
		if n == Unbounded {
			p.putf("  %s = pos-inf;\n", key)
		} else {
			p.putf("  %s = %d;\n", key, n)
		}
	}
	if in.HasMaxActions {
		bound("max-nondef-actions", in.MaxActions)
	}
	if in.HasHorizon {
		bound("horizon", in.Horizon)
	}
	if in.TerminateWhen != nil {
		p.put("  terminal = ")
		p.expr(in.TerminateWhen, 0)
		p.put(";\n")
	}
	if in.HasDiscount {
		s := strconv.FormatFloat(in.Discount, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0" // both grammars require a point here
		}
		p.putf("  discount = %s;\n", s)
	}
	p.put("}\n")
}
