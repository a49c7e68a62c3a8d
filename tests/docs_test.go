package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/command/commandtest"
	"github.com/fdplan/fdplan/internal/extsolver"
)

// shown is a command of the documentation with the output printed under it.
type shown struct {
	line    int
	command string
	output  string
}

// sessions takes the commands out of the console blocks of a page: lines after
// "$ ", and what follows each up to the next.
func sessions(page string) []shown {
	var out []shown
	inside := false
	for i, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case strings.HasPrefix(line, "$ "):
			out = append(out, shown{line: i + 1, command: line[2:]})
		case strings.HasPrefix(line, "> ") && len(out) > 0 && out[len(out)-1].output == "":
			out[len(out)-1].command += "\n" + line[2:] // a here-document
		case len(out) > 0:
			out[len(out)-1].output += line + "\n"
		}
	}
	return out
}

var (
	seconds = regexp.MustCompile(`\d+\.\d+ s\b`)
	outside = regexp.MustCompile(`\b(clasp|cadical|cbc|glpsol|python3|curl)\b`)
)

// matches compares output with what a page shows, in which a line "..." stands
// for any number of lines, and times are of another machine.
func matches(got, want string) bool {
	got, want = seconds.ReplaceAllString(got, "T s"), seconds.ReplaceAllString(want, "T s")
	parts := strings.Split(want, "...\n")
	if !strings.HasPrefix(got, parts[0]) {
		return false
	}
	got = got[len(parts[0]):]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(got, part)
		}
		at := strings.Index(got, part)
		if at < 0 {
			return false
		}
		got = got[at+len(part):]
	}
	return got == ""
}

// TestDocumentation runs every command that README.md and docs/ show and
// compares its output.
func TestDocumentation(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append([]string{"../README.md"}, pages...)
	bin := t.TempDir()
	program := commandtest.Link(t, bin)
	if err := os.Symlink(program, filepath.Join(bin, "elevator")); err != nil { // see TestMain
		t.Fatal(err)
	}
	data, err := filepath.Abs(published)
	if err != nil {
		t.Fatal(err)
	}
	python, err := filepath.Abs("../python/src")
	if err != nil {
		t.Fatal(err)
	}
	_, absent := os.Stat(data)
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			// Commands that change an example work on a copy of theirs.
			if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../examples")); err != nil {
				t.Fatal(err)
			}
			for _, s := range sessions(string(text)) {
				if strings.Contains(s.command, "$D") && absent != nil {
					t.Skipf("no published FD-SAT-Plan files at %s", data)
				}
				extsolver.Require(t, outside.FindAllString(s.command, -1)...)
				command := strings.ReplaceAll(s.command, "go run ./cmd/fdplan", "fdplan")
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "D="+data, "PYTHONPATH="+python, "PYTHONDONTWRITEBYTECODE=1")
				// Exit statuses are shown with echo $?, where they matter.
				got, err := cmd.CombinedOutput()
				if _, ok := err.(*exec.ExitError); err != nil && !ok {
					t.Fatal(err)
				}
				if !matches(string(got), s.output) {
					t.Errorf("%s:%d: %s\nprints\n%s\nnot\n%s", page, s.line, s.command, got, s.output)
				}
			}
		})
	}
}
