package serve

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// formats are the forms of pictures with their media types.
var formats = map[string]string{
	"svg": "image/svg+xml", "html": "text/html; charset=utf-8", "gif": "image/gif", "txt": "text/plain; charset=utf-8", "parts": "application/json",
}

// drawProblem draws a plan, or the initial state.
func (s *Server) drawProblem(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Plan       json.RawMessage `json:"plan"`
		Job        string          `json:"job"`
		SetInitial []string        `json:"set_initial"`
		Format     string          `json:"format"`
	}
	t, err := s.target(r.PathValue("problem"))
	if err != nil {
		return err
	}
	if err := decode(r, &q); err != nil {
		return err
	}
	if q.Format == "" {
		q.Format = "svg"
	}
	kind, ok := formats[q.Format]
	switch {
	case !ok:
		return bad("%.40q is no form of pictures; expected svg, html, gif, txt or parts", q.Format)
	case q.Plan != nil && q.Job != "":
		return bad("plan and job are two plans; expected one of them")
	case (q.Plan != nil || q.Job != "") && len(q.SetInitial) > 0:
		return bad("a plan is drawn as it is; expected no set_initial")
	case q.Plan == nil && q.Job == "" && q.Format == "txt":
		return bad("the initial state has no picture as text; expected svg, html, gif or parts")
	}
	dir, err := os.MkdirTemp(s.scratch, "picture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := t.linkInto(dir); err != nil {
		return err
	}
	args := append([]string{"show"}, t.args...)
	switch {
	case q.Plan != nil:
		err = os.WriteFile(filepath.Join(dir, planFile), q.Plan, 0o600)
		args = append(args, planFile)
	case q.Job != "":
		j, lost := s.jobs.find(q.Job)
		if lost != nil {
			return lost
		}
		if link(filepath.Join(j.dir, answerFile), filepath.Join(dir, planFile)) != nil {
			return bad("job %s has no plan", q.Job)
		}
		args = append(args, planFile)
	}
	if err != nil {
		return err
	}
	for _, text := range q.SetInitial {
		args = append(args, "--set-initial="+text)
	}
	out := "picture." + q.Format
	if q.Format == "parts" {
		args = append(args, "--frames")
	}
	if _, err := s.ask(r.Context(), dir, slices.Concat(args, []string{"--out=" + out}, s.short.flags)...); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, out))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", kind)
	if q.Format == "html" { // a page of its own, with a script: never shown under this origin
		w.Header().Set("Content-Disposition", `attachment; filename="`+strings.ReplaceAll(identifier(t.id), "-", "_")+`.html"`)
	}
	_, err = w.Write(text)
	return err
}

// getNetwork describes the network of a problem.
func (s *Server) getNetwork(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(r.PathValue("problem"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.scratch, "network-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := t.linkInto(dir); err != nil {
		return err
	}
	name, err := s.network(t, &JobRequest{}, dir)
	if err != nil {
		return err
	}
	text, err := s.ask(r.Context(), dir, slices.Concat([]string{"show", name, "--json"}, s.short.flags)...)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(text)
	return err
}
