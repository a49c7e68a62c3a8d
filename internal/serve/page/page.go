// Package page contains the page of fdplan serve: HTML, style sheets and JavaScript modules
// without a build step. It talks to the interface that package serve describes in
// openapi.json.
package page

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"strings"
)

//go:generate go test . -run TestPackedIsGenerated -update

// The folder static, a third as large.
//
//go:embed static.zip
var packed string

// Files returns the files of the page, with index.html at the root.
func Files() fs.FS {
	files, err := zip.NewReader(strings.NewReader(packed), int64(len(packed)))
	if err != nil {
		panic(err) // a test reads all of it
	}
	return files
}
