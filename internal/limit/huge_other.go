//go:build !linux

package limit

// HugePages does nothing on this system.
func HugePages() {}
