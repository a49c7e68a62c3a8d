module github.com/fdplan/fdplan/paper

go 1.26.0

require github.com/fdplan/fdplan v0.0.0

require (
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/spf13/pflag v1.1.0 // indirect
	golang.org/x/image v0.30.0 // indirect
)

replace github.com/fdplan/fdplan => ../
