package picture

import (
	"encoding/base64"
	"html/template"
	"strings"
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

// URL is the file as an address.
func (f File) URL() template.URL {
	return template.URL("data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(f.Data))
}

// With puts a report into the page of the picture.
func (p *Picture) With(r *Report) {
	if p.report = r; r.Verdict != "" {
		p.verdict = &Verdict{Lines: []string{strings.ToUpper(r.Verdict[:1]) + r.Verdict[1:] + "."}}
	}
}
