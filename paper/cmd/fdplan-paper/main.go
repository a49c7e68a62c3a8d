// Command fdplan-paper is fdplan with the paper's experiments.
package main

import (
	"os"

	"github.com/fdplan/fdplan/internal/command"
	"github.com/fdplan/fdplan/paper/part"
)

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, command.Parts{Laboratory: part.Part{}}))
}
