package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// problemError is a refused request: the object that commands print with --json, with a status.
type problemError struct {
	status  int    // 0 for 400
	Message string `json:"error"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Hint    string `json:"hint,omitempty"`
	Bug     bool   `json:"bug,omitempty"`
}

// Error returns the message with its place.
func (e *problemError) Error() string {
	switch {
	case e.File == "":
		return e.Message
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// bad is a refused request with status 400.
func bad(format string, args ...any) *problemError {
	return &problemError{status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
}

// missing is the error about something that the server does not have.
func missing(what, name string) *problemError {
	return &problemError{status: http.StatusNotFound, Message: fmt.Sprintf("there is no %s %.100q", what, name)}
}

// refuse writes an error as JSON. One that is not a problemError is the server's own fault;
// its text may contain paths of the machine and is not sent.
func refuse(w http.ResponseWriter, err error) {
	e := new(problemError)
	if !errors.As(err, &e) {
		e = &problemError{status: http.StatusInternalServerError, Message: "internal error; the server's terminal shows more", Bug: true}
	}
	status := e.status
	if status == 0 {
		status = http.StatusBadRequest
	}
	answer(w, status, e)
}

// answer writes a document. An error of writing means that the reader is gone.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}
