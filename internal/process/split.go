package process

import (
	"errors"
	"fmt"
	"strings"
)

// ErrEmpty is the error for a command line without words.
var ErrEmpty = errors.New("the command is empty")

// Split splits a command line into words at blanks outside of quotes. Single and double
// quotes keep blanks together; nothing else is special. No variable is expanded and no shell
// is used, so the program that is started is the one that was named.
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	var quote rune
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed in %s", quote, line)
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, ErrEmpty
	}
	return words, nil
}
