//go:build !unix

package process

import "os/exec"

// SetGroup does nothing where there are no process groups.
func SetGroup(*exec.Cmd) {}

// KillGroup kills the command alone where there are no process groups.
func KillGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// EndGroup kills the command: there is no gentler way.
func EndGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
