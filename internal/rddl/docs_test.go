package rddl

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// TestTable compares docs/rddl.md with the code: the tests that it names exist, and it lists
// every function, distribution, quantifier and kind of fluent.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/rddl.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	dirs := map[string]string{
		"rddl": ".", "ground": "ground", "sim": "sim", "translate": "translate", "app": "../app", "bundled": "bundled", "fdplan": "../command",
	}
	source := map[string]string{}
	for name, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			source[name] += string(b)
		}
	}
	// Several tests of one package are written "sim TestA, TestB".
	lists := regexp.MustCompile(`(?:\b(\w+)\s+)?(Test\w+(?:,\s+Test\w+)*)`).FindAllStringSubmatch(page, -1)
	if len(lists) < 50 {
		t.Errorf("the page names tests in %d places", len(lists))
	}
	for _, m := range lists {
		for _, name := range strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
			if !strings.Contains(source[m[1]], "func "+name+"(") {
				t.Errorf("there is no test %s in package %q", name, m[1])
			}
		}
	}
	has := func(name string) {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not have `%s`", name)
		}
	}
	for name := range operator.Functions {
		has(name)
	}
	for name := range Distributions {
		has(name)
	}
	for name := range vectors {
		has(name)
	}
	for _, name := range quantNames {
		has(name)
	}
	for _, name := range kindNames {
		has(name)
	}
}
