package serve

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is fdplan as the tests build it.
var program string

// laboratory builds the program that has the paper's experiments.
var laboratory = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(program), "fdplan-paper"+filepath.Ext(program))
	if out, err := exec.Command("go", "build", "-C", "../../paper", "-ldflags=-s -w", "-o", path, "./cmd/fdplan-paper").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building fdplan-paper: %w\n%s", err, out)
	}
	return path, nil
})

// covered are the operations that have succeeded in a test, by their ids.
var covered sync.Map

// TestMain builds fdplan, and after all tests wants every operation to have succeeded in one.
func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "fdplan-serve-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "fdplan")
		if runtime.GOOS == "windows" {
			program += ".exe"
		}
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "github.com/fdplan/fdplan/cmd/fdplan").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building fdplan: %v\n%s", err, out)
			return 1
		}
		status := m.Run()
		if status == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
			a := new(openAPI)
			if err := json.Unmarshal(description, a); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			for path, methods := range a.Paths {
				for method, op := range methods {
					if _, ok := covered.Load(op.ID); !ok {
						fmt.Fprintf(os.Stderr, "no test has had an answer to %s %s\n", strings.ToUpper(method), path)
						status = 1
					}
				}
			}
		}
		return status
	}())
}

// token is that of the servers of tests.
const token = "0123456789abcdef"

// testServer is a server that listens.
type testServer struct {
	t    *testing.T
	s    *Server
	url  string
	done func() // ends it
	api  *openAPI
}

// limits are those of servers in tests.
var limits = Limits{Upload: 8 << 20, Body: 1 << 20, Running: 2, Queued: 20, Kept: 50, Uploads: 20, Memory: 1 << 30, Threads: 1, MostThreads: 4, Request: 20 * time.Second}

// serveIn starts a server on a folder of data.
func serveIn(t *testing.T, dir string, change func(*Config)) *testServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{
		Program: []string{program}, Data: dir, Token: token, Address: l.Addr().String(), Now: time.Now, Log: log.New(testWriter{t}, "server: ", 0), Version: "test",
		Laboratory: laboratory, Limits: limits, Simulators: map[string]string{}, Results: map[string]string{},
	}
	if change != nil {
		change(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, cancel := contextOf(t)
	go func() { ended <- s.Serve(ctx, l) }()
	x := &testServer{t: t, s: s, url: "http://" + c.Address, api: api(t)}
	x.done = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serving: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	t.Cleanup(x.done)
	return x
}

// serveTest starts a server on a folder of its own.
func serveTest(t *testing.T) *testServer {
	t.Helper()
	return serveIn(t, t.TempDir(), nil)
}

// testWriter writes lines to the log of a test.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", bytes.TrimSpace(p))
	return len(p), nil
}

// do sends a request with the token and returns the answer, which the description must allow.
func (x *testServer) do(req *http.Request) (int, http.Header, []byte) {
	x.t.Helper()
	if req.Header.Get("Authorization") == "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		x.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	x.described(req, resp, body)
	return resp.StatusCode, resp.Header, body
}

// described checks an answer against the description.
func (x *testServer) described(req *http.Request, resp *http.Response, body []byte) {
	x.t.Helper()
	where := fmt.Sprintf("%s %s: status %d", req.Method, req.URL.Path, resp.StatusCode)
	path := x.pattern(req)
	op, ok := x.api.Paths[path][strings.ToLower(req.Method)]
	if !ok {
		if resp.StatusCode < 400 && strings.HasPrefix(req.URL.Path, apiPrefix) {
			x.t.Errorf("%s, and the operation is not described", where)
		}
		return
	}
	r, ok := op.Responses[fmt.Sprint(resp.StatusCode)]
	if !ok {
		x.t.Errorf("%s is not described: %s", where, body)
		return
	}
	r = x.api.resolve(r)
	if resp.StatusCode < 400 {
		covered.Store(op.ID, true)
	}
	if busy := resp.StatusCode == 429 || resp.StatusCode == 503; busy != (resp.Header.Get("Retry-After") != "") {
		x.t.Errorf("%s has Retry-After %q", where, resp.Header.Get("Retry-After"))
	}
	if len(r.Content) == 0 {
		if len(body) > 0 {
			x.t.Errorf("%s has a body: %s", where, body)
		}
		return
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	content, ok := r.Content[kind]
	if err != nil || !ok {
		x.t.Errorf("%s has the type %q", where, resp.Header.Get("Content-Type"))
		return
	}
	if kind != "application/json" && kind != "application/problem+json" || content.Schema["format"] == "binary" {
		return
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		x.t.Errorf("%s: %v", where, err)
		return
	}
	if why := x.api.validate(content.Schema, v, "answer"); why != "" {
		x.t.Errorf("%s: %s\n%s", where, why, body)
	}
}

// pattern is the path of the description that a request matches.
func (x *testServer) pattern(req *http.Request) string {
	parts := strings.Split(req.URL.EscapedPath(), "/")
	for path := range x.api.Paths {
		want := strings.Split(path, "/")
		if len(want) == len(parts) && !slices.ContainsFunc(want, func(p string) bool {
			i := slices.Index(want, p)
			return p != parts[i] && !strings.HasPrefix(p, "{")
		}) {
			return path
		}
	}
	return ""
}

// call sends a request with a JSON body, none for nil, wants a status, and reads the answer.
func (x *testServer) call(method, path string, body any, want int, into any) []byte {
	x.t.Helper()
	var r io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			x.t.Fatal(err)
		}
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, x.url+apiPrefix+"v1/"+path, r)
	if err != nil {
		x.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	status, _, text := x.do(req)
	if status != want {
		x.t.Fatalf("%s %s: status %d, expected %d: %s", method, path, status, want, text)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			x.t.Fatal(err)
		}
	}
	return text
}

// refused wants a request to be refused with a message.
func (x *testServer) refused(method, path string, body any, status int, message string) {
	x.t.Helper()
	var e problemError
	x.call(method, path, body, status, &e)
	if !strings.Contains(e.Message+" "+e.Hint, message) {
		x.t.Errorf("%s %s: %q %q, expected %q", method, path, e.Message, e.Hint, message)
	}
}

// upload sends files, by their names, and fields.
func (x *testServer) upload(path, field string, files map[string]string, fields map[string]string, want int, into any) []byte {
	x.t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for name, text := range fields {
		if err := m.WriteField(name, text); err != nil {
			x.t.Fatal(err)
		}
	}
	for name, text := range files {
		w, err := m.CreateFormFile(field, name)
		if err != nil {
			x.t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			x.t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		x.t.Fatal(err)
	}
	req, err := http.NewRequest("POST", x.url+apiPrefix+"v1/"+path, &b)
	if err != nil {
		x.t.Fatal(err)
	}
	req.Header.Set("Content-Type", m.FormDataContentType())
	status, _, text := x.do(req)
	if status != want {
		x.t.Fatalf("POST %s: status %d, expected %d: %s", path, status, want, text)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			x.t.Fatal(err)
		}
	}
	return text
}

// run starts a job and waits for its end.
func (x *testServer) run(request map[string]any) Job {
	x.t.Helper()
	var j Job
	x.call("POST", "jobs", request, http.StatusCreated, &j)
	return x.wait(j.ID)
}

// wait follows a job to its end.
func (x *testServer) wait(id string) Job {
	x.t.Helper()
	x.call("GET", "jobs/"+id+"/events", nil, http.StatusOK, nil)
	var j Job
	x.call("GET", "jobs/"+id, nil, http.StatusOK, &j)
	if j.Ended == nil {
		x.t.Fatalf("job %s is %s after its last event", id, j.Status)
	}
	return j
}

// done wants a job to have an answer, and reads it.
func (x *testServer) answerOf(j Job, into any) {
	x.t.Helper()
	if j.Status != Done {
		x.t.Fatalf("job %s (%s) is %s: %v", j.ID, j.Command, j.Status, j.Error)
	}
	if err := json.Unmarshal(j.Result, into); err != nil {
		x.t.Fatalf("job %s: %v", j.ID, err)
	}
}
