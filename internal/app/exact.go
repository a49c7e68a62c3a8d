package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
)

// ReadExact reads a JSON object into v, a pointer to a struct, as a checker has to: names must
// be spelled as the fields are, no name may be there twice, and nothing may follow the object.
// Names that the struct does not have are left to the caller, but not those that differ from one
// of a field in the case of letters alone. The errors name the file and what was expected; those about names are a *NamesError.
func ReadExact(name string, data []byte, v any, what string) error {
	if key, at, ok := source.DuplicateKey(data); ok {
		line, col := position(data, at-1)
		return &NamesError{source.Errorf(name, line, col, "the name %s is there twice in one object", source.Quote(key))}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return source.Errorf(name, 1, 0, "expected %s: %v", what, err)
	}
	if err := exact(data, reflect.TypeOf(v)); err != nil {
		return &NamesError{source.Errorf(name, 1, 0, "%v", err)}
	}
	return nil
}

// NamesError is the error about names that readers of JSON could take for different ones.
type NamesError struct{ err error }

func (e *NamesError) Error() string { return e.err.Error() }

// Unwrap returns the error with its place.
func (e *NamesError) Unwrap() error { return e.err }

var readsItself = reflect.TypeFor[json.Unmarshaler]()

// exact reports a name in data that differs from that of a field in case alone.
func exact(data json.RawMessage, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(readsItself) {
		return nil
	}
	switch data = bytes.TrimSpace(data); {
	case t.Kind() == reflect.Struct && data[0] == '{':
		return exactNames(data, t)
	case t.Kind() == reflect.Slice && data[0] == '[':
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		for _, one := range list {
			if err := exact(one, t.Elem()); err != nil {
				return err
			}
		}
	}
	return nil
}

// exactNames is exact for an object.
func exactNames(data json.RawMessage, t reflect.Type) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			fields[name] = f.Type
		}
	}
	for name, value := range object {
		if kind, ok := fields[name]; ok {
			if err := exact(value, kind); err != nil {
				return err
			}
			continue
		}
		for want := range fields {
			if strings.EqualFold(name, want) {
				return fmt.Errorf("the name %s differs from %s in the case of letters; expected it as it is written there", source.Quote(name), source.Quote(want))
			}
		}
	}
	return nil
}
