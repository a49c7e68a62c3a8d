package fdplan_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// stilted are phrases that make a reader stop, each with the plain English to use instead.
var stilted = []struct{ phrase, instead string }{
	{`\bsays? whether\b`, "reports whether"},
	{`\btelling whether\b`, "reporting whether"},
	{`\b(goes|go|going|gone) on with\b`, "continues, resumes"},
	{`\bgone on\b`, "continued, resumed"},
	{`\bwhere there (is|are) (one|none|any)\b`, "if there is one, if it exists"},
	{`\bis what (the|all) [a-z ]+ (do|meet)\b`, "implements"},
	{`\bmakes what\b.*\bout of\b`, "renders"},
	{`\b(its|the|whose) (plan|answer|name|value) is none\b`, "is not a valid plan"},
	{`(?:^|[^e]) is no (horizon|size|time|number|integer|name|kind|literal|relation|constant|line|checksum|set|range|weight|plan for)\b`, "is not a valid horizon"},
	{`\bare no (range|whole|names|records|base64)\b`, "are not a range"},
	{`\bthat is not so\b`, "that does not hold"},
	{`\b(has|have) not (the|a|an|its|their|all)\b`, "lacks, does not have"},
	{`\bthat the [a-z]+ (has|have) not\b`, "missing from"},
	{`\bof one's own\b`, "your own"},
	{`\b(passed|passes) over (in silence|by)\b`, "ignored"},
	{`\bas (it|they) stands?\b`, "unchanged, directly"},
	{`\bone an? (line|unit|input|output|step|row|column|layer)\b`, "one per line"},
	{`\bonce an? (line|unit|layer|step|row)\b`, "once per line"},
	{`\bstands? twice\b`, "occurs twice"},
	{`\b(tells?|tell) of (one|each|every|all|the)\b`, "describes, reports"},
	{`\bwhat was found out about\b`, "the knowledge about"},
	{`\bwhat people look at\b`, "a report"},
	{`\bthe plan that is none\b`, "an invalid plan"},
	{`\bis gone on\b`, "is continued"},
	{`\bhas no place for it\b`, "cannot contain it"},
	{`\bis asked of (it|him)\b`, "is requested"},
}

// TestWords checks that no doc, comment, help text or error text contains a stilted phrase.
func TestWords(t *testing.T) {
	compiled := make([]*regexp.Regexp, len(stilted))
	for i, s := range stilted {
		compiled[i] = regexp.MustCompile(s.phrase)
	}
	check := func(place, text string) {
		text = strings.Join(strings.Fields(text), " ")
		for i, re := range compiled {
			if found := re.FindString(text); found != "" {
				t.Errorf("%s: %q; write %q or similar", place, found, stilted[i].instead)
			}
		}
	}
	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || len(d.Name()) > 1 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		switch {
		case name == "words_test.go" || d.IsDir():
		case strings.HasSuffix(name, ".go"):
			files++
			checkGo(t, name, check)
		case strings.HasSuffix(name, ".md"):
			files++
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for _, paragraph := range strings.Split(string(text), "\n\n") {
				check(name, paragraph)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d files were checked", files)
	}
}

// checkGo checks the comments and strings of a Go file. Struct tags, which contain help texts,
// are strings too.
func checkGo(t *testing.T, name string, check func(place, text string)) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
	if err != nil {
		t.Error(err)
		return
	}
	for _, group := range file.Comments {
		check(set.Position(group.Pos()).String(), group.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				check(set.Position(lit.Pos()).String(), text)
			}
		}
		return true
	})
}

// TestStiltedPhrases checks that the phrases match what they are meant for, and not plain English.
func TestStiltedPhrases(t *testing.T) {
	match := func(text string) bool {
		for _, s := range stilted {
			if regexp.MustCompile(s.phrase).MatchString(text) {
				return true
			}
		}
		return false
	}
	for _, text := range []string{"it says whether it is", "which is gone on with", "where there is none", "Act is what all engines meet",
		"%s is no number", "are no range of positive numbers", "variables that the font has not", "one a line", "that is not so"} {
		if !match(text) {
			t.Errorf("%q is not matched", text)
		}
	}
	for _, text := range []string{"there is no number", "it reports whether", "if there is none", "one per line", "the set has not been read"} {
		if match(text) {
			t.Errorf("%q is matched", text)
		}
	}
}
