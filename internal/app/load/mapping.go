package load

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/problem/factored"
)

// Elsewhere is the RDDL of another problem, used as the truth of a problem in the FD-SAT-Plan
// layout, which has none.
type Elsewhere struct {
	Name  string // of the problem with the RDDL
	Task  *task.Task
	Truth *simulator.Truth
	Bits  *simulator.BitMap
}

// SetTruth sets the truth of p, a problem in the FD-SAT-Plan layout, to the RDDL of the named
// problem: a bundled problem or a task file whose [files] has the names of p's bits. With an
// empty name it searches the bundled problems of the same domain, the same instance first.
func (p *Problem) SetTruth(ctx context.Context, name string) error {
	if p.Truth != nil {
		return fmt.Errorf("%s has RDDL of its own; the truth of another problem is for one in the FD-SAT-Plan layout", p.Problem.Name)
	}
	if len(p.Unknown) > 0 {
		return fmt.Errorf("%w; expected --simulator COMMAND, a program that answers as the system", p.noTruth())
	}
	names := []string{name}
	if name == "" {
		names = candidates(p.Problem.Name)
	}
	var fitting []*Elsewhere
	var errs []error
	for _, n := range names {
		e, err := truthOf(ctx, p.Problem, n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fitting = append(fitting, e)
		if n == p.Problem.Name {
			break // the same instance comes first
		}
	}
	switch {
	case len(fitting) == 1 || len(fitting) > 1 && fitting[0].Name == p.Problem.Name:
		p.Other = fitting[0]
		return nil
	case name != "":
		return errs[0]
	case len(fitting) == 0:
		err := fmt.Errorf("%w: %s is in the FD-SAT-Plan layout, and no bundled problem has its bits; name one with --truth", ErrNoRDDL, p.Problem.Name)
		if len(errs) > 0 {
			err = fmt.Errorf("%w: %w", err, errors.Join(errs...))
		}
		return err
	}
	var found []string
	for _, e := range fitting {
		found = append(found, e.Name)
	}
	return fmt.Errorf("%s has the bits of %s; choose with --truth", p.Problem.Name, strings.Join(found, " and "))
}

// candidates lists the bundled problems of a problem's domain, its own name
// first.
func candidates(name string) []string {
	domain, _, _ := strings.Cut(name, "/")
	var out []string
	for _, n := range bundled.Names() {
		switch {
		case n == name:
			out = append([]string{n}, out...)
		case strings.HasPrefix(n, domain+"/"):
			out = append(out, n)
		}
	}
	return out
}

// truthOf loads a problem's RDDL and maps the bits of p to its.
func truthOf(ctx context.Context, p *factored.Problem, name string) (*Elsewhere, error) {
	var t *task.Task
	var err error
	o := task.Options{Name: name, Known: true, IgnoreDiscount: true}
	if strings.HasSuffix(name, ".toml") {
		o.Read = ReadFile
		t, err = task.Load(name, ReadFile)
	} else {
		o.Read = bundled.Read
		t, err = bundled.Task(name)
	}
	if err != nil {
		return nil, err
	}
	c, err := t.Problem(ctx, o)
	if err != nil {
		return nil, err
	}
	truth, err := newTruth(t, o.Read, c.Ground, c, c.Inferred())
	if err != nil {
		return nil, err
	}
	m, err := mapBits(p, c.Problem, t)
	if err != nil {
		return nil, fmt.Errorf("%s is no truth of %s: %w", name, p.Name, err)
	}
	return &Elsewhere{Name: name, Task: t, Truth: truth.System(), Bits: m}, nil
}

// mapBits finds the bits of a task's problem by their names in foreign files.
func mapBits(from, to *factored.Problem, t *task.Task) (*simulator.BitMap, error) {
	m := &simulator.BitMap{From: from, To: to, Bit: make([]factored.Bit, from.NumBits())}
	for b := range m.Bit {
		m.Bit[b] = -1
	}
	for _, k := range []factored.Kind{factored.State, factored.Action} {
		for _, b := range to.Bits(k) {
			name := t.BitName(to, b)
			v, ok := from.Find(name)
			if !ok || v.Kind != k || v.Width != 1 {
				return nil, fmt.Errorf("there is no %s bit %s", k, name)
			}
			m.Bit[v.First] = b
		}
		for _, b := range from.Bits(k) {
			if m.Bit[b] < 0 {
				return nil, fmt.Errorf("it has no bit %s", from.BitName(b))
			}
		}
	}
	return m, nil
}
