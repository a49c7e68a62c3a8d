package serve

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/atomicfile"
)

// formats are the forms of pictures with their media types.
var formats = map[string]string{
	"svg": "image/svg+xml", "html": "text/html; charset=utf-8", "gif": "image/gif", "txt": "text/plain; charset=utf-8", "parts": "application/json",
}

// pictureRequest is a picture that a client asks for.
type pictureRequest struct {
	Plan       json.RawMessage `json:"plan"`
	Job        string          `json:"job"`
	Seed       *uint64         `json:"seed"`
	SetInitial []string        `json:"set_initial"`
	Goal       string          `json:"goal"`
	Range      []string        `json:"range"`
	Format     string          `json:"format"`
}

// check refuses what cannot be drawn, and sets the form if it is not given.
func (q *pictureRequest) check() error {
	if q.Format == "" {
		q.Format = "svg"
	}
	planned := q.Plan != nil || q.Job != ""
	switch {
	case formats[q.Format] == "":
		return bad("%.40q is no form of pictures; expected svg, html, gif, txt or parts", q.Format)
	case q.Plan != nil && q.Job != "":
		return bad("plan and job are two plans; expected one of them")
	case planned && (len(q.SetInitial)+len(q.Range) > 0 || q.Goal != ""):
		return bad("a plan is drawn as it is; expected no set_initial, goal or range")
	case !planned && q.Format == "txt":
		return bad("the initial state has no picture as text; expected svg, html, gif or parts")
	}
	return nil
}

// drawProblem draws a plan, or the initial state.
func (s *Server) drawProblem(w http.ResponseWriter, r *http.Request, t *target) error {
	var q pictureRequest
	if err := decode(r, &q); err != nil {
		return err
	}
	if err := q.check(); err != nil {
		return err
	}
	dir, err := s.workshop("picture", t)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	show := maps.Clone(t.ref)
	if err := s.givePlan(q.Plan, q.Job, show); err != nil {
		return err
	}
	out := "picture." + q.Format
	if q.Seed != nil {
		show["seed"] = *q.Seed
	}
	show["set_initial"], show["goal"], show["range"] = q.SetInitial, q.Goal, q.Range
	if j, err := s.jobs.find(q.Job); err == nil && q.Format == "html" {
		if err := j.shareInto(dir, show); err != nil {
			return err
		}
	}
	show["frames"], show["json"], show["out"] = q.Format == "parts", false, out
	if _, err := s.ask(r.Context(), dir, "show", show); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, out))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", formats[q.Format])
	if q.Format == "html" { // a page of its own, with a script: never shown under this origin
		w.Header().Set("Content-Disposition", `attachment; filename="`+identifier(t.id)+`.html"`)
	}
	_, err = w.Write(text)
	return err
}

// shareInto has the page of a job's answer say how that was found, and gives it the certificate.
func (j *job) shareInto(dir string, show map[string]any) error {
	doc, err := j.describe(true)
	if err != nil {
		return err
	}
	show["found_by"] = doc.Command
	var has struct{ Plan, Steps, Table json.RawMessage }
	if err := json.Unmarshal(doc.Result, &has); err != nil {
		return err
	}
	if string(has.Plan) == "null" || len(has.Plan)+len(has.Steps)+len(has.Table) == 0 { // the start is shown
		for _, name := range []string{"set_initial", "goal", "range"} {
			if value, ok := doc.Request.options[name]; ok {
				show[name] = value
			}
		}
	}
	err = atomicfile.Link(filepath.Join(j.dir, certificateFile), filepath.Join(dir, certificateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// getNetwork describes the network of a problem.
func (s *Server) getNetwork(w http.ResponseWriter, r *http.Request, t *target) error {
	dir, err := s.workshop("network", t)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name, err := s.network(t, &JobRequest{}, dir)
	if err != nil {
		return err
	}
	text, err := s.ask(r.Context(), dir, "show", map[string]any{"problem": name})
	if err != nil {
		return err
	}
	return sendJSON(w, text)
}

// sendJSON answers with what a command has printed.
func sendJSON(w http.ResponseWriter, text []byte) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(text)
	return err
}
