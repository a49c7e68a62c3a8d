package instance_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/solve/instance"
	"github.com/fdplan/fdplan/internal/source"
)

var update = flag.Bool("update", false, "write testdata/malformed/want from what the readers say")

// TestMalformed reads files with one fault each, which their names say, and
// compares the errors, whole, with the list in testdata/malformed/want.
func TestMalformed(t *testing.T) {
	const dir = "testdata/malformed"
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		if f.Name() == "want" {
			continue
		}
		in, err := instance.ReadFile(context.Background(), dir+"/"+f.Name(), instance.Limits{})
		var at *source.Error
		if in != nil || !errors.As(err, &at) {
			t.Errorf("%s: %v, %T %v; expected a *source.Error", f.Name(), in, err, err)
			continue
		}
		got = append(got, strings.TrimPrefix(err.Error(), dir+"/"))
	}
	text := strings.Join(got, "\n") + "\n"
	if *update {
		if err := os.WriteFile(dir+"/want", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(dir + "/want")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(text, "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Fatalf("line %d:\n got %s\nwant %s", i+1, line, lines[min(i, len(lines)-1)])
		}
	}
	if text != string(want) {
		t.Errorf("%d lines; expected %d", len(got), len(lines)-1)
	}
}
