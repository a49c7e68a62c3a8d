package packed

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
)

//go:generate go test . -run TestFoldersArePacked -update

// Folder returns the files of a folder that the program contains: a zip archive that is compressed as
// a whole, since files that are alike take a fifth less together. It panics if data are not such an archive.
func Folder(data []byte) fs.FS {
	z, err := gzip.NewReader(bytes.NewReader(data))
	var archive []byte
	if err == nil {
		archive, err = io.ReadAll(z)
	}
	var files *zip.Reader
	if err == nil {
		files, err = zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	}
	if err != nil {
		panic(err) // a test reads all that there are
	}
	return files
}
