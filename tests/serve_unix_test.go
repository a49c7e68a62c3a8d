//go:build unix

package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// served is a server in a process of its own.
type served struct {
	t     *testing.T
	cmd   *exec.Cmd
	url   string // without the code
	code  string // of the page
	token string // as it is printed
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
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, s.err.String())
	}
	address, said := strings.CutPrefix(strings.TrimSpace(line), "fdplan serves at ")
	s.url, s.code, _ = strings.Cut(address, "/#code=")
	if s.url = strings.TrimSuffix(s.url, "/"); !said {
		t.Fatalf("the server prints %q", line)
	}
	if s.code == "" { // it has a file with the token
		return s
	}
	second, err := lines.ReadString('\n')
	if s.token, said = strings.CutPrefix(strings.TrimSpace(second), "The token for programs is "); err != nil || !said || len(s.token) < 16 || len(s.code) < 16 {
		t.Fatalf("the server prints %q and %q", line, second)
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
	program := commandtest.Link(t, t.TempDir())
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
	if s.code != "" {
		t.Error("with a file for the token the address has a code")
	}
	s.token = "0123456789abcdef"
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
	second, err := exec.Command(program, "serve", "--no-browser", "--data", data).CombinedOutput()
	if failed := new(exec.ExitError); !errors.As(err, &failed) || failed.ExitCode() != exitUsage || strings.Count(string(second), "\n") != 1 || !bytes.Contains(second, []byte("another fdplan serve uses this folder")) {
		t.Errorf("a second server on the same folder: %v, %s", err, second)
	}
	s.end()
	if text := s.err.String(); text != "" || strings.Contains(text, s.token) {
		t.Errorf("the server says %s", text)
	}
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
		{"--job-memory 1000TiB", "--job-memory is 1099511627776000 bytes; expected at most"},
		{"--data " + filepath.Dir(long), "the folder has files that fdplan serve has not written"},
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

// TestServeBrowser lets a browser open the page. No argument of a program has a secret: the
// browser is given a file that nobody else can read, with a code that is good once.
func TestServeBrowser(t *testing.T) {
	program := commandtest.Link(t, t.TempDir())
	bin, seen, tmp := t.TempDir(), t.TempDir(), t.TempDir()
	script := "#!/bin/sh\necho \"$@\" > " + seen + "/args\nls -ld \"$(dirname \"$1\")\" \"$1\" > " + seen + "/modes\ncp \"$1\" " + seen + "/page && touch " + seen + "/done\n"
	for _, name := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "serve")
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+tmp, "HOME="+tmp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	s := &served{t: t, cmd: cmd}
	lines := bufio.NewReader(out)
	first, _ := lines.ReadString('\n')
	second, _ := lines.ReadString('\n')
	_, s.token, _ = strings.Cut(strings.TrimSpace(second), "The token for programs is ")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(seen, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for wait := 0; ; wait++ {
		if _, err := os.Stat(filepath.Join(seen, "done")); err == nil {
			break
		} else if wait > 1000 {
			t.Fatalf("no browser was opened: %s%s", first, second)
		}
		time.Sleep(20 * time.Millisecond)
	}
	page := read("page")
	_, code, _ := strings.Cut(page, "#code=")
	code, _, _ = strings.Cut(code, `"`)
	_, s.url, _ = strings.Cut(page, "url=")
	s.url, _, _ = strings.Cut(s.url, "/#")
	if strings.Contains(page, s.token) || len(code) < 16 || strings.Contains(first, code) {
		t.Errorf("the browser's file is %s", page)
	}
	args := read("args")
	if strings.Contains(args, code) || strings.Contains(args, s.token) || strings.Contains(args, "http") || strings.Count(args, "\n") != 1 {
		t.Errorf("the arguments of the browser are %s", args)
	}
	if modes := read("modes"); strings.Count(modes, "drwx------") != 1 || strings.Count(modes, "-rw-------") != 1 {
		t.Errorf("the modes of the browser's folder and file are %s", modes)
	}
	if status := s.call("POST", "/api/v1/session", `{"code":"`+code+`"}`, nil); status != http.StatusCreated {
		t.Errorf("the code has status %d", status)
	}
	if status := s.call("POST", "/api/v1/session", `{"code":"`+code+`"}`, nil); status != http.StatusUnauthorized {
		t.Errorf("used again the code has status %d", status)
	}
	s.end()
	if left, err := os.ReadDir(tmp); err != nil || len(left) != 0 {
		t.Errorf("the server left %v, %v", left, err)
	}
}

// TestTokenFile warns about a file that others can read or change, and prints no token of any
// file.
func TestTokenFile(t *testing.T) {
	program := commandtest.Link(t, t.TempDir())
	for mode, want := range map[os.FileMode]string{0o600: "", 0o400: "", 0o644: "other users can read it, its mode is 0644", 0o640: "can read it", 0o666: "other users can change it, its mode is 0666", 0o620: "can change it"} {
		name := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(name, []byte("0123456789abcdef\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		s := startServer(t, program, nil, "--token-file", name)
		s.token = "0123456789abcdef"
		if status := s.call("GET", "/api/v1/session", "", nil); status != http.StatusNoContent || s.code != "" {
			t.Errorf("with the token the status is %d, the code %q", status, s.code)
		}
		s.end()
		if said := s.err.String(); !strings.Contains(said, want) || want == "" && said != "" || strings.Contains(said, s.token) {
			t.Errorf("a token file of mode %o: %q, expected %q", mode, said, want)
		}
	}
}
