package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/extsolver"
)

// words splits an example as a shell does, up to what it does with the output.
func words(line string) []string {
	var out []string
	word, quoted, started := "", rune(0), false
	end := func() {
		if started {
			out = append(out, word)
		}
		word, started = "", false
	}
	for _, r := range line {
		switch {
		case quoted == 0 && (r == '|' || r == '>' || r == ';' || r == '&'):
			end()
			return out
		case quoted == r:
			quoted = 0
		case quoted == 0 && (r == '\'' || r == '"'):
			quoted, started = r, true
		case quoted == 0 && r == ' ':
			end()
		default:
			word, started = word+string(r), true
		}
	}
	end()
	return out
}

// TestExamples wants at least two examples of each command, of that command and
// right as far as the parser sees, in its help and in the manual; and no examples
// of anything else.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("fd-sat-plan", 0o755); err != nil { // flags for folders want one
		t.Fatal(err)
	}
	page := manual()
	known := map[string]bool{}
	for _, e := range visible() {
		known[e.name] = true
		if len(examplesOf(e.name)) < 2 {
			t.Errorf("%s has %d examples", e.name, len(examplesOf(e.name)))
		}
		status, short, stderr := session("help", e.name)
		if status != exitDone || stderr != "" {
			t.Errorf("help %s: status %d, %s", e.name, status, stderr)
		}
		if _, same, _ := session(e.name, "--help"); same != short {
			t.Errorf("%s --help differs from help %s", e.name, e.name)
		}
		if n := strings.Count(short, "\n"); n > 40 {
			t.Errorf("%s --help has %d lines", e.name, n)
		}
		_, help, _ := session(e.name, "--help=all")
		for _, f := range e.flags() {
			if !strings.Contains(help, flagNames(f)) {
				t.Errorf("%s --help=all lacks --%s", e.name, f.Flag)
			}
		}
		for _, x := range examplesOf(e.name) {
			args := words(x.line)
			if args[0] != e.name {
				t.Errorf("an example of %s is %q", e.name, x.line)
			}
			if _, _, err := e.parse(e.make(), args[1:]); err != nil {
				t.Errorf("%s: %v", x.line, err)
			}
			if !strings.Contains(help, "$ fdplan "+x.line+"\n") {
				t.Errorf("help %s lacks %q", e.name, x.line)
			}
			if !strings.Contains(page, roff("fdplan "+x.line)+"\n") {
				t.Errorf("the manual lacks %q", x.line)
			}
		}
	}
	_, all, _ := session("help")
	if n := strings.Count(all, "\n"); n > 40 {
		t.Errorf("help has %d lines", n)
	}
	for name := range known {
		if strings.Count(all, "\n  "+name+" ") != 1 {
			t.Errorf("help does not describe %s once", name)
		}
	}
	for _, e := range examples {
		name := e.command
		if !known[name] {
			t.Errorf("there are examples of %s, which is not a command", name)
		}
	}
	if status, _, stderr := session("help", "nonsense"); status != exitUsage || !strings.Contains(stderr, "nonsense") {
		t.Errorf("help nonsense: status %d, %s", status, stderr)
	}
}

// TestManual wants every command and flag in the manual, and, where groff is
// there, no warning.
func TestManual(t *testing.T) {
	status, page, stderr := session("man")
	if status != exitDone || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, e := range visible() {
		_, rest, ok := strings.Cut(page, ".SS "+roff(e.name)+" ")
		if !ok {
			t.Errorf("%s is missing", e.name)
			continue
		}
		section, _, _ := strings.Cut(rest, "\n.SS ")
		for _, f := range e.flags() {
			if f.Flag != "help" && f.Flag != "version" && !strings.Contains(section, roff(f.Flag)) {
				t.Errorf("%s --%s is missing", e.name, f.Flag)
			}
		}
	}
	extsolver.Require(t, "groff")
	cmd := exec.Command("groff", "-man", "-Tascii", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}

// TestCompletion asks bash itself what it would complete, and wants every command
// and flag in the scripts of the other shells.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"zsh", "fish"} {
		status, script, stderr := session("completion", shell)
		if status != exitDone || stderr != "" {
			t.Fatalf("%s: status %d, %s", shell, status, stderr)
		}
		for _, e := range visible() {
			for _, f := range e.flags() {
				if want := map[string]string{"zsh": "--" + f.Flag, "fish": "from " + e.name + "' -l " + f.Flag}[shell]; !strings.Contains(script, want) {
					t.Errorf("%s: %s --%s is missing", shell, e.name, f.Flag)
				}
			}
		}
		if !strings.Contains(script, "navigation/3x3") {
			t.Errorf("%s: no problems", shell)
		}
		if path, err := exec.LookPath(shell); err == nil {
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%s does not parse: %v\n%s", shell, err, out)
			}
		}
	}
	extsolver.Require(t, "bash")
	_, script, _ := session("completion", "bash")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "fdplan.bash"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "my plan.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ typed, want string }{
		{"fdplan pl", "plan"},
		{"fdplan ex", "explain"},
		{"fdplan plan navigation/3", "navigation/3x3"},
		{"fdplan plan --engine s", "search"},
		{"fdplan explain --eng", "--engine"},
		{"fdplan explain navigation/3x3 my", "my plan.json"},
		{"fdplan train --task navigation/5", "navigation/5x5"},
		{"fdplan completion z", "zsh"},
		{"fdplan help val", "validate"},
		{"fdplan plan --require x", ""},
	} {
		args := strings.Split(c.typed, " ")
		quoted, err := json.Marshal(args) // words without what bash would change
		if err != nil {
			t.Fatal(err)
		}
		list := strings.ReplaceAll(strings.Trim(string(quoted), "[]"), ",", " ")
		cmd := exec.Command("bash", "-c", "complete() { :; }; . ./fdplan.bash; COMP_WORDS=("+list+`); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _fdplan; printf '%s\n' "${COMPREPLY[@]}"`)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%q: %v, %q, want %q", c.typed, err, out, c.want)
		}
	}
}
