package dataset

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zeros is a stream of that many zero bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zeroReader{}, n) }

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestNPZBomb: a small file that unpacks to much is refused when that is seen, and
// not when it has been unpacked.
func TestNPZBomb(t *testing.T) {
	s, err := NewSchema("bomb", []Column{{Name: "x", Type: Bool}}, []Column{{Name: "go", Type: Bool}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	member := func(name string, text io.Reader) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.Copy(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	member(schemaMember, bytes.NewReader(text))
	defer func(size int64) { alwaysUnpacked = size }(alwaysUnpacked)
	alwaysUnpacked = 2 << 20
	rows := alwaysUnpacked + 8<<20
	header := fmt.Sprintf("{'descr': '|b1', 'fortran_order': False, 'shape': (%d,), }", rows)
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	for _, c := range s.Columns {
		head := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
		member(c.Name+".npy", io.MultiReader(bytes.NewReader(append(head, header...)), zeros(rows)))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "bomb.npz")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(name); err == nil || !strings.Contains(err.Error(), errUnpacked.Error()) {
		t.Errorf("%d bytes: %v", b.Len(), err)
	}
}

func TestRoomFor(t *testing.T) {
	for _, c := range []struct {
		rows, columns int
		ok            bool
	}{{0, 0, true}, {maxValues, 1, true}, {maxValues + 1, 1, false}, {maxValues / 30, 30, true}, {maxValues/30 + 1, 30, false}, {1 << 62, 1 << 30, false}} {
		if err := RoomFor(c.rows, c.columns); (err == nil) != c.ok {
			t.Errorf("%d x %d: %v", c.rows, c.columns, err)
		}
	}
	if unpacked(10, 3) != alwaysUnpacked+30 {
		t.Error("the sizes do not add up")
	}
}
