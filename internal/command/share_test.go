package command

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"html"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/serve"
)

// download matches a file in a page.
var download = regexp.MustCompile(`href="data:application/octet-stream;base64,([^"]*)" download="([^"]*)"`)

// TestShare writes answers as pages, and checks the answers with the files and the commands in them.
func TestShare(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		line   string
		status int
		want   []string // in the page
	}{
		{"plan navigation/3x3 -H 6 --goal robot-at(x9,y12) --certify proof -o page.html", exitDone, []string{"and proven optimal there", "data-step=\"6\"", "fdplan certify proof",
			"fdplan validate navigation/3x3 --goal 'robot-at(x9,y12)' answer.json"}},
		{"plan navigation/3x3 -H 3 -o page.html", exitNo, []string{"Proven: no plan exists in the learned model.", "no such plan"}},
		{"run navigation/3x3 -H 6 --simulator rddl -o page.html", exitDone, []string{"data-step=\"4\"", "the goal"}},
		{"plan inventory/2 -o page.html --require <script>alert(1)</script>", exitUsage, nil},
	} {
		args := strings.Fields(c.line)
		status, stdout, stderr := session(args...)
		page, err := os.ReadFile("page.html")
		if status != c.status || c.want != nil && (err != nil || stdout == "") {
			t.Fatalf("%s: status %d, %v\n%s%s", c.line, status, err, stdout, stderr)
		}
		if c.want == nil {
			continue
		}
		for _, want := range append(c.want, "script-src 'sha256-", "style-src 'sha256-", "default-src 'none'") {
			if !strings.Contains(html.UnescapeString(string(page)), want) {
				t.Errorf("%s: the page lacks %q", c.line, want)
			}
		}
		if m := regexp.MustCompile(`unsafe-inline|src="http|<link[^>]*http|@import| style="`).Find(page); m != nil {
			t.Errorf("%s: the page has %s", c.line, m)
		}
		files := map[string][]byte{}
		for _, m := range download.FindAllSubmatch(page, -1) {
			data, err := base64.StdEncoding.DecodeString(html.UnescapeString(string(m[1])))
			if err != nil {
				t.Fatal(err)
			}
			files[string(m[2])] = data
		}
		if files["answer.json"] == nil {
			t.Fatalf("%s: no answer in the page", c.line)
		}
		if err := os.WriteFile("answer.json", files["answer.json"], 0o600); err != nil {
			t.Fatal(err)
		}
		again := []string{"show", args[1], "answer.json", "-o", "again.html", "--found-by", "fdplan " + serve.ShellWords(args)}
		if status, _, stderr := session(again...); status != exitDone {
			t.Fatalf("%v: %s", again, stderr)
		}
		if same, err := os.ReadFile("again.html"); err != nil || !bytes.Equal(same, page) {
			t.Errorf("%s: the page of the answer differs from that of the command, %v", c.line, err)
		}
		if files["certificate.zip"] == nil {
			continue
		}
		checkShared(t, files)
	}
	if status, _, stderr := session("plan", "navigation/3x3", "-o", "plan.png"); status != exitDone {
		t.Fatal(stderr)
	}
	data, err := os.ReadFile("plan.png")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := png.Decode(bytes.NewReader(data)); err != nil || m.Bounds().Dx() < 300 {
		t.Errorf("plan.png: %v", err)
	}
}

// checkShared does what the page says.
func checkShared(t *testing.T, files map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	answer := filepath.Join(dir, "answer.json")
	if err := os.WriteFile(answer, files["answer.json"], 0o600); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := session("validate", "navigation/3x3", "--goal", "robot-at(x9,y12)", answer); status != exitDone {
		t.Errorf("validate: status %d\n%s%s", status, stdout, stderr)
	}
	z, err := zip.NewReader(bytes.NewReader(files["certificate.zip"]), int64(len(files["certificate.zip"])))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := session("certify", filepath.Join(dir, "proof"), "--problem", "navigation/3x3", "--goal", "robot-at(x9,y12)"); status != exitDone {
		t.Errorf("certify: status %d\n%s%s", status, stdout, stderr)
	}
}
