package task

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Document is the text of a task file: TOML with tables by their names, and other values before them. Values are
// those that ReadDocument returns, numbers of any kind, and lists of texts.
func Document(doc map[string]any) ([]byte, error) {
	var b strings.Builder
	err := writeTable(&b, "", doc)
	return []byte(b.String()), err
}

// writeTable writes a table's values, and then the tables in it.
func writeTable(b *strings.Builder, path string, table map[string]any) error {
	keys := slices.Sorted(maps.Keys(table))
	for _, key := range keys {
		if len(tables(table[key])) > 0 {
			continue
		}
		text, err := valueText(table[key])
		if err != nil {
			return fmt.Errorf("%s%s: %w", path, key, err)
		}
		fmt.Fprintf(b, "%s = %s\n", keyText(key), text)
	}
	for _, key := range keys {
		for _, t := range tables(table[key]) {
			open, end := "[", "]"
			if _, single := table[key].(map[string]any); !single {
				open, end = "[[", "]]"
			}
			fmt.Fprintf(b, "\n%s%s%s%s\n", open, path, keyText(key), end)
			if err := writeTable(b, path+keyText(key)+".", t); err != nil {
				return err
			}
		}
	}
	return nil
}

// tables returns a table, or a list of nothing but tables.
func tables(v any) (out []map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		return []map[string]any{v}
	case []any:
		for _, one := range v {
			t, ok := one.(map[string]any)
			if !ok {
				return nil
			}
			out = append(out, t)
		}
	}
	return out
}

// valueText is a value on one line.
func valueText(v any) (string, error) {
	var list []any
	switch v := v.(type) {
	case string:
		return quoted(v), nil
	case bool, int, int64:
		return fmt.Sprint(v), nil
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".eIN") {
			text += ".0" // a float stays one
		}
		return strings.ToLower(text), nil
	case []string:
		for _, one := range v {
			list = append(list, one)
		}
	case []any:
		list = v
	case map[string]any: // in a list with other values
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			text, err := valueText(v[key])
			if err != nil {
				return "", fmt.Errorf("%s: %w", key, err)
			}
			parts = append(parts, keyText(key)+" = "+text)
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	default:
		return "", fmt.Errorf("%v is no text, number, Boolean, list or table", v)
	}
	parts := make([]string, len(list))
	for i, one := range list {
		var err error
		if parts[i], err = valueText(one); err != nil {
			return "", err
		}
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}

// keyText is a key, quoted unless it is a bare one.
func keyText(key string) string {
	bare := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !bare(r) }) < 0 {
		return key
	}
	return quoted(key)
}

// quoted is a basic string.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
