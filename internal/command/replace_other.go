//go:build !unix

package command

import (
	"errors"
	"os"
	"os/exec"
)

// replace runs a program with the streams of this process, and returns its exit status. An
// interrupt reaches both.
func replace(program string, args []string) (int, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
