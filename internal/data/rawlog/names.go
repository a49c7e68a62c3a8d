package rawlog

import (
	"slices"
	"strings"
	"unicode"
)

// fluentName returns a name that expressions can mention.
func fluentName(column string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(column) {
		switch {
		case b.Len() == 0 && r >= '0' && r <= '9':
			b.WriteString("column_" + string(r))
		case letterOf(r) != "":
			b.WriteString(letterOf(r))
		case r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) && b.Len() > 0 || r == '_' || r == '-' && b.Len() > 0):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.TrimRight(b.String(), "_-")
	if name == "" || name == "true" || name == "false" {
		return "column_" + name
	}
	return name
}

// latin and plain are letters, and what is written for them where only plain ones can be.
var (
	latin = []rune("äöüßæœøåàáâãçèéêëìíîïñòóôõùúûýąćęłńśźżčďěňřšťůž")
	plain = strings.Fields("ae oe ue ss ae oe oe a a a a a c e e e e i i i i n o o o o u u u y a c e l n s z z c d e n r s t u z")
)

// letterOf returns the plain letters for one with a mark; "" for all else.
func letterOf(r rune) string {
	i := slices.Index(latin, unicode.ToLower(r))
	switch {
	case i < 0:
		return ""
	case unicode.IsUpper(r):
		return strings.ToUpper(plain[i][:1]) + plain[i][1:]
	}
	return plain[i]
}

// units are the ends of names that tell a unit.
var units = map[string]string{
	"kg": "kg", "g": "g", "mm": "mm", "cm": "cm", "m": "m", "km": "km", "s": "s", "ms": "ms", "c": "°C", "degc": "°C", "celsius": "°C", "k": "K",
	"w": "W", "kw": "kW", "kwh": "kWh", "v": "V", "a": "A", "bar": "bar", "pa": "Pa", "hpa": "hPa", "hz": "Hz", "rpm": "rpm", "l": "l", "pct": "%", "percent": "%",
}

// unitOf returns the unit in a name such as load_kg or Load (kg).
func unitOf(column string) string {
	if strings.Contains(column, "%") {
		return "%"
	}
	words := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return !unicode.IsLetter(r) && r != '°' })
	if len(words) < 2 {
		return ""
	}
	return units[strings.Trim(words[len(words)-1], "°")]
}

// measured splits a text such as 12.5 kW or 40 % into a number and a unit that is known.
func measured(text string, comma bool) (x float64, unit string, ok bool) {
	end := strings.LastIndexAny(text, "0123456789") + 1
	suffix := strings.TrimSpace(text[end:])
	if unit = units[strings.ToLower(strings.TrimPrefix(suffix, "°"))]; suffix == "%" {
		unit = "%"
	}
	if unit == "" {
		return 0, "", false
	}
	x, ok = numberOf(text[:end], comma)
	return x, unit, ok
}
