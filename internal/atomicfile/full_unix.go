//go:build unix

package atomicfile

import (
	"errors"
	"syscall"
)

// IsFull reports whether an error says that a disk, or a user's share of it, is full.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
