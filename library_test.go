package fdplan_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestLibraryDocs compiles and runs the program of docs/library.md.
func TestLibraryDocs(t *testing.T) {
	_, after, err := goBlock("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(after, "It prints `")
	want, _, ok := strings.Cut(rest, "`")
	if !ok {
		t.Fatal("docs/library.md does not say what the program prints")
	}
	if got := runPrograms(t)[1]; got != want {
		t.Errorf("the program prints %q; docs/library.md says %q", got, want)
	}
}

// TestLibraryREADME compiles and runs the example of README.md, which leaves out
// the package clause and the imports.
func TestLibraryREADME(t *testing.T) {
	example, after, err := goBlock("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(example, "\n"); lines > 15 {
		t.Errorf("the example of README.md has %d lines; expected at most 15", lines)
	}
	_, rest, _ := strings.Cut(after, "```text\n")
	want, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("README.md does not say what the example prints")
	}
	if got := runPrograms(t)[0]; got != strings.TrimSpace(want) {
		t.Errorf("the example prints %q; README.md says %q", got, want)
	}
}

// goBlock returns the first block of Go in a page, and the text after it.
func goBlock(page string) (program, after string, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return "", "", err
	}
	_, rest, found := strings.Cut(string(text), "```go\n")
	program, after, ended := strings.Cut(rest, "```")
	if !found || !ended {
		return "", "", fmt.Errorf("%s has no block of Go", page)
	}
	return program, after, nil
}

// runPrograms returns what the programs of README.md and docs/library.md print.
func runPrograms(t *testing.T) [2]string {
	t.Helper()
	printed, err := documented()
	if err != nil {
		t.Fatal(err)
	}
	return printed
}

// documented compiles and runs the programs of README.md and docs/library.md in a module of its
// own, without a network: both are packages of one program, which is linked once.
var documented = sync.OnceValues(func() (printed [2]string, err error) {
	example, _, err := goBlock("README.md")
	if err != nil {
		return printed, err
	}
	program, _, err := goBlock("docs/library.md")
	if err != nil {
		return printed, err
	}
	header := "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n\t\"" + module + "\"\n)\n\n"
	text, err := runModule(map[string]string{
		"readme/readme.go": library(header+example, "readme"), "docs/docs.go": library(program, "docs"),
		"main.go": "package main\n\nimport (\n\t\"example.com/user/docs\"\n\t\"example.com/user/readme\"\n)\n\nfunc main() {\n\treadme.Main()\n\tprintln()\n\tdocs.Main()\n}\n",
	})
	if err != nil {
		return printed, err
	}
	for i, part := range strings.SplitN(text, "\n\n", 2) {
		printed[i] = strings.TrimSpace(part)
	}
	return printed, nil
})

// library makes a program a package of that name with a function Main.
func library(program, name string) string {
	program = strings.Replace(program, "package main\n", "package "+name+"\n", 1)
	return strings.Replace(program, "func main() {", "func Main() {", 1)
}

// runModule runs a program of these files and returns what it prints.
func runModule(files map[string]string) (string, error) {
	here, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		return "", err
	}
	// The requirements are this module's, so that no version has to be looked up.
	var requirements []string
	for _, line := range strings.SplitAfter(string(mod), "\n") {
		if !strings.HasPrefix(line, "module ") && !strings.HasPrefix(line, "tool ") {
			requirements = append(requirements, line)
		}
	}
	files["go.sum"] = string(sums)
	files["go.mod"] = "module example.com/user\n\n" + strings.Join(requirements, "") + "\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + here + "\n"
	dir, err := os.MkdirTemp("", "library")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("go", "run", "-mod=mod", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go run: %w\n%s", err, out)
	}
	return string(out), nil
}
