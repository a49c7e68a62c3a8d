package source

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"plain – Ünïcode", "plain – Ünïcode"}, {"a\x1b[31mred\x1b[0m", `a\x1b[31mred\x1b[0m`},
		{"tab\tand\nbreak", `tab\tand\nbreak`}, {"\xff\u202e\u2028", `\xff\u202e\u2028`},
		{strings.Repeat("x", 30), strings.Repeat("x", 30)},
		{strings.Repeat("x", 20) + strings.Repeat("y", 11), strings.Repeat("x", 17) + " ... " + strings.Repeat("y", 8)},
	} {
		if got := Printable(c.in, 30); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
	if got := PrintableLines("a\r\nb\x07\n", 30); got != "a\nb\\a\n" {
		t.Errorf("got %q", got)
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[31m", 20)
	f.Add(strings.Repeat("\x00", 500), 60)
	f.Fuzz(func(t *testing.T, s string, most int) {
		most = 10 + (most%1000+1000)%1000
		got := Printable(s, most)
		if n := utf8.RuneCountInString(got); n > most {
			t.Errorf("%q: %d characters, at most %d", s, n, most)
		}
		if i := BadByte(got); i >= 0 {
			t.Errorf("%q: %q has a bad byte at %d", s, got, i)
		}
	})
}

func TestDuplicateKey(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "", `[]`: "", `1`: "", `"a"`: "", `{"a":1,"b":{"a":2}}`: "", `{"a":"a","b":["a","a",{"a":1}],"c":{}}`: "", `{"a":[],"b":[]}`: "",
		`{"a":1,"a":2}`: "a", `{"a":1,"b":{"c":1,"d":2,"c":3}}`: "c", `[{"x":{}},{"x":[],"x":null}]`: "x", `{"a":{},"a":1}`: "a", `{"a":1,`: "", `{"a" 1}`: "",
	} {
		if got, at, ok := DuplicateKey([]byte(text)); got != want || ok != (want != "") || ok && !strings.HasSuffix(text[:at], `"`+want+`"`) {
			t.Errorf("%s: %q at %d, %v", text, got, at, ok)
		}
	}
}
