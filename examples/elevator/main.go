// Command elevator is a goods lift to learn from: with -log it writes a log, without it answers the
// requests of fdplan's --simulator.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/fdplan/fdplan/examples/elevator/device"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "elevator:", err)
		os.Exit(1)
	}
}

// run does what the flags say.
func run() error {
	rows := flag.Int("log", 0, "write a log of so many rows to standard output")
	seed := flag.Uint64("seed", 1, "seed")
	flag.Parse()
	if *rows > 0 {
		return device.Log(os.Stdout, *rows, *seed)
	}
	return device.Serve(os.Stdin, os.Stdout, *seed)
}
