// Command fdplan-cluster is fdplan with a cluster: its server, its workers, and commands
// that send them their work, the paper's experiments too.
package main

import (
	"os"

	"github.com/fdplan/fdplan/cluster/part"
	"github.com/fdplan/fdplan/internal/command"
	paper "github.com/fdplan/fdplan/paper/part"
)

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, command.Parts{Cluster: part.Part{}, Laboratory: paper.Part{}}))
}
