package fdplan_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibraryDocs compiles and runs the program of docs/library.md in a module of
// its own, without a network.
func TestLibraryDocs(t *testing.T) {
	text, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```go\n")
	program, after, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatal("docs/library.md has no program")
	}
	_, rest, _ = strings.Cut(after, "It prints `")
	want, _, ok := strings.Cut(rest, "`")
	if !ok {
		t.Fatal("docs/library.md does not say what the program prints")
	}
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
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-trimpath")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the program of docs/library.md: %v\n%s", err, out)
	}
	if got := strings.TrimSpace(string(out)); got != want {
		t.Errorf("the program prints %q; docs/library.md says %q", got, want)
	}
}
