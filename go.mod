module github.com/fdplan/fdplan

go 1.26
