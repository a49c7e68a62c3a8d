package rddl

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/source"
)

// TestMalformed reads files with one fault each. The first line of each file is a comment
// with the place and the words of the expected error.
func TestMalformed(t *testing.T) {
	files, err := filepath.Glob("testdata/malformed/*.rddl")
	if err != nil || len(files) < 45 {
		t.Fatalf("%d malformed files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".rddl"), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := bytes.Cut(src, []byte("\n"))
			want, ok := strings.CutPrefix(string(first), "// want: ")
			if !ok {
				t.Fatalf("first line is %q", first)
			}
			at, msg, _ := strings.Cut(want, ": ")
			f, err := Parse(name, src)
			if err == nil {
				_, err = CheckAll(f)
			}
			var e *source.Error
			if !errors.As(err, &e) {
				t.Fatalf("no *source.Error but %v", err)
			}
			if got := fmt.Sprintf("%d:%d", e.Line, e.Col); e.File != name || got != at || !strings.Contains(e.Msg, msg) {
				t.Errorf("got  %v\nwant %s:%s: %s", e, name, at, msg)
			}
		})
	}
}

// TestMalformedBase reads the files from which the malformed ones were made.
func TestMalformedBase(t *testing.T) {
	f := mustParse(t, "testdata/rover.rddl", nil)
	if _, err := CheckAll(f); err != nil {
		t.Error(err)
	}
}
