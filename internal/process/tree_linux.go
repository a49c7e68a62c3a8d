package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Descendants lists the processes that a living process has started, and theirs.
func Descendants(pid int) []int {
	var out []int
	// A child is listed by the thread that started it.
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range threads {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				out = append(append(out, child), Descendants(child)...)
			}
		}
	}
	return out
}

// KillDescendants kills all that the process has started and that still runs.
func KillDescendants(pid int) {
	for _, p := range Descendants(pid) {
		_ = syscall.Kill(p, syscall.SIGKILL) // one that has just ended needs no kill
	}
}

// ResidentOfDescendants is the memory in bytes that the programs hold which the process has
// started; memory that several of them share is counted for each.
func ResidentOfDescendants(pid int) int64 { return resident(Descendants(pid)) }

// ResidentOfTree is the same with the memory of the process itself.
func ResidentOfTree(pid int) int64 { return resident(append(Descendants(pid), pid)) }

// resident is the memory in bytes that processes hold.
func resident(pids []int) int64 {
	var pages int64
	for _, p := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p))
		if f := strings.Fields(string(text)); len(f) > 1 {
			n, _ := strconv.ParseInt(f[1], 10, 64) // 0 for one that has just ended
			pages += n
		}
	}
	return pages * int64(os.Getpagesize())
}
