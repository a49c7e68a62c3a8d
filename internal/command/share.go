package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/draw"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/picture"
	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/internal/serve"
)

// shared is an answer that is written as a picture, or as a page that says all about it.
type shared struct {
	of          load.Ref
	changes     load.Changes
	doc         any      // as JSON
	steps       bool     // there is a plan; else the start is drawn
	verdict     string   // where there is no plan
	certificate string   // the folder, or without its ending a zip archive of it; "" for none
	args        []string // command line that has found it; nil for the one that is running
	text        func(io.Writer)
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
		s.text(&text)
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
	if s.args == nil {
		s.args = a.args
	}
	if strings.EqualFold(filepath.Ext(out), ".html") {
		r, err := s.report(text.String(), data.Bytes())
		if err != nil {
			return err
		}
		p.With(r)
	}
	return writePicture(a, p, s.of.Name, out)
}

// report is what a page says of the answer.
func (s *shared) report(text string, answer []byte) (*picture.Report, error) {
	command := "fdplan " + serve.ShellWords(s.args)
	r := &picture.Report{Text: text, Settings: [][2]string{{"command", command}, {"version", buildVersion()}, {"seed", cmp.Or(valueOf(s.args, "seed"), "0")}},
		Files: []picture.File{{Name: "answer.json", What: "the answer, as fdplan prints it with --json", Data: answer}}}
	if s.steps {
		r.Checks = append(r.Checks, "fdplan validate "+serve.ShellWords(append(aboutProblem(s.args), "answer.json")))
	} else {
		r.Verdict = s.verdict
	}
	packed, err := packedFolder(s.certificate)
	if err != nil {
		return nil, err
	}
	if packed != nil {
		const most = 16 << 20
		if len(packed) <= most {
			r.Files = append(r.Files, picture.File{Name: "certificate.zip", What: "problem file, proof and answer, which independent checkers read", Data: packed})
			r.Checks = append(r.Checks, "unzip certificate.zip")
		}
		r.Checks = append(r.Checks, "fdplan certify "+serve.ShellWords([]string{filepath.Base(s.certificate)}))
	}
	r.Checks = append(r.Checks, command+"    # finds it again")
	return r, nil
}

// packedFolder returns a folder as a zip archive, which may be there already; nil if there is neither.
func packedFolder(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		var packed bytes.Buffer
		err := serve.Pack(&packed, name)
		return packed.Bytes(), err
	}
	packed, err := os.ReadFile(name + ".zip")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return packed, err
}

// valueOf is the value of a flag in a command line; "" without one.
func valueOf(args []string, flag string) string {
	for n, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+flag+"="); ok {
			return value
		}
		if arg == "--"+flag && n+1 < len(args) {
			return args[n+1]
		}
	}
	return ""
}

// again writes the page of an answer that another command line has found, as that would have: its text is that of the answer, and
// without a plan it shows the start.
func (c *showCmd) again(a *environment) error {
	args, err := process.Split(c.FoundBy)
	if err == nil && (len(args) < 2 || args[0] != "fdplan") {
		err = errors.New("expected a command line of fdplan")
	}
	if err != nil {
		return fmt.Errorf("--found-by %q: %w", c.FoundBy, err)
	}
	s := shared{of: c.Ref, changes: c.Changes, doc: json.RawMessage(c.Plan.Text), args: args[1:]}
	switch {
	case policy.Is(c.Plan.Text):
		d, err := policy.Parse(c.Plan.File, c.Plan.Text)
		if err != nil {
			return err
		}
		if s.picture, err = draw.Policy(d, c.Seed); err != nil {
			return err
		}
		s.steps, s.text = true, func(w io.Writer) { writePolicy(w, d) }
		if s.certificate = valueOf(args, "certify"); s.certificate == "" && slices.Contains(args, "--certify") {
			s.certificate = "certificate"
		}
	case args[1] == "run":
		var d execute.RunDocument
		if err := json.Unmarshal(c.Plan.Text, &d); err != nil {
			return fmt.Errorf("%v: it is no run: %w", c.Plan, err)
		}
		s.steps, s.text = len(d.Steps) > 0, runText(&d)
	default:
		var d execute.Document
		if err := json.Unmarshal(c.Plan.Text, &d); err != nil {
			return fmt.Errorf("%v: it is no plan: %w", c.Plan, err)
		}
		s.steps, s.verdict, s.text = d.Plan != nil, d.Verdict, func(w io.Writer) { writePlan(w, &d) }
		if d.Proof != nil && d.Proof.Certificate != nil {
			s.certificate = *d.Proof.Certificate
		}
	}
	if s.steps && !c.Changes.None() {
		return fmt.Errorf("%v is shown as it is; expected no --reward, --initial, --set-initial or --require", c.Plan)
	}
	return a.share(c.Out, s)
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
