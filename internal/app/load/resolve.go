package load

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/source"
)

// The parts of RDDL and of PDDL, by what begins them.
var (
	rddlDomain   = regexp.MustCompile(`(?m)^[ \t]*domain[ \t\r\n]+([A-Za-z0-9_-]+)[ \t\r\n]*\{`)
	rddlInstance = regexp.MustCompile(`(?m)^[ \t]*instance[ \t\r\n]+[A-Za-z0-9_-]+[ \t\r\n]*\{[^}]*?\bdomain[ \t\r\n]*=[ \t\r\n]*([A-Za-z0-9_-]+)`)
	pddlDomain   = regexp.MustCompile(`(?i)\(\s*define\s*\(\s*domain\s+([^\s()]+)\s*\)`)
	pddlProblem  = regexp.MustCompile(`(?i)\(\s*define\s*\(\s*problem\s+[^\s()]+\s*\)[^(]*\(\s*:domain\s+([^\s()]+)\s*\)`)
)

// parts are the names of the domain that a file has, and of that which a problem in it is of; "" for neither.
type parts struct{ domain, of string }

func partsOf(text []byte, ext string) parts {
	first := func(r *regexp.Regexp) string {
		if m := r.FindSubmatch(text); m != nil {
			return strings.ToLower(string(m[1]))
		}
		return ""
	}
	if ext == ".pddl" {
		return parts{first(pddlDomain), first(pddlProblem)}
	}
	return parts{first(rddlDomain), first(rddlInstance)}
}

// IsDomain reports whether a file of RDDL or PDDL has a domain.
func IsDomain(name string) bool {
	text, err := source.ReadFile(name)
	return err == nil && partsOf(text, strings.ToLower(filepath.Ext(name))).domain != ""
}

// Standard reads the problem from standard input if its name is -.
func (r *Ref) Standard(in io.Reader) error {
	ext := ""
	switch {
	case r.Domain == "-" || r.Instance == "-":
		ext = ".rddl"
	case r.PDDL == "-":
		ext = ".pddl"
	case r.Name != "-":
		return nil
	}
	if in == nil {
		return errors.New("standard input: there is none")
	}
	text, err := io.ReadAll(source.UpTo("standard input", in, source.MaxText))
	if err != nil {
		return err
	}
	if ext == "" {
		switch {
		case len(text) == 0:
			return errors.New("standard input is empty; expected a task file, RDDL or PDDL")
		case pddlProblem.Match(text) || pddlDomain.Match(text):
			ext = ".pddl"
		case rddlDomain.Match(text) || rddlInstance.Match(text):
			ext = ".rddl"
		default:
			ext = ".toml"
		}
	}
	name, read := "standard-input"+ext, r.Read
	if read == nil {
		read = ReadFile
	}
	for _, file := range []*string{&r.Name, &r.Domain, &r.Instance, &r.PDDL} {
		if *file == "-" {
			*file = name
		}
	}
	r.Read = func(file string) ([]byte, error) {
		if file == name {
			return text, nil
		}
		return read(file)
	}
	return r.Resolve()
}

// Resolve finds the files of a problem that is named by one of them, or by their folder.
func (r *Ref) Resolve() error {
	if r.Files != "" || r.Domain != "" || r.PDDL != "" || r.Name == "" {
		return nil
	}
	if info, err := os.Stat(r.Name); err == nil && info.IsDir() && r.Read == nil {
		name, err := inFolder(r.Name)
		if err != nil {
			return err
		}
		r.Name = name
	}
	ext := strings.ToLower(filepath.Ext(r.Name))
	if ext != ".rddl" && ext != ".pddl" {
		return nil
	}
	read := task.ReadFile(ReadFile)
	if r.Read != nil {
		read = r.Read
	}
	text, err := read(r.Name)
	if err != nil {
		return err
	}
	domain, problem := r.Name, r.Name
	switch has := partsOf(text, ext); {
	case has.domain == "" && has.of == "":
		return nil // the reader says what is wrong
	case has.domain == "":
		domain, err = beside(r.Name, ext, "the domain "+has.of, func(p parts) bool { return p.domain == has.of })
	case has.of == "":
		problem, err = beside(r.Name, ext, "a problem of the domain "+has.domain, func(p parts) bool { return p.of == has.domain })
	}
	switch {
	case err != nil:
		return err
	case ext == ".pddl":
		r.PDDL, r.Name = domain, problem
	default:
		r.Domain, r.Name = domain, ""
		if problem != domain {
			r.Instance = problem
		}
	}
	return nil
}

// beside finds the one file beside another that has something.
func beside(name, ext, what string, has func(parts) bool) (string, error) {
	option := map[string]string{".pddl": "--pddl DOMAIN.pddl PROBLEM.pddl", ".rddl": "--domain D.rddl --instance I.rddl"}[ext]
	var found []string
	for _, file := range filesIn(filepath.Dir(name), ext) {
		if text, err := source.ReadFile(file); err == nil && has(partsOf(text, ext)) {
			found = append(found, file)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: there is no file beside it with %s; expected %s", name, what, option)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s: %s is in each of %s; expected %s", name, what, strings.Join(found, ", "), option)
}

// inFolder finds the file that names the problem of a folder.
func inFolder(folder string) (string, error) {
	name := filepath.Join(folder, "task.toml")
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	for _, ext := range []string{".toml", ".rddl", ".pddl"} {
		found := filesIn(folder, ext)
		if ext != ".toml" {
			found = slices.DeleteFunc(found, func(name string) bool {
				text, err := source.ReadFile(name)
				return err != nil || partsOf(text, ext).of == ""
			})
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return "", fmt.Errorf("%s is a folder with several problems; expected one of %s", folder, strings.Join(found, ", "))
		}
	}
	return "", fmt.Errorf("%s is a folder without a problem; expected a task file (.toml), RDDL or PDDL in it", folder)
}

// filesIn lists the files of a folder with an extension.
func filesIn(folder, ext string) (out []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if !e.IsDir() && strings.EqualFold(filepath.Ext(e.Name()), ext) {
			out = append(out, filepath.Join(folder, e.Name()))
		}
	}
	return out
}
