package fdplan_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// plainGoroutines are the files that start goroutines without package routine, with what these do:
// nothing of a request, so that they have nothing to panic about.
var plainGoroutines = map[string]string{
	"internal/command/guard.go":               "waits for signals, times and the bound on memory",
	"internal/command/browser.go":             "waits for the browser's process",
	"internal/app/execute/ask.go":             "waits for a time",
	"cluster/internal/cluster/server.go":      "runs the server of NATS",
	"internal/execution/simulator/process.go": "copies between the pipes of a process",
	"internal/process/run.go":                 "waits for a process",
	"internal/serve/listener.go":              "closes a connection",
	"internal/routine/routine.go":             "turns panics into errors",
}

// TestGoroutines: a panic on a goroutine of its own would end the process, and with it a server,
// so that all others are started by package routine.
func TestGoroutines(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() != "." && strings.HasPrefix(d.Name(), ".")) {
			return skipped(err)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if name = filepath.ToSlash(name); startsGoroutine(f) {
			if found[name] = true; plainGoroutines[name] == "" {
				t.Errorf("%s starts a goroutine whose panic ends the process; use routine.Go, Start or Group (internal/routine)", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range plainGoroutines {
		if !found[name] {
			t.Errorf("%s is listed and starts no goroutine", name)
		}
	}
}

func skipped(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}

// startsGoroutine reports whether a file has a go statement, or calls Go of a sync.WaitGroup that
// it declares.
func startsGoroutine(f *ast.File) (found bool) {
	groups := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		var names []*ast.Ident
		var kind ast.Expr
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.Field:
			names, kind = n.Names, n.Type
		case *ast.ValueSpec:
			names, kind = n.Names, n.Type
		}
		if p, ok := kind.(*ast.StarExpr); ok {
			kind = p.X
		}
		if s, ok := kind.(*ast.SelectorExpr); ok && s.Sel.Name == "WaitGroup" {
			for _, name := range names {
				groups[name.Name] = true
			}
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "Go" {
			return true
		}
		switch x := s.X.(type) {
		case *ast.Ident:
			found = found || groups[x.Name]
		case *ast.SelectorExpr:
			found = found || groups[x.Sel.Name]
		}
		return true
	})
	return found
}
