// Package bundled holds the problems that come with the program, by name: RDDL
// domains and instances, and task files that say the rest.
package bundled

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/rddl/translate"
)

// problems holds DOMAIN/domain.rddl, and for each instance
// DOMAIN/INSTANCE/{instance.rddl,task.toml}.
//
//go:embed problems
var problems embed.FS

// names lists the paper's problems, and the variants of the inventory that
// follow the paper's text.
var names = []string{
	"navigation/3x3", "navigation/4x4", "navigation/5x5", "inventory/2", "inventory/4", "sysadmin/4", "sysadmin/5",
	"cellda/x", "cellda/y", "inventory/2-text", "inventory/4-text",
}

// Names lists the bundled problems.
func Names() []string { return slices.Clone(names) }

// Task reads the task of a bundled problem. Its files are embedded: give Read
// of this package to what opens them. The error for a name that is none lists
// those that are.
func Task(name string) (*task.Task, error) {
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("there is no bundled problem %q; expected one of %s", name, strings.Join(names, ", "))
	}
	return task.Load("problems/"+name+"/task.toml", Read)
}

// Read reads a file that a bundled Task names.
func Read(name string) ([]byte, error) { return problems.ReadFile(name) }

// RDDL compiles a bundled problem from its RDDL: with known, all of it, so that
// no network is needed; else with the task's fluents learned.
func RDDL(name string, known bool) (*translate.Compiled, error) {
	t, err := Task(name)
	if err != nil {
		return nil, err
	}
	return t.Problem(task.Options{Name: name, Read: Read, Known: known})
}
