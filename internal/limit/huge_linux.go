package limit

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Large pages.
const (
	leastHuge = 32 << 20 // bytes of a range that gets them
	adviceMap = 14       // MADV_HUGEPAGE
)

// HugePages has the system use large pages for the memory of this process that it will touch
// from now on. To take back 4 GiB of small pages at the end of a process takes the system .4 s
// of processor time, and several times that where the processors are shared; large ones take a
// tenth of that.
func HugePages() {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// ADDRESS-ADDRESS rw-p OFFSET DEVICE INODE [NAME]
		field := strings.Fields(lines.Text())
		if len(field) < 5 || field[1] != "rw-p" || field[4] != "0" {
			continue
		}
		from, to, _ := strings.Cut(field[0], "-")
		begin, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		if err1 != nil || err2 != nil || end-begin < leastHuge {
			continue
		}
		// It is advice: where it is not followed, the pages are small.
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(begin), uintptr(end-begin), adviceMap)
	}
}
