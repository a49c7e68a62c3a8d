package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/source"
)

// createProblem accepts the files of a problem that fdplan show can read.
func (s *Server) createProblem(w http.ResponseWriter, r *http.Request) error {
	f, err := s.receive(w, r)
	if err != nil {
		return err
	}
	defer os.RemoveAll(f.folder)
	p := new(Problem)
	if err := f.identify(p); err != nil {
		return err
	}
	name := f.fields["name"]
	if name == "" {
		name = strings.TrimSuffix(p.Task, filepath.Ext(p.Task))
		if name == "task" && len(f.files) > 1 {
			name = strings.TrimSuffix(f.files[0], filepath.Ext(f.files[0]))
		}
	}
	return s.keepUploaded(w, r, p, name, f.folder)
}

// copyRequest is what a copy of a problem asks in place of the problem's own question.
type copyRequest struct {
	Name       string   `json:"name"`
	Goal       string   `json:"goal"`
	Reward     string   `json:"reward"`
	Range      []string `json:"range"`
	Require    []string `json:"require"`
	SetInitial []string `json:"set_initial"`
	Horizon    int      `json:"horizon"`
}

// copyProblem makes a task of a problem, with changes of the question, and keeps it as an uploaded one.
func (s *Server) copyProblem(w http.ResponseWriter, r *http.Request, t *target) error {
	var q copyRequest
	if err := decode(r, &q); err != nil {
		return err
	}
	dir, err := s.workshop("copy", t)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const made = "made"
	if t.uploaded != nil && t.uploaded.pddl() { // a task file describes no problem in PDDL: the question stays with who asks
		return s.keepUploaded(w, r, &Problem{Task: t.uploaded.Task}, cmp.Or(q.Name, t.id), filepath.Join(dir, t.id))
	}
	if err := os.Mkdir(filepath.Join(dir, made), 0o700); err != nil {
		return err
	}
	show := maps.Clone(t.ref)
	show["goal"], show["range"], show["require"], show["set_initial"], show["out"] = q.Goal, q.Range, q.Require, q.SetInitial, made+"/task.toml"
	if q.Reward != "" {
		show["reward"] = q.Reward
	}
	if q.Horizon != 0 {
		show["horizon"] = q.Horizon
	}
	if _, err := s.ask(r.Context(), dir, "show", show); err != nil {
		return err
	}
	return s.keepUploaded(w, r, &Problem{Task: "task.toml"}, cmp.Or(q.Name, t.id), filepath.Join(dir, made))
}

// keepUploaded keeps a problem, and answers with it.
func (s *Server) keepUploaded(w http.ResponseWriter, r *http.Request, p *Problem, name, folder string) error {
	if err := s.keep(r.Context(), p, name, folder); err != nil {
		return err
	}
	return created(w, "problems/"+p.Problem, s.shown(*p))
}

// keep moves the files of a problem to their place, reads it, and adds it to the list.
func (s *Server) keep(ctx context.Context, p *Problem, name, folder string) (err error) {
	if err := s.problems.room(s.config.Limits.Uploads); err != nil {
		return err
	}
	id := identifier(name)
	if id == "" {
		id = "problem"
	}
	id, release := s.problems.reserve(id)
	defer release()
	dir, err := s.folder.temporary("problem")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Rename(folder, filepath.Join(dir, id)); err != nil {
		return err
	}
	now := s.config.Now()
	p.Problem, p.Source, p.Created = id, "uploaded", &now
	t := &target{id: id, dir: dir, uploaded: p}
	t.ref = p.ref()
	if strings.HasSuffix(p.Task, ".toml") {
		if err := p.confine(t.folder()); err != nil {
			return err
		}
	}
	known, err := s.describe(ctx, t)
	if err != nil {
		return err
	}
	if _, err := s.problems.put(dir, id); err != nil {
		return err
	}
	*p = *known
	s.problems.add(id, known)
	return nil
}

// describe reads an uploaded problem, and returns what is then known of it, which it has
// stored.
func (s *Server) describe(ctx context.Context, t *target) (*Problem, error) {
	text, err := s.show(ctx, t, nil)
	if err != nil {
		return nil, err
	}
	var sum inspect.Summary
	if err := json.Unmarshal(text, &sum); err != nil {
		return nil, err
	}
	p := *t.uploaded
	p.Horizon, p.States, p.Actions, p.Network = sum.Horizon, sum.Bits["state"], sum.Bits["action"], ""
	if sum.Network != nil {
		p.Network = sum.Network.Shape
	}
	return &p, saveJSON(filepath.Join(t.dir, problemFile), p)
}

// published matches the names of files in the FD-SAT-Plan layout.
var published = regexp.MustCompile(`^(bnn|normalization|pvariables|initial|goals|constraints|transitions|reward)_([A-Za-z0-9.-]+)_([A-Za-z0-9.-]+)\.txt$`)

// identify finds out how the files of a form name a problem. RDDL files alone get a task file.
func (f *form) identify(p *Problem) error {
	var tasks, rddl, pddl []string
	for _, name := range f.files {
		switch strings.ToLower(filepath.Ext(name)) {
		case ".toml":
			tasks = append(tasks, name)
		case ".rddl":
			rddl = append(rddl, name)
		case ".pddl":
			pddl = append(pddl, name)
		}
	}
	switch {
	case len(tasks) == 1:
		p.Task = tasks[0]
		return nil
	case len(tasks) > 1:
		return bad("there are %d task files; expected one", len(tasks))
	case len(rddl) > 0:
		p.Task = "task.toml"
		return f.writeTask(rddl)
	case len(pddl) > 0:
		return f.inPDDL(p, pddl)
	case slices.ContainsFunc(f.files, published.MatchString):
		return f.arrange(p)
	}
	return bad("the files name no problem; expected a task file (.toml) with the files that it names, RDDL files, a domain and a problem in PDDL, or the layout of FD-SAT-Plan")
}

// ofProblem matches the beginning of a problem in PDDL.
var ofProblem = regexp.MustCompile(`(?i)\(\s*define\s*\(\s*problem\s`)

// inPDDL finds the file with the problem among PDDL files.
func (f *form) inPDDL(p *Problem, names []string) error {
	for _, name := range names {
		text, err := source.ReadFile(filepath.Join(f.folder, name))
		switch {
		case err != nil:
			return bad("%v", source.Cause(err))
		case !ofProblem.Match(text):
		case p.Task != "":
			return bad("%s and %s both have a problem; expected one", p.Task, name)
		default:
			p.Task = name
		}
	}
	if p.Task == "" || len(names) != 2 {
		return bad("there are %d PDDL files, and a problem in %s; expected a file with the domain and one with the problem", len(names), cmp.Or(p.Task, "none"))
	}
	return nil
}

// block matches the beginning of a block of RDDL.
var block = regexp.MustCompile(`(?m)^[ \t]*(domain|instance)[ \t\r\n]+[A-Za-z0-9_-]+[ \t\r\n]*\{`)

// writeTask writes the task file of RDDL files.
func (f *form) writeTask(names []string) error {
	found := map[string]string{}
	for _, name := range names {
		text, err := source.ReadFile(filepath.Join(f.folder, name))
		if err != nil {
			return bad("%v", source.Cause(err))
		}
		for _, m := range block.FindAllSubmatch(text, -1) {
			if other := found[string(m[1])]; other != "" && other != name {
				return bad("%s and %s both have a %s; expected one", other, name, m[1])
			}
			found[string(m[1])] = name
		}
	}
	if found["domain"] == "" || found["instance"] == "" {
		return bad("the RDDL files lack a domain or an instance; expected both, in one file or in two")
	}
	text := "domain = " + strconv.Quote(found["domain"]) + "\n"
	if found["instance"] != found["domain"] {
		text += "instance = " + strconv.Quote(found["instance"]) + "\n"
	}
	if goal := f.fields["goal"]; goal != "" {
		quoted, err := json.Marshal(goal)
		if err != nil {
			return err
		}
		text += "goal = " + string(quoted) + "\n"
	}
	f.files = append(f.files, "task.toml")
	return os.WriteFile(filepath.Join(f.folder, "task.toml"), []byte(text), 0o600)
}

// arrange moves files into the folders of the FD-SAT-Plan layout.
func (f *form) arrange(p *Problem) error {
	for _, name := range f.files {
		m := published.FindStringSubmatch(name)
		if m == nil {
			return bad("%s is no file of the layout of FD-SAT-Plan, as others are", name)
		}
		if of := m[2] + "/" + m[3]; p.Task == "" {
			p.Task = of
		} else if p.Task != of {
			return bad("the files are of %s and of %s; expected one problem", p.Task, of)
		}
		folder := "translation"
		if m[1] == "bnn" || m[1] == "normalization" {
			folder = m[1]
		}
		if err := os.MkdirAll(filepath.Join(f.folder, folder), 0o700); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(f.folder, name), filepath.Join(f.folder, folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// confine refuses a task that names a file outside of its folder, and notes its network.
func (p *Problem) confine(folder string) error {
	file := filepath.Join(folder, p.Task)
	text, err := source.ReadFile(file)
	if err != nil {
		return bad("%s: %v", p.Task, source.Cause(err))
	}
	t, err := task.Parse(file, text)
	if at := new(source.Error); errors.As(err, &at) {
		return &problemError{Message: at.Msg, File: p.Task, Line: at.Line, Column: at.Col}
	}
	if err != nil {
		return bad("%s: %v", p.Task, err)
	}
	for _, named := range []string{t.Domain, t.Instance, t.Network} {
		if named == "" {
			continue
		}
		if name := filepath.Base(named); filepath.Dir(named) != filepath.Clean(folder) || name == "." || name == ".." {
			return &problemError{Message: fmt.Sprintf("it names a file of another folder, %.100q; expected names of uploaded files", name), File: p.Task}
		}
	}
	for _, named := range []string{t.Domain, t.Instance} {
		if _, err := os.Stat(named); named != "" && err != nil {
			return &problemError{Message: fmt.Sprintf("it names %s, which is not among the uploaded files", filepath.Base(named)), File: p.Task}
		}
	}
	if t.Network != "" {
		p.Learned = filepath.Base(t.Network)
	}
	return nil
}
