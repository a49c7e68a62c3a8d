package ground

import (
	"context"
	"github.com/fdplan/fdplan/internal/rddl"
)

// Ground grounds a checked program that has an instance. Errors are *source.Error with the place in
// the domain or the instance, or that of the context when it ends.
func Ground(ctx context.Context, prog *rddl.Program) (*Problem, error) {
	return groundWith(prog, newBuilder(ctx, maxNodes))
}

func groundWith(prog *rddl.Program, b *builder) (*Problem, error) {
	t, err := newTables(prog)
	if err != nil {
		return nil, err
	}
	p := &Problem{
		Domain: prog.Domain.Name.Name, Instance: prog.Instance.Name.Name,
		ByName:     map[string]int{},
		MaxActions: prog.Instance.MaxActions,
		Horizon:    max(0, prog.Instance.Horizon),
		Discount:   prog.Instance.Discount,
		tables:     t,
	}
	if !prog.Instance.HasMaxActions || p.MaxActions < 0 {
		p.MaxActions = -1
	}
	if err := p.declare(); err != nil {
		return nil, err
	}
	g := newGrounder(p, b)
	for _, decl := range prog.Domain.PVariables {
		if err := g.cpf(t.vars[decl.Name.Name]); err != nil {
			return nil, err
		}
	}
	if prog.Domain.Reward != nil {
		b.begin("the reward", startOf(prog.Domain.Reward))
		p.Reward = g.expr(prog.Domain.Reward)
	} else {
		p.Reward = b.number(Pos(prog.Domain.Pos), Int, 0)
	}
	if b.err != nil {
		return nil, b.err
	}
	if p.Order, err = p.order(); err != nil {
		return nil, err
	}
	return p, g.allConditions()
}

// begin records what is being grounded.
func (b *builder) begin(what string, pos Pos) { b.declName, b.decl = what, pos }

var kinds = map[rddl.Kind]Kind{
	rddl.StateFluent: State, rddl.ActionFluent: Action, rddl.IntermFluent: Interm,
	rddl.DerivedFluent: Interm, rddl.ObservFluent: Observ,
}

// declare lists the grounded fluents, in the order of their declarations, with
// defaults and initial values.
func (p *Problem) declare() error {
	t := p.tables
	for _, decl := range t.prog.Domain.PVariables {
		if decl.Kind == rddl.NonFluent {
			continue
		}
		v := t.vars[decl.Name.Name]
		v.first = len(p.Fluents)
		value, _ := t.defaultOf(v)
		for i := range v.size {
			args := v.arguments(i)
			f := Fluent{
				Name: groundName(decl.Name.Name, args), Base: decl.Name.Name, Args: args,
				Kind: kinds[decl.Kind], Type: v.typ, Values: v.values,
				Default: value, Initial: value, Pos: Pos(decl.Name.Pos),
			}
			p.ByName[f.Name] = len(p.Fluents)
			p.Fluents = append(p.Fluents, f)
		}
	}
	given := map[int]bool{}
	t.assign(t.prog.Instance.Init, func(v *variable, i int, value float64) {
		p.Fluents[v.first+i].Initial = value
		given[v.first+i] = true
	})
	for i := range p.Fluents {
		f := &p.Fluents[i]
		if decl := t.vars[f.Base].decl; f.Kind == State && f.Type == Enum && decl.Default == nil && !given[i] {
			pos := t.prog.Instance.Name.Pos
			return errorAt(pos, "init-state gives no value to %s, which has no default; expected one of %s", f.Name, some(f.Values))
		}
	}
	return nil
}

// cpf grounds the next values of v's fluents.
func (g *grounder) cpf(v *variable) error {
	if v.decl.Kind == rddl.NonFluent || v.decl.Kind == rddl.ActionFluent {
		return nil
	}
	cpf := g.prog.CPFs[v.decl.Name.Name]
	g.b.begin("the cpf of "+v.decl.Name.Name, Pos(cpf.Name.Pos))
	g.env = g.env[:0]
	for k, param := range cpf.Params {
		g.env = append(g.env, binding{name: param.Name, list: v.params[k]})
	}
	for i := range v.size {
		for k, rest := len(v.params)-1, i; k >= 0; k-- {
			n := len(v.params[k].names)
			g.env[k].value = rest % n
			rest /= n
		}
		n := g.expr(cpf.Expr)
		if g.b.err != nil {
			return g.b.err
		}
		if v.typ == Int && n.Op == Const && n.Type == Real && n.Val != float64(int64(n.Val)) {
			return errorAt(cpf.Name.Pos, "the next value of %s is %v, expected an integer", g.p.Fluents[v.first+i].Name, n.Val)
		}
		g.p.Fluents[v.first+i].CPF = n
	}
	g.env = g.env[:0]
	return nil
}
