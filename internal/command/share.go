package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/draw"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/picture"
	"github.com/fdplan/fdplan/internal/serve"
)

// shared is an answer that is written as a picture, or as a page that says all about it.
type shared struct {
	of          load.Ref
	changes     load.Changes
	doc         any    // as JSON
	steps       bool   // there is a plan; else the start is drawn
	verdict     string // where there is no plan
	certificate string // the folder; "" for none
	seed        uint64
	text        func(io.Writer) error
	picture     *picture.Picture // nil for that of doc
}

// isShared reports whether a file is to have a picture of an answer, or its page. A text is the answer itself.
func isShared(out string) bool {
	return isPicture(out) && !strings.EqualFold(filepath.Ext(out), ".txt")
}

// share writes an answer to a file as its name asks for.
func (a *environment) share(out string, s shared) error {
	var data, text bytes.Buffer
	err := app.WriteJSON(&data, s.doc)
	if err == nil {
		err = s.text(&text)
	}
	p := s.picture
	switch ctx := context.Background(); {
	case err != nil || p != nil:
	case s.steps:
		p, err = draw.Picture(ctx, s.of, "plan.json", data.Bytes(), nil)
	default:
		p, err = draw.Initial(ctx, s.of, s.changes)
	}
	if err != nil {
		return fmt.Errorf("-o %s: %w", out, err)
	}
	r := reportOf("fdplan "+serve.ShellWords(a.args), text.String(), data.Bytes())
	r.Settings = append(r.Settings, [2]string{"seed", fmt.Sprint(s.seed)})
	if s.steps {
		r.Checks = append(r.Checks, "fdplan validate "+serve.ShellWords(append(aboutProblem(a.args), "answer.json")))
	}
	if s.certificate != "" && strings.EqualFold(filepath.Ext(out), ".html") {
		var packed bytes.Buffer
		if err := serve.Pack(&packed, s.certificate); err != nil {
			return err
		}
		const most = 16 << 20
		name := filepath.Base(s.certificate)
		if packed.Len() <= most {
			r.Files = append(r.Files, picture.File{Name: "certificate.zip", What: "problem file, proof and answer, which independent checkers read", Data: packed.Bytes()})
			r.Checks = append(r.Checks, "unzip certificate.zip")
		}
		r.Checks = append(r.Checks, "fdplan certify "+serve.ShellWords([]string{name}))
	}
	r.Checks = append(r.Checks, "fdplan "+serve.ShellWords(a.args)+"    # finds it again")
	if !s.steps {
		r.Verdict = s.verdict
	}
	p.With(r)
	return writePicture(a, p, s.of.Name, out)
}

// reportOf is what a page says of an answer that a command line has found.
func reportOf(command, text string, answer []byte) *picture.Report {
	return &picture.Report{Text: text, Settings: [][2]string{{"command", command}, {"version", buildVersion()}},
		Files: []picture.File{{Name: "answer.json", What: "the answer, as fdplan prints it with --json", Data: answer}}}
}

// ofProblem are the flags that say what a problem is; those with false have no value.
var ofProblem = map[string]bool{
	"files": true, "pddl": true, "domain": true, "instance": true, "goal": true, "range": true, "decimals": true, "model": true, "determinize": true, "entity": true, "reward": true,
	"initial": true, "set-initial": true, "require": true, "given": true, "ignore-discount": false, "levels": false,
}

// aboutProblem are the words of a command line that say what the problem is.
func aboutProblem(args []string) (out []string) {
	for n := 1; n < len(args); n++ {
		flag, _, whole := strings.Cut(strings.TrimPrefix(args[n], "--"), "=")
		valued, is := ofProblem[flag]
		switch {
		case !strings.HasPrefix(args[n], "-"):
			if n == 1 || !strings.HasPrefix(args[n-1], "-") || strings.Contains(args[n-1], "=") || slices.Contains([]string{"--json", "--quiet", "-q", "--policy", "--safe"}, args[n-1]) {
				out = append(out, args[n])
			}
		case is:
			if out = append(out, args[n]); valued && !whole && n+1 < len(args) {
				n++
				out = append(out, args[n])
			}
		}
	}
	return out
}

// inFolder is the folder of a certificate that was written.
func inFolder(name *string) string {
	if name == nil {
		return ""
	}
	if info, err := os.Stat(*name); err != nil || !info.IsDir() {
		return ""
	}
	return *name
}
