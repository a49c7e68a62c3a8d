package serve

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// browserOf exchanges what a page has for a session, and returns the headers of its requests.
func (x *testServer) browserOf(body obj) map[string]string {
	x.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		x.t.Fatal(err)
	}
	req, err := http.NewRequest("POST", x.url+"/api/v1/session", strings.NewReader(string(text)))
	if err != nil {
		x.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	status, header, answer := x.do(req)
	var half sessionAnswer
	if err := json.Unmarshal(answer, &half); err != nil || status != http.StatusCreated || half.Key == "" {
		x.t.Fatalf("status %d: %s, %v", status, answer, err)
	}
	cookie := header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/api/", x.s.access.cookie + "="} {
		if !strings.Contains(cookie, want) {
			x.t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	if strings.Contains(cookie, token) || strings.Contains(string(answer), token) || strings.Contains(cookie, half.Key) {
		x.t.Errorf("the halves of the session are %q and %s", cookie, answer)
	}
	cookie, _, _ = strings.Cut(cookie, ";")
	return map[string]string{"Cookie": cookie, keyHeader: half.Key}
}

// status is that of a request with headers and no others.
func (x *testServer) status(method, path string, header map[string]string) int {
	x.t.Helper()
	resp := x.raw(method, "/api/v1/"+path, "", header)
	if text, err := io.ReadAll(resp.Body); err != nil {
		x.t.Fatal(err)
	} else if resp.StatusCode < 400 {
		x.described(resp.Request, resp, text)
	}
	return resp.StatusCode
}

// TestSession begins sessions with a code and with the token, and uses both halves, one, and
// halves that do not belong together.
func TestSession(t *testing.T) {
	x := serveTest(t)
	code := x.s.NewCode(0)
	one := x.browserOf(obj{"code": code})
	x.refused("POST", "session", obj{"code": code}, http.StatusUnauthorized, "was used already")
	other := x.browserOf(obj{"token": token})
	with := func(cookie, key string) map[string]string { return map[string]string{"Cookie": cookie, keyHeader: key} }
	_, value, _ := strings.Cut(one["Cookie"], "=")
	for name, c := range map[string]struct {
		header map[string]string
		status int
	}{
		"both halves":                   {one, 204},
		"another session":               {other, 204},
		"the cookie alone":              {with(one["Cookie"], ""), 401},
		"the key alone":                 {with("", one[keyHeader]), 401},
		"halves of two sessions":        {with(one["Cookie"], other[keyHeader]), 401},
		"the cookie as token":           {map[string]string{"Authorization": "Bearer " + value, keyHeader: one[keyHeader]}, 401},
		"the key as token":              {map[string]string{"Authorization": "Bearer " + one[keyHeader], "Cookie": one["Cookie"]}, 401},
		"the token as cookie":           {with(x.s.access.cookie+"="+token, token), 401},
		"the cookie of another port":    {with("fdplan-1="+value, one[keyHeader]), 401},
		"a page of another port":        {map[string]string{"Cookie": one["Cookie"], keyHeader: one[keyHeader], "Sec-Fetch-Site": "same-site"}, 403},
		"a page of another port, again": {map[string]string{"Cookie": one["Cookie"], keyHeader: one[keyHeader], "Origin": "http://127.0.0.1:1"}, 403},
	} {
		if got := x.status("GET", "session", c.header); got != c.status {
			t.Errorf("%s: status %d, expected %d", name, got, c.status)
		}
	}
	if got := x.status("DELETE", "session", one); got != 204 {
		t.Errorf("ending a session: status %d", got)
	}
	if got := x.status("GET", "session", one); got != 401 {
		t.Errorf("after its end the session has status %d", got)
	}
	if got := x.status("GET", "session", other); got != 204 {
		t.Errorf("after the end of another session the status is %d", got)
	}
}

// TestSessionEnds lets codes and sessions become old, ends the one that a browser replaces,
// and a stream with its session.
func TestSessionEnds(t *testing.T) {
	var late atomic.Int64
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) } })
	pass := func(d time.Duration) { late.Add(int64(d)) }
	code := x.s.NewCode(time.Minute)
	pass(2 * time.Minute)
	x.refused("POST", "session", obj{"code": code}, http.StatusUnauthorized, "too old")
	idle, used := x.browserOf(obj{"token": token}), x.browserOf(obj{"token": token})
	for range 20 {
		if got := x.status("GET", "session", used); got != 204 {
			t.Fatalf("a session that is used has status %d", got)
		}
		pass(sessionIdle * 2 / 3)
	}
	if got := x.status("GET", "session", idle); got != 401 {
		t.Errorf("a session that was not used has status %d", got)
	}
	pass(sessionIdle * 2 / 3)
	if got := x.status("GET", "session", used); got != 401 {
		t.Errorf("an old session has status %d", got)
	}

	first := x.browserOf(obj{"token": token})
	req := httptest.NewRequest("POST", x.url+"/api/v1/session", strings.NewReader(`{"token":"`+token+`"}`))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Cookie", first["Cookie"])
	if x.s.ServeHTTP(httptest.NewRecorder(), req); x.status("GET", "session", first) != 401 {
		t.Error("a session goes on that its browser has replaced")
	}

	job, last := x.startSlow(), x.browserOf(obj{"token": token})
	follow, err := http.NewRequest("GET", x.url+"/api/v1/jobs/"+job.ID+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range last {
		follow.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(follow)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxLine)
	if !lines.Scan() {
		t.Fatal("there is no event")
	}
	x.status("DELETE", "session", last)
	for lines.Scan() {
	}
	if got := x.statusOf(job.ID); got != Running {
		t.Errorf("after the end of a session its job is %s", got)
	}
	x.call("DELETE", "jobs/"+job.ID, nil, http.StatusOK, nil)
	for range maxSessions + 1 {
		last = x.browserOf(obj{"token": token})
	}
	if n := len(x.s.access.sessions.byID); n != maxSessions || x.status("GET", "session", last) != 204 {
		t.Errorf("there are %d sessions", n)
	}
}

// statusOf is the status of a job that may run.
func (x *testServer) statusOf(id string) Status {
	x.t.Helper()
	var j Job
	x.call("GET", "jobs/"+id, nil, http.StatusOK, &j)
	return j.Status
}
