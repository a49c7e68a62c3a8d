package packed

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
)

//go:generate go test . -run "Test.*Packed" -update

// Folder returns the files of a folder that the program contains: a zip archive that is compressed as
// a whole, since files that are alike take a fifth less together. It panics if data are not such an archive.
func Folder(data []byte) fs.FS {
	archive := File(data)
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err) // a test reads all that there are
	}
	return files
}

// File returns a file that the program contains compressed. It panics if data are not one.
func File(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	var file []byte
	if err == nil {
		file, err = io.ReadAll(z)
	}
	if err != nil {
		panic(err) // a test reads all that there are
	}
	return file
}
