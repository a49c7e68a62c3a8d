package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSizesOfUploads sends logs of the stated size, one byte more, and many times more. All of
// an upload is sent before the answer is read, as some browsers do: who is cut off before sees
// no answer.
func TestSizesOfUploads(t *testing.T) {
	const most = 1 << 18
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Limits.Upload = most })
	row := "1,0\n0,1\n"
	text := "s,a\n" + strings.Repeat(row, most/len(row))
	for _, c := range []struct {
		name   string
		size   int
		status int
	}{{"a.csv", most, 201}, {"a.csv", most + 1, 413}, {"a.csv", 24 * most, 413}, {"a.exe", 24 * most, 413}, {"a*", most, 400}, {"a.csv", most, 201}} {
		var b bytes.Buffer
		m := multipart.NewWriter(&b)
		w, err := m.CreateFormFile("file", c.name)
		if err != nil {
			t.Fatal(err)
		}
		for size := 0; size < c.size; size += most {
			if _, err := io.WriteString(w, text[:min(most, c.size-size)]); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial("tcp", strings.TrimPrefix(x.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /api/v1/logs HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", strings.TrimPrefix(x.url, "http://"), token, m.FormDataContentType(), b.Len())
		if n, err := conn.Write(b.Bytes()); err != nil {
			t.Errorf("%s of %d bytes: cut off after %d bytes: %v", c.name, c.size, n, err)
			continue
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s of %d bytes: %v", c.name, c.size, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != c.status || c.status == 413 && !strings.Contains(string(body), fmt.Sprintf("more than %d bytes", most)) {
			t.Errorf("%s of %d bytes: status %d, expected %d: %.300s, %v", c.name, c.size, resp.StatusCode, c.status, body, err)
		}
	}
	x.nothingMade()
}

// TestRefusedAtOnce announces an upload of more than the server takes, and sends nothing.
func TestRefusedAtOnce(t *testing.T) {
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Limits.Upload = 1 << 20 })
	host := strings.TrimPrefix(x.url, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST /api/v1/logs HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", host, token, 1<<40)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(body), "more than 1048576 bytes") {
		t.Errorf("status %d: %.300s, %v", resp.StatusCode, body, err)
	}
	x.nothingMade()
}
