// Package bundled contains the problems that come with the program, by name: RDDL domains and
// instances, and task files with everything that RDDL does not express.
package bundled

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/packed"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/rddl/translate"
)

// The folder problems: DOMAIN/domain.rddl, and for each instance
// DOMAIN/INSTANCE/{instance.rddl,task.toml}; go generate ./internal/packed writes it.
//
//go:embed problems.zip.gz
var archive []byte

var problems = sync.OnceValue(func() fs.FS { return packed.Folder(archive) })

// names lists the paper's problems, and the variants of the inventory that
// follow the paper's text.
var names = []string{
	"navigation/3x3", "navigation/4x4", "navigation/5x5", "inventory/2", "inventory/4", "sysadmin/4", "sysadmin/5",
	"cellda/x", "cellda/y", "inventory/2-text", "inventory/4-text",
}

// Names lists the bundled problems.
func Names() []string { return slices.Clone(names) }

// Task returns the task of a bundled problem. Its files are embedded: pass this package's
// Read to whatever opens them. The error for an unknown name lists the known ones.
func Task(name string) (*task.Task, error) {
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("there is no bundled problem %q; expected one of %s, or a task file (.toml)%s", name, strings.Join(names, ", "), nearest.Hint(name, names))
	}
	return task.Load("problems/"+name+"/task.toml", Read)
}

// Read reads a file that a bundled Task names.
func Read(name string) ([]byte, error) { return fs.ReadFile(problems(), name) }

// RDDL compiles a bundled problem from its RDDL. If known is set, everything is compiled and
// no network is needed; otherwise the task's fluents are learned.
func RDDL(ctx context.Context, name string, known bool) (*translate.Compiled, error) {
	t, err := Task(name)
	if err != nil {
		return nil, err
	}
	return t.Problem(ctx, task.Options{Name: name, Read: Read, Known: known})
}
