package command

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Parts are what some programs have and others lack, to keep fdplan quick to build: a module of its
// own with what it needs from others, whose program is the whole of fdplan with the part added. A
// command that needs a part which its program lacks is done by the program that has it.
type Parts struct {
	Cluster    Cluster
	Laboratory Laboratory
}

// Host is what a part may use of the program.
type Host struct {
	In       io.Reader
	Out, Err io.Writer
	Warn     func(text string)
	Now      func() time.Time
	Program  string // path of this program, to start it as a child
	// ToFile makes a file whole or not at all.
	ToFile func(name string, write func(io.Writer) error) error
}

// host returns what a part may use.
func (a *environment) host() *Host {
	return &Host{In: a.in, Out: a.out, Err: a.err, Warn: a.warn, Now: a.now, Program: thisProgram(), ToFile: a.toFile}
}

// thisProgram returns the path of the running program, preferably the name under which it was
// started: for a link the name may matter. It is that name alone where the system does not tell.
func thisProgram() string {
	program, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	if named, err := exec.LookPath(os.Args[0]); err == nil {
		one, err1 := os.Stat(program)
		two, err2 := os.Stat(named)
		if abs, err := filepath.Abs(named); err == nil && err1 == nil && err2 == nil && os.SameFile(one, two) {
			return abs
		}
	}
	return program
}

// lacking names the part that a command needs and this program lacks; "" for none.
func (a *environment) lacking(command any) string {
	if a.parts.Cluster == nil {
		switch c := command.(type) {
		case *Broker, *Worker, *Status, *Unit:
			return "cluster"
		case interface{ server() string }:
			if c.server() != "" {
				return "cluster" // which has all parts
			}
		}
	}
	if a.parts.Laboratory == nil {
		switch command.(type) {
		case *Bench, *Report:
			return "paper"
		}
	}
	return ""
}

// delegate has the program with a part do a command line, and returns its exit status.
func (a *environment) delegate(part string, args []string) (int, error) {
	program, err := a.programOf(part, checkout())
	if err != nil {
		return 0, err
	}
	if a.replace == nil {
		return 0, errors.New("no other program may be started here")
	}
	status, err := a.replace(program, args)
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", program, err)
	}
	return status, nil
}

// programOf finds the program with a part: beside this one, from the module of the checkout that
// this one was built from, or on the path.
func (a *environment) programOf(part, checkout string) (string, error) {
	name := "fdplan-" + part
	self := thisProgram()
	if beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
		return beside, nil
	}
	if module := filepath.Join(checkout, part); isFile(filepath.Join(module, "go.mod")) {
		return a.build(module, name)
	}
	if found, err := exec.LookPath(name); err == nil {
		return filepath.Abs(found)
	}
	return "", fmt.Errorf("this is done by the program %s, which is neither beside %s nor on the path; releases have it, and in a checkout \"go install -C %s ./cmd/%s\" adds it", name, self, part, name)
}

// checkout is the folder of the sources of this program, "" if they are not known.
func checkout() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "" // built with -trimpath
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// build builds a program of a module of the checkout, if it is not there as it would be built, and
// returns its path.
func (a *environment) build(module, name string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding a folder for %s: %w", name, err)
	}
	place := fnv.New64a()
	io.WriteString(place, module)
	program := filepath.Join(cache, "fdplan", fmt.Sprintf("%x", place.Sum64()), name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if !isFile(program) {
		a.note(fmt.Sprintf("building %s from %s, which takes a minute the first time", name, module))
	}
	cmd := exec.CommandContext(a.guard.ctx, "go", "build", "-C", module, "-o", program, "./cmd/"+name)
	cmd.Stderr = a.err
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building %s from %s: %w", name, module, err)
	}
	return program, nil
}
