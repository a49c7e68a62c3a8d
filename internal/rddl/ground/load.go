package ground

import (
	"context"
	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/source"
)

// Load reads, checks and grounds the only instance of the files. The instance's file may also
// contain the non-fluents and the domain; instanceFile is empty if the domain's file contains
// the instance. Errors are *source.Error, or those of reading a file.
func Load(ctx context.Context, domainFile, instanceFile string) (*Problem, error) {
	f, err := rddl.ReadFiles(source.ReadFile, domainFile, instanceFile)
	if err != nil {
		return nil, err
	}
	return File(ctx, f, "")
}

// File checks and grounds the instance called name of a parsed file, or its only instance if
// name is empty.
func File(ctx context.Context, f *rddl.File, name string) (*Problem, error) {
	d, nf, inst, err := f.Select(name)
	if err != nil {
		return nil, err
	}
	if inst == nil {
		return nil, source.Errorf(f.Name, 0, 0, "domain %s has no instance here, expected one to ground", d.Name.Name)
	}
	prog, err := rddl.Check(d, nf, inst)
	if err != nil {
		return nil, err
	}
	return Ground(ctx, prog)
}

// Program returns the program that p was made from; nil for a Problem made by hand. Its
// CheckExpr prepares the user's expressions for Expr and Conditions.
func (p *Problem) Program() *rddl.Program {
	if p.tables == nil {
		return nil
	}
	return p.tables.prog
}
