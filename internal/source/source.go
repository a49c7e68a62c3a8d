// Package source contains what all readers of text input share: positions and the error that
// reports them.
package source

import (
	"fmt"
	"strings"
)

// Error is a fault in an input: its position and what was expected there. Its text is one
// line, FILE:LINE:COL: message, without the parts that the format does not have.
type Error struct {
	File string // as the user named it; empty for text from the command line
	Line int    // 1-based; 0 when the format has no lines
	Col  int    // 1-based, in bytes; 0 when unknown
	Msg  string
}

// Errorf returns an Error. The message should say what is wrong and what was expected.
func Errorf(file string, line, col int, format string, args ...any) *Error {
	return &Error{File: file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		b.WriteByte(':')
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:", e.Line)
		if e.Col > 0 {
			fmt.Fprintf(&b, "%d:", e.Col)
		}
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	// A name taken from a broken file may hold a line break; the report stays
	// one line.
	b.WriteString(strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(e.Msg))
	return b.String()
}
