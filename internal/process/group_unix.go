//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// SetGroup makes a command that has not started the leader of a process group,
// so that what it starts can be stopped with it, and so that a Ctrl-C on the
// terminal, which goes to this program's group, leaves its end to us.
func SetGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillGroup kills all that is left of a started command's group. That nothing
// is left is os.ErrProcessDone.
func KillGroup(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGKILL) }

// EndGroup asks a started command's group to end (SIGTERM). That nothing is
// left is os.ErrProcessDone.
func EndGroup(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGTERM) }

func signalGroup(cmd *exec.Cmd, s syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
