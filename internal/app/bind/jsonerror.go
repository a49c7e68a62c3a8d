package bind

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// JSONError says what is wrong with a JSON text that could not be decoded, by the names of its
// fields and without those of Go. Other errors are returned as they are.
func JSONError(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	name, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	switch {
	case errors.As(err, &kind):
		what := "it"
		if kind.Field != "" {
			what = kind.Field
		}
		return fmt.Errorf("%s is %s; expected %s", what, article(kind.Value), expected(kind.Type))
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no JSON: %v, at byte %d", syntax, syntax.Offset)
	case unknown:
		return fmt.Errorf("there is no field %s", name)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("it ends before the JSON does")
	}
	return err
}

// article puts an article before what encoding/json calls a value, such as "string" or
// "number 1.5".
func article(value string) string {
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	case "string":
		return "a text"
	}
	return "the " + value
}

// expected is what a Go type is in JSON.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	}
	return "an object"
}
