package report

import (
	"strings"
	"testing"
)

// TestPaste replaces the main table of a file, and nothing else.
func TestPaste(t *testing.T) {
	r, _ := files(t, sample(t))
	const head, tail = "# Title\n\n<!-- fdplan report: begin -->\n", "<!-- fdplan report: end -->\nmore\n"
	got, err := r.Paste("README.md", []byte(head+"an old\ntable\n"+tail))
	if err != nil || string(got) != head+r.Main+tail {
		t.Errorf("%s, %v", got, err)
	}
	again, err := r.Paste("README.md", got)
	if err != nil || string(again) != string(got) {
		t.Errorf("the second time: %s, %v", again, err)
	}
	for _, want := range []string{
		"| instance | states | paper: FD-SAT-Plan+ | paper: FD-BLP-Plan+ | FD-SAT-Plan+ | FD-BLP-Plan+ | the same, SCIP | clasp | `search` | `pb` | `maxsat` | `blp` |\n",
		"| Nav,3x3,4 | – | 3.15 | 1.41 | 4.10 | – | – | – | 0.011 | 0.022 | 0.123 | 2.35 |\n",
		"| Nav,3x3,5 | – | 5.55 | 3.78 | – | &gt; 10 | – | – | 0.012 | 0.123 | 1.23 | &gt; 10 |\n",
		"| Sys,5,3 | – | &gt; 3600 | &gt; 3600 | – | – | – | – | – | – | – | – |\n",
		"Our runs are with the bundled networks. Times are of the wall's clock, whatever else the machine did. Machine: 2 cores.\n",
	} {
		if !strings.Contains(r.Main, want) {
			t.Errorf("the table lacks %s\n%s", want, r.Main)
		}
	}
	if n := strings.Count(r.Main, "\n| "); n != 28 {
		t.Errorf("%d lines", n)
	}
	for _, bad := range []string{"", head, tail, tail + head, head + tail + head, head + tail + tail} {
		if _, err := r.Paste("README.md", []byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "README.md: the line <!-- fdplan report: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
