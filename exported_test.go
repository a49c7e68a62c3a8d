package fdplan_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// sources parses the Go files of this module, tests apart, and calls visit with
// each and the folder that it is in.
func sources(t *testing.T, visit func(dir string, set *token.FileSet, f *ast.File)) {
	t.Helper()
	list, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		visit(s.dir, s.set, s.file)
	}
}

// source is a parsed file.
type source struct {
	dir  string
	set  *token.FileSet
	file *ast.File
}

// parsed parses the files once for all tests.
var parsed = sync.OnceValues(func() (list []source, err error) {
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		list = append(list, source{filepath.ToSlash(filepath.Dir(path)), set, f})
		return nil
	})
	return list, err
})

// exported calls visit with each exported name of a file, and whether it has a
// comment. Methods count where their type is exported.
func exported(f *ast.File, visit func(name *ast.Ident, method, commented bool)) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
				visit(d.Name, d.Recv != nil, d.Doc != nil)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						visit(s.Name, false, d.Doc != nil || s.Doc != nil || s.Comment != nil)
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() {
							visit(n, false, d.Doc != nil || s.Doc != nil || s.Comment != nil)
						}
					}
				}
			}
		}
	}
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// wellKnown are methods of interfaces of the standard library, which say nothing
// that the interface does not say.
var wellKnown = map[string]bool{"Error": true, "String": true, "Unwrap": true, "Len": true, "Less": true, "Swap": true}

// TestComments has a comment for every exported name, and for every package.
func TestComments(t *testing.T) {
	packages := map[string]bool{}
	sources(t, func(dir string, set *token.FileSet, f *ast.File) {
		packages[dir] = packages[dir] || f.Doc != nil
		exported(f, func(name *ast.Ident, method, commented bool) {
			if !commented && !(method && wellKnown[name.Name]) {
				t.Errorf("%s: %s has no comment", set.Position(name.Pos()), name.Name)
			}
		})
	})
	for dir, commented := range packages {
		if !commented {
			t.Errorf("package %s has no comment", dir)
		}
	}
	if len(packages) < 40 {
		t.Errorf("only %d packages were read", len(packages))
	}
}

// maxExported bounds what users of the module have to know.
const maxExported = 250

// TestExported counts the exported names that a program outside this module can
// refer to: types, functions, constants and variables of packages outside
// internal and cmd. docs/stability.md says how many there are.
func TestExported(t *testing.T) {
	count, by := 0, map[string]int{}
	sources(t, func(dir string, _ *token.FileSet, f *ast.File) {
		if below(dir, "internal", "cmd", "cluster", "examples", "highs", "paper", "tools") || f.Name.Name == "main" {
			return
		}
		exported(f, func(_ *ast.Ident, method, _ bool) {
			if !method {
				count++
				by[dir]++
			}
		})
	})
	if count > maxExported {
		t.Errorf("%d exported names; expected at most %d: %v", count, maxExported, by)
	}
	text, err := os.ReadFile("docs/stability.md")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`\b(\d+) exported names`).FindStringSubmatch(string(text))
	if said == nil || said[1] != strconv.Itoa(count) {
		t.Errorf("docs/stability.md says %v; there are %s", said, fmt.Sprint(count, " exported names ", by))
	}
}
