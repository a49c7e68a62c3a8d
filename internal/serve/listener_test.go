package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestHalfOpenConnections opens more connections from one address than there are places, with
// nothing, half a header, or half the body of a request without a token. Others, also of the
// same address, are answered meanwhile, and a stream that was open before goes on.
func TestHalfOpenConnections(t *testing.T) {
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Limits.Request = 10 * time.Minute })
	address := strings.TrimPrefix(x.url, "http://")
	job := x.startSlow()
	stream, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	fmt.Fprintf(stream, "GET /api/v1/jobs/%s/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", job.ID, address, token)
	events := bufio.NewReader(stream)
	if line, err := events.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("following a job: %q, %v", line, err)
	}
	texts := []string{"", "GET / HTTP/1.1\r\nHost: " + address + "\r\nX-A: ", "POST /api/v1/session HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"}
	for i := range 300 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, texts[i%len(texts)]); err != nil {
			t.Fatal(err)
		}
	}
	// The header would time out after ten seconds, and free a place then.
	client := &http.Client{Timeout: headerTime / 2, Transport: &http.Transport{DisableKeepAlives: true}}
	for range 5 {
		resp, err := client.Get(x.url + "/")
		if err != nil {
			t.Fatalf("with 300 connections half open: %v", err)
		}
		resp.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections() // the server may have closed them
	x.call("DELETE", "jobs/"+job.ID, nil, http.StatusOK, nil)
	for line := ""; line != "event: done\n"; {
		if line, err = events.ReadString('\n'); err != nil {
			t.Fatalf("the stream of events ends without the end of the job: %v", err)
		}
	}
}

// TestVictim closes connections of the address that has most of them, the oldest first, and
// none that works.
func TestVictim(t *testing.T) {
	l := &boundedListener{open: map[*placedConn]bool{}}
	add := func(host string, n, working int) {
		for range n {
			l.last++
			l.open[&placedConn{list: l, host: host, number: l.last, working: working}] = true
		}
	}
	add("10.0.0.1", 100, 1)
	add("10.0.0.2", 30, 0)
	add("10.0.0.3", maxConnections-130, 0)
	if v := l.victim(); v != nil {
		t.Errorf("with as many connections as may be, %v is closed", v)
	}
	add("10.0.0.4", 1, 0)
	for want := 131; len(l.open) > maxConnections-50; want++ {
		add("10.0.0.4", maxConnections+1-len(l.open), 0)
		v := l.victim()
		if v == nil || v.host != "10.0.0.3" || v.number != want {
			t.Fatalf("%+v is closed, expected number %d of 10.0.0.3", v, want)
		}
		delete(l.open, v)
		if want == 180 {
			break
		}
	}
	for c := range l.open {
		c.working = 1
	}
	add("10.0.0.5", maxConnections, 1)
	if v := l.victim(); v != nil {
		t.Errorf("%+v is closed, which works", v)
	}
}
