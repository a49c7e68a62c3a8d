package bind

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/source"
)

// Fields are the fields of a JSON object.
type Fields map[string]json.RawMessage

// Parse reads one JSON object, in which no name is repeated at any depth.
func Parse(text []byte) (Fields, error) {
	if key, _, ok := source.DuplicateKey(text); ok {
		return nil, fmt.Errorf("the name %s is there twice in one object", source.Quote(key))
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	var f Fields
	if err := dec.Decode(&f); err != nil {
		return nil, JSONError(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("expected nothing after the JSON object")
	}
	return f, nil
}

// Take reads the options of a request from fields, with defaults for those that are absent, and
// leaves the other fields. Only options that may is true for can be set; nil is for all.
func (b Binder) Take(f Fields, request any, may func(*Option) bool) error {
	if err := b.SetDefaults(request); err != nil {
		return err
	}
	v := reflect.ValueOf(request).Elem()
	for _, o := range b.Options(request) {
		if may != nil && !may(o) || o.Name == "" {
			continue
		}
		if o.Required && f[o.Name] == nil {
			return fmt.Errorf("there is no %s; expected one", o.Name)
		}
		for _, name := range []string{o.Name, o.Also} {
			text, ok := f[name]
			if !ok || name == "" {
				continue
			}
			delete(f, name)
			if string(text) == "null" {
				continue
			}
			if err := json.Unmarshal(text, v.FieldByIndex(o.index).Addr().Interface()); err != nil {
				return named(name, err)
			}
		}
	}
	return b.Check(request, JSON)
}

// named says which field cannot be read.
func named(name string, err error) error {
	if kind := new(json.UnmarshalTypeError); errors.As(err, &kind) && kind.Field == "" {
		return fmt.Errorf("%s is %s; expected %s", name, article(kind.Value), expected(kind.Type))
	}
	return fmt.Errorf("%s: %w", name, JSONError(err))
}

// Decode reads a request from fields that are all its own.
func (b Binder) Decode(f Fields, request any, may func(*Option) bool) error {
	rest := maps.Clone(f)
	if err := b.Take(rest, request, may); err != nil {
		return err
	}
	if len(rest) == 0 {
		return nil
	}
	name := slices.Min(slices.Collect(maps.Keys(rest)))
	var names []string
	for _, o := range b.Options(request) {
		if o.Name != "" && (may == nil || may(o)) {
			names = append(names, o.Name)
		}
	}
	return fmt.Errorf("there is no field %s%s", source.Quote(name), nearest.Hint(name, names))
}

// Encode returns the options of a request that do not have their defaults.
func (b Binder) Encode(request any) (Fields, error) {
	v := reflect.Indirect(reflect.ValueOf(request))
	plain := reflect.New(v.Type())
	if err := b.SetDefaults(plain.Interface()); err != nil {
		return nil, err
	}
	out := Fields{}
	for _, o := range b.Options(request) {
		x := v.FieldByIndex(o.index)
		if o.Name == "" || x.Kind() == reflect.String && x.Len() == 0 || reflect.DeepEqual(x.Interface(), plain.Elem().FieldByIndex(o.index).Interface()) {
			continue
		}
		text, err := json.Marshal(x.Interface())
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", o.Name, err)
		}
		out[o.Name] = text
	}
	return out, nil
}

// Words are the arguments of the command line for a request, without those that have their
// defaults.
func (b Binder) Words(request any) []string {
	v := reflect.Indirect(reflect.ValueOf(request))
	plain := reflect.New(v.Type())
	if b.SetDefaults(plain.Interface()) != nil {
		return nil
	}
	var arguments, flags []string
	for _, o := range b.Options(request) {
		x := v.FieldByIndex(o.index)
		if reflect.DeepEqual(x.Interface(), plain.Elem().FieldByIndex(o.index).Interface()) {
			continue
		}
		x = reflect.Indirect(x)
		switch {
		case o.Positional:
			arguments = append(arguments, fmt.Sprint(x.Interface()))
		case x.Kind() == reflect.Bool && x.Bool():
			flags = append(flags, "--"+o.Flag)
		case x.Kind() == reflect.Bool:
			flags = append(flags, "--no-"+o.Flag)
		case x.Kind() == reflect.Slice && !o.list:
			for i := range x.Len() {
				flags = append(flags, fmt.Sprintf("--%s=%v", o.Flag, x.Index(i).Interface()))
			}
		case x.Kind() == reflect.Slice:
			flags = append(flags, fmt.Sprintf("--%s=%s", o.Flag, strings.ReplaceAll(strings.Trim(fmt.Sprint(x.Interface()), "[]"), " ", ",")))
		default:
			flags = append(flags, fmt.Sprintf("--%s=%v", o.Flag, x.Interface()))
		}
	}
	return append(arguments, flags...)
}

// InJSON is a text for somebody who wrote the options of a request as JSON: it has their names
// there in place of the flags.
func (b Binder) InJSON(text string, request any, wrote Fields) string {
	if !strings.Contains(text, "-") {
		return text
	}
	names := map[string]string{}
	for _, o := range b.Options(request) {
		name := o.Name
		if _, ok := wrote[o.Also]; ok {
			name = o.Also
		}
		if name != "" {
			names["--"+o.Flag], names["-"+o.Short] = name, name
		}
	}
	return flag.ReplaceAllStringFunc(text, func(word string) string { return cmp.Or(names[word], word) })
}

// flag matches a flag in a sentence.
var flag = regexp.MustCompile(`\B(--[a-z][a-z0-9-]*[a-z0-9]|-[A-Z])\b`)
