package expr

import (
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Renamed returns an expression about variables of p with other names of these.
func Renamed(p *factored.Problem, text string, rename func(name string) string) (string, error) {
	x := &lexer{p: p, text: text}
	var b strings.Builder
	for from := 0; ; from = x.pos {
		tok, err := x.next()
		if err != nil {
			return "", err
		}
		switch tok.kind {
		case tokEnd:
			return b.String() + text[from:], nil
		case tokName:
			b.WriteString(text[from:tok.col-1] + rename(tok.v.Name))
			if tok.next {
				b.WriteByte('\'')
			}
			if tok.step > 0 {
				b.WriteString("@" + strconv.Itoa(tok.step))
			}
		default:
			b.WriteString(text[from:x.pos])
		}
	}
}
