package picture

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/packed"
	"github.com/fdplan/fdplan/internal/svg"
)

//go:embed player.html.gz
var player []byte

// HTML writes a page with a player. It is one file that loads nothing else. The picture
// follows the theme of the reader's system. Without scripts the page shows the start and all
// steps at once. The address may end in #step=3. A plan that is too long for a drawing is listed
// without one.
func (p *Picture) HTML(w io.Writer) error {
	long := len(p.steps) > MaxSteps
	if err := p.drawable(); err != nil && !long {
		return err
	}
	width, height := p.view.size()
	values := map[string]string{
		"What": svg.Escape(p.what), "Title": svg.Escape(p.title), "Summary": svg.Escape(p.summary),
		"First": svg.Escape("start: " + p.view.describe(0)),
		"Style": style("svg "), "Width": svg.Num(width), "Height": svg.Num(height), "Last": strconv.Itoa(len(p.steps)), "Long": longClass(width),
		"Verdict": "", "Notes": "",
	}
	for i, l := range p.verdict.Lines {
		class := "verdict"
		if p.verdict.Bad && i == 0 {
			class += " bad"
		}
		values["Verdict"] += fmt.Sprintf("<p class=\"%s\">%s</p>\n", class, svg.Escape(l))
	}
	notes := p.notes()
	if long {
		notes = []string{fmt.Sprintf("There is no drawing: the plan has %d steps, and drawings have at most %d.", len(p.steps), MaxSteps)}
	} else {
		values["Base"] = markup(p.view.base())
	}
	for _, n := range notes {
		values["Notes"] += fmt.Sprintf("<p class=\"faint note\">%s</p>\n", svg.Escape(n))
	}
	p.listSteps(values, long)
	whole := p.view.whole()
	if whole != nil && !long {
		values["Whole"], values["LongWhole"] = markup(whole.parts), longClass(whole.w)
		values["WholeWidth"], values["WholeHeight"] = svg.Num(whole.w), svg.Num(whole.h)
	}
	if p.report != nil {
		p.report.describe(values)
	}
	page := filled(string(packed.File(player)), map[string]bool{"drawn": !long, "listed": long, "whole": whole != nil && !long, "report": p.report != nil}, values)
	_, err := io.WriteString(w, allow(page))
	return err
}

// listSteps adds the steps as links and as rows, and the drawings of their states unless there are too many.
func (p *Picture) listSteps(values map[string]string, long bool) {
	var frames, links, rows strings.Builder
	for k := range len(p.steps) + 1 {
		on, name, text := " on", "start", svg.Escape(p.view.describe(k))
		if k > 0 {
			on, name = "", fmt.Sprintf("%d %s", k, svg.Escape(p.steps[k-1]))
		}
		if !long {
			fmt.Fprintf(&frames, "<g class=\"frame%s\" data-step=\"%d\">%s</g>\n", on, k, markup(p.view.frame(k)))
		}
		fmt.Fprintf(&links, "<li><a href=\"#step=%d\" data-text=\"%s\">%s</a></li>\n", k, text, name)
		row(&rows, name, text)
	}
	values["Frames"], values["Steps"], values["Rows"] = frames.String(), links.String(), rows.String()
}

// row adds a row of a table, of escaped texts.
func row(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", name, text)
}

// filled returns a page with values, which are HTML, for {{Name}}, and without the parts from <!--name--> to <!--/name--> that are
// not wanted.
func filled(page string, parts map[string]bool, values map[string]string) string {
	for name, wanted := range parts {
		for {
			before, rest, ok := strings.Cut(page, "<!--"+name+"-->")
			if !ok {
				break
			}
			part, after, _ := strings.Cut(rest, "<!--/"+name+"-->")
			if !wanted {
				part = ""
			}
			page = before + part + after
		}
	}
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "{{"+name+"}}", value)
	}
	return strings.NewReplacer(pairs...).Replace(page) // in one pass: what is filled in is not filled again
}

// inline matches the scripts and styles of the page.
var inline = regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`)

// allow puts the hashes of the page's own scripts and styles, and of nothing else, into its policy.
func allow(page string) string {
	by := map[string]string{}
	for _, m := range inline.FindAllStringSubmatch(page, -1) {
		sum := sha256.Sum256([]byte(m[2]))
		by[m[1]] += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for kind, hashes := range by {
		page = strings.Replace(page, kind+"-src 'none'", kind+"-src"+hashes, 1)
	}
	return page
}

// longFrom is the width from which a drawing is scrolled rather than shrunk to the page, in
// pixels.
const longFrom = 700

// longClass is a further class for a drawing of that width.
func longClass(width float64) string {
	if width > longFrom {
		return " long"
	}
	return ""
}

// markup returns elements as SVG for use in a page; the printer escapes texts.
func markup(es []element) string {
	var b strings.Builder
	p := &printer{w: bufio.NewWriter(&b)}
	p.elements(es)
	_ = p.w.Flush() // a strings.Builder does not fail
	return b.String()
}
