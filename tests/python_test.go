package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
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

// TestWheel installs the wheel of this system into an environment of its own, where it brings the program.
func TestWheel(t *testing.T) {
	python := interpreter(t)
	if runtime.GOOS == "windows" {
		t.Skip("environments have other folders there")
	}
	if exec.Command(python, "-c", "import tomllib, venv, pip").Run() != nil {
		extsolver.Missing(t, python+" is older than 3.11, or has no pip")
	}
	target := runtime.GOOS + "/" + runtime.GOARCH
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = []string{"HOME=" + os.Getenv("HOME"), "PATH=" + filepath.Dir(goProgram(t)) + string(os.PathListSeparator) + "/usr/bin"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	python, err := exec.LookPath(python)
	if err != nil {
		t.Fatal(err)
	}
	wheel := filepath.Join("..", run(python, "../.ci/wheels", target))
	dir := t.TempDir()
	run(python, "-m", "venv", "--without-pip", dir)
	inside := filepath.Join(dir, "bin", "python3")
	run(python, "-m", "pip", "--python", inside, "install", "--quiet", "--no-index", "--no-deps", wheel)
	if got := run(inside, "-c", `import fdplan; print(fdplan.plan("navigation/3x3", horizon=4).reward, fdplan.program.find())`); got != "-4.0 "+filepath.Join(dir, "bin", "fdplan") {
		t.Errorf("the wheel prints %q", got)
	}
}

// goProgram is the path of the program go.
func goProgram(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
