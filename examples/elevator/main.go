// Command elevator is a goods lift to learn from: with -log it writes a log, without it answers the
// requests of fdplan's --simulator.
package main

import (
	"fmt"
	"os"

	"github.com/fdplan/fdplan/examples/elevator/device"
)

func main() {
	if err := device.Run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "elevator:", err)
		os.Exit(1)
	}
}
