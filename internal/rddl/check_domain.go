package rddl

import "github.com/fdplan/fdplan/internal/counted"

// checkDomain checks the cpfs and all other expressions of the domain.
func (c *checker) checkDomain(d *Domain) {
	out := c.prog.Domain
	out.CPFs = nil
	for _, old := range d.CPFs {
		out.CPFs = append(out.CPFs, c.checkCPF(old))
	}
	for _, v := range out.PVariables {
		switch v.Kind {
		case StateFluent, IntermFluent, DerivedFluent, ObservFluent:
			if c.prog.CPFs[v.Name.Name] == nil {
				prime := ""
				if v.Kind == StateFluent {
					prime = "'"
				}
				fail(v.Name.Pos, "%v %s has no cpf, expected one for %s%s", v.Kind, v.Name.Name, v.Name.Name, prime)
			}
		}
	}
	if d.Reward == nil {
		fail(d.Name.Pos, "domain %s has no reward, expected reward = …;", d.Name.Name)
	}
	c.place = InReward
	out.Reward = c.number(c.expr(d.Reward, Type{}), "the reward")
	out.Preconditions = c.conditions(d.Preconditions, InPrecond)
	out.Invariants = c.conditions(d.Invariants, InInvariant)
	out.Constraints = c.conditions(d.Constraints, InConstraint)
	out.Termination = c.conditions(d.Termination, InTermination)
	c.prog.Termination = append(c.prog.Termination, out.Termination...)
}

func (c *checker) conditions(list []Expr, place Place) []Expr {
	c.place = place
	var out []Expr
	for _, e := range list {
		out = append(out, c.boolean(c.expr(e, Type{}), "the condition"))
	}
	return out
}

func (c *checker) checkCPF(old *CPF) *CPF {
	x := *old
	name := x.Name.Name
	v := c.prog.PVars[name]
	if v == nil {
		fail(x.Name.Pos, "cpf of %s, which is not declared%s", name, c.fluentHint(name))
	}
	if before := c.prog.CPFs[name]; before != nil {
		fail(x.Name.Pos, "second cpf of %s, the first is at %s", name, before.Name.Pos)
	}
	switch {
	case v.Kind == NonFluent || v.Kind == ActionFluent:
		fail(x.Name.Pos, "%s is %s and has no cpf", name, kindArticle(v.Kind))
	case v.Kind == StateFluent && !x.Primed:
		fail(x.Name.Pos, "the cpf of state-fluent %s defines its next value, expected %s'", name, name)
	case v.Kind != StateFluent && x.Primed:
		fail(x.Name.Pos, "%s is %s, expected its cpf without a prime", name, kindArticle(v.Kind))
	}
	if len(x.Params) != len(v.Params) {
		fail(x.Name.Pos, "the cpf of %s has %s, expected %d as declared at %s", name, counted.Of(len(x.Params), "parameter"), len(v.Params), v.Name.Pos)
	}
	x.Params = nil
	for i, p := range old.Params {
		p := *p
		for _, q := range x.Params {
			if q.Name == p.Name {
				fail(p.Pos, "parameter ?%s twice in the cpf of %s", p.Name, name)
			}
		}
		p.Type, p.TypeName = v.ParamTypes[i], v.Params[i]
		x.Params = append(x.Params, &p)
	}
	c.prog.CPFs[name] = &x
	c.cpf, c.scope = v, x.Params
	switch v.Kind {
	case StateFluent:
		c.place = InStateCPF
	case IntermFluent:
		c.place = InIntermCPF
	case DerivedFluent:
		c.place = InDerivedCPF
	case ObservFluent:
		c.place = InObservCPF
	}
	x.Expr = c.expr(old.Expr, v.Type)
	c.assignable(x.Expr, v.Type, name)
	c.cpf, c.scope = nil, nil
	return &x
}

// assignable refuses a value that a fluent of this type cannot hold, at the
// branch of an if or switch that yields it.
func (c *checker) assignable(e Expr, want Type, what string) {
	if fits(e.ResultType(), want) {
		return
	}
	switch e := e.(type) {
	case *If:
		c.assignable(e.Then, want, what)
		c.assignable(e.Else, want, what)
		return
	case *Switch:
		for _, k := range e.Cases {
			c.assignable(k.Result, want, what)
		}
		if e.Default != nil {
			c.assignable(e.Default, want, what)
		}
		return
	}
	hint := ""
	switch got := e.ResultType(); {
	case want.Kind == IntType && got.Kind == RealType:
		hint = "; round, floor and ceil make integers"
	case want.Kind == BoolType && got.IsNumber():
		hint = "; a comparison or Bernoulli makes a Boolean of a number"
	}
	fail(start(e), "%s is of type %v, but this value is of type %v%s", what, want, e.ResultType(), hint)
}

// fits reports whether a value of one type can be used as another: Booleans
// count as 0 and 1, integers as reals.
func fits(got, want Type) bool {
	switch want.Kind {
	case IntType:
		return got.Kind == IntType || got.Kind == BoolType
	case RealType:
		return got.IsNumber() || got.Kind == BoolType
	}
	return got == want
}

// start is where the first token of an expression stands.
func start(e Expr) Pos {
	for {
		b, ok := e.(*Binary)
		if !ok {
			return e.Position()
		}
		e = b.X
	}
}
