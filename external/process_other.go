//go:build !unix

package external

import (
	"os/exec"
	"syscall"
)

// setGroup does nothing where there are no process groups.
func setGroup(*exec.Cmd) {}

// signalGroup kills the process; there is no gentler way.
func signalGroup(cmd *exec.Cmd, _ syscall.Signal) error { return cmd.Process.Kill() }
