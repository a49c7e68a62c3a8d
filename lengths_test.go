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

// maxLines is how long a function may be, its signature and last brace included.
const maxLines = 60

// shortRooms are the folders whose functions are held to maxLines.
var shortRooms = []string{
	"internal/engine", "internal/experiment/bench", "internal/model", "internal/randprob", "internal/solve",
}

// TestFunctionLength holds functions, those of tests apart, to a length that fits
// a screen.
func TestFunctionLength(t *testing.T) {
	functions := 0
	for _, room := range shortRooms {
		err := filepath.WalkDir(filepath.FromSlash(room), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
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
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if functions < 500 {
		t.Errorf("%d functions were found; expected those of %d rooms", functions, len(shortRooms))
	}
}
