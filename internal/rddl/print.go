package rddl

import "strings"

// FormatExpr writes an expression on one line. Variables in bind, which may be nil, are
// replaced by their objects.
func FormatExpr(e Expr, bind map[string]string) string {
	p := &printer{flat: true, bind: bind}
	p.expr(e, 0, 0)
	return p.b.String()
}

// printer writes text and knows its column, to break long expressions.
type printer struct {
	b    strings.Builder
	col  int
	flat bool // no line breaks within expressions
	room int  // with flat: stop beyond this many bytes; 0 for no limit
	full bool // room was exceeded
	bind map[string]string
}

// lineWidth is the column at which long expressions are broken.
const lineWidth = 100

func (p *printer) put(s string) {
	if p.full {
		return
	}
	p.b.WriteString(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		p.col = len(s) - i - 1
	} else {
		p.col += len(s)
	}
	if p.room > 0 && p.b.Len() > p.room {
		p.full = true
	}
}

// newline starts a line with this many steps of indentation.
func (p *printer) newline(indent int) { p.put("\n" + strings.Repeat("  ", min(indent, 40))) }
func names(list []Ident) string {
	s := make([]string, len(list))
	for i, id := range list {
		s[i] = id.Name
	}
	return strings.Join(s, ", ")
}
