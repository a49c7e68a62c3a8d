package source

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLine is the most characters of a line for people that holds text of others:
// an error, what a simulator or a solver said.
const MaxLine = 300

// Printable makes text of others fit for a terminal: one line, control characters
// and what is no UTF-8 escaped as in Go, and the middle left out where it is
// longer than most characters. The beginning names the place, and the end what
// was expected.
func Printable(s string, most int) string {
	// What is left out need not be escaped first.
	if len(s) > 8*most {
		s = s[:4*most] + s[len(s)-4*most:]
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			quoted := strconv.QuoteToASCII(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	const cut = " ... "
	runes := []rune(b.String())
	if len(runes) <= most {
		return string(runes)
	}
	tail := (most - len(cut)) / 3
	return string(runes[:most-len(cut)-tail]) + cut + string(runes[len(runes)-tail:])
}

// PrintableLines is Printable for each line of a text.
func PrintableLines(s string, most int) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Printable(strings.TrimSuffix(l, "\r"), most)
	}
	return strings.Join(lines, "\n")
}
