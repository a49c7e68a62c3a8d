package picture

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/fdplan/fdplan/internal/svg"
)

//go:embed player.html
var playerText string

// pageStep is a state as the page lists it.
type pageStep struct {
	K          int
	Name, Text string
}

// HTML writes a page with a player. It is one file that loads nothing else. The picture
// follows the theme of the reader's system. Without scripts the page shows the start and all
// steps at once. The address may end in #step=3. A plan that is too long for a drawing is listed
// without one.
func (p *Picture) HTML(w io.Writer) error {
	long := len(p.steps) > MaxSteps
	if err := p.drawable(); err != nil && !long {
		return err
	}
	page, err := template.New("player").Parse(playerText)
	if err != nil {
		return err
	}
	width, height := p.view.size()
	data := struct {
		What, Title, Summary, First            string
		Style                                  template.CSS
		Width, Height, WholeWidth, WholeHeight string
		Base, Frames, Whole                    template.HTML
		Last                                   int
		Long, LongWhole, Drawn                 bool
		Steps                                  []pageStep
		Notes, Verdict                         []string
		Bad                                    bool
		Report                                 *Report
	}{
		What: p.what, Title: p.title, Summary: p.summary, First: "start: " + p.view.describe(0), Style: template.CSS(style("svg ")), Width: svg.Num(width), Height: svg.Num(height),
		Last: len(p.steps), Long: width > longFrom, Notes: p.notes(), Verdict: p.verdict.Lines, Bad: p.verdict.Bad, Report: p.report, Drawn: !long,
	}
	if long {
		data.Notes = []string{fmt.Sprintf("There is no drawing: the plan has %d steps, and drawings have at most %d.", len(p.steps), MaxSteps)}
	} else {
		data.Base = markup(p.view.base())
	}
	var frames strings.Builder
	for k := range len(p.steps) + 1 {
		on := ""
		if k == 0 {
			on = " on"
		}
		if !long {
			fmt.Fprintf(&frames, "<g class=\"frame%s\" data-step=\"%d\">%s</g>\n", on, k, markup(p.view.frame(k)))
		}
		s := pageStep{k, "start", p.view.describe(k)}
		if k > 0 {
			s.Name = fmt.Sprintf("%d %s", k, p.steps[k-1])
		}
		data.Steps = append(data.Steps, s)
	}
	data.Frames = template.HTML(frames.String())
	if s := p.view.whole(); s != nil && !long {
		data.Whole, data.WholeWidth, data.WholeHeight, data.LongWhole = markup(s.parts), svg.Num(s.w), svg.Num(s.h), s.w > longFrom
	}
	var text bytes.Buffer
	if err := page.Execute(&text, data); err != nil {
		return err
	}
	_, err = w.Write(allow(text.Bytes()))
	return err
}

// inline matches the scripts and styles of the page.
var inline = regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`)

// allow puts the hashes of the page's own scripts and styles, and of nothing else, into its policy.
func allow(page []byte) []byte {
	by := map[string]string{}
	for _, m := range inline.FindAllSubmatch(page, -1) {
		sum := sha256.Sum256(m[2])
		by[string(m[1])] += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for kind, hashes := range by {
		page = bytes.Replace(page, []byte(kind+"-src 'none'"), []byte(kind+"-src"+hashes), 1)
	}
	return page
}

// longFrom is the width from which a drawing is scrolled rather than shrunk to the page, in
// pixels.
const longFrom = 700

// markup returns elements as SVG for use in a page; the printer escapes texts.
func markup(es []element) template.HTML {
	var b strings.Builder
	p := &printer{w: bufio.NewWriter(&b)}
	p.elements(es)
	_ = p.w.Flush() // a strings.Builder does not fail
	return template.HTML(b.String())
}
