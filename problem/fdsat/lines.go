package fdsat

import (
	"io"

	"github.com/fdplan/fdplan/internal/source"
)

// readLines returns the lines of a file, as source.ReadLines does. Names come from them, so a
// control character is refused here.
func readLines(name string, r io.Reader) ([]string, error) {
	lines, err := source.ReadLines(name, r)
	if err != nil {
		return nil, err
	}
	for i, s := range lines {
		if at := source.BadByte(s); at >= 0 {
			return nil, source.Errorf(name, i+1, at+1, "byte 0x%02x; expected UTF-8 without control characters", s[at])
		}
	}
	return lines, nil
}
