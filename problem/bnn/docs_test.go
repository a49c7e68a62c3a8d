package bnn

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentedFile reads the example in docs/formats.md.
func TestDocumentedFile(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range strings.Split(string(page), "\n") {
		text, indented := strings.CutPrefix(line, "    ")
		switch {
		case indented && text == "fdplan-network 1": // the grammar has words after it
			lines = []string{text}
		case indented && lines != nil:
			lines = append(lines, text)
		}
	}
	f, err := ReadFile("docs/formats.md", strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Network.Shape(); got != "2:2:1" {
		t.Errorf("its shape is %s", got)
	}
}
