//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// Lock locks an open file until it is closed, or the process ends. The error is
// ErrLocked if another process has it locked.
func Lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
