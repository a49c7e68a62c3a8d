package packed_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/packed"
)

// TestRoundTrip reads what was written, and refuses what was cut off.
func TestRoundTrip(t *testing.T) {
	text := strings.Repeat("pol 1 2 + ;\n", 10_000)
	for name, compressed := range map[string]bool{"a.pbp": false, "a.pbp.gz": true, "a.pbp.zst": true} {
		if strings.HasSuffix(name, ".zst") {
			extsolver.Require(t, "zstd")
		}
		var out bytes.Buffer
		w, err := packed.Writer(name, &out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if compressed != (out.Len() < len(text)/10) {
			t.Errorf("%s has %d bytes of %d", name, out.Len(), len(text))
		}
		r, was, err := packed.Reader(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != text || was != compressed {
			t.Errorf("%s: %d bytes, compressed %v, %v", name, len(got), was, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if !compressed {
			continue
		}
		r, _, err = packed.Reader(bytes.NewReader(out.Bytes()[:out.Len()-3]))
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if err == nil {
			t.Errorf("%s: cut off, and read without an error", name)
		}
	}
	if r, was, err := packed.Reader(strings.NewReader("")); err != nil || was {
		t.Errorf("an empty file: %v, %v, %v", r, was, err)
	}
}
