package serve

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// raw sends a request as it is and returns the answer.
func (x *testServer) raw(method, path, body string, header map[string]string) *http.Response {
	x.t.Helper()
	req, err := http.NewRequest(method, x.url+path, strings.NewReader(body))
	if err != nil {
		x.t.Fatal(err)
	}
	for name, value := range header {
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		x.t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return resp
}

// TestToken wants the token of every operation that is not public, and gives a cookie for it.
func TestToken(t *testing.T) {
	x := serveTest(t)
	for _, r := range x.s.routes() {
		path := strings.NewReplacer("{problem}", "navigation%2F3x3", "{job}", "1", "{log}", "a", "{file}", "b", "{result}", "c").Replace(r.path)
		for _, authorization := range []string{"", "Bearer ", "Bearer wrong", "Basic " + token} {
			resp := x.raw(r.method, path, "", map[string]string{"Authorization": authorization})
			if refused := resp.StatusCode == http.StatusUnauthorized; refused == r.public && r.method != "POST" {
				t.Errorf("%s %s with %q: status %d", r.method, path, authorization, resp.StatusCode)
			}
		}
	}
	x.refused("POST", "session", obj{"token": "wrong"}, http.StatusUnauthorized, "the token is wrong")
	x.refused("POST", "session", obj{"code": "wrong"}, http.StatusUnauthorized, "the code is wrong")
	x.refused("POST", "session", obj{}, http.StatusBadRequest, "expected a token, or a code")
	x.refused("POST", "session", obj{"code": x.s.NewCode(0), "token": token}, http.StatusBadRequest, "expected a token, or a code")
	x.call("GET", "session", nil, http.StatusNoContent, nil)
	x.refused("DELETE", "session", nil, http.StatusBadRequest, "no session")
	x.call("GET", "openapi.json", nil, http.StatusOK, nil)
}

// TestForeignRequests sends what pages of other sites could make a browser send.
func TestForeignRequests(t *testing.T) {
	x := serveTest(t)
	own := strings.TrimPrefix(x.url, "http://")
	_, port, _ := net.SplitHostPort(own)
	for _, c := range []struct {
		name   string
		path   string
		header map[string]string
		status int
	}{
		{"its own address", "/", nil, 200},
		{"the page by another name", "/", map[string]string{"Host": "localhost:" + port}, 307},
		{"the interface by another name", "/api/v1/server", map[string]string{"Host": "localhost:" + port}, 200},
		{"a name that leads here", "/", map[string]string{"Host": "evil.example:" + port}, 421},
		{"a name without a port", "/", map[string]string{"Host": "127.0.0.1"}, 421},
		{"another port", "/", map[string]string{"Host": "127.0.0.1:1"}, 421},
		{"its own origin", "/api/v1/server", map[string]string{"Origin": "http://" + own, "Sec-Fetch-Site": "same-origin"}, 200},
		{"another origin", "/api/v1/server", map[string]string{"Origin": "https://evil.example"}, 403},
		{"another port's origin", "/api/v1/server", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"no origin", "/api/v1/server", map[string]string{"Origin": "null"}, 403},
		{"another site", "/api/v1/server", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"another port of this machine", "/api/v1/server", map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"a link from elsewhere to the page", "/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200},
		{"a link from elsewhere to the interface", "/api/v1/server", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403},
		{"a script from elsewhere", "/js/api.js", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
	} {
		header := map[string]string{"Authorization": "Bearer " + token}
		for k, v := range c.header {
			header[k] = v
		}
		if resp := x.raw("GET", c.path, "", header); resp.StatusCode != c.status {
			t.Errorf("%s: status %d, expected %d", c.name, resp.StatusCode, c.status)
		}
	}
	// A form of another page can send no JSON.
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		resp := x.raw("POST", "/api/v1/jobs", `{"kind":"plan","problem":"navigation/3x3"}`, map[string]string{"Authorization": "Bearer " + token, "Content-Type": kind})
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("a job as %q: status %d", kind, resp.StatusCode)
		}
	}
}

// TestHeaders wants every answer to restrict the browser, and the page to be the server's.
func TestHeaders(t *testing.T) {
	x := serveTest(t)
	for _, path := range []string{"/", "/api/v1/openapi.json", "/api/v1/server", "/api/v1/nothing", "/nothing"} {
		h := x.raw("GET", path, "", nil).Header
		if p := h.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'self';") || strings.Contains(p, "unsafe") || strings.Contains(p, "*") {
			t.Errorf("%s: the policy is %q", path, p)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Access-Control-Allow-Origin": ""} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, expected %q", path, name, got, want)
			}
		}
	}
	page, err := io.ReadAll(x.raw("GET", "/", "", nil).Body)
	if err != nil || !bytes.Contains(page, []byte("<html")) {
		t.Errorf("the page is %s, %v", page, err)
	}
}

// TestPaths asks for files that are not there to be had.
func TestPaths(t *testing.T) {
	x := serveTest(t)
	secret := filepath.Join(x.s.config.Data, "secret")
	if err := os.WriteFile(secret, []byte("a secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	var p Problem
	x.upload("problems", "files", map[string]string{"lamp.rddl": switchRDDL}, nil, http.StatusCreated, &p)
	j := x.run(obj{"kind": "plan", "problem": "navigation/3x3"})
	for _, base := range []string{"/", "/js/", "/api/v1/problems/" + p.Problem + "/files/", "/api/v1/jobs/" + j.ID + "/files/", "/api/v1/results/job-1/files/", "/api/v1/problems/", "/api/v1/jobs/", "/api/v1/logs/"} {
		for _, name := range []string{"../secret", "..%2Fsecret", "..%2F..%2F..%2Fsecret", "%2e%2e/%2e%2e/secret", "..%5Csecret", "%2Fetc%2Fpasswd", strings.ReplaceAll(secret, "/", "%2F"), "secret", "%00", "problem.json", "work"} {
			resp := x.raw("GET", base+name, "", map[string]string{"Authorization": "Bearer " + token})
			text, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode < 300 || bytes.Contains(text, []byte("a secret")) || bytes.Contains(text, []byte("root:")) {
				t.Errorf("GET %s: status %d, %s, %v", base+name, resp.StatusCode, text, err)
			}
		}
	}
}

// TestBadBodies sends bodies that are too large or no JSON.
func TestBadBodies(t *testing.T) {
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Limits.Body, c.Limits.Upload = 1000, 5000 })
	send := func(body string) int {
		return x.raw("POST", "/api/v1/jobs", body, map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"}).StatusCode
	}
	for _, c := range []struct {
		body   string
		status int
	}{
		{"", 400}, {"{", 400}, {"[]", 400}, {"null", 400}, {"1", 400}, {`{"kind":1}`, 400}, {`{"kind":"plan"} {}`, 400}, {"\xff", 400}, {strings.Repeat("[", 900), 400},
		{`{"label":"` + strings.Repeat("x", 2000) + `"}`, 413}, {strings.Repeat(" ", 3000), 413},
	} {
		if got := send(c.body); got != c.status {
			t.Errorf("the body %.40q: status %d, expected %d", c.body, got, c.status)
		}
	}
	x.upload("problems", "files", map[string]string{"a.rddl": strings.Repeat("x", 6000)}, nil, http.StatusRequestEntityTooLarge, nil)
	x.upload("logs", "file", map[string]string{"a.csv": strings.Repeat("x", 6000)}, nil, http.StatusRequestEntityTooLarge, nil)
	x.refused("POST", "problems", obj{}, http.StatusBadRequest, "expected multipart/form-data")
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for i := range maxFiles + 1 {
		if _, err := m.CreateFormFile("files", fmt.Sprintf("%d.rddl", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"too many files": b.String()[:min(b.Len(), 4900)], "cut off": "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.rddl\"\r\n\r\nabc"} {
		kind := "multipart/form-data; boundary=x"
		if name == "too many files" {
			kind = m.FormDataContentType()
		}
		if resp := x.raw("POST", "/api/v1/problems", body, map[string]string{"Authorization": "Bearer " + token, "Content-Type": kind}); resp.StatusCode != 400 {
			t.Errorf("%s: status %d", name, resp.StatusCode)
		}
	}
	x.nothingMade()
}

// TestMethods uses methods that paths do not have.
func TestMethods(t *testing.T) {
	x := serveTest(t)
	for path, allow := range map[string]string{"/api/v1/jobs": "GET, POST", "/api/v1/jobs/1": "GET, DELETE", "/api/v1/problems/a%2Fb": "GET, DELETE", "/": "GET, HEAD"} {
		resp := x.raw("PATCH", path, "", map[string]string{"Authorization": "Bearer " + token})
		if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != allow {
			t.Errorf("PATCH %s: status %d, allowed is %q, expected %q", path, resp.StatusCode, resp.Header.Get("Allow"), allow)
		}
	}
	if resp := x.raw("GET", "/api/v2/jobs", "", nil); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a path of another version: status %d", resp.StatusCode)
	}
}

// TestSlowRequests sends requests that never end; the server closes the connections.
func TestSlowRequests(t *testing.T) {
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Limits.Request = 300 * time.Millisecond })
	address := strings.TrimPrefix(x.url, "http://")
	for name, text := range map[string]string{
		"nothing":         "",
		"half a header":   "GET / HTTP/1.1\r\nHost: " + address + "\r\nX-A: ",
		"half a body":     "POST /api/v1/jobs HTTP/1.1\r\nHost: " + address + "\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"too long a line": "GET /" + strings.Repeat("x", 200<<10) + " HTTP/1.1\r\n",
	} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, text); err != nil && name != "too long a line" {
			t.Fatal(err)
		}
		if err := c.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: the connection is open after 20 s", name)
		}
	}
	if resp := x.raw("GET", "/", "", nil); resp.StatusCode != http.StatusOK {
		t.Errorf("after slow requests the status is %d", resp.StatusCode)
	}
}

// TestFollowers refuses one stream of events too many.
func TestFollowers(t *testing.T) {
	x := serveTest(t)
	for range maxFollowers {
		x.s.followers <- struct{}{}
	}
	j := x.startSlow()
	x.refused("GET", "jobs/"+j.ID+"/events", nil, http.StatusServiceUnavailable, "followers already")
	for range maxFollowers {
		<-x.s.followers
	}
	x.call("DELETE", "jobs/"+j.ID+"?remove=true", nil, http.StatusNoContent, nil)
}

// startSlow starts a job that does not end.
func (x *testServer) startSlow() Job {
	x.t.Helper()
	var j Job
	x.call("POST", "jobs", slow, http.StatusCreated, &j)
	return j
}

// TestOtherAddresses wants a server that other machines can reach to answer for any host name,
// and to mark its cookie as one for TLS alone.
func TestOtherAddresses(t *testing.T) {
	s, err := New(Config{Program: []string{program}, Data: t.TempDir(), Token: token, Address: "0.0.0.0:443", TLS: true, Anyhost: true, Now: time.Now, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	req := httptest.NewRequest("POST", "https://planner.example/api/v1/session", strings.NewReader(`{"token":"`+token+`"}`))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", "https://planner.example")
	req.TLS = &tls.ConnectionState{}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	if w.Code != http.StatusCreated || !strings.Contains(w.Header().Get("Set-Cookie"), "Secure") {
		t.Errorf("status %d, cookie %q: %s", w.Code, w.Header().Get("Set-Cookie"), w.Body)
	}
	req.Header.Set("Origin", "http://planner.example")
	w = httptest.NewRecorder()
	if s.ServeHTTP(w, req); w.Code != http.StatusForbidden {
		t.Errorf("from a page without TLS the status is %d", w.Code)
	}
}
