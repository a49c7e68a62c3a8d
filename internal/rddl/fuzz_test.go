package rddl

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/source"
)

// FuzzParse checks for any text: no panic, errors with a position inside the text, and a text
// that parses can be printed and parsed again to an equal tree. A checked tree must have a
// type everywhere.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/malformed/*.rddl")
	some, _ := filepath.Glob(published + "/*/*/domain.rddl")
	inst, _ := filepath.Glob(published + "/*/*/instance1.rddl")
	files = append(append(append(files, "testdata/rover.rddl"), some...), inst...)
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Parse("fuzz", src)
		if err != nil {
			positioned(t, err)
			return
		}
		roundTrip(t, file)
		progs, err := CheckAll(file)
		if err != nil {
			var e *source.Error
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, p := range progs {
			checkTyped(t, p)
		}
	})
}

func positioned(t *testing.T, err error) {
	t.Helper()
	var e *source.Error
	if !errors.As(err, &e) || e.Line < 1 || e.Col < 1 || e.Msg == "" {
		t.Fatalf("%T: %v", err, err)
	}
}
