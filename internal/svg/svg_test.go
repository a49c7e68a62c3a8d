package svg

import "testing"

func TestEscape(t *testing.T) {
	if got, want := Escape("a<b> & \"c\"\x00\n"), "a&lt;b&gt; &amp; &quot;c&quot;\ufffd\n"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}

func TestNum(t *testing.T) {
	for x, want := range map[float64]string{1: "1", 1.005: "1", 2.346: "2.35", -0.001: "0", -1.5: "-1.5"} {
		if got := Num(x); got != want {
			t.Errorf("%v is %q, expected %q", x, got, want)
		}
	}
}
