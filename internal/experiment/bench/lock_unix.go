//go:build unix

package bench

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps other processes from locking the file until it is closed or the
// process ends, however it ends.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}
