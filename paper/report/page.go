package report

import (
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	texts "text/template"

	"github.com/fdplan/fdplan/internal/experiment/chart"
	"github.com/fdplan/fdplan/internal/experiment/journal"
)

const (
	title = "fdplan: the paper again"
	intro = "The experiments of Say and Sanner, Compact and Efficient Encodings for Planning in Factored State and Action Spaces with Learned Binarized Neural Network Transition Models: " +
		"the paper's figures beside those measured here. The paper's are of its own machine, solvers and networks, with a limit of 3600 seconds; " +
		"ours are of the machine, networks and limits that the records at the end name. What holds of its definitions, theorems and conclusions is in docs/paper.md of the project."
)

//go:embed page.html page.md
var pages embed.FS

// page is what the page and its Markdown are made from.
type page struct {
	*Report
	Title, Intro string
	Charts       template.CSS
}

// functions are those of both templates.
func (r *Report) functions() map[string]any {
	return map[string]any{
		"one":     func(at []int) int { return at[0] + 1 },
		"next":    func(k int) int { return k + 1 },
		"refs":    ranges,
		"hover":   r.hover,
		"class":   class,
		"charts":  charts,
		"image":   image,
		"seconds": seconds,
		"mib":     func(n int64) string { return count((n + 1<<19) >> 20) },
		"machine": func(rec Record) bool { return rec.Kind == journal.KindMachine },
		"keys":    keys[string],
		"empty":   func(f *Figure) bool { return f.Partial || len(f.Charts)+len(f.Drawings) == 0 },
		"plain":   plain,
		"file":    figureFile,
		"drawing": drawingName,
	}
}

// writeHTML writes the page: one file that loads nothing else and has no scripts.
func (r *Report) writeHTML(w io.Writer) error {
	t, err := template.New("page.html").Funcs(r.functions()).ParseFS(pages, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, page{r, title, intro, template.CSS(chart.StyleSheet())})
}

// writeMarkdown writes the report as Markdown; its figures are the SVG files beside it.
func (r *Report) writeMarkdown(w io.Writer) error {
	t, err := texts.New("page.md").Funcs(r.functions()).ParseFS(pages, "page.md")
	if err != nil {
		return err
	}
	return t.Execute(w, page{Report: r, Title: title, Intro: intro})
}

// keys lists the keys of a map in order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// maxNamed is the number of records up to which a number names each of them by its ID, and
// not by its place in the listing.
const maxNamed = 3

// hover is the title of a number: its meaning, and its records.
func (r *Report) hover(c Cell) string {
	var out []string
	if c.Note != "" {
		out = append(out, c.Note)
	}
	if len(c.Records) > maxNamed {
		return strings.Join(append(out, "records "+ranges(c.Records)), "\n")
	}
	for _, k := range c.Records {
		out = append(out, r.Records[k].ID)
	}
	return strings.Join(out, "\n")
}

// class returns a cell's class in the style sheet.
func class(c Cell) string {
	out := [...]string{"label", "paper", "ours", "absent", "none"}[c.Kind]
	if c.Bad {
		out += " bad"
	}
	if c.Plain {
		out += " word"
	}
	return out
}

// charts draws a figure's diagrams for the page; package chart escapes texts.
func charts(f *Figure) ([]template.HTML, error) {
	var out []template.HTML
	for _, c := range f.Charts {
		var b strings.Builder
		if err := chart.WriteInline(&b, c); err != nil {
			return nil, err
		}
		out = append(out, template.HTML(b.String()))
	}
	return out, nil
}

// image returns a drawing as a data URL, so that its style sheet does not affect the page's.
func image(svg []byte) template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
}
