package stdio

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/progress"
)

// maxLine bounds a request, in bytes. A test needs less.
var maxLine = 64 << 20

// message is one line of input.
type message struct {
	ID     json.RawMessage // a number or a string, repeated in all that answers it
	Method string
	Params json.RawMessage
}

// answer is the line that ends a request that succeeded.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result"`
}

// failure is the line that ends a request that failed.
type failure struct {
	ID json.RawMessage `json:"id"` // null if the request has none that can be read
	app.Complaint
	Exit int `json:"exit"` // the exit status of the command that would fail so
}

// event is a line about the progress of a request.
type event struct {
	ID json.RawMessage `json:"id"`
	progress.Event
}

// parse reads a request. With an error the request still has the id, if there is one.
func parse(line []byte) (message, error) {
	var r message
	if err := strictly(line, &r); err != nil {
		// The id alone may be readable: then the sender learns which request is meant.
		var only struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(line, &only) == nil && checkID(only.ID) == nil {
			return message{ID: only.ID}, err
		}
		return message{}, err
	}
	if err := checkID(r.ID); err != nil {
		return message{}, err
	}
	if r.Method == "" {
		return r, errors.New(`expected a "method"`)
	}
	return r, nil
}

// checkID refuses an id that is neither a number nor a string.
func checkID(id json.RawMessage) error {
	if len(id) == 0 || !strings.ContainsRune(`"-0123456789`, rune(id[0])) {
		return errors.New(`expected an "id", a number or a string`)
	}
	return nil
}

// strictly decodes one JSON object without unknown or repeated names.
func strictly(text []byte, v any) error {
	f, err := bind.Parse(text)
	if err != nil {
		return err
	}
	return bind.Binder{}.Decode(f, v, nil)
}
