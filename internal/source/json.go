package source

import (
	"bytes"
	"encoding/json"
)

// DuplicateKey finds the first name that an object of a JSON value has twice, and
// where the second one ends, in bytes; ok is false if there is no such name, or if
// the text is not JSON. (Package json takes the last of them without a word.)
func DuplicateKey(data []byte) (key string, at int64, ok bool) {
	type level struct {
		names map[string]bool // of an object; nil in an array
		value bool            // a value comes next, not a name
	}
	var open []*level
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		t, err := d.Token()
		if err != nil {
			return "", 0, false
		}
		var in *level
		if len(open) > 0 {
			in = open[len(open)-1]
		}
		switch x := t.(type) {
		case json.Delim:
			switch x {
			case '{', '[':
				if in != nil {
					in.value = false
				}
				next := &level{}
				if x == '{' {
					next.names = map[string]bool{}
				}
				open = append(open, next)
			default:
				open = open[:len(open)-1]
			}
		case string:
			if in == nil || in.names == nil {
				break
			}
			if in.value {
				in.value = false
				break
			}
			if in.names[x] {
				return x, d.InputOffset(), true
			}
			in.names[x], in.value = true, true
		default:
			if in != nil {
				in.value = false
			}
		}
		if len(open) == 0 {
			return "", 0, false
		}
	}
}
