// Package svg contains helpers for writing SVG, for charts and pictures of plans: text and
// lengths.
package svg

import (
	"math"
	"strconv"
	"strings"
)

// Escape escapes text for XML and HTML. Characters that are not allowed in XML are replaced.
func Escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff {
			return 0xfffd
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// Num formats a length with two decimals, as briefly as possible.
func Num(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100+0, 'f', -1, 64)
}
