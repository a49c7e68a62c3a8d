//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// served is a server in a process of its own.
type served struct {
	t     *testing.T
	cmd   *exec.Cmd
	url   string // without the token
	token string
	err   bytes.Buffer
}

// startServer starts fdplan serve and waits for its address.
func startServer(t *testing.T, program string, env []string, args ...string) *served {
	t.Helper()
	s := &served{t: t, cmd: exec.Command(program, append([]string{"serve", "--no-browser"}, args...)...)}
	s.cmd.Env, s.cmd.Stderr = append(os.Environ(), env...), &s.err
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, s.err.String())
	}
	address, said := strings.CutPrefix(strings.TrimSpace(line), "fdplan serves at ")
	var ok bool
	if s.url, s.token, ok = strings.Cut(address, "/#token="); !said || !ok || len(s.token) < 16 {
		t.Fatalf("the server prints %q", line)
	}
	return s
}

// call sends a request, and reads the answer as JSON if into is not nil.
func (s *served) call(method, path, body string, into any) int {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			s.t.Fatalf("%v: %s", err, text)
		}
	}
	return resp.StatusCode
}

// end sends a signal and wants the server to end with status 0.
func (s *served) end() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("after a signal: %v: %s", err, s.err.String())
	}
}

// TestServe starts a server, lets it work, and ends it while a job runs: nothing is left, but
// what --data keeps.
func TestServe(t *testing.T) {
	program := linkProgram(t, t.TempDir())
	tmp := t.TempDir()
	s := startServer(t, program, []string{"TMPDIR=" + tmp})
	if !strings.HasPrefix(s.url, "http://127.0.0.1:") || s.call("GET", "/", "", nil) != http.StatusOK {
		t.Errorf("the page of %s is not served", s.url)
	}
	s.end()
	if left, err := os.ReadDir(tmp); err != nil || len(left) != 0 {
		t.Errorf("a server without --data left %v, %v", left, err)
	}

	data := filepath.Join(t.TempDir(), "data")
	tokens := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokens, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = startServer(t, program, nil, "--data", data, "--token-file", tokens)
	if s.token != "0123456789abcdef" {
		t.Errorf("the token is %q", s.token)
	}
	var job struct {
		Job, Status string
		Started     *time.Time
	}
	if status := s.call("POST", "/api/v1/jobs", `{"kind":"run","problem":"navigation/3x3","horizon":4,"simulator":"rddl","episodes":1000000000}`, &job); status != http.StatusCreated {
		t.Fatalf("status %d", status)
	}
	for job.Started == nil {
		time.Sleep(10 * time.Millisecond)
		s.call("GET", "/api/v1/jobs/"+job.Job, "", &job)
	}
	s.end()
	s = startServer(t, program, nil, "--data", data)
	if s.call("GET", "/api/v1/jobs/"+job.Job, "", &job); job.Status != "interrupted" {
		t.Errorf("after a restart the job is %s", job.Status)
	}
	s.end()
}

// TestServeFlags refuses addresses that others could reach without a token and TLS, and flags
// that make no sense.
func TestServeFlags(t *testing.T) {
	dir := t.TempDir()
	short := filepath.Join(dir, "short")
	if err := os.WriteFile(short, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, "long")
	if err := os.WriteFile(long, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"--listen 0.0.0.0:0", "other machines can reach this address; expected --token-file, --tls-cert and --tls-key too"},
		{"--listen :0", "other machines can reach this address"},
		{"--listen example.org:80 --token-file " + long, "other machines can reach this address"},
		{"--listen 8080", "expected HOST:PORT"},
		{"--tls-cert x", "--tls-cert and --tls-key go together"},
		{"--tls-cert x --tls-key y", "--tls-cert x, --tls-key y: open x"},
		{"--token-file " + short, "expected at least 16 letters and digits"},
		{"--token-file " + filepath.Join(dir, "none"), "no such file"},
		{"--jobs 0", "--jobs 0; expected at least 1"},
		{"--simulator lift", "expected NAME=COMMAND"},
		{"--simulator rddl=x", "a name other than rddl"},
		{"--results " + filepath.Join(dir, "none"), "no such file"},
		{"--listen 127.0.0.1:99999", "--listen 127.0.0.1:99999"},
	} {
		status, _, stderr := session(append([]string{"serve", "--no-browser"}, strings.Fields(c.args)...)...)
		if status != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("serve %s: status %d, %q, expected %q", c.args, status, stderr, c.want)
		}
	}
}
