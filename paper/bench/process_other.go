//go:build !linux

package bench

import (
	"os"
	"os/exec"
	"time"

	"github.com/fdplan/fdplan/internal/process"
)

// On other systems the memory of other processes is not measured: the program enforces
// --memory itself as far as it can, and no peak is known.

func endWithUs(*exec.Cmd) {}

// threadTime returns the wall-clock time in seconds: that of a thread is not known.
func threadTime(now func() time.Time) float64 { return time.Duration(now().UnixNano()).Seconds() }

// fresh does nothing: memory comes from the runtime here, which may have it already.
func fresh(int) {}

func terminate(cmd *exec.Cmd) {
	if cmd.Process.Signal(os.Interrupt) != nil {
		killTree(cmd)
	}
}

func killTree(cmd *exec.Cmd) { process.KillGroup(cmd) }

func memoryOf(int) (now, peak int64) { return 0, 0 }

func usedMemory(*os.ProcessState, int64) int64 { return 0 }
