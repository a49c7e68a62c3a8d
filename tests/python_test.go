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

// interpreter returns a Python that has NumPy and pandas, if there is one, else any.
func interpreter(t *testing.T) string {
	t.Helper()
	extsolver.Require(t, "python3")
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy, pandas").Run() == nil {
			return name
		}
	}
	return "python3"
}

// TestPython runs the tests of the Python package with this program.
func TestPython(t *testing.T) {
	python := interpreter(t)
	folder, err := filepath.Abs("../python")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	program := commandtest.Link(t, bin)
	if err := os.Symlink(program, filepath.Join(bin, "elevator")); err != nil { // see TestMain
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-c", "import compileall, sys; sys.exit(not compileall.compile_dir('src', quiet=1, ddir='src'))"},
		{"-m", "unittest", "-v"},
	} {
		cmd := exec.Command(python, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "FDPLAN="+program, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "PYTHONPATH=src",
			"PYTHONPYCACHEPREFIX="+t.TempDir(), "PYTHONWARNINGS=default")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		for _, skipped := range regexp.MustCompile(`(?m)^.*skipped.*$`).FindAllString(string(out), -1) {
			t.Log(skipped)
		}
		if strings.Contains(string(out), "ResourceWarning") {
			t.Errorf("something is left open:\n%s", out)
		}
	}
}
