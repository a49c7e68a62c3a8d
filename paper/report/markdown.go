package report

import (
	"bufio"
	"fmt"
	"io"
)

// writeMarkdown writes the report as Markdown; its figures are the SVG files
// beside it.
func (r *Report) writeMarkdown(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "# %s\n\n%s\n\n", title, plain(intro))
	if r.Warning != "" {
		fmt.Fprintf(w, "**%s**\n\n", plain(r.Warning))
	}
	if r.Disputed > 0 {
		fmt.Fprintf(w, "**Runs contradict each other; see “Contradictions”.**\n\n")
	}
	for _, s := range r.Solvers {
		fmt.Fprintf(w, "- %s: %s %s\n", plain(s.Name), plain(s.Version), plain(s.Command))
	}
	if len(r.Solvers) > 0 {
		fmt.Fprintln(w)
	}
	for _, s := range r.Sections {
		fmt.Fprintf(w, "## %s\n\n%s\n\n", plain(s.Title), plain(s.Text))
		for _, it := range s.Items {
			if t := it.Table; t != nil {
				fmt.Fprintf(w, "### %s\n\n%s\n\n", plain(t.Title), plain(t.Caption))
				if len(t.Rows) == 0 {
					fmt.Fprintf(w, "Not run.\n\n")
					continue
				}
				t.writeMarkdown(w)
				continue
			}
			it.Figure.writeMarkdown(w)
		}
	}
	fmt.Fprintf(w, "## What was not run\n\n")
	for _, m := range r.Missing {
		fmt.Fprintf(w, "- %s: %s: %s\n", plain(m.Where), plain(m.What), plain(m.Of))
	}
	if len(r.Missing) == 0 {
		fmt.Fprintf(w, "Everything was run.\n")
	}
	fmt.Fprintf(w, "\n## Records\n\nThe raised numbers above are those of this list.\n\n")
	if len(r.Records) == 0 {
		fmt.Fprintf(w, "The journal is empty.\n")
		return w.Flush()
	}
	fmt.Fprintf(w, "| | ID | line of the journal | status | seconds |\n| --- | --- | --- | --- | --- |\n")
	for k := range r.Records {
		rec := &r.Records[k]
		fmt.Fprintf(w, "| %d | %s | %d | %s | %s |\n", k+1, plain(rec.ID), rec.Line, plain(rec.Status), seconds(rec.Seconds))
	}
	return w.Flush()
}

// writeMarkdown writes a figure with its captions.
func (f *Figure) writeMarkdown(w *bufio.Writer) {
	fmt.Fprintf(w, "### %s\n\n%s\n\n", plain(f.Title), plain(f.Caption))
	if len(f.Charts)+len(f.Drawings) == 0 || f.Partial {
		fmt.Fprintf(w, "There are no runs of ours to draw.\n\n")
	}
	if len(f.Charts) > 0 {
		fmt.Fprintf(w, "![%s](%s)\n\n", plain(f.Title), figureFile(f.Name))
	}
	for k, d := range f.Drawings {
		fmt.Fprintf(w, "%s: %s <sup>%s</sup>\n\n", plain(d.Title), plain(d.Caption), ranges([]int{d.Record}))
		if d.SVG == nil {
			fmt.Fprintf(w, "Not drawn: %s\n\n", plain(d.Err))
			continue
		}
		fmt.Fprintf(w, "![%s](%s)\n\n", plain(d.Title), figureFile(drawingName(f, k)))
	}
	if len(f.Records) > 0 {
		fmt.Fprintf(w, "Records: %s\n\n", ranges(f.Records))
	}
}
