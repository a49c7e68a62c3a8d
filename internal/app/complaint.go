package app

import (
	"errors"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
)

// Complaint is an error as JSON.
type Complaint struct {
	Error  string `json:"error"` // without the place
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Bug    bool   `json:"bug,omitempty"` // an internal error
}

// ComplaintOf returns an error as JSON, with the flag that mends it as a hint, "" for none.
func ComplaintOf(err error, hint string) Complaint {
	c := Complaint{Error: err.Error() + hint, Bug: errors.Is(err, ErrInternal)}
	if at := new(source.Error); errors.As(err, &at) && at.File != "" {
		c.File, c.Line, c.Column = at.File, at.Line, at.Col
		c.Error = strings.Replace(c.Error, at.Error(), at.Msg, 1)
	}
	c.Error = source.PrintableLines(c.Error, source.MaxLine)
	return c
}
