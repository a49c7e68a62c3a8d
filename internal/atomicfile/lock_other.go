//go:build !unix

package atomicfile

import "os"

// Lock does nothing on systems without flock.
func Lock(*os.File) error { return nil }
