package packed_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/packed"
)

var update = flag.Bool("update", false, "write what is generated")

// TestFoldersArePacked holds what programs contain to the folders.
func TestFoldersArePacked(t *testing.T) {
	for _, f := range []struct{ folder, root, archive string }{
		{"../serve/page/static", ".", "../serve/page/static.zip.gz"},
		{"../rddl/bundled", "problems", "../rddl/bundled/problems.zip.gz"},
	} {
		want := contents(t, os.DirFS(f.folder), f.root)
		if *update {
			if err := os.WriteFile(f.archive, pack(t, want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(f.archive)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(contents(t, packed.Folder(data), f.root), want) {
			t.Errorf("%s is not %s; go generate ./internal/packed writes it", f.archive, f.folder)
		}
	}
}

// TestFilesArePacked does so for single files.
func TestFilesArePacked(t *testing.T) {
	const name = "../picture/player.html"
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name+".gz", squeeze(t, want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(packed.File(data), want) {
		t.Errorf("%s.gz is not %s; go generate ./internal/packed writes it", name, name)
	}
}

// squeeze compresses a file.
func squeeze(t *testing.T, data []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(data)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pack writes files as an archive that depends on names and contents alone.
func pack(t *testing.T, files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(w, files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return squeeze(t, b.Bytes())
}

// contents lists the files below root.
func contents(t *testing.T, dir fs.FS, root string) map[string]string {
	all := map[string]string{}
	err := fs.WalkDir(dir, root, func(name string, d fs.DirEntry, err error) error {
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
