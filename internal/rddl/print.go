package rddl

import "strings"

// FormatExpr writes an expression on one line. Variables in bind, which may be nil, are
// replaced by their objects.
func FormatExpr(e Expr, bind map[string]string) string {
	p := &printer{bind: bind}
	p.expr(e, 0)
	return p.b.String()
}

// printer writes text.
type printer struct {
	b    strings.Builder
	bind map[string]string
}

func (p *printer) put(s string) { p.b.WriteString(s) }

func names(list []Ident) string {
	s := make([]string, len(list))
	for i, id := range list {
		s[i] = id.Name
	}
	return strings.Join(s, ", ")
}
