package rddl

import (
	"strings"

	"github.com/fdplan/fdplan/internal/source"
)

// Program is a checked domain, alone or with one instance: every name is resolved and every
// expression typed. Its trees are copies; the File is unchanged and may be checked again with
// another instance.
type Program struct {
	Domain   *Domain   // checked copy: expressions typed, no Name nodes
	Instance *Instance // likewise, without Statics; nil if a domain was checked alone
	// Statics are the assignments to non-fluents: those of the non-fluents block, then those
	// of the instance. No variable is assigned twice.
	Statics []*Assign

	PVars map[string]*PVariable // by name
	CPFs  map[string]*CPF       // by name, without the prime
	// Values lists the values of each enumeration and the objects of each
	// object type, in the order of their declarations. Without an instance,
	// object types have those of the domain alone.
	Values map[string][]string
	// Termination is the domain's, then the instance's terminate-when.
	Termination []Expr
	// Warnings list names that are taken for others because they differ in letter case alone.
	Warnings []*source.Error
}

// Check resolves and types a domain with an instance and its non-fluents. nf may be nil if
// the instance names none. Both may be nil to check a domain alone, whose objects are then
// not checked. The error is a *source.Error for the first fault.
func Check(d *Domain, nf *NonFluents, inst *Instance) (prog *Program, err error) {
	defer recoverFault(&err)
	c := newChecker(inst == nil)
	c.matchNames(d, nf, inst)
	c.declareTypes(d)
	c.declareObjects(d, nf, inst)
	c.declarePVariables(d)
	c.checkDomain(d)
	if inst != nil {
		c.checkInstance(nf, inst)
	}
	return c.prog, nil
}

// CheckExpr types an expression of the user's, such as a goal, against a checked program. It
// must be of type want; NoType allows any.
func (p *Program) CheckExpr(e Expr, place Place, want Type) (typed Expr, err error) {
	defer recoverFault(&err)
	c := newChecker(p.Instance == nil)
	c.prog = p
	for _, t := range p.Domain.Types {
		c.declareType(t)
		for _, v := range p.Values[t.Name.Name] {
			c.owners[v] = append(c.owners[v], c.types[t.Name.Name])
		}
	}
	c.place = place
	typed = c.expr(e, want)
	if want.Kind != NoType {
		c.assignable(typed, want, "the expression")
	}
	return typed, nil
}

// ReadFiles reads, parses and joins the files with these names; empty names are skipped.
// Errors are *source.Error, or those of read, such as os.ReadFile.
func ReadFiles(read func(name string) ([]byte, error), names ...string) (*File, error) {
	var files []*File
	for _, name := range names {
		if name == "" {
			continue
		}
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		f, err := Parse(name, text)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return Join(files...)
}

// Join combines several files into one, such as a domain's and an instance's. Blocks of the
// same kind and name are refused.
func Join(files ...*File) (joined *File, err error) {
	defer recoverFault(&err)
	joined = &File{}
	seen := map[string]Pos{}
	once := func(what string, id Ident) {
		if before, ok := seen[what+id.Name]; ok {
			fail(id.Pos, "second %s %s, the first is at %s", what, id.Name, before)
		}
		seen[what+id.Name] = id.Pos
	}
	for i, f := range files {
		if i == 0 {
			joined.Name = f.Name
		}
		for _, d := range f.Domains {
			once("domain", d.Name)
		}
		for _, n := range f.NonFluents {
			once("non-fluents block", n.Name)
		}
		for _, in := range f.Instances {
			once("instance", in.Name)
		}
		joined.Domains = append(joined.Domains, f.Domains...)
		joined.NonFluents = append(joined.NonFluents, f.NonFluents...)
		joined.Instances = append(joined.Instances, f.Instances...)
		joined.Warnings = append(joined.Warnings, f.Warnings...)
	}
	return joined, nil
}

// Select finds an instance and the blocks it refers to. Without a name it selects the only
// instance or, if there are none, the only domain, with a nil instance.
func (f *File) Select(instance string) (d *Domain, nf *NonFluents, inst *Instance, err error) {
	defer recoverFault(&err)
	if instance == "" && len(f.Instances) == 0 {
		if len(f.Domains) != 1 {
			panic(source.Errorf(f.Name, 0, 0, "%d domains and no instance, expected one domain", len(f.Domains)))
		}
		return f.Domains[0], nil, nil, nil
	}
	for _, in := range f.Instances {
		if instance == "" && inst != nil {
			fail(in.Name.Pos, "second instance %s, expected one, or the name of the one that is meant", in.Name.Name)
		}
		if instance == "" || in.Name.Name == instance {
			inst = in
		}
	}
	if inst == nil {
		panic(source.Errorf(f.Name, 0, 0, "no instance %s", instance))
	}
	d = f.domainOf(inst)
	if d == nil {
		fail(inst.Domain.Pos, "instance %s is of domain %s, which is not among the files%s", inst.Name.Name, inst.Domain.Name, f.domainsHint())
	}
	if inst.NonFluents.Name != "" {
		for _, x := range f.NonFluents {
			if x.Name.Name == inst.NonFluents.Name {
				nf = x
			}
		}
		if nf == nil {
			fail(inst.NonFluents.Pos, "non-fluents block %s is not among the files", inst.NonFluents.Name)
		}
	}
	return d, nf, inst, nil
}

// domainOf returns the domain that an instance names: the one of that name or, if there is
// none, the only one whose name differs in letter case alone; nil for none.
func (f *File) domainOf(inst *Instance) *Domain {
	var exact, alike *Domain
	several := false
	for _, x := range f.Domains {
		switch {
		case x.Name.Name == inst.Domain.Name || inst.Domain.Name == "":
			exact = x
		case strings.EqualFold(x.Name.Name, inst.Domain.Name):
			several = alike != nil
			alike = x
		}
	}
	if exact != nil || several {
		return exact
	}
	return alike
}

func (f *File) domainsHint() string {
	if len(f.Domains) == 1 {
		return "; they have " + f.Domains[0].Name.Name
	}
	return ""
}

// CheckAll checks every instance of a file, in order, or the domain alone if there are none.
// For a non-fluents block that no instance names, it only checks the reference to the domain.
func CheckAll(f *File) ([]*Program, error) {
	if _, err := Join(f); err != nil {
		return nil, err
	}
	list := []string{""}
	if len(f.Instances) > 0 {
		list = nil
		for _, in := range f.Instances {
			list = append(list, in.Name.Name)
		}
	}
	var progs []*Program
	for _, name := range list {
		d, nf, inst, err := f.Select(name)
		if err != nil {
			return nil, err
		}
		p, err := Check(d, nf, inst)
		if err != nil {
			return nil, err
		}
		progs = append(progs, p)
	}
	return progs, nil
}
