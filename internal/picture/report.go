package picture

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/svg"
)

// Report is what a page has beside the picture, so that it says by itself what was asked, what is known, and how to check it.
type Report struct {
	Verdict  string      // what is known, of an answer without a plan
	Text     string      // the answer as the command line prints it
	Settings [][2]string // names and values
	Checks   []string    // command lines that check the answer with the files
	Files    []File
}

// File is a file that a page contains.
type File struct {
	Name, What string
	Data       []byte
}

// describe adds what a page says of a report to its values.
func (r *Report) describe(values map[string]string) {
	var settings, files, checks strings.Builder
	for _, s := range r.Settings {
		row(&settings, svg.Escape(s[0]), svg.Escape(s[1]))
	}
	for _, f := range r.Files {
		url := "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(f.Data)
		fmt.Fprintf(&files, "<p><a href=\"%s\" download=\"%s\">%s</a>: %s</p>\n", url, svg.Escape(f.Name), svg.Escape(f.Name), svg.Escape(f.What))
	}
	for _, c := range r.Checks {
		checks.WriteString(svg.Escape(c) + "\n")
	}
	values["Text"], values["Settings"], values["Files"], values["Checks"] = svg.Escape(r.Text), settings.String(), files.String(), checks.String()
}

// With puts a report into the page of the picture.
func (p *Picture) With(r *Report) {
	if p.report = r; r.Verdict != "" {
		p.verdict = &Verdict{Lines: []string{strings.ToUpper(r.Verdict[:1]) + r.Verdict[1:] + "."}}
	}
}
