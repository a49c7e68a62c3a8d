//go:build unix

package external

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// setGroup makes the command the leader of a process group, so that what it
// starts can be stopped with it, and so that a Ctrl-C on the terminal, which
// goes to this program's group, leaves it to us how the solver ends.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to all that is left of the command's group.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) error {
	if err := syscall.Kill(-cmd.Process.Pid, s); errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	} else {
		return err
	}
}
