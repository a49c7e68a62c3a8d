package serve

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
)

// createJob starts a job.
func (s *Server) createJob(w http.ResponseWriter, r *http.Request) error {
	var q JobRequest
	if err := decode(r, &q); err != nil {
		return err
	}
	if err := q.check(s.config.Limits); err != nil {
		return err
	}
	key := r.Header.Get("Idempotency-Key")
	if key != "" {
		s.jobs.keyed.Lock() // a second request with the key waits for the job of the first
		defer s.jobs.keyed.Unlock()
		if before, err := s.jobs.withKey(key, &q); err != nil || before != nil {
			return errors.Join(err, again(w, before))
		}
	}
	j, err := s.jobs.add(q, s.config.Now(), s.config.Limits.Queued)
	if err != nil {
		return err
	}
	j.doc.Key = key
	d, limit, err := s.prepare(j, &q)
	if err == nil {
		err = s.start(j, d, limit)
	}
	if err != nil {
		return errors.Join(err, s.jobs.drop(j))
	}
	doc, err := j.describe(false)
	if err != nil {
		return err
	}
	return created(w, "jobs/"+doc.ID, doc)
}

// again answers with a job that was started before; nil for none.
func again(w http.ResponseWriter, j *job) error {
	if j == nil {
		return nil
	}
	doc, err := j.describe(false)
	if err == nil {
		w.Header().Set("Location", apiPrefix+"v1/jobs/"+doc.ID)
		answer(w, http.StatusOK, doc)
	}
	return err
}

// prepare puts what a job reads into its folder, and returns the document of its command.
func (s *Server) prepare(j *job, q *JobRequest) (d document, limit time.Duration, err error) {
	dir := filepath.Join(j.dir, workFolder)
	if d, limit, err = q.document(s.config.Limits); err != nil {
		return d, limit, err
	}
	if q.Kind == "bench" {
		d.Request["what"], d.Request["out"], d.Request["quick"] = "paper", benchFolder, q.Quick == nil || *q.Quick
		return d, limit, nil
	}
	t, err := s.target(q.Problem)
	if err != nil {
		return d, 0, err
	}
	if err := t.linkInto(dir); err != nil {
		return d, 0, err
	}
	switch q.Kind {
	case "train":
		err = s.training(t, q, dir, d.Request)
	case "test":
		err = s.testing(t, q, dir, d.Request)
	case "learn":
		err = s.acting(t, q, dir, d.Request)
	default:
		err = s.planning(t, q, d.Request)
	}
	return d, limit, err
}

// planning completes requests about plans and properties.
func (s *Server) planning(t *target, q *JobRequest, r map[string]any) error {
	maps.Copy(r, t.ref)
	if err := s.givePlan(q.Plan, q.Of, r); err != nil {
		return err
	}
	if q.Simulator != "" {
		command, ok := s.config.Simulators[q.Simulator]
		if q.Simulator == "rddl" {
			command, ok = "rddl", true
		}
		if !ok {
			return missing("simulator", q.Simulator)
		}
		r["simulator"] = command
	}
	if q.Certify {
		r["certify"] = certificateFolder
	}
	return nil
}

// acting completes the request of fdplan learn.
func (s *Server) acting(t *target, q *JobRequest, dir string, r map[string]any) error {
	if q.Data != "" {
		data, err := s.data(t, q.Data, dir)
		if err != nil {
			return err
		}
		r["data"] = data
	}
	r["out"] = learnedFolder
	return s.planning(t, q, r)
}

// givePlan puts a plan into a request, that of a client or the answer of a job, if there is
// either.
func (s *Server) givePlan(plan json.RawMessage, of string, r map[string]any) error {
	if of != "" {
		j, err := s.jobs.find(of)
		if err != nil {
			return err
		}
		if plan, err = readAnswer(filepath.Join(j.dir, answerFile)); err != nil {
			return err
		}
		if plan == nil {
			return bad("job %s has no plan", of)
		}
	}
	if plan != nil {
		r["plan"] = plan
	}
	return nil
}

// training completes the request of fdplan train.
func (s *Server) training(t *target, q *JobRequest, dir string, r map[string]any) error {
	task, err := t.task()
	if err != nil {
		return err
	}
	data, err := s.data(t, q.Data, dir)
	if err != nil {
		return err
	}
	if data == "" {
		return bad("%s has no data set; expected data, a file of the problem or a log", t.id)
	}
	r["data"], r["task"], r["out"], r["report"] = data, task, networkFile, reportFolder
	return nil
}

// testing completes the request of fdplan test.
func (s *Server) testing(t *target, q *JobRequest, dir string, r map[string]any) error {
	task, err := t.task()
	if err != nil {
		return err
	}
	if r["network"], err = s.network(t, q, dir); err != nil {
		return err
	}
	data, err := s.data(t, q.Data, dir)
	if err != nil {
		return err
	}
	if data != "" {
		r["data"] = data
	}
	r["task"] = task
	return nil
}

// network returns the name below dir of the network that a job tests: that of another job, a
// file of the problem, or the problem's own.
func (s *Server) network(t *target, q *JobRequest, dir string) (string, error) {
	switch {
	case q.Of != "":
		j, err := s.jobs.find(q.Of)
		if err != nil {
			return "", err
		}
		if err := atomicfile.Link(filepath.Join(j.dir, workFolder, networkFile), filepath.Join(dir, networkFile)); err != nil {
			return "", bad("job %s has no network", q.Of)
		}
		return networkFile, nil
	case t.uploaded == nil && q.Network == "":
		return networkFile, writeBundled(t.id, filepath.Join(dir, networkFile))
	}
	name := q.Network
	if name == "" {
		name = t.uploaded.Learned
	}
	if t.uploaded == nil || !slices.ContainsFunc(filesIn(t.folder()), func(f File) bool { return f.Name == name }) {
		return "", missing("network", name)
	}
	return t.id + "/" + name, nil
}

// writeBundled writes the network of a bundled problem.
func writeBundled(id, name string) error {
	k, err := bundled.Task(id)
	if err != nil {
		return err
	}
	if k.Network == "" {
		return missing("network of", id)
	}
	data, err := bundled.Read(k.Network)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// data returns the name below dir of a data set: a file of the problem, or a log; "" if none
// is named and the problem has none.
func (s *Server) data(t *target, name, dir string) (string, error) {
	if name == "" && t.uploaded != nil {
		if name = t.uploaded.Data; name == "" {
			name = t.uploaded.Log
		}
	}
	if name == "" {
		return "", nil
	}
	if t.uploaded != nil && slices.ContainsFunc(filesIn(t.folder()), func(f File) bool { return f.Name == name }) {
		return t.id + "/" + name, nil
	}
	l, err := s.logs.find(name)
	if err != nil {
		return "", missing("data set", name)
	}
	return filepath.ToSlash(filepath.Join("log", l.Name)), atomicfile.Link(l.path(s.logs.dir), filepath.Join(dir, "log", l.Name))
}

// complete does what follows the command of a job: it packs the certificate, and gives the
// problem its new network.
func (s *Server) complete(ctx context.Context, j *job) error {
	j.mu.Lock()
	q := j.doc.Request
	j.mu.Unlock()
	work := filepath.Join(j.dir, workFolder)
	switch {
	case q.Certify:
		folder := filepath.Join(work, certificateFolder)
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return atomicfile.Write(filepath.Join(j.dir, certificateFile), func(w io.Writer) error { return Pack(w, folder) })
	case q.Kind == "train" && (q.Install == nil || *q.Install):
		return s.install(ctx, q.Problem, filepath.Join(work, networkFile))
	}
	return nil
}

// install makes a network that of an uploaded problem whose task names one.
func (s *Server) install(ctx context.Context, problem, network string) error {
	t, err := s.target(problem)
	if err != nil || t.uploaded == nil || t.uploaded.Learned == "" {
		return nil // removed, bundled, or without a place for it
	}
	in, err := os.Open(network)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	// The jobs that have a link to the old network keep it.
	err = atomicfile.Write(filepath.Join(t.folder(), t.uploaded.Learned), func(w io.Writer) error { _, err := io.Copy(w, in); return err })
	if err != nil {
		return err
	}
	s.summaries.forget(t.id)
	known, err := s.describe(ctx, t)
	if err != nil {
		return err
	}
	s.problems.mu.Lock()
	defer s.problems.mu.Unlock()
	if s.problems.byID[t.id] != nil { // nobody has removed it meanwhile
		s.problems.byID[t.id] = known
	}
	return nil
}

// Pack writes the files of a folder as a zip archive.
func Pack(w io.Writer, folder string) error {
	z := zip.NewWriter(w)
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(filepath.Dir(folder), path)
		if err != nil {
			return err
		}
		method := zip.Deflate
		if strings.HasSuffix(path, ".zst") || strings.HasSuffix(path, ".gz") {
			method = zip.Store
		}
		to, err := z.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(rel), Method: method})
		if err != nil {
			return err
		}
		from, err := os.Open(path)
		if err != nil {
			return err
		}
		defer from.Close()
		_, err = io.Copy(to, from)
		return err
	})
	return errors.Join(err, z.Close())
}
