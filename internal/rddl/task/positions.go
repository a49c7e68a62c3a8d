package task

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/fdplan/fdplan/internal/source"
)

// place is a line and column, from 1.
type place struct{ line, col int }

// positions are the places of the values of a document, by their dotted keys.
type positions map[string]place

const keySeparator = "\x00"

// findPositions walks a document that has been decoded without error.
func findPositions(text []byte) positions {
	out := positions{}
	var p unstable.Parser
	p.Reset(text)
	var table []string
	entries := map[string]int{} // of arrays of tables
	lines := []int{0}           // where each begins
	for i, c := range text {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	for p.NextExpression() {
		e := p.Expression()
		var key []string
		at := -1
		for it := e.Key(); it.Next(); {
			n := it.Node()
			key = append(key, string(n.Data))
			at = int(n.Raw.Offset)
		}
		switch e.Kind {
		case unstable.Table:
			table = key
		case unstable.ArrayTable:
			name := strings.Join(key, keySeparator)
			table = append(key, strconv.Itoa(entries[name]))
			entries[name]++
		case unstable.KeyValue:
			full := append(slices.Clone(table), key...)
			// The value's own range if it has one, otherwise the text after the equals sign
			// of the key.
			if v := e.Value(); v.Valid() && v.Raw.Length > 0 {
				at = int(v.Raw.Offset)
			} else if eq := bytes.IndexByte(text[at:], '='); eq >= 0 {
				at += eq + 1
				at += len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t"))
			}
			out[strings.Join(full, keySeparator)] = placeOf(lines, min(max(at, 0), len(text)))
		}
	}
	return out
}

// placeOf is the place of a byte, by where each line begins.
func placeOf(lines []int, at int) place {
	line, found := slices.BinarySearch(lines, at)
	if !found {
		line--
	}
	return place{line + 1, at - lines[line] + 1}
}

// at returns the place of the value of a key; the zero place if it is not in the file.
func (t *Task) at(key ...string) place { return t.where[strings.Join(key, keySeparator)] }

// errorAt returns an error about the value of a key.
func (t *Task) errorAt(key []string, format string, args ...any) error {
	p := t.at(key...)
	return source.Errorf(t.File, p.line, p.col, format, args...)
}

// sorted lists the keys of m.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
