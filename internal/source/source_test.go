package source

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

func TestError(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{Errorf("f", 3, 7, "no %s", "x"), "f:3:7: no x"},
		{Errorf("f", 3, 0, "no"), "f:3: no"},
		{Errorf("f", 0, 7, "no"), "f: no"},
		{Errorf("", 1, 7, "no"), "1:7: no"},
		{Errorf("", 0, 0, "no\nyes\r"), `no\nyes\r`},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{"": "", "\n\r\n": "", "a": "a", "a\r\nb\n\n": "a|b"} {
		lines, err := Lines("f", []byte(text))
		if got := strings.Join(lines, "|"); err != nil || got != want {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	if _, err := Lines("f", []byte("a\n\nb")); err == nil || !strings.HasPrefix(err.Error(), "f:2:1: ") {
		t.Errorf("an empty line inside: %v", err)
	}
}

func TestReadAll(t *testing.T) {
	if _, err := ReadAll("f", iotest.ErrReader(errors.New("broken"))); err == nil || err.Error() != "f: cannot be read: broken" {
		t.Errorf("got %v", err)
	}
}

func TestBadByte(t *testing.T) {
	for s, want := range map[string]int{"": -1, "robot-at[$x14| ÿ]": -1, "a\tb": 1, "\xff": 0, "ab\u2028": 2, "\ufffd": -1} {
		if got := BadByte(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
