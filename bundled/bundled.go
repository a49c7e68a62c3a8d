// Package bundled holds the problems that come with the program, by name.
package bundled

import (
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/engine"
)

// names in the order in which they are listed.
var names = []string{"navigation/3x3", "navigation/4x4", "navigation/5x5"}

// Names lists the bundled problems.
func Names() []string { return append([]string(nil), names...) }

// Load builds a bundled problem with its network. The error for a name that is
// none lists those that are.
func Load(name string) (engine.Task, error) {
	domain, instance, _ := strings.Cut(name, "/")
	if _, ok := mazes[instance]; domain == "navigation" && ok {
		return navigation(instance)
	}
	return engine.Task{}, fmt.Errorf("there is no bundled problem %q; expected one of %s", name, strings.Join(names, ", "))
}
