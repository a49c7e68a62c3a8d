package fdplan_test

import (
	"go/ast"
	"go/token"
	"testing"
)

// maxLines is how long a function may be, its signature and last brace included.
const maxLines = 60

// TestFunctionLength holds functions, those of tests apart, to a length that fits
// a screen.
func TestFunctionLength(t *testing.T) {
	functions := 0
	sources(t, func(_ string, files *token.FileSet, f *ast.File) {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			functions++
			at := files.Position(fn.Pos())
			if lines := files.Position(fn.End()).Line - at.Line + 1; lines > maxLines {
				t.Errorf("%s: %s has %d lines; expected at most %d", at, fn.Name.Name, lines, maxLines)
			}
		}
	})
	if functions < 3000 {
		t.Errorf("%d functions were found; expected those of the whole module", functions)
	}
}
