package rddl

import (
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/source"

	"github.com/fdplan/fdplan/internal/nearest"
)

// String returns FILE:LINE:COL.
func (p Pos) String() string {
	s := fmt.Sprintf("%d:%d", p.Line, p.Col)
	if p.File != "" {
		s = p.File + ":" + s
	}
	return s
}

// fail reports a fault to recoverFault in the exported function.
func fail(pos Pos, format string, args ...any) {
	panic(errAt(pos, format, args...))
}

func recoverFault(err *error) {
	switch r := recover().(type) {
	case nil:
	case *source.Error:
		*err = r
	default:
		panic(r)
	}
}

// checker builds a Program. It is used once.
type checker struct {
	prog *Program
	// open: there is no instance, so unknown objects are accepted wherever an object type is
	// expected.
	open   bool
	types  map[string]Type   // the declared ones
	owners map[string][]Type // the types that a value or object belongs to

	place Place
	cpf   *PVariable // whose cpf is being checked; otherwise nil
	scope []*Param
}

func newChecker(open bool) *checker {
	return &checker{
		open:   open,
		types:  map[string]Type{},
		owners: map[string][]Type{},
		prog:   &Program{PVars: map[string]*PVariable{}, CPFs: map[string]*CPF{}, Values: map[string][]string{}},
	}
}

func (c *checker) matchNames(d *Domain, nf *NonFluents, inst *Instance) {
	if inst == nil {
		return
	}
	match := func(what string, id, owner Ident) {
		if id.Name == "" {
			fail(owner.Pos, "%s %s names no domain, expected domain = %s;", what, owner.Name, d.Name.Name)
		}
		switch {
		case id.Name == d.Name.Name:
		case strings.EqualFold(id.Name, d.Name.Name):
			c.prog.Warnings = append(c.prog.Warnings, errAt(id.Pos, "%s %s writes its domain %s, and the domain is %s; they are taken for the same", what, owner.Name, id.Name, d.Name.Name))
		default:
			fail(id.Pos, "%s %s is of domain %s, expected %s", what, owner.Name, id.Name, d.Name.Name)
		}
	}
	match("instance", inst.Domain, inst.Name)
	switch want := inst.NonFluents; {
	case nf == nil && want.Name != "":
		fail(want.Pos, "non-fluents block %s is not given", want.Name)
	case nf != nil:
		match("non-fluents block", nf.Domain, nf.Name)
		if want.Name == "" {
			fail(inst.Name.Pos, "instance %s names no non-fluents block, expected non-fluents = %s;", inst.Name.Name, nf.Name.Name)
		}
		if want.Name != nf.Name.Name {
			fail(want.Pos, "instance %s wants non-fluents block %s, but %s is given", inst.Name.Name, want.Name, nf.Name.Name)
		}
	}
}

func (c *checker) declareType(t *TypeDecl) {
	name := t.Name.Name
	if _, ok := c.types[name]; ok {
		fail(t.Name.Pos, "type %s is declared twice", name)
	}
	kind := ObjectType
	if t.Enum {
		kind = EnumType
	}
	c.types[name] = Type{kind, name}
}

func (c *checker) declareTypes(d *Domain) {
	for _, t := range d.Types {
		c.declareType(t)
		if !t.Enum {
			continue
		}
		if len(t.Values) == 0 {
			fail(t.Name.Pos, "enumeration %s has no values", t.Name.Name)
		}
		c.addValues(t.Name.Name, t.Values)
	}
}

// addValues appends values or objects to their type.
func (c *checker) addValues(typ string, list []Ident) {
	t := c.types[typ]
	for _, v := range list {
		for _, o := range c.owners[v.Name] {
			if o == t {
				fail(v.Pos, "%s is listed twice in type %s", v.Name, typ)
			}
		}
		c.owners[v.Name] = append(c.owners[v.Name], t)
		c.prog.Values[typ] = append(c.prog.Values[typ], v.Name)
	}
}

// declareObjects adds the objects of the domain, then those of the instance. The latter may
// be declared in the instance, in its non-fluents or, if they are equal, in both.
func (c *checker) declareObjects(d *Domain, nf *NonFluents, inst *Instance) {
	block := func(lists []*Objects) map[string]*Objects {
		seen := map[string]*Objects{}
		for _, o := range lists {
			c.objectType(o.Type)
			if seen[o.Type.Name] != nil {
				fail(o.Type.Pos, "objects of type %s are listed twice", o.Type.Name)
			}
			seen[o.Type.Name] = o
		}
		return seen
	}
	block(d.Objects)
	for _, o := range d.Objects {
		c.addValues(o.Type.Name, o.Names)
	}
	if inst == nil {
		return
	}
	var first []*Objects
	if nf != nil {
		first = nf.Objects
	}
	before := block(first)
	block(inst.Objects)
	for _, o := range first {
		c.addValues(o.Type.Name, o.Names)
	}
	for _, o := range inst.Objects {
		if b := before[o.Type.Name]; b == nil {
			c.addValues(o.Type.Name, o.Names)
		} else if names(b.Names) != names(o.Names) {
			fail(o.Type.Pos, "objects of type %s differ from those at %s", o.Type.Name, b.Type.Pos)
		}
	}
	for _, t := range d.Types {
		if len(c.prog.Values[t.Name.Name]) == 0 {
			fail(inst.Name.Pos, "instance %s has no objects of type %s", inst.Name.Name, t.Name.Name)
		}
	}
}

func (c *checker) objectType(id Ident) {
	t, ok := c.types[id.Name]
	if !ok {
		fail(id.Pos, "unknown type %s%s", id.Name, c.typeHint(id.Name))
	}
	if t.Kind == EnumType {
		fail(id.Pos, "type %s is an enumeration, its values stand in the domain; expected an object type", id.Name)
	}
}

// typeOf returns the type that a declaration names.
func (c *checker) typeOf(id Ident) Type {
	switch id.Name {
	case "bool":
		return Type{Kind: BoolType}
	case "int":
		return Type{Kind: IntType}
	case "real":
		return Type{Kind: RealType}
	}
	t, ok := c.types[id.Name]
	if !ok {
		fail(id.Pos, "unknown type %s%s", id.Name, c.typeHint(id.Name))
	}
	return t
}

// finite returns the type of a parameter: an enumeration or an object type.
func (c *checker) finite(id Ident) Type {
	t := c.typeOf(id)
	if !t.IsFinite() {
		fail(id.Pos, "a parameter cannot be of type %v, expected an object type or an enumeration", t)
	}
	return t
}

func (c *checker) declarePVariables(d *Domain) {
	cp := *d
	c.prog.Domain = &cp
	cp.PVariables = nil
	for _, old := range d.PVariables {
		v := *old
		if before := c.prog.PVars[v.Name.Name]; before != nil {
			fail(v.Name.Pos, "%s is declared twice, first at %s", v.Name.Name, before.Name.Pos)
		}
		v.ParamTypes = nil
		for _, id := range v.Params {
			v.ParamTypes = append(v.ParamTypes, c.finite(id))
		}
		v.Type = c.typeOf(v.Range)
		if v.Kind == ActionFluent && v.Default == nil {
			fail(v.Name.Pos, "action-fluent %s has no default, expected the value that means no action", v.Name.Name)
		}
		if v.Default != nil {
			v.Default = c.constant(v.Default, v.Type, "the default of "+v.Name.Name)
		}
		c.prog.PVars[v.Name.Name] = &v
		cp.PVariables = append(cp.PVariables, &v)
	}
}

// constant checks a literal value of a declared type: a default or an initial value. Unlike
// in expressions, Booleans are not numbers here.
func (c *checker) constant(e Expr, want Type, what string) Expr {
	number := func(e Expr) *Number {
		if u, ok := e.(*Unary); ok {
			e = u.X
		}
		n, _ := e.(*Number)
		return n
	}
	start := e.Position()
	switch n := number(e); want.Kind {
	case BoolType:
		if _, ok := e.(*Bool); !ok {
			fail(start, "%s is %s, expected true or false", what, FormatExpr(e, nil))
		}
	case IntType:
		if n == nil || !n.Int {
			fail(start, "%s is %s, expected an integer", what, FormatExpr(e, nil))
		}
	case RealType:
		if n == nil {
			fail(start, "%s is %s, expected a number", what, FormatExpr(e, nil))
		}
	default:
		lit, ok := e.(*Literal)
		if !ok {
			fail(start, "%s is %s, expected a value of type %v", what, FormatExpr(e, nil), want)
		}
		return c.literal(lit.Info, lit.Name, lit.At, want, what)
	}
	return c.copyConstant(e, want)
}

func (c *checker) copyConstant(e Expr, t Type) Expr {
	switch e := e.(type) {
	case *Bool:
		x := *e
		x.Type = t
		return &x
	case *Number:
		x := *e
		x.Type = t
		return &x
	case *Unary:
		x := *e
		x.Type = t
		x.X = c.copyConstant(e.X, t)
		return &x
	}
	return e
}

// literal resolves a value or object where this type is expected; NoType means any type.
func (c *checker) literal(at Info, name string, sign bool, want Type, what string) *Literal {
	lit := &Literal{Info: at, Name: name, At: sign}
	owners := c.owners[name]
	for _, o := range owners {
		if o == want {
			lit.Type = o
			return lit
		}
	}
	switch {
	case len(owners) == 0 && c.open && want.Kind == ObjectType:
		lit.Type = want
	case len(owners) == 0:
		if want.IsFinite() {
			fail(at.Pos, "unknown value %s%s, expected one of type %v%s", signOf(sign), name, want, nearest.Hint(name, c.prog.Values[want.Name]))
		}
		fail(at.Pos, "unknown object or value %s%s", signOf(sign), name)
	case want.IsFinite():
		what = strings.TrimSpace(what)
		if what == "" {
			what = "this"
		}
		fail(at.Pos, "%s%s is of type %v, but %s must be of type %v", signOf(sign), name, owners[0], what, want)
	case len(owners) > 1:
		fail(at.Pos, "%s%s could be of type %v or %v here; one of the two must be renamed", signOf(sign), name, owners[0], owners[1])
	default:
		lit.Type = owners[0]
	}
	return lit
}

func signOf(at bool) string {
	if at {
		return "@"
	}
	return ""
}
