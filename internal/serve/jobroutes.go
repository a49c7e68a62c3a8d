package serve

import (
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
)

// listJobs lists jobs, the newest first.
func (s *Server) listJobs(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	kind, status, problem := query.Get("kind"), Status(query.Get("status")), query.Get("problem")
	limit, err := count(query.Get("limit"), "limit", 100, 1000)
	before := math.MaxInt
	if err == nil {
		before, err = count(query.Get("cursor"), "cursor", math.MaxInt, math.MaxInt)
	}
	switch {
	case err != nil:
		return err
	case kind != "" && !slices.Contains(kinds, kind):
		return bad("%.40q is not a kind of job; expected one of %s", kind, strings.Join(kinds, ", "))
	case status != "" && !slices.Contains(statuses, status):
		return bad("%.40q is not a status of a job; expected queued, running, done, failed, cancelled or interrupted", string(status))
	}
	doc := struct {
		Schema int     `json:"schema"`
		Jobs   []Job   `json:"jobs"`
		Next   *string `json:"next"`
	}{app.Schema, []Job{}, nil}
	for _, j := range s.jobs.list() {
		d, err := j.describe(false)
		if err != nil {
			return err
		}
		if number(j) >= before || kind != "" && d.Kind != kind || status != "" && d.Status != status || problem != "" && d.Problem != problem {
			continue
		}
		if len(doc.Jobs) == limit {
			doc.Next = &doc.Jobs[limit-1].ID
			break
		}
		doc.Jobs = append(doc.Jobs, d)
	}
	return answer(w, http.StatusOK, doc)
}

// count reads a number of a query, at least 1 and at most most.
func count(text, name string, byDefault, most int) (int, error) {
	if text == "" {
		return byDefault, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, bad("%s is %.40q; expected a number from 1 to %d", name, text, most)
	}
	return n, nil
}

// getJob shows a job with its answer.
func (s *Server) getJob(w http.ResponseWriter, r *http.Request, j *job) error {
	doc, err := j.describe(true)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, doc)
}

// cancelJob cancels a job that has not ended, or removes one that has.
func (s *Server) cancelJob(w http.ResponseWriter, r *http.Request, j *job) error {
	remove := r.URL.Query().Get("remove")
	if remove != "" && remove != "true" && remove != "false" {
		return bad("remove is %.40q; expected true or false", remove)
	}
	if j.stop(true); remove == "true" {
		for {
			_, _, changed, ended, err := j.since(0)
			if err != nil {
				return err
			}
			if ended {
				break
			}
			select {
			case <-changed:
			case <-r.Context().Done():
				return r.Context().Err()
			}
		}
		if err := s.jobs.remove(filepath.Base(j.dir)); err != nil {
			return err
		}
		return nothing(w)
	}
	doc, err := j.describe(false)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, doc)
}

// getJobFile sends a file that a job has written.
func (s *Server) getJobFile(w http.ResponseWriter, r *http.Request, j *job) error {
	doc, err := j.describe(false)
	if err != nil {
		return err
	}
	name := r.PathValue("file")
	files, paths := j.files(doc.Kind)
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == name })
	if i < 0 || doc.Ended == nil {
		return missing("file", name)
	}
	return send(w, r, paths[i])
}

// getCertificate sends the certificate of a job.
func (s *Server) getCertificate(w http.ResponseWriter, r *http.Request, j *job) error {
	doc, err := j.describe(false)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(doc.Files, func(f File) bool { return f.Name == certificateFile }) {
		return missing("certificate of job", doc.ID)
	}
	return send(w, r, filepath.Join(j.dir, certificateFile))
}
