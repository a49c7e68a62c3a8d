module github.com/fdplan/fdplan/highs

go 1.26.0

require (
	github.com/fdplan/fdplan v0.0.0
	github.com/tetratelabs/wazero v1.12.0
)

require golang.org/x/sys v0.44.0 // indirect

replace github.com/fdplan/fdplan => ../
