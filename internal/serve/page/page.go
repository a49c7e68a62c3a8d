// Package page contains the page of fdplan serve: HTML, style sheets and JavaScript modules
// without a build step. It talks to the interface that package serve describes in
// openapi.json.
package page

import (
	_ "embed"
	"io/fs"

	"github.com/fdplan/fdplan/internal/packed"
)

// The folder static, a quarter as large; go generate ./internal/packed writes it.
//
//go:embed static.zip.gz
var static []byte

// Files returns the files of the page, with index.html at the root.
func Files() fs.FS { return packed.Folder(static) }
