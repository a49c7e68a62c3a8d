// Package planner is what the commands do: it loads a problem from wherever
// the user named it, changes it as asked, has an engine plan, has the checker
// replay the plan, and says all of that as one document.
package planner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/bnn"
	"github.com/fdplan/fdplan/bundled"
	"github.com/fdplan/fdplan/engine"
	"github.com/fdplan/fdplan/factored"
	"github.com/fdplan/fdplan/fdsat"
	"github.com/fdplan/fdplan/source"
	"github.com/fdplan/fdplan/task"
)

// Ref names a problem: with Files one in the FD-SAT-Plan layout below that
// folder, with Domain one given by RDDL files alone, else a task file or a
// bundled problem.
type Ref struct {
	Name  string // DOMAIN/INSTANCE, or the path of a task file
	Files string

	Domain, Instance string // RDDL files
	Goal             string
	Ranges           []string // FLUENT=LO..HI

	Known          bool // plan with the RDDL itself, nothing learned
	IgnoreDiscount bool
}

// Models are the values of --model.
var Models = []string{"network", "rddl"}

// Problem is a loaded problem: what engines plan with and, where there is
// RDDL, the truth that plans can be tried in.
type Problem struct {
	engine.Task
	truth *truth // nil for the FD-SAT-Plan layout
}

// instanceName is what can be part of a file's name in every layout.
var instanceName = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)

// Load reads the problem that r names.
func Load(r Ref) (*Problem, error) {
	switch {
	case r.Files != "" && r.Domain != "":
		return nil, errors.New("--files and --domain name two problems; expected one of them")
	case r.Domain == "" && (r.Instance != "" || r.Goal != "" || len(r.Ranges) > 0):
		return nil, errors.New("--instance, --goal and --range go with --domain; a named problem has its own")
	case r.Domain != "":
		if r.Name != "" {
			return nil, fmt.Errorf("%s and --domain name two problems; expected one of them", r.Name)
		}
		t, err := task.FromFlags(r.Domain, r.Instance, r.Goal, r.Ranges)
		if err != nil {
			return nil, err
		}
		return fromTask(t, nil, task.Options{Known: true, IgnoreDiscount: r.IgnoreDiscount}, nil)
	case r.Name == "":
		return nil, errors.New("no problem is named; expected a bundled one such as navigation/3x3, a task file, or --domain")
	case r.Files != "":
		return fromFiles(r)
	case strings.HasSuffix(r.Name, ".toml"):
		t, err := task.Load(r.Name, readFile)
		if err != nil {
			return nil, err
		}
		return fromTask(t, nil, task.Options{Known: r.Known, IgnoreDiscount: r.IgnoreDiscount}, readFile)
	}
	t, err := bundled.Task(r.Name)
	if err != nil {
		return nil, err
	}
	net, trained := bundled.Network(r.Name)
	if !trained && !r.Known {
		return nil, fmt.Errorf("%s has no network yet; plan with its RDDL, with --model rddl", r.Name)
	}
	return fromTask(t, net, task.Options{Name: r.Name, Known: r.Known, IgnoreDiscount: r.IgnoreDiscount}, bundled.Read)
}

// readFile is os.ReadFile with errors that begin with the name.
func readFile(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "cannot be opened: %v", source.Cause(err))
	}
	return data, nil
}

func fromFiles(r Ref) (*Problem, error) {
	if r.Known {
		return nil, errors.New("--model rddl needs RDDL; the FD-SAT-Plan layout has none")
	}
	if !instanceName.MatchString(r.Name) {
		return nil, fmt.Errorf("%q names no problem below %s; expected DOMAIN/INSTANCE such as navigation/3x3", r.Name, r.Files)
	}
	domain, instance, _ := strings.Cut(r.Name, "/")
	p, net, err := fdsat.Load(r.Files, domain, instance)
	if err != nil {
		return nil, err
	}
	return &Problem{Task: engine.Task{Problem: p, Network: net}}, nil
}

// fromTask compiles a task; net, when there is one, takes the place of the
// network file that the task may name.
func fromTask(t *task.Task, net *bnn.Network, o task.Options, read task.ReadFile) (*Problem, error) {
	if read == nil {
		read = readFile
	}
	o.Read = read
	if len(t.Learned) == 0 {
		o.Known = true
	}
	c, err := t.Problem(o)
	if err != nil {
		return nil, err
	}
	if o.Name == "" && t.File != "" {
		c.Problem.Name = filepath.Base(filepath.Dir(t.File)) + "/" + strings.TrimSuffix(filepath.Base(t.File), ".toml")
	}
	p := &Problem{Task: engine.Task{Problem: c.Problem}}
	if !o.Known {
		if net == nil {
			if net, err = readNetwork(t, c.Problem, read); err != nil {
				return nil, err
			}
		}
		p.Network = net
	}
	p.truth, err = newTruth(t, c)
	return p, err
}

// readNetwork reads the network that a task names and compares its bits with
// the problem's.
func readNetwork(t *task.Task, p *factored.Problem, read task.ReadFile) (*bnn.Network, error) {
	if t.Network == "" {
		return nil, source.Errorf(t.File, 1, 0, "fluents are learned but no network is named; expected network = \"FILE\", or --model rddl")
	}
	data, err := read(t.Network)
	if err != nil {
		return nil, err
	}
	f, err := bnn.ReadFile(t.Network, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for _, side := range []struct {
		what string
		got  []string
		bits []factored.Bit
	}{{"inputs", f.Inputs, p.Inputs}, {"outputs", f.Outputs, p.Outputs}} {
		var want []string
		for _, b := range side.bits {
			want = append(want, p.BitName(b))
		}
		if !slices.Equal(side.got, want) {
			return nil, source.Errorf(t.Network, 0, 0, "its %s are %s; the task has %s", side.what, strings.Join(side.got, ", "), strings.Join(want, ", "))
		}
	}
	return f.Network, nil
}
