// Package serve implements the server of `fdplan serve`: a page and an HTTP interface, which
// openapi.json describes. What may take long or read untrusted files runs as a command of
// fdplan in a process of its own, with bounds on time and memory; its documents are those of
// the command line.
package serve

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/packed"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/internal/serve/page"
)

// compressed is openapi.json, the OpenAPI document of the interface, compressed to a sixth.
//
//go:generate go test . -run "Test.*Generated" -update
//go:embed openapi.json.gz
var compressed []byte

// apiPrefix begins the paths of the interface; others are the page's.
const apiPrefix = "/api/"

// Config is how a server runs. All fields are required unless they state a default.
type Config struct {
	Program    []string               // the command line of fdplan, to which arguments are added
	Laboratory func() (string, error) // finds the program of the commands bench and report; nil if it is Program
	Data       string                 // folder of problems, logs and jobs
	Kept       bool                   // the folder is kept when the server ends
	Results    map[string]string      // folders of benches by the names under which they are shown
	Simulators map[string]string      // commands of simulators by the names that jobs use
	Token      string                 // that requests need
	Address    string                 // host and port that are listened on
	TLS        bool                   // the listener speaks TLS
	Anyhost    bool                   // answer requests for any host name
	Now        func() time.Time       // the clock
	Log        *log.Logger            // of internal errors
	Version    string                 // as printed by fdplan --version
	Limits     Limits
}

// Limits bound what one server does.
type Limits struct {
	Upload      int64         `json:"upload_bytes"`
	Body        int64         `json:"body_bytes"` // of JSON
	Running     int           `json:"running"`    // jobs at the same time
	Queued      int           `json:"queued"`     // jobs that wait
	Kept        int           `json:"kept"`       // ended jobs
	Uploads     int           `json:"uploads"`    // uploaded problems, and logs
	Memory      int64         `json:"memory"`     // bytes of a job
	Threads     int           `json:"threads"`    // of a job that asks for none
	MostThreads int           `json:"most_threads"`
	Time        time.Duration `json:"-"` // of a job; 0 for no limit
	Request     time.Duration `json:"-"` // for reading a request other than an upload, and for short commands
}

// Server answers the requests.
type Server struct {
	config    Config
	folder    *dataFolder
	access    access
	started   time.Time
	handler   http.Handler
	jobs      *jobList
	problems  *problemList
	logs      *entries[Log]
	summaries *cache
	short     *waited
	long      *waited
	reports   reports
	followers chan struct{} // has a place for each stream of events
}

// answerTime is how long a request may take, from its header to the end of its answer.
const answerTime = 2*uploadTime + readTime

// headerTime is how long a client may take to send the header of a request.
const headerTime = 10 * time.Second

// maxFollowers bounds the streams of events.
const maxFollowers = 64

// New returns a server for a listener on config.Address. Close has to be called.
func New(config Config) (*Server, error) {
	host, port, err := net.SplitHostPort(config.Address)
	if err != nil {
		return nil, fmt.Errorf("the address %q: %w", config.Address, err)
	}
	s := &Server{
		config: config, started: config.Now(), summaries: &cache{texts: map[string][]byte{}}, short: newWaited(config.Limits, config.Limits.Request), long: newWaited(config.Limits, readTime), reports: reports{byName: map[string]rendered{}},
		followers: make(chan struct{}, maxFollowers),
	}
	s.access = access{token: config.Token, cookie: "fdplan-" + port, secure: config.TLS, sessions: newSessions(config.Now)}
	if !config.Anyhost {
		s.access.hosts = []string{net.JoinHostPort(host, port)}
		if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
			s.access.hosts = append(s.access.hosts, "localhost:"+port)
		}
	}
	if s.folder, err = openFolder(config.Data); err != nil {
		return nil, fmt.Errorf("the folder of data: %w", err)
	}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.folder.close())
	}
	s.handler = s.access.protect(s.mux())
	return s, nil
}

// open reads what earlier servers have left in the folder of data.
func (s *Server) open() (err error) {
	s.problems = new(problemList)
	if s.problems.entries, err = openEntries[Problem](filepath.Join(s.folder.path, parts[0]), "problem", problemFile); err != nil {
		return err
	}
	if s.logs, err = openEntries[Log](filepath.Join(s.folder.path, parts[1]), "log", logFile); err != nil {
		return err
	}
	s.jobs, err = openJobs(s.folder, filepath.Join(s.folder.path, parts[2]), s.config.Limits.Running, s.started)
	return err
}

// Close ends the jobs as interrupted and waits for them.
func (s *Server) Close() error {
	s.jobs.end()
	return s.folder.close()
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Serve answers the requests to l until ctx ends. Slow or idle connections are closed.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: min(s.config.Limits.Request, headerTime), ReadTimeout: s.config.Limits.Request, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: s.config.Log, BaseContext: func(net.Listener) context.Context { return ctx }, ConnContext: withConn,
	}
	done := routine.Start(func() (struct{}, error) {
		return struct{}{}, h.Serve(&boundedListener{Listener: l, open: map[*placedConn]bool{}})
	})
	select {
	case o := <-done:
		return o.Err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := h.Shutdown(ending); err != nil {
		_ = h.Close() // of the connections that are still open
	}
	if o := <-done; !errors.Is(o.Err, http.ErrServerClosed) {
		return o.Err
	}
	return nil
}

// mux returns the routes of the interface and the page.
func (s *Server) mux() *http.ServeMux {
	m := http.NewServeMux()
	for _, r := range s.routes() {
		m.Handle(r.method+" "+r.path, s.route(r))
	}
	m.HandleFunc(apiPrefix, s.unknown)
	m.Handle("/", s.access.oneName(readOnly(http.FileServerFS(page.Files()))))
	return m
}

// readOnly refuses methods that files do not have.
func readOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, &problemError{status: http.StatusMethodNotAllowed, Message: "the method is not allowed here", Hint: "expected GET"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// route checks the token and limits the body of a request.
func (s *Server) route(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !r.public {
			ctx, cancel, ok := s.access.authorise(req)
			if !ok {
				refuse(w, &problemError{status: http.StatusUnauthorized, Message: "there is no session, or the token is missing or wrong", Hint: "open the address that fdplan serve printed, or send Authorization: Bearer TOKEN"})
				return
			}
			defer cancel()
			req = req.WithContext(ctx)
			defer occupy(ctx)()
		}
		// A reader that is too slow does not hold the connection for ever.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
		if !r.upload {
			req.Body = http.MaxBytesReader(w, req.Body, s.config.Limits.Body)
		}
		if err := r.serve(w, req); err != nil {
			if e := new(problemError); !errors.As(err, &e) && req.Context().Err() == nil {
				s.config.Log.Printf("%s %s: %v", req.Method, req.URL.Path, err)
			}
			refuse(w, err)
		}
	})
}

// unknown refuses what has no route.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, known := range s.routes() {
		probe := http.NewServeMux()
		probe.Handle(known.path, http.NotFoundHandler())
		if _, pattern := probe.Handler(r); pattern != "" {
			allowed = append(allowed, known.method)
		}
	}
	if len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		refuse(w, &problemError{status: http.StatusMethodNotAllowed, Message: "the method is not allowed here", Hint: "expected " + strings.Join(allowed, " or ")})
		return
	}
	refuse(w, &problemError{status: http.StatusNotFound, Message: "there is nothing at this path", Hint: "/api/v1/openapi.json describes the interface"})
}

// route is one operation of the interface. An error that serve returns becomes the answer.
type route struct {
	method, path string
	serve        func(w http.ResponseWriter, r *http.Request) error
	public       bool // needs no token
	upload       bool // bounds its body itself
}

// of serves requests about the thing with the identifier that is called name in their path.
func of[T any](name string, find func(id string) (T, error), serve func(http.ResponseWriter, *http.Request, T) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		x, err := find(r.PathValue(name))
		if err != nil {
			return err
		}
		return serve(w, r, x)
	}
}

func (s *Server) routes() []route {
	return []route{
		{method: "GET", path: "/api/v1/openapi.json", serve: s.getDescription, public: true},
		{method: "POST", path: "/api/v1/session", serve: s.createSession, public: true},
		{method: "GET", path: "/api/v1/session", serve: s.getSession},
		{method: "DELETE", path: "/api/v1/session", serve: s.deleteSession},
		{method: "GET", path: "/api/v1/server", serve: s.getServer},
		{method: "GET", path: "/api/v1/problems", serve: s.listProblems},
		{method: "POST", path: "/api/v1/problems", serve: s.createProblem, upload: true},
		{method: "GET", path: "/api/v1/problems/{problem}", serve: of("problem", s.target, s.getProblem)},
		{method: "DELETE", path: "/api/v1/problems/{problem}", serve: of("problem", s.target, s.deleteProblem)},
		{method: "POST", path: "/api/v1/problems/{problem}/picture", serve: of("problem", s.target, s.drawProblem)},
		{method: "POST", path: "/api/v1/problems/{problem}/copy", serve: of("problem", s.target, s.copyProblem)},
		{method: "POST", path: "/api/v1/problems/{problem}/expression", serve: of("problem", s.target, s.checkExpression)},
		{method: "GET", path: "/api/v1/problems/{problem}/network", serve: of("problem", s.target, s.getNetwork)},
		{method: "GET", path: "/api/v1/problems/{problem}/contradictions", serve: of("problem", s.target, s.getContradictions)},
		{method: "GET", path: "/api/v1/problems/{problem}/files/{file}", serve: of("problem", s.target, s.getProblemFile)},
		{method: "GET", path: "/api/v1/problems/{problem}/folder", serve: of("problem", s.target, s.getProblemFolder)},
		{method: "GET", path: "/api/v1/jobs", serve: s.listJobs},
		{method: "POST", path: "/api/v1/jobs", serve: s.createJob},
		{method: "GET", path: "/api/v1/jobs/{job}", serve: of("job", s.jobs.find, s.getJob)},
		{method: "DELETE", path: "/api/v1/jobs/{job}", serve: of("job", s.jobs.find, s.cancelJob)},
		{method: "GET", path: "/api/v1/jobs/{job}/events", serve: of("job", s.jobs.find, s.followJob)},
		{method: "GET", path: "/api/v1/jobs/{job}/certificate", serve: of("job", s.jobs.find, s.getCertificate)},
		{method: "GET", path: "/api/v1/jobs/{job}/files/{file}", serve: of("job", s.jobs.find, s.getJobFile)},
		{method: "GET", path: "/api/v1/logs", serve: s.listLogs},
		{method: "POST", path: "/api/v1/logs", serve: s.createLog, upload: true},
		{method: "GET", path: "/api/v1/logs/{log}", serve: of("log", s.logs.find, s.getLog)},
		{method: "DELETE", path: "/api/v1/logs/{log}", serve: of("log", s.logs.find, s.deleteLog)},
		{method: "POST", path: "/api/v1/logs/{log}/problem", serve: of("log", s.logs.find, s.createProblemFromLog)},
		{method: "GET", path: "/api/v1/results", serve: s.listResults},
		{method: "GET", path: "/api/v1/results/{result}/runs", serve: of("result", s.result, s.listRuns)},
		{method: "GET", path: "/api/v1/results/{result}/events", serve: of("result", s.result, s.followResult)},
		{method: "GET", path: "/api/v1/results/{result}/report", serve: of("result", s.result, s.sendReport)},
		{method: "GET", path: "/api/v1/results/{result}/files/{file}", serve: of("result", s.result, s.sendReport)},
	}
}

func (s *Server) getDescription(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(packed.File(compressed))
	return err
}

// about describes the server.
type about struct {
	Schema           int        `json:"schema"`
	Version          string     `json:"version"`
	Started          time.Time  `json:"started"`
	Persistent       bool       `json:"persistent"`
	Kinds            []string   `json:"kinds"`
	Engines          []string   `json:"engines"`
	Explainers       []string   `json:"explainers"`
	Determinizations []string   `json:"determinizations"`
	Simulators       []string   `json:"simulators"`
	Limits           limitLines `json:"limits"`
}

// determinizations are the rules there are.
func determinizations() []string {
	all := app.Binder().Options(load.Source{})
	return all[slices.IndexFunc(all, func(o *bind.Option) bool { return o.Name == "determinize" })].Enum
}

// limitLines are the Limits of a server, with the time in seconds; null for no limit.
type limitLines struct {
	Limits
	Seconds *float64 `json:"time"`
}

func (s *Server) getServer(w http.ResponseWriter, r *http.Request) error {
	l := s.config.Limits
	a := about{
		Schema: app.Schema, Version: s.config.Version, Started: s.started, Kinds: kinds, Persistent: s.config.Kept,
		Engines: registry.Names(registry.Ready), Explainers: registry.Names(registry.Explaining), Determinizations: determinizations(),
		Simulators: append([]string{"rddl"}, slices.Sorted(maps.Keys(s.config.Simulators))...),
		Limits:     limitLines{Limits: l},
	}
	if l.Time > 0 {
		seconds := l.Time.Seconds()
		a.Limits.Seconds = &seconds
	}
	return answer(w, http.StatusOK, a)
}

// decode reads a JSON body, in which unknown names are errors.
func decode(r *http.Request, v any) error {
	if t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(t) != "application/json" {
		return bad("the body has the type %.100q; expected application/json", r.Header.Get("Content-Type"))
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if refused := new(problemError); errors.As(err, &refused) {
			return refused
		}
		if large := new(http.MaxBytesError); errors.As(err, &large) {
			return &problemError{status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the body has more than %d bytes", large.Limit)}
		}
		return bad("the body: %v", bind.JSONError(err))
	}
	if d.More() {
		return bad("the body goes on after the JSON object; expected one object")
	}
	return nil
}
