// Command fdplan plans with learned, discrete models of the world. See
// README.md for a tour and docs/ for everything else.
package main

import (
	"os"

	"github.com/fdplan/fdplan/internal/command"
)

func main() { os.Exit(command.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, command.Parts{})) }
