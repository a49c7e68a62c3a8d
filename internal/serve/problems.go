package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
)

// problemFile has what the server knows of an uploaded problem.
const problemFile = "problem.json"

// Problem is a problem that jobs can name.
type Problem struct {
	inspect.Listing
	Source  string     `json:"source"` // bundled or uploaded
	Created *time.Time `json:"created,omitempty"`
	Files   []File     `json:"files,omitempty"`
	Data    string     `json:"data,omitempty"` // data set that was made of Log
	Log     string     `json:"log,omitempty"`
	Command string     `json:"command,omitempty"` // that makes the same of Log

	// Task is the name of the task file, or of the problem in PDDL; for the FD-SAT-Plan layout DOMAIN/INSTANCE.
	Task    string `json:"task,omitempty"`
	Learned string `json:"network_file,omitempty"` // that the task names
}

// problemList are the uploaded problems. The files of problem ID are in DIR/ID/ID, so that
// messages which begin in DIR/ID name them ID/FILE.
type problemList struct {
	*entries[Problem]
	bundled []inspect.Listing // nil until they were asked for
}

// target is a problem as commands are told of it.
type target struct {
	id       string
	ref      map[string]any // that names it in requests
	dir      string         // that this is relative to
	uploaded *Problem       // nil for a bundled problem
}

// target returns the problem with an identifier. Nothing but bundled and uploaded problems can
// be named.
func (s *Server) target(id string) (*target, error) {
	if slices.Contains(bundled.Names(), id) {
		return &target{id: id, ref: map[string]any{"problem": id}, dir: s.folder.scratch}, nil
	}
	p, err := s.problems.find(id)
	if err != nil {
		return nil, err
	}
	t := &target{id: id, dir: filepath.Join(s.problems.dir, id), uploaded: p}
	t.ref = p.ref()
	return t, nil
}

// pddl reports whether a problem is in PDDL.
func (p *Problem) pddl() bool { return strings.EqualFold(filepath.Ext(p.Task), ".pddl") }

// ref is how commands are told of the problem, from the folder above its files.
func (p *Problem) ref() map[string]any {
	if strings.HasSuffix(p.Task, ".toml") || p.pddl() {
		return map[string]any{"problem": p.Problem + "/" + p.Task}
	}
	return map[string]any{"problem": p.Task, "files": p.Problem}
}

// folder is where the files of an uploaded problem are.
func (t *target) folder() string { return filepath.Join(t.dir, t.id) }

// task is what commands call the problem that take a bundled one or a task file.
func (t *target) task() (string, error) {
	name, _ := t.ref["problem"].(string)
	if t.ref["files"] != nil || t.uploaded != nil && t.uploaded.pddl() {
		return "", bad("%s is in PDDL or has the layout of FD-SAT-Plan, and has nothing to be learned", t.id)
	}
	return name, nil
}

// linkInto gives the problem's files names below a folder, in which the same request then
// mean it, even if the problem is removed or gets another network.
func (t *target) linkInto(dir string) error {
	if t.uploaded == nil {
		return nil
	}
	return filepath.WalkDir(t.folder(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(t.dir, path)
		if err != nil {
			return err
		}
		return atomicfile.Link(path, filepath.Join(dir, name))
	})
}

// workshop makes a folder with the files of a problem for one request, which the caller removes.
func (s *Server) workshop(name string, t *target) (string, error) {
	dir, err := s.folder.temporary(name)
	if err != nil {
		return "", err
	}
	if err := t.linkInto(dir); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// listProblems lists the bundled problems, then the uploaded ones by name.
func (s *Server) listProblems(w http.ResponseWriter, r *http.Request) error {
	known, err := s.bundled(r.Context())
	if err != nil {
		return err
	}
	doc := struct {
		Schema   int       `json:"schema"`
		Problems []Problem `json:"problems"`
	}{app.Schema, nil}
	for _, b := range known {
		doc.Problems = append(doc.Problems, Problem{Listing: b, Source: "bundled"})
	}
	own := s.problems.all()
	slices.SortFunc(own, func(a, b *Problem) int { return strings.Compare(a.Problem, b.Problem) })
	for _, p := range own {
		doc.Problems = append(doc.Problems, s.shown(*p))
	}
	return answer(w, http.StatusOK, doc)
}

// shown is a problem with its files.
func (s *Server) shown(p Problem) Problem {
	p.Files = filesIn(filepath.Join(s.problems.dir, p.Problem, p.Problem))
	return p
}

// bundled returns what fdplan list prints.
func (s *Server) bundled(ctx context.Context) ([]inspect.Listing, error) {
	s.problems.mu.Lock()
	known := s.problems.bundled
	s.problems.mu.Unlock()
	if known != nil {
		return known, nil
	}
	text, err := s.ask(ctx, s.folder.scratch, "list", map[string]any{})
	if err != nil {
		return nil, err
	}
	var doc struct{ Problems []inspect.Listing }
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	s.problems.mu.Lock()
	s.problems.bundled = doc.Problems
	s.problems.mu.Unlock()
	return doc.Problems, nil
}

// modelOf reads which model of a problem a request is about.
func modelOf(r *http.Request) (map[string]any, error) {
	out := map[string]any{}
	for _, o := range app.Binder().Options(load.Source{}) {
		value := r.URL.Query().Get(o.Name)
		switch {
		case value == "" || o.Name != "model" && o.Name != "determinize":
		case !slices.Contains(o.Enum, value):
			return nil, bad("%s is %.40q; expected one of %s", o.Name, value, strings.Join(o.Enum, ", "))
		default:
			out[o.Name] = value
		}
	}
	return out, nil
}

// getProblem shows a problem.
func (s *Server) getProblem(w http.ResponseWriter, r *http.Request, t *target) error {
	text, err := s.summary(r, t)
	if err != nil {
		return err
	}
	return sendJSON(w, text)
}

// summary returns what fdplan show prints of a problem.
func (s *Server) summary(r *http.Request, t *target) ([]byte, error) {
	model, err := modelOf(r)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprint(t.id, "\x00", model)
	if text := s.summaries.get(key); text != nil {
		return text, nil
	}
	text, err := s.show(r.Context(), t, model)
	if err == nil {
		s.summaries.put(key, text)
	}
	return text, err
}

// show runs fdplan show for a problem.
func (s *Server) show(ctx context.Context, t *target, model map[string]any) ([]byte, error) {
	r := maps.Clone(t.ref)
	maps.Copy(r, model)
	return s.ask(ctx, t.dir, "show", r)
}

// deleteProblem removes an uploaded problem. Jobs have their own copies of its files.
func (s *Server) deleteProblem(w http.ResponseWriter, r *http.Request, t *target) error {
	if t.uploaded == nil {
		return &problemError{status: http.StatusConflict, Message: t.id + " is bundled and cannot be removed"}
	}
	err := s.problems.remove(t.id)
	s.summaries.forget(t.id)
	if err != nil {
		return err
	}
	return nothing(w)
}

// getProblemFile sends a file of an uploaded problem.
func (s *Server) getProblemFile(w http.ResponseWriter, r *http.Request, t *target) error {
	name := r.PathValue("file")
	if t.uploaded != nil {
		for _, f := range filesIn(t.folder()) {
			if f.Name == name {
				return send(w, r, filepath.Join(t.folder(), name))
			}
		}
	}
	return missing("file", name)
}

// getProblemFolder sends the files of an uploaded problem as a zip archive.
func (s *Server) getProblemFolder(w http.ResponseWriter, r *http.Request, t *target) error {
	if t.uploaded == nil {
		return missing("folder of the bundled problem", t.id)
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="`+t.id+`.zip"`)
	return Pack(w, t.folder())
}

// unquoted matches what a header would have to quote in a name.
var unquoted = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// send sends a file as a download.
func send(w http.ResponseWriter, r *http.Request, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return sendOpen(w, r, f)
}

// sendOpen is send for a file that is open.
func sendOpen(w http.ResponseWriter, r *http.Request, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaType(f.Name()))
	w.Header().Set("Content-Disposition", `attachment; filename="`+unquoted.ReplaceAllString(filepath.Base(f.Name()), "_")+`"`)
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}
