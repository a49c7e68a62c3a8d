package source

import (
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFileSize bounds what a reader takes into memory.
const maxFileSize = 256 << 20

// ReadAll reads a whole input. The error contains its name; an input beyond 256 MiB is
// refused.
func ReadAll(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileSize+1))
	if err != nil {
		return nil, Errorf(name, 0, 0, "cannot be read: %v", Cause(err))
	}
	if len(data) > maxFileSize {
		return nil, Errorf(name, 0, 0, "is larger than %d MiB", maxFileSize>>20)
	}
	return data, nil
}

// Cause drops the path from an error of the file system, and from that of an
// input which is refused, for reports that have it already.
func Cause(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return errors.New(e.Msg)
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// ReadLines reads a whole input, as ReadAll does, and splits it as Lines does.
func ReadLines(name string, r io.Reader) ([]string, error) {
	data, err := ReadAll(name, r)
	if err != nil {
		return nil, err
	}
	return Lines(name, data)
}

// Lines splits text into lines, line i+1 at index i, without their ends (LF or
// CR LF) and without the empty ones after the last. Another empty line is an
// error.
func Lines(name string, data []byte) ([]string, error) {
	lines := strings.Split(string(data), "\n")
	for i, s := range lines {
		lines[i] = strings.TrimSuffix(s, "\r")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i, s := range lines {
		if s == "" {
			return nil, Errorf(name, i+1, 1, "an empty line; they are allowed at the end of the file only")
		}
	}
	return lines, nil
}

// BadByte returns the position of the first control character, line break or byte that is not
// UTF-8, or -1. The input is later written to terminals and into other formats.
func BadByte(s string) int {
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

// Quote quotes a part of an input, shortened if it is long.
func Quote(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	return strconv.Quote(s)
}
