package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"syscall"
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

// full reports whether an error is that of a disk, or a share of one, that is full.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// diskFull is the answer to a request for which there is no room (RFC 4918, section 11.5).
func diskFull() *problemError {
	return &problemError{status: http.StatusInsufficientStorage, Message: "the disk of the server is full", Hint: "remove jobs, logs or problems, or make room on the disk"}
}

// faultOf is an error as a client is told it. One that is not a problemError is the server's
// own fault; its text may contain paths of the machine and is not sent.
func faultOf(err error) *problemError {
	e := new(problemError)
	switch {
	case errors.As(err, &e):
		return e
	case full(err):
		return diskFull()
	}
	return &problemError{status: http.StatusInternalServerError, Message: "internal error; the server's terminal shows more", Bug: true}
}

// details is a refused request as RFC 9457 has it, with the fields of the error.
type details struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	problemError
}

// retryAfter is when a client may try again where the server is busy, in seconds: jobs and requests that wait take some.
const retryAfter = "5"

// refuse writes an error.
func refuse(w http.ResponseWriter, err error) {
	e := faultOf(err)
	status := e.status
	if status == 0 {
		status = http.StatusBadRequest
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	write(w, status, details{"about:blank", http.StatusText(status), status, e.Error(), *e})
}

// answer writes a document, which is the end of a request.
func answer(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	write(w, status, v)
	return nil
}

// created answers with a document that the request has made, below a path of the interface.
func created(w http.ResponseWriter, path string, v any) error {
	w.Header().Set("Location", apiPrefix+"v1/"+path)
	return answer(w, http.StatusCreated, v)
}

// nothing answers with nothing.
func nothing(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// write writes JSON. An error of writing means that the reader is gone.
func write(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}
