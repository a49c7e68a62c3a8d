package fdplan_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/fdplan/fdplan/internal/engine/registry"
)

// TestEngineNames finds names of engines outside of the engines themselves: what
// depends on an engine asks its entry in the registry.
func TestEngineNames(t *testing.T) {
	names := registry.Single()
	sources(t, func(dir string, set *token.FileSet, f *ast.File) {
		if below(dir, "internal/engine") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			if s, err := strconv.Unquote(l.Value); err == nil && slices.Contains(names, s) {
				t.Errorf("%s: %q; expected a question to the registry", set.Position(l.Pos()), s)
			}
			return true
		})
	})
}
