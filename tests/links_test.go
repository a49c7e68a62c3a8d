package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	linkTarget = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headline   = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	codeBlock  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// prose returns a page without its code blocks, where brackets and # are no
// links and headings.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return codeBlock.ReplaceAllString(strings.ReplaceAll(string(text), "\r\n", "\n"), "")
}

// anchors returns the fragments by which the headings of a page are linked:
// in lower case, spaces as hyphens, without punctuation.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range headline.FindAllStringSubmatch(text, -1) {
		out[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return out
}

// TestLinks resolves every relative link of the pages at the root and in docs/,
// and wants a link from README.md to every page of docs/.
func TestLinks(t *testing.T) {
	root := ".."
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatal("no pages in docs/: ", err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{} // by README.md
	for _, page := range append(pages, docs...) {
		text := prose(t, page)
		for _, m := range linkTarget.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target, fragment, _ := strings.Cut(m[1], "#")
			to := page
			if target != "" {
				to = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
				continue
			}
			if fragment != "" && strings.HasSuffix(to, ".md") && !anchors(prose(t, to))[fragment] {
				t.Errorf("%s links to %s, but the page has no such heading", page, m[1])
			}
			if page == filepath.Join(root, "README.md") {
				linked[to] = true
			}
		}
	}
	for _, page := range docs {
		if !linked[page] {
			t.Errorf("README.md does not link to %s", page)
		}
	}
}
