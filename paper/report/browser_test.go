package report

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/extsolver"
)

// TestBrowser opens the page in a browser: it loads nothing but the page, reports no errors,
// and shows its contents.
func TestBrowser(t *testing.T) {
	extsolver.Require(t, "chromium")
	_, got := files(t, sample(t))
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := w.Write(got["report.html"]); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// Other hosts cannot be resolved, which the console would report.
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--user-data-dir="+t.TempDir(),
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--virtual-time-budget=2000", "--dump-dom", server.URL+"/report.html")
	var dom, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &dom, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, log.Bytes())
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the console says %s", line)
		}
	}
	if len(asked) != 1 || asked[0] != "/report.html" {
		t.Errorf("%q were fetched", asked)
	}
	for _, want := range []string{"10&lt;, 75 %", "Solved with a proof", "What was not run"} {
		if !strings.Contains(dom.String(), want) {
			t.Errorf("the page that is shown lacks %q", want)
		}
	}
}
