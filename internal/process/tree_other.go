//go:build !linux

package process

// Descendants is empty where the system does not list them.
func Descendants(int) []int { return nil }

// KillDescendants does nothing where the system does not list them.
func KillDescendants(int) {}

// ResidentOfDescendants is 0 where the system does not list them.
func ResidentOfDescendants(int) int64 { return 0 }

// ResidentOfTree is 0 where the system does not list processes.
func ResidentOfTree(int) int64 { return 0 }
