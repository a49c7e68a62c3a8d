package certify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
)

// Expected is an answer as it was derived anew.
type Expected struct {
	// Answer is of the type that the answer was written from. Fields that could not be derived
	// are those of the answer itself.
	Answer any
	// Unchecked are the paths of these fields, such as stats or proof.by. A path stands for all
	// that is below it, and for all members of a list.
	Unchecked []string
}

// FieldsBut lists the names in JSON of all fields of a struct but some.
func FieldsBut(v any, but []string) (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && !slices.Contains(but, name) {
			names = append(names, name)
		}
	}
	return names
}

// Compare holds an answer to what was derived anew. Every name and every value must be the same.
// It returns the fields that are there and were not derived, or an error that tells the first
// difference.
func (e *Expected) Compare(data []byte) (unchecked []string, err error) {
	text, err := json.Marshal(e.Answer)
	if err != nil {
		return nil, err
	}
	found := tree(data)
	err = compare("", found, tree(text))
	for _, path := range e.Unchecked {
		if !empty(found, strings.Split(path, ".")) {
			unchecked = append(unchecked, path)
		}
	}
	return unchecked, err
}

// tree is a JSON value.
func tree(data []byte) (v any) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil // cannot be: it was read before
	}
	return v
}

// empty reports whether nothing is said at a path.
func empty(v any, path []string) bool {
	if list, ok := v.([]any); ok && len(path) > 0 {
		return !slices.ContainsFunc(list, func(x any) bool { return !empty(x, path) })
	}
	if object, ok := v.(map[string]any); ok && len(path) > 0 {
		return empty(object[path[0]], path[1:])
	}
	switch x := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(x) == 0
	case []any:
		return len(x) == 0
	}
	return false
}

// compare returns the first difference below a path.
func compare(path string, found, want any) error {
	differ := func() error {
		return fmt.Errorf("%s is %s; expected %s", source.Quote(path), brief(found), brief(want))
	}
	switch want := want.(type) {
	case map[string]any:
		found, ok := found.(map[string]any)
		if !ok {
			return differ()
		}
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if _, ok := want[name]; !ok {
				return fmt.Errorf("%s is not expected there", source.Quote(below(path, name)))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			value, ok := found[name]
			if !ok {
				return fmt.Errorf("%s is missing; expected %s", source.Quote(below(path, name)), brief(want[name]))
			}
			if err := compare(below(path, name), value, want[name]); err != nil {
				return err
			}
		}
		return nil
	case []any:
		found, ok := found.([]any)
		if !ok || len(found) != len(want) {
			return differ()
		}
		for i := range want {
			if err := compare(path, found[i], want[i]); err != nil {
				return err
			}
		}
		return nil
	case json.Number:
		if x, ok := found.(json.Number); ok && sameNumber(x, want) {
			return nil
		}
		return differ()
	}
	if found != want {
		return differ()
	}
	return nil
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// sameNumber reports whether two numbers are the same, however they are written.
func sameNumber(a, b json.Number) bool {
	x, err1 := a.Float64()
	y, err2 := b.Float64()
	if a == b || err1 == nil && err2 == nil && x == y && float64(int64(x)) == x && max(x, -x) < 1<<53 {
		return true
	}
	// Of fixed decimals, as 0.50.
	p, ok1 := decimal(a)
	q, ok2 := decimal(b)
	return ok1 && ok2 && p.Cmp(q) == 0
}

// decimal is a number without an exponent.
func decimal(n json.Number) (*big.Rat, bool) {
	if strings.ContainsAny(n.String(), "eE") {
		return nil, false
	}
	return new(big.Rat).SetString(n.String())
}

// brief writes a value for a message.
func brief(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "a value"
	}
	if s := []rune(string(text)); len(s) > 80 {
		return string(s[:80]) + "…"
	}
	return string(text)
}
