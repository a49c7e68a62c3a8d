//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// SetGroup makes a command that has not started the leader of a process group, so that it can
// be stopped together with everything it starts. A Ctrl-C on the terminal, which goes to this
// program's group, then does not reach it.
func SetGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillGroup kills the remaining processes of a started command's group. It returns
// os.ErrProcessDone if there are none.
func KillGroup(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGKILL) }

// EndGroup asks a started command's group to end (SIGTERM). It returns os.ErrProcessDone if
// there are no processes left.
func EndGroup(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGTERM) }

func signalGroup(cmd *exec.Cmd, s syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
