package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// numbered are the numbered items of the paper, each of which has a row in docs/paper.md.
func numbered() []string {
	out := []string{"Definition 1", "Theorem 1", "Theorem 2", "Corollary 1", "Algorithm 1", "Table 1", "Table 2", "Table 3", "Table D.4",
		"(i)", "(ii)", "(iii)", "(iv)", "(v)", "(vi)"}
	for n := 1; n <= 6; n++ {
		out = append(out, fmt.Sprintf("conclusion %d", n))
	}
	for n := 1; n <= 22; n++ {
		out = append(out, fmt.Sprintf("(%d)", n))
	}
	for n := 1; n <= 20; n++ {
		out = append(out, fmt.Sprintf("(A.%d)", n))
	}
	for n := 1; n <= 5; n++ {
		out = append(out, fmt.Sprintf("Figure %d", n))
	}
	return out
}

var (
	span     = regexp.MustCompile("`([^`]+)`")
	between  = regexp.MustCompile(`^\((A\.)?(\d+)\)–\((A\.)?(\d+)\)$`)
	goTest   = regexp.MustCompile(`^go test ((?:\./\S+ )+)-run '?([^']+?)'?$`)
	testName = regexp.MustCompile(`(?m)^func Test(\w+)`)
)

// items are those of a row's first cell, with ranges written out.
func items(cell string) []string {
	var out []string
	for _, part := range strings.Split(cell, ", ") {
		m := between.FindStringSubmatch(part)
		if m == nil {
			out = append(out, part)
			continue
		}
		first, _ := strconv.Atoi(m[2])
		last, _ := strconv.Atoi(m[4])
		for n := first; n <= last; n++ {
			out = append(out, fmt.Sprintf("(%s%d)", m[1], n))
		}
	}
	return append(out, cell)
}

// TestPaper runs every command of the map of the paper, and finds each item of it there.
// Tests of packages that it names are looked for, since they are run beside this one.
func TestPaper(t *testing.T) {
	text, err := os.ReadFile("../docs/paper.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs(published)
	if err != nil {
		t.Fatal(err)
	}
	_, absent := os.Stat(data)
	bin, dir := t.TempDir(), t.TempDir()
	commandtest.Link(t, bin)
	kept, err := os.ReadFile("../docs/results/2026-11/journal.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "results"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "results", "journal.jsonl.gz"), kept, 0o666); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "D="+data)
	printed := map[string]string{} // by command: those of several rows run once
	run := func(command string) string {
		if out, ok := printed[command]; ok {
			return out
		}
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		out, _ := cmd.CombinedOutput() // "no" is an answer too
		printed[command] = string(out)
		return string(out)
	}
	run("fdplan report results")
	found := map[string]bool{}
	for n, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "| "), " | ")
		if !strings.HasPrefix(line, "| ") || cells[0] == "in the paper" || cells[0] == "---" {
			continue
		}
		if len(cells) != 5 {
			t.Fatalf("line %d has %d cells; expected 5", n+1, len(cells))
		}
		for _, i := range items(cells[0]) {
			found[i] = true
		}
		for _, shown := range strings.Split(strings.ReplaceAll(cells[3], "\x00", "|"), "<br>") {
			spans := span.FindAllStringSubmatch(shown, -1)
			if len(spans) == 0 {
				t.Errorf("line %d: %s is shown by no command", n+1, cells[0])
				continue
			}
			command := spans[0][1]
			if m := goTest.FindStringSubmatch(command); m != nil {
				named(t, strings.Fields(m[1]), m[2])
				continue
			}
			if strings.Contains(command, "$D") && absent != nil {
				continue
			}
			if len(spans) < 2 {
				t.Errorf("line %d: nothing is expected of %s", n+1, command)
			}
			out := run(command)
			for _, want := range spans[1:] {
				if !strings.Contains(out, want[1]) {
					t.Errorf("line %d: %s\nprints\n%s\nwithout %q", n+1, command, out, want[1])
				}
			}
		}
	}
	for _, i := range numbered() {
		if !found[i] {
			t.Errorf("docs/paper.md has no row for %s", i)
		}
	}
}

// named finds the tests that a pattern names in packages.
func named(t *testing.T, packages []string, pattern string) {
	t.Helper()
	for _, dir := range packages {
		files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range testName.FindAllStringSubmatch(string(text), -1) {
				if regexp.MustCompile(pattern).MatchString(m[1]) {
					n++
				}
			}
		}
		if n == 0 {
			t.Errorf("%s has no test %s", dir, pattern)
		}
	}
}

// TestCommandsListed holds the list of commands in README.md to the program's own.
func TestCommandsListed(t *testing.T) {
	bin := t.TempDir()
	out, err := exec.Command(commandtest.Link(t, bin), "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "\n| commands | ")
	list, _, _ = strings.Cut(list, "; ")
	var listed, want []string
	for _, m := range span.FindAllStringSubmatch(list, -1) {
		listed = append(listed, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]\w*)  `).FindAllStringSubmatch(string(out), -1) {
		want = append(want, m[1])
	}
	slices.Sort(listed)
	slices.Sort(want)
	if len(want) == 0 || !slices.Equal(listed, want) {
		t.Errorf("README.md lists the commands %v; expected %v", listed, want)
	}
}
