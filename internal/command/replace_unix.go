//go:build unix

package command

import (
	"os"
	"syscall"
)

// replace puts a program in the place of this process.
func replace(program string, args []string) (int, error) {
	return 0, syscall.Exec(program, append([]string{program}, args...), os.Environ())
}
