// Package svg holds what writing SVG by hand takes, for charts and for pictures
// of plans: text and lengths.
package svg

import (
	"math"
	"strconv"
	"strings"
)

// Escape makes text fit for XML and HTML. Characters that XML has not are
// replaced.
func Escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff {
			return 0xfffd
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// Num is a length with two decimals, as short as it can be.
func Num(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100+0, 'f', -1, 64)
}
