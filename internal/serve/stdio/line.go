package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/progress"
	"github.com/fdplan/fdplan/internal/source"
)

// maxLine bounds a request, in bytes.
const maxLine = 64 << 20

// request is one line of input.
type request struct {
	ID     json.RawMessage `json:"id"` // a number or a string, repeated in all that answers it
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
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
func parse(line []byte) (request, error) {
	var r request
	if err := strictly(line, &r); err != nil {
		// The id alone may be readable: then the sender learns which request is meant.
		var only struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(line, &only) == nil && checkID(only.ID) == nil {
			return request{ID: only.ID}, err
		}
		return request{}, err
	}
	if err := checkID(r.ID); err != nil {
		return request{}, err
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
	if key, _, ok := source.DuplicateKey(text); ok {
		return fmt.Errorf("the name %s is there twice in one object", source.Quote(key))
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return app.JSONError(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("expected nothing after the JSON object")
	}
	return nil
}
