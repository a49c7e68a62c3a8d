package page

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"flag"
	"io"
	"io/fs"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write what is generated")

// TestPackedIsGenerated holds what is served to the folder static.
func TestPackedIsGenerated(t *testing.T) {
	if *update {
		if err := pack(os.DirFS("static"), "static.zip"); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, got := contents(t, os.DirFS("static")), contents(t, Files())
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s in static.zip is not static/%[1]s; go generate ./internal/serve/page writes it", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("static.zip has %s, which is not in static; go generate ./internal/serve/page writes it", name)
		}
	}
}

// pack writes a folder as an archive that depends on names and contents alone.
func pack(dir fs.FS, file string) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

// contents lists the files of a folder.
func contents(t *testing.T, dir fs.FS) map[string]string {
	all := map[string]string{}
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(dir, name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
