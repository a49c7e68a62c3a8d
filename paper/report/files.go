package report

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"

	"github.com/fdplan/fdplan/internal/experiment/chart"
	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// File is one file of a report.
type File struct {
	Name  string // with slashes, within the report's directory
	Write func(io.Writer) error
}

// The folders of a report.
const (
	tableDir  = "tables"
	figureDir = "figures"
)

func tableFile(name string) string  { return path.Join(tableDir, name+".csv") }
func figureFile(name string) string { return path.Join(figureDir, name+".svg") }

// drawingName is the name of the file of drawing k.
func drawingName(f *Figure, k int) string { return fmt.Sprintf("%s-%d", f.Name, k+1) }

// Files returns the report: the page, the same as Markdown, each table as CSV and each figure
// as SVG.
func (r *Report) Files() []File {
	out := []File{{journal.PageName, r.writeHTML}, {"report.md", r.writeMarkdown}}
	for _, it := range r.items() {
		if t := it.Table; t != nil {
			out = append(out, File{tableFile(t.Name), func(w io.Writer) error { return t.writeCSV(w, r.Records) }})
			continue
		}
		f := it.Figure
		if len(f.Charts) > 0 {
			out = append(out, File{figureFile(f.Name), func(w io.Writer) error { return chart.WriteSVG(w, f.Charts...) }})
		}
		for k, d := range f.Drawings {
			if d.SVG != nil {
				out = append(out, File{figureFile(drawingName(f, k)), func(w io.Writer) error {
					_, err := io.Copy(w, bytes.NewReader(d.SVG))
					return err
				}})
			}
		}
	}
	return out
}

// former are earlier names of files: beside today's files they would be mistaken for other
// figures of the paper, or for tables of all networks.
var former = []string{figureFile("figure2-encodings"), figureFile("figure3-engines"), tableFile("table2-learned"), tableFile("table3-incremental"),
	tableFile("appendix-learned"), tableFile("appendix-incremental"), tableFile("appendix-landmarks"), tableFile("encoding-times"), tableFile("encoding-sizes")}

// Stale lists the files of dir, a report's directory, that are left from the report of
// another journal: those with names that reports give to tables and figures, but which this
// report does not contain. Other files are ignored. The error is that of reading dir; missing
// folders have no files.
func (r *Report) Stale(dir fs.FS) ([]string, error) {
	written := map[string]bool{}
	for _, f := range r.Files() {
		written[f.Name] = true
	}
	own := map[string]bool{tableFile(contradictionsName): true}
	for _, name := range former {
		own[name] = true
	}
	drawings := []*regexp.Regexp{}
	for _, it := range r.items() {
		if it.Table != nil {
			for _, f := range families {
				// Another journal may have had other networks.
				own[tableFile(it.Table.ofFamily(f))] = true
			}
			own[tableFile(it.Table.Name)] = true
			continue
		}
		own[figureFile(it.Figure.Name)] = true
		if it.Figure.Drawn {
			drawings = append(drawings, regexp.MustCompile("^"+regexp.QuoteMeta(path.Join(figureDir, it.Figure.Name))+`-[1-9][0-9]*\.svg$`))
		}
	}
	var out []string
	for _, pattern := range []string{tableFile("*"), figureFile("*")} {
		names, err := fs.Glob(dir, pattern)
		if err != nil {
			return nil, fmt.Errorf("looking for files of an earlier report: %w", err)
		}
		for _, name := range names {
			ours := own[name] || slices.ContainsFunc(drawings, func(re *regexp.Regexp) bool { return re.MatchString(name) })
			if !ours || written[name] {
				continue
			}
			info, err := fs.Stat(dir, name)
			if err != nil {
				return nil, fmt.Errorf("looking for files of an earlier report: %w", err)
			}
			if info.Mode().IsRegular() {
				out = append(out, name)
			}
		}
	}
	return out, nil
}
