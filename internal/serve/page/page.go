// Package page contains the page of fdplan serve: HTML, style sheets and JavaScript modules
// without a build step. It talks to the interface that package serve describes in
// openapi.json.
package page

import (
	"embed"
	"io/fs"
)

//go:embed static
var files embed.FS

// Files returns the files of the page, with index.html at the root.
func Files() fs.FS {
	sub, err := fs.Sub(files, "static")
	if err != nil {
		panic(err) // "static" is a valid name
	}
	return sub
}
