package limit

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"strings"
)

// mostByDefault is the largest bound that nobody has asked for.
const mostByDefault = 4 << 30

// DefaultMemory is the bound on memory where none is given: half of what the
// machine, or the control group of the process, has, and at most 4 GiB.
func DefaultMemory() int64 { return min(Available()/2, mostByDefault) }

// Available is the memory in bytes that the process could have: that of the
// machine, or less where its control group is bounded. Where neither is known
// it is 8 GiB.
func Available() int64 { return available("/proc/meminfo", "/proc/self/cgroup", "/sys/fs/cgroup") }

// available reads files such as those of Linux; any of them may be missing.
func available(meminfo, membership, groups string) int64 {
	most := int64(math.MaxInt64)
	if n, ok := meminfoTotal(meminfo); ok {
		most = n
	}
	for _, name := range groupLimits(membership, groups) {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		// "max" is no bound.
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			most = min(most, n)
		}
	}
	if most == math.MaxInt64 {
		return 8 << 30
	}
	return most
}

// meminfoTotal is the line MemTotal of /proc/meminfo in bytes.
func meminfoTotal(name string) (int64, bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n << 10, err == nil && n > 0 && n < math.MaxInt64>>10
		}
	}
	return 0, false
}

// groupLimits names the files that bound the control groups in which the
// process is: those of version 2, with all groups above, and of version 1.
func groupLimits(membership, groups string) []string {
	out := []string{filepath.Join(groups, "memory.max"), filepath.Join(groups, "memory", "memory.limit_in_bytes")}
	text, err := os.ReadFile(membership)
	if err != nil {
		return out
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		// Number, controllers, path; see cgroups(7).
		f := strings.SplitN(lines.Text(), ":", 3)
		if len(f) != 3 {
			continue
		}
		for path := filepath.Clean("/" + f[2]); path != "/"; path = filepath.Dir(path) {
			switch f[1] {
			case "":
				out = append(out, filepath.Join(groups, path, "memory.max"))
			case "memory":
				out = append(out, filepath.Join(groups, "memory", path, "memory.limit_in_bytes"))
			}
		}
	}
	return out
}

// Resident is the memory in bytes that the process holds: the resident set
// where the system tells it (Linux), else what the Go runtime has from the
// system.
func Resident() int64 {
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := strings.Fields(string(text)); len(f) > 1 {
			if pages, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return pages * int64(os.Getpagesize())
			}
		}
	}
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
