package expr

import (
	"slices"
	"strings"
)

// spellings are other words for operators and values, as other languages have them.
var spellings = map[string]string{"and": "^", "or": "|", "not": "~", "AND": "^", "OR": "|", "NOT": "~", "True": "true", "False": "false", "TRUE": "true", "FALSE": "false"}

// Spelling returns an expression with the operators of other languages as those of this one: and, or, not, &&, ||, !, != and a single =.
// Places stay the same, but for a = without a blank after it.
func Spelling(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		n := 0
		for n < len(rest) && (isWord(rest[n]) || n > 0 && rest[n] == '-' || strings.IndexByte("@?$'_", rest[n]) >= 0) {
			n++
		}
		end := strings.IndexByte(rest[1:], '"')
		by, used := rest[:1], 1
		switch {
		case n > 0:
			by, used = rest[:n], n
			if to := spellings[by]; to != "" {
				by = to + strings.Repeat(" ", n-len(to))
			}
		case rest[0] == '"' && end >= 0:
			by, used = rest[:end+2], end+2
		case strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "||"):
			by, used = map[byte]string{'&': "^ ", '|': "| "}[rest[0]], 2
		case strings.HasPrefix(rest, "<=>"):
			by, used = "<=>", 3
		case len(rest) > 1 && slices.Contains([]string{"<=", ">=", "==", "~=", "=>"}, rest[:2]):
			by, used = rest[:2], 2
		case strings.HasPrefix(rest, "!="):
			by, used = "~=", 2
		case rest[0] == '!':
			by = "~"
		case rest[0] == '=' && strings.HasPrefix(rest[1:], " "):
			by, used = "==", 2
		case rest[0] == '=':
			by = "=="
		}
		b.WriteString(by)
		i += used
	}
	return b.String()
}
