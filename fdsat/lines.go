package fdsat

import (
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fdplan/fdplan/source"
)

// maxFileSize bounds what a reader takes into memory.
const maxFileSize = 256 << 20

// readLines gives the lines of a file, line i+1 at index i, without their ends
// and without the empty ones after the last. Names come from these lines and go
// to terminals and other formats, so a control character is refused here.
func readLines(name string, r io.Reader) ([]string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileSize+1))
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "cannot be read: %v", cause(err))
	}
	if len(data) > maxFileSize {
		return nil, source.Errorf(name, 0, 0, "is larger than %d MiB", maxFileSize>>20)
	}
	lines := strings.Split(string(data), "\n")
	for i, s := range lines {
		lines[i] = strings.TrimSuffix(s, "\r")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i, s := range lines {
		if s == "" {
			return nil, source.Errorf(name, i+1, 1, "an empty line; they are allowed at the end of the file only")
		}
		if at := badByte(s); at >= 0 {
			return nil, source.Errorf(name, i+1, at+1, "byte 0x%02x; expected UTF-8 without control characters", s[at])
		}
	}
	return lines, nil
}

// cause drops the path, which the report has already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// badByte is the place of the first control character, line break or byte that
// is no UTF-8, or -1.
func badByte(s string) int {
	for i, r := range s {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return i
		}
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// quote shows what was found, cut where it is long.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	return strconv.Quote(s)
}
