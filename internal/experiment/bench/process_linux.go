package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/fdplan/fdplan/internal/process"
)

// endWithUs has the system ask the command to stop when this program is gone, even
// if it was killed. A solver that the command has started then ends with it.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM }

func terminate(cmd *exec.Cmd) { cmd.Process.Signal(syscall.SIGTERM) }

// killTree kills the command with all that it has started: outside solvers are
// leaders of groups of their own.
func killTree(cmd *exec.Cmd) {
	below := descendants(cmd.Process.Pid)
	process.KillGroup(cmd)
	for _, pid := range below {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// descendants lists the processes that a living process has started, and theirs.
func descendants(pid int) []int {
	var out []int
	// A child is listed by the thread that started it.
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range threads {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				out = append(append(out, child), descendants(child)...)
			}
		}
	}
	return out
}

// memoryOf is what a process and its descendants have in memory now, and the most
// that they are known to have had, in bytes.
func memoryOf(pid int) (now, peak int64) {
	var highest int64
	for _, p := range append(descendants(pid), pid) {
		rss, high := statusOf(p)
		now, highest = now+rss, max(highest, high)
	}
	return now, max(now, highest)
}

// statusOf reads a process's resident memory and its peak, 0 where it is gone.
func statusOf(pid int) (rss, high int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		var to *int64
		switch string(name) {
		case "VmRSS":
			to = &rss
		case "VmHWM":
			to = &high
		default:
			continue
		}
		kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(string(value)), " kB"), 10, 64)
		*to = kib << 10
	}
	return rss, high
}

// usedMemory is the peak as the system accounts for it, of the largest process
// among those that ended. Linux begins that account with the memory of the program
// that starts another: below our own peak it says nothing, and what was seen
// counts.
func usedMemory(state *os.ProcessState, seen int64) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	accounted := usage.Maxrss << 10
	if _, own := statusOf(os.Getpid()); accounted <= own && seen > 0 {
		return seen
	}
	return accounted
}
