package command

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/source"
)

// documentCommand runs the command that a document on standard input asks for: an object with
// the name of a command and its request, as
//
//	{"command": "plan", "request": {"problem": "navigation/3x3", "horizon": 4}}
//
// The answer is that of --json unless the request says otherwise, and progress and errors are
// events. The server runs its jobs so.
const documentCommand = "request"

// settler is a command that has to know which of its options were given.
type settler interface {
	settle(given []*bind.Option) error
}

// asked is what a document asks for; the zero value is without one.
type asked struct {
	command any
	request bind.Fields
}

// inItsWords is an error that names options as the document does.
func (x asked) inItsWords(c app.Complaint) app.Complaint {
	if x.command != nil {
		c.Error = app.Binder().InJSON(c.Error, x.command, x.request)
	}
	return c
}

// document reads the document on standard input, and returns what it asks for.
func (a *environment) document() (func() error, error) {
	text, err := source.ReadAll("standard input", a.in)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Command string
		Request json.RawMessage
	}
	binder := app.Binder()
	f, err := bind.Parse(text)
	if err == nil {
		err = binder.Decode(f, &doc, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	e := entryOf(doc.Command)
	if e == nil {
		return nil, noCommand(doc.Command)
	}
	command := e.make()
	if f, err = bind.Parse(doc.Request); err != nil {
		return nil, fmt.Errorf("the request: %w", err)
	}
	a.asked = asked{command, f}
	var given []*bind.Option
	asked := maps.Clone(f)
	for _, o := range binder.Options(command) {
		switch {
		case f[o.Name] != nil:
		case o.Name == "json":
			asked[o.Name] = json.RawMessage("true")
		case o.Name == "progress":
			asked[o.Name] = json.RawMessage(`"json"`)
		}
		if f[o.Name] != nil || f[o.Also] != nil {
			given = append(given, o)
		}
	}
	if err := binder.Decode(asked, command, nil); err != nil {
		return nil, err
	}
	if part := a.lacking(command); part != "" {
		return nil, fmt.Errorf("this program lacks the part %s; expected fdplan-%s", part, part)
	}
	if s, ok := command.(settler); ok {
		err = s.settle(given)
	}
	if r, ok := command.(interface{ Resolve() error }); ok && err == nil {
		err = r.Resolve()
	}
	return func() error { return a.run(command) }, err
}
