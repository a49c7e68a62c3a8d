package serve

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"io/fs"
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
	j, err := s.jobs.add(q, s.config.Now(), s.config.Limits.Queued)
	if err != nil {
		return err
	}
	args, limit, err := s.prepare(j, &q)
	if err == nil {
		err = s.start(j, args, limit)
	}
	if err != nil {
		return errors.Join(err, s.jobs.drop(j))
	}
	doc, err := j.describe(false)
	if err != nil {
		return err
	}
	w.Header().Set("Location", apiPrefix+"v1/jobs/"+doc.ID)
	answer(w, http.StatusCreated, doc)
	return nil
}

// prepare puts what a job reads into its folder, and returns the arguments of its command.
func (s *Server) prepare(j *job, q *JobRequest) (args []string, limit time.Duration, err error) {
	dir := filepath.Join(j.dir, workFolder)
	bounds, limit := q.bounds(s.config.Limits)
	common := slices.Concat(q.flags(), bounds, []string{"--json"})
	if q.Kind == "bench" {
		if q.Quick == nil || *q.Quick {
			common = append(common, "--quick")
		}
		return slices.Concat([]string{"bench", "paper", "-o", benchFolder}, common, []string{"--progress=json"}), limit, nil
	}
	t, err := s.target(q.Problem)
	if err != nil {
		return nil, 0, err
	}
	if err := t.linkInto(dir); err != nil {
		return nil, 0, err
	}
	switch q.Kind {
	case "train":
		args, err = s.training(t, q, dir)
	case "test":
		args, err = s.testing(t, q, dir)
	default:
		args, err = s.planning(t, q, dir)
	}
	if q.Kind != "validate" { // which reports no progress
		common = append(common, "--progress=json")
	}
	return append(args, common...), limit, err
}

// planning returns the arguments of commands about plans and properties.
func (s *Server) planning(t *target, q *JobRequest, dir string) ([]string, error) {
	args := append([]string{q.Kind}, t.args...)
	given, err := s.givePlan(q.Plan, q.Of, dir)
	if err != nil {
		return nil, err
	}
	args = append(args, given...)
	if q.Reward != "" {
		if err := os.WriteFile(filepath.Join(dir, rewardFile), []byte(q.Reward), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "--reward="+rewardFile)
	}
	if q.Simulator != "" {
		command, ok := s.config.Simulators[q.Simulator]
		if q.Simulator == "rddl" {
			command, ok = "rddl", true
		}
		if !ok {
			return nil, missing("simulator", q.Simulator)
		}
		args = append(args, "--simulator="+command)
	}
	if q.Certify {
		args = append(args, "--certify="+certificateFolder)
	}
	return args, nil
}

// givePlan puts a plan into a folder, that of a request or the answer of a job, and returns the
// argument that names it; none if there is neither.
func (s *Server) givePlan(plan []byte, of, dir string) ([]string, error) {
	switch {
	case plan != nil:
		return []string{planFile}, os.WriteFile(filepath.Join(dir, planFile), plan, 0o600)
	case of != "":
		j, err := s.jobs.find(of)
		if err != nil {
			return nil, err
		}
		if link(filepath.Join(j.dir, answerFile), filepath.Join(dir, planFile)) != nil {
			return nil, bad("job %s has no plan", of)
		}
		return []string{planFile}, nil
	}
	return nil, nil
}

// training returns the arguments of fdplan train.
func (s *Server) training(t *target, q *JobRequest, dir string) ([]string, error) {
	task, err := t.task()
	if err != nil {
		return nil, err
	}
	data, err := s.data(t, q.Data, dir)
	if err != nil {
		return nil, err
	}
	if data == "" {
		return nil, bad("%s has no data set; expected data, a file of the problem or a log", t.id)
	}
	return []string{"train", data, "--task=" + task, "--out=" + networkFile, "--report=" + reportFolder}, nil
}

// testing returns the arguments of fdplan test.
func (s *Server) testing(t *target, q *JobRequest, dir string) ([]string, error) {
	task, err := t.task()
	if err != nil {
		return nil, err
	}
	network, err := s.network(t, q, dir)
	if err != nil {
		return nil, err
	}
	args := []string{"test", network}
	data, err := s.data(t, q.Data, dir)
	if err != nil {
		return nil, err
	}
	if data != "" {
		args = append(args, data)
	}
	return append(args, "--task="+task), nil
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
		if err := link(filepath.Join(j.dir, workFolder, networkFile), filepath.Join(dir, networkFile)); err != nil {
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
	return filepath.ToSlash(filepath.Join("log", l.Name)), link(l.path(s.logs.dir), filepath.Join(dir, "log", l.Name))
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
		return pack(filepath.Join(work, certificateFolder), filepath.Join(j.dir, certificateFile))
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

// pack writes the files of a folder into a zip archive; without a folder it does nothing.
func pack(folder, name string) error {
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return atomicfile.Write(name, func(w io.Writer) error {
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
	})
}
