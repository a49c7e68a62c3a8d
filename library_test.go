package fdplan_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibraryDocs compiles and runs the program of docs/library.md.
func TestLibraryDocs(t *testing.T) {
	program, after := goBlock(t, "docs/library.md")
	_, rest, _ := strings.Cut(after, "It prints `")
	want, _, ok := strings.Cut(rest, "`")
	if !ok {
		t.Fatal("docs/library.md does not say what the program prints")
	}
	if got := runProgram(t, program); got != want {
		t.Errorf("the program prints %q; docs/library.md says %q", got, want)
	}
}

// TestLibraryREADME compiles and runs the example of README.md, which leaves out
// the package clause and the imports.
func TestLibraryREADME(t *testing.T) {
	example, after := goBlock(t, "README.md")
	if lines := strings.Count(example, "\n"); lines > 15 {
		t.Errorf("the example of README.md has %d lines; expected at most 15", lines)
	}
	_, rest, _ := strings.Cut(after, "```text\n")
	want, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("README.md does not say what the example prints")
	}
	header := "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n\t\"" + module + "\"\n)\n\n"
	if got := runProgram(t, header+example); got != strings.TrimSpace(want) {
		t.Errorf("the example prints %q; README.md says %q", got, want)
	}
}

// goBlock returns the first block of Go in a page, and the text after it.
func goBlock(t *testing.T, page string) (program, after string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```go\n")
	program, after, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatalf("%s has no block of Go", page)
	}
	return program, after
}

// runProgram compiles and runs a program in a module of its own, without a
// network, and returns what it prints.
func runProgram(t *testing.T, program string) string {
	t.Helper()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	// The requirements are this module's, so that no version has to be looked up.
	var requirements []string
	for _, line := range strings.SplitAfter(string(mod), "\n") {
		if !strings.HasPrefix(line, "module ") && !strings.HasPrefix(line, "tool ") {
			requirements = append(requirements, line)
		}
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"main.go": program,
		"go.sum":  string(sums),
		"go.mod":  "module example.com/user\n\n" + strings.Join(requirements, "") + "\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + here + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go run: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}
