package fdplan_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// module is the path of this module.
const module = "github.com/fdplan/fdplan"

// floors reads the packages on each floor from docs/architecture.md, with the numbers of the
// floors from the top down. A package may import from its own floor and from the floors below it.
func floors(t *testing.T) map[string]int {
	t.Helper()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	out, floor := map[string]int{}, 0
	for _, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(cells[2], "`") {
			continue
		}
		if strings.TrimSpace(cells[1]) != "" {
			floor++
		}
		folder := ""
		for i, name := range strings.Split(cells[2], "`") {
			if i%2 == 0 {
				continue
			}
			if !strings.Contains(name, "/") && folder != "" {
				name = folder + "/" + name
			}
			if folder = path.Dir(name); folder == "." {
				folder = ""
			}
			if out[name] != 0 {
				t.Errorf("docs/architecture.md lists %s twice", name)
			}
			out[name] = floor
		}
	}
	return out
}

// testOnly are packages that no program contains.
var testOnly = []string{"internal/app/apptest", "internal/command/commandtest", "internal/extsolver", "internal/randprob"}

// only are packages that import nothing of this module but these, besides their
// own floor's beginning.
var only = map[string][]string{
	"problem":        {"problem", "internal/nearest", "internal/source"},
	"validate":       {"problem"},
	"certify":        {"certify", "problem", "internal/source"},
	"internal/solve": {"internal/solve", "internal/atomicfile", "internal/element", "internal/literal", "internal/process", "internal/progress", "internal/routine", "internal/source"},
}

// never are packages that must not be imported from others.
var never = map[string][]string{
	"internal/engine": {"internal/rddl", "internal/learn", "internal/execution"},
	"internal/model":  {"internal/rddl", "internal/solve"},
}

// modules are the modules of others, with the packages that may import them.
var modules = map[string][]string{
	"github.com/spf13/pflag":          {"internal/command"},
	"github.com/nats-io":              {"cluster/internal/cluster", "cluster/part"},
	"github.com/pelletier/go-toml/v2": {"internal/rddl/task"},
	"github.com/tetratelabs/wazero":   {"highs/internal/highs"},
	"github.com/golang/freetype":      {"internal/picture"},
	"golang.org/x/image":              {"internal/picture"},
}

// maxImports bounds the packages of this module that a use case imports.
const maxImports = 15

// node is a package with what it imports, tests apart.
type node struct {
	ImportPath string
	Imports    []string
}

// below reports whether a path is one of the beginnings or below one.
func below(path string, beginnings ...string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return path == b || strings.HasPrefix(path, b+"/") })
}

// inside is a package's path in this module, "." for the root; false for others.
func inside(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// broken lists the rules that a graph of imports breaks, with packages on floors.
func broken(graph []node, floors map[string]int) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, n := range graph {
		from, ok := inside(n.ImportPath)
		if !ok {
			say("%s is no package of this module", n.ImportPath)
			continue
		}
		forTests := below(from, testOnly...)
		if floors[from] == 0 && !forTests {
			say("%s is on no floor; expected an entry in docs/architecture.md", from)
		}
		own := 0
		for _, path := range n.Imports {
			to, ok := inside(path)
			if !ok {
				if err := foreign(from, path); err != nil {
					say("%v", err)
				}
				continue
			}
			if to != "internal/routine" && to != "internal/app/bind" { // as common as packages of the library
				own++
			}
			switch {
			case below(to, "cmd"):
				say("%s imports %s; nothing imports cmd", from, to)
			case forTests:
			case below(to, testOnly...):
				say("%s imports %s, which is for tests", from, to)
			case floors[to] > 0 && floors[to] < floors[from]:
				say("%s imports %s, which is on a floor above", from, to)
			}
			for room, allowed := range only {
				if below(from, room) && !below(to, allowed...) {
					say("%s imports %s; %s imports only %s", from, to, room, strings.Join(allowed, ", "))
				}
			}
			for room, forbidden := range never {
				if below(from, room) && below(to, forbidden...) {
					say("%s imports %s; %s never does", from, to, room)
				}
			}
		}
		if below(from, "internal/app") && own > maxImports {
			say("%s imports %d packages of this module; a use case imports at most %d", from, own, maxImports)
		}
	}
	slices.Sort(out)
	return out
}

// foreign reports an import from another module that is not listed.
func foreign(from, path string) error {
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return nil // the standard library
	}
	for m, users := range modules {
		if below(path, m) {
			if !slices.Contains(users, from) {
				return fmt.Errorf("%s imports %s, which is only for %s", from, path, strings.Join(users, ", "))
			}
			return nil
		}
	}
	return fmt.Errorf("%s imports %s, of a module that is not listed", from, path)
}

// TestLayers holds the packages of all modules of this repository to the rules of
// docs/architecture.md.
func TestLayers(t *testing.T) {
	imports := map[string]map[string]bool{}
	sources(t, func(dir string, _ *token.FileSet, f *ast.File) {
		if imports[dir] == nil {
			imports[dir] = map[string]bool{}
		}
		for _, i := range f.Imports {
			imports[dir][strings.Trim(i.Path.Value, `"`)] = true
		}
	})
	var graph []node
	for dir, paths := range imports {
		graph = append(graph, node{strings.TrimSuffix(module+"/"+dir, "/."), slices.Sorted(maps.Keys(paths))})
	}
	if len(graph) < 40 {
		t.Errorf("only %d packages were listed", len(graph))
	}
	listed := floors(t)
	for _, b := range broken(graph, listed) {
		t.Error(b)
	}
	for dir := range listed {
		if imports[dir] == nil {
			t.Errorf("docs/architecture.md lists %s, which is no package", dir)
		}
	}
}

// TestBrokenRules breaks each rule in a graph that is made up.
func TestBrokenRules(t *testing.T) {
	listed := floors(t)
	many := node{ImportPath: module + "/internal/app/plan"}
	for i := range maxImports + 1 {
		many.Imports = append(many.Imports, fmt.Sprintf("%s/problem/p%d", module, i))
	}
	in := func(path string, imports ...string) node {
		n := node{ImportPath: strings.TrimSuffix(module+"/"+path, "/.")}
		for _, i := range imports {
			if !strings.Contains(i, ".") && i != "fmt" {
				i = module + "/" + i
			}
			n.Imports = append(n.Imports, i)
		}
		return n
	}
	for _, c := range []struct {
		n    node
		want string // "" for no rule
	}{
		{in("internal/engine/search", "internal/engine", "internal/model", "problem/factored", "fmt"), ""},
		{in(".", "internal/app/plan", "validate"), ""},
		{in("cmd/fdplan", "internal/command"), ""},
		{in("internal/command", "github.com/spf13/pflag", "internal/app/plan"), ""},
		{in("internal/randprob", "internal/engine"), ""},
		{many, "internal/app/plan imports 16 packages of this module; a use case imports at most 15"},
		{in("internal/app/plan", "cmd/fdplan"), "internal/app/plan imports cmd/fdplan; nothing imports cmd"},
		{in("internal/engine/search", "internal/app/plan"), "internal/engine/search imports internal/app/plan, which is on a floor above"},
		{in("internal/engine/search", "internal/rddl"), "internal/engine/search imports internal/rddl; internal/engine never does"},
		{in("validate", "internal/source"), "validate imports internal/source; validate imports only problem"},
		{in("internal/solve/sat", "problem/factored"), "internal/solve/sat imports problem/factored; internal/solve imports only internal/solve, internal/atomicfile, internal/element, internal/literal, internal/process, internal/progress, internal/routine, internal/source"},
		{in("problem/factored", "internal/svg"), "problem/factored imports internal/svg; problem imports only problem, internal/nearest, internal/source"},
		{in("internal/app/plan", "internal/randprob"), "internal/app/plan imports internal/randprob, which is for tests"},
		{in("internal/utils"), "internal/utils is on no floor; expected an entry in docs/architecture.md"},
		{in("internal/picture", "github.com/spf13/pflag"), "internal/picture imports github.com/spf13/pflag, which is only for internal/command"},
		{in("internal/picture", "example.com/left-pad"), "internal/picture imports example.com/left-pad, of a module that is not listed"},
		{node{ImportPath: "example.com/other"}, "example.com/other is no package of this module"},
	} {
		if got := strings.Join(broken([]node{c.n}, listed), "; "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.n.ImportPath, got, c.want)
		}
	}
}
