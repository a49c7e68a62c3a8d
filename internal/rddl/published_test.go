package rddl

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

const published = "../../../shared/data/rddl"

// mustParse parses src, or the file if src is nil.
func mustParse(t testing.TB, name string, src []byte) *File {
	t.Helper()
	if src == nil {
		var err error
		if src, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Parse(name, src)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// equalTrees compares two trees except for positions, brackets, the heights that the parser
// records, and warnings.
func equalTrees(a, b any) bool { return equalValues(reflect.ValueOf(a), reflect.ValueOf(b)) }

func equalValues(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	if !a.IsValid() {
		return true
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return equalValues(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equalValues(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			f := a.Type().Field(i)
			switch f.Name {
			case "Pos", "DiscountPos", "Parens", "height", "Warnings":
				continue
			}
			if f.Name == "Name" && a.Type() == reflect.TypeFor[File]() {
				continue
			}
			if !equalValues(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

// roundTrip prints and parses again.
func roundTrip(t testing.TB, f *File) {
	t.Helper()
	var out bytes.Buffer
	if err := Print(&out, f); err != nil {
		t.Fatal(err)
	}
	again, err := Parse("printed", out.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	if !equalTrees(f, again) {
		t.Fatalf("the printed file has another tree:\n%s", out.Bytes())
	}
	if len(again.Warnings) > 0 {
		t.Fatalf("the printed file is unclear: %v\n%s", again.Warnings[0], out.Bytes())
	}
}

// TestPublished parses, checks and prints every domain of the competitions, and
// each with its instances.
func TestPublished(t *testing.T) {
	domains, _ := filepath.Glob(published + "/*/*/domain.rddl")
	if len(domains) == 0 {
		t.Skipf("no files in %s", published)
	}
	read := 0
	for _, name := range domains {
		domain := mustParse(t, name, nil)
		read++
		roundTrip(t, domain)
		if _, err := CheckAll(domain); err != nil {
			t.Error(err)
		}
		instances, _ := filepath.Glob(filepath.Dir(name) + "/instance*.rddl")
		for _, iname := range instances {
			inst := mustParse(t, iname, nil)
			read++
			roundTrip(t, inst)
			joined, err := Join(domain, inst)
			if err != nil {
				t.Fatal(err)
			}
			progs, err := CheckAll(joined)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, p := range progs {
				checkTyped(t, p)
				printed := &File{Domains: []*Domain{p.Domain}}
				var out bytes.Buffer
				if err := Print(&out, printed); err != nil {
					t.Fatal(err)
				}
				if _, err := CheckAll(mustParse(t, "printed", out.Bytes())); err != nil {
					t.Errorf("a checked domain prints as one that fails: %v", err)
				}
			}
		}
	}
	if read != 64 {
		t.Errorf("read %d files, want 64", read)
	}
}

// checkTyped finds expressions that the check left untyped or unresolved.
func checkTyped(t *testing.T, p *Program) {
	t.Helper()
	list := append([]Expr{p.Domain.Reward}, p.Termination...)
	for _, c := range p.Domain.CPFs {
		list = append(list, c.Expr)
	}
	list = append(list, p.Domain.Preconditions...)
	list = append(list, p.Domain.Invariants...)
	list = append(list, p.Domain.Constraints...)
	for _, root := range list {
		Walk(root, func(e Expr) bool {
			if e.ResultType().Kind == NoType {
				t.Errorf("%v: %s has no type", e.Position(), FormatExpr(e, nil))
			}
			switch e := e.(type) {
			case *Name:
				t.Errorf("%v: name %s is not resolved", e.Pos, e.Name)
			case *Fluent:
				if e.Decl != p.PVars[e.Name] || e.Decl == nil {
					t.Errorf("%v: %s has no declaration", e.Pos, e.Name)
				}
			case *Var:
				if e.Decl == nil {
					t.Errorf("%v: ?%s has no declaration", e.Pos, e.Name)
				}
			}
			return true
		})
	}
}
