package command

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test binary be the program where it is called fdplan.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "fdplan" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, Parts{}))
	}
	os.Exit(m.Run())
}

// session runs the program in this process.
func session(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := &environment{out: &out, err: &errs, now: time.Now, started: time.Now()}
	status = run(a, args)
	return status, out.String(), errs.String()
}

// TestMalformedInputs returns the program every malformed layout of package fdsat: status 2,
// one line that names the place, nothing on standard output.
func TestMalformedInputs(t *testing.T) {
	const root = "../../problem/fdsat/testdata"
	faults, err := os.ReadDir(filepath.Join(root, "malformed"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range faults {
		t.Run(d.Name(), func(t *testing.T) {
			dir := t.TempDir()
			overlay := filepath.Join(root, "malformed", d.Name())
			lay(t, dir, filepath.Join(root, "base"))
			lay(t, dir, overlay)
			want, err := os.ReadFile(filepath.Join(overlay, "want"))
			if err != nil {
				t.Fatal(err)
			}
			status, stdout, stderr := session("plan", "--files", dir, "tiny/1", "-H", "2")
			line := "fdplan: " + filepath.Join(dir, strings.TrimSuffix(string(want), "\n")) + "\n"
			if status != exitUsage || stdout != "" || stderr != line {
				t.Errorf("status %d, stdout %q, stderr\n%s\nwant\n%s", status, stdout, stderr, line)
			}
		})
	}
}

// lay copies the files of from over those of dir, and removes what its file
// remove lists.
func lay(t *testing.T, dir, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if rel == "remove" {
			for _, name := range strings.Fields(string(data)) {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					return err
				}
			}
			return nil
		}
		to := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestUsage has the faults of a command line: status 2 and one line.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"plan", "navigation/3x3", "--verbose"}, "there is no flag --verbose; progress is shown"},
		{[]string{"nonsense"}, "nonsense"},
		{[]string{"plan"}, "no problem is named"},
		{[]string{"plan", "navigation/9x9"}, `no bundled problem "navigation/9x9"; expected one of navigation/3x3`},
		{[]string{"plan", "navigation/3x3", "-H", "0"}, `"0" is not a horizon`},
		{[]string{"plan", "navigation/3x3", "-H", "5..4"}, `"5..4" is not a horizon`},
		{[]string{"plan", "navigation/3x3", "--engine", "magic"}, `--engine is "magic"; expected one of auto`},
		{[]string{"plan", "navigation/3x3", "--memory", "4"}, "is not a size"},
		{[]string{"plan", "navigation/3x3", "--files", "/nonexistent"}, "/nonexistent"},
		{[]string{"plan", "navigation/3x3", "--reward", "/nonexistent"}, "/nonexistent"},
		{[]string{"plan", "navigation/3x3", "--set-initial", "x=1"}, `there is no variable "x"`},
		{[]string{"plan", "navigation/3x3", "--set-initial", "robot-at(x14,y20)=2"}, "cannot be 2; its range is 0..1"},
		{[]string{"plan", "navigation/3x3", "--set-initial", "move-east=1"}, "expected a state variable"},
		{[]string{"plan", "navigation/3x3", "--set-initial", "robot-at(x14,y20)"}, "expected variable=value"},
		{[]string{"plan", "navigation/3x3", "--require", "move-up"}, "--require move-up: 1:1: there is no variable move-up"},
		{[]string{"plan", "navigation/3x3", "--require", "move-east,<=,x"}, "--require"},
		{[]string{"compile", "navigation/3x3", "-H", "4"}, "missing flags: --format"},
		{[]string{"compile", "navigation/3x3", "-H", "4", "--format", "smt"}, `--format is "smt"; expected one of`},
		{[]string{"compile", "navigation/3x3", "-H", "4..5", "--format", "opb"}, "one horizon"},
		{[]string{"compile", "navigation/3x3", "--format", "opb", "-o", "/nonexistent/f"}, "/nonexistent"},
		{[]string{"validate", "navigation/3x3", "/nonexistent"}, "/nonexistent"},
		{[]string{"verify", "navigation/3x3"}, "missing flags: --property"},
		{[]string{"verify", "navigation/3x3", "--property", "move-east +"}, "--property move-east +: 1:12: expected a variable"},
	} {
		status, stdout, stderr := session(c.args...)
		if status != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "fdplan: ") || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, stdout %q, stderr %q, want %q", c.args, status, stdout, stderr, c.want)
		}
	}
}

// TestBadPlans has malformed plan files for validate.
func TestBadPlans(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":          {"plan", ":1:1: expected a plan as a JSON object"},
		"cut off":          {"{\"schema\":1,\n\"plan\":[", ":2:9: expected a plan"},
		"wrong type":       {"{\"schema\":1,\n\"plan\":4}", ":2:"},
		"text after it":    {`{"schema":1,"plan":[{}]} x`, ":1:26: expected nothing after"},
		"no schema":        {`{"plan":[{}]}`, `:1: expected "schema":1`},
		"other schema":     {`{"schema":7,"plan":[{}]}`, `:1: expected "schema":1`},
		"no plan":          {`{"schema":1}`, `expected a "plan"`},
		"unknown action":   {`{"schema":1,"plan":[{"fly":true}]}`, `no action variable "fly"`},
		"state as action":  {`{"schema":1,"plan":[{"robot-at(x14,y20)":true}]}`, "no action variable"},
		"a string":         {`{"schema":1,"plan":[{"move-east":"yes"}]}`, "not a value for move-east"},
		"out of range":     {`{"schema":1,"plan":[{"move-east":2}]}`, "cannot be 2"},
		"short trace":      {`{"schema":1,"plan":[{}],"trace":[{}]}`, "a plan of 1 steps passes 2"},
		"incomplete trace": {`{"schema":1,"plan":[{}],"trace":[{},{}]}`, "expected all 9"},
	} {
		file := filepath.Join(t.TempDir(), "plan.json")
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		status, stdout, stderr := session("validate", "navigation/3x3", file)
		if status != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "fdplan: "+file+":") || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, stdout %q, stderr %q, want %q", name, status, stdout, stderr, c.want)
		}
	}
}

// TestMalformedRDDL checks every malformed file of package rddl: status 2 and
// one line that names the place.
func TestMalformedRDDL(t *testing.T) {
	files, err := filepath.Glob("../../internal/rddl/testdata/malformed/*.rddl")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		want, ok := strings.CutPrefix(first, "// want: ")
		if !ok {
			t.Fatalf("%s does not say what is wanted", file)
		}
		place, message, _ := strings.Cut(want, ": ")
		status, stdout, stderr := session("check", file)
		if status != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "fdplan: "+file+":"+place+": ") || !strings.Contains(stderr, message) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q, want %q", file, status, stdout, stderr, want)
		}
	}
}

// TestCheckCompetitionFiles checks the domains and instances of two planning
// competitions.
func TestCheckCompetitionFiles(t *testing.T) {
	const data = "../../shared/data/rddl"
	domains, err := filepath.Glob(data + "/*/*/domain.rddl")
	if err != nil || len(domains) == 0 {
		t.Skipf("no RDDL files at %s", data)
	}
	for _, domain := range domains {
		if status, _, stderr := session("check", domain); status != exitDone {
			t.Errorf("%s: status %d, %s", domain, status, stderr)
		}
		instances, err := filepath.Glob(filepath.Join(filepath.Dir(domain), "inst*.rddl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, instance := range instances {
			status, stdout, stderr := session("check", domain, instance)
			if status != exitDone || !strings.Contains(stdout, "\ninstance ") {
				t.Errorf("%s: status %d, %s", instance, status, stderr)
			}
		}
	}
}
