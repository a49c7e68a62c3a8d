package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fdplan/fdplan/internal/process"
)

// endWithUs asks the system to stop the command when this program ends, even if it is killed.
// A solver that the command has started then ends with it.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM }

// rusageThread asks for the use of the calling thread (getrusage(2)).
const rusageThread = 1

// threadTime returns the CPU time of this thread so far, in seconds.
func threadTime(func() time.Time) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// fresh takes n bytes of memory from the system, writes to each page, and gives them back.
func fresh(n int) {
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return
	}
	for i := 0; i < n; i += page {
		memory[i] = 1
	}
	_ = syscall.Munmap(memory)
}

func terminate(cmd *exec.Cmd) { cmd.Process.Signal(syscall.SIGTERM) }

// killTree kills the command and everything it started: external solvers lead process groups
// of their own.
func killTree(cmd *exec.Cmd) {
	below := process.Descendants(cmd.Process.Pid)
	process.KillGroup(cmd)
	for _, pid := range below {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// memoryOf returns the present memory of a process and its descendants, and its known
// maximum, in bytes.
func memoryOf(pid int) (now, peak int64) {
	var highest int64
	for _, p := range append(process.Descendants(pid), pid) {
		rss, high := statusOf(p)
		now, highest = now+rss, max(highest, high)
	}
	return now, max(now, highest)
}

// statusOf returns a process's resident memory and its peak, 0 if it has ended.
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

// usedMemory returns the peak according to the system, of the largest process among those
// that ended. Linux starts that count with the memory of the program that starts another:
// below our own peak it is meaningless, and the sampled value counts.
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
