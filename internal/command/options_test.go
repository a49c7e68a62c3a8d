package command

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
)

// TestOptions holds what kong makes of each command's options to what JSON documents do: the
// names, the defaults, and the help.
func TestOptions(t *testing.T) {
	b := app.Binder()
	for _, node := range table(t).Model.Leaves(false) {
		i := slices.IndexFunc(commands, func(e entry) bool { return e.name == node.Name })
		of := commands[i].make()
		if err := b.SetDefaults(of); err != nil {
			t.Errorf("%s: %v", node.Name, err)
		}
		if err := b.Check(of, bind.Flags); err != nil {
			t.Errorf("%s: the defaults: %v", node.Name, err)
		}
		inJSON, options := map[string]bool{}, map[string]*bind.Option{}
		for _, o := range b.Options(of) {
			for _, name := range []string{o.Name, o.Also} {
				if name != "" && inJSON[name] {
					t.Errorf("%s: two options are called %s", node.Name, name)
				}
				inJSON[name] = true
			}
			if o.HTTP && o.Name == "" {
				t.Errorf("%s: %s is for HTTP and has no name in JSON", node.Name, o.Flag)
			}
			options[o.Flag] = o
		}
		values := slices.Clone(node.Positional)
		for _, f := range node.Flags {
			if f.Name != "help" {
				values = append(values, f.Value)
			}
		}
		for _, v := range values {
			o := options[v.Name]
			if o == nil {
				t.Errorf("%s: %s is no option", node.Name, v.Name)
			} else if unspaced(o.Help) != unspaced(v.Help) || o.Default != v.Default || o.Required != v.Required || strings.Join(o.Enum, ",") != v.Enum {
				t.Errorf("%s: %s is %+v, kong has %q, default %q, enum %q, required %v", node.Name, v.Name, o, v.Help, v.Default, v.Enum, v.Required)
			}
			delete(options, v.Name)
		}
		for name := range options {
			t.Errorf("%s: kong has no %s", node.Name, name)
		}
		if _, err := json.Marshal(b.Schema(of, nil)); err != nil {
			t.Errorf("%s: %v", node.Name, err)
		}
	}
}

// unspaced is a text whose lists have no spaces: kong writes those of values so.
func unspaced(text string) string { return strings.ReplaceAll(text, ", ", ",") }

// TestDocument runs commands that documents ask for.
func TestDocument(t *testing.T) {
	for text, want := range map[string]struct {
		status int
		part   string
	}{
		`{"command":"plan","request":{"problem":"navigation/3x3","horizon":"2..4","set_initial":{"robot-at(x14,y20)":true}}}`: {exitDone, `"status":"optimal","reward":-4`},
		`{"command":"plan","request":{"problem":"navigation/3x3","horizon":3}}`:                                               {exitNo, `"status":"infeasible"`},
		`{"command":"show","request":{"problem":"navigation/3x3","json":false}}`:                                              {exitDone, "network "},
		`{"command":"plan","request":{"problem":"navigation/3x3","initial":{"x":1}}}`:                                         {exitUsage, `"error":"initial x=1: there is no variable`},
		`{"command":"plan","request":{"domain":"x","files":"y"}}`:                                                             {exitUsage, `"error":"files and domain name two problems`},
		`{"command":"train","request":{"data":"x","task":"y","out":"z","recipe":"structure","epochs":3}}`:                     {exitUsage, `"error":"epochs is of the dense recipe`},
		`{"command":"plan","request":{"domain":"../../examples/drift/drift.rddl","instance":"../../examples/drift/pits.rddl","goal":"x == SIDE ^ y == SIDE ^ ~lost","horizon":[1,12],"policy":true,"failures":1}}`:  {exitDone, `"value":-9`},
		`{"command":"plan","request":{"domain":"../../examples/drift/drift.rddl","instance":"../../examples/drift/pits.rddl","goal":"x == SIDE ^ y == SIDE ^ ~lost","horizon":12,"policy":true,"failures":"x"}}`:    {exitUsage, `"error":"failures: \"x\" is not a bound`},
		`{"command":"plan","request":{"domain":"../../examples/drift/drift.rddl","instance":"../../examples/drift/pits.rddl","goal":"x == SIDE ^ y == SIDE ^ ~lost","horizon":12,"maximize":"reward"}}`:             {exitUsage, `"error":"maximize, failures and blind tell`},
		`{"command":"run","request":{"domain":"../../examples/drift/drift.rddl","instance":"../../examples/drift/pits.rddl","goal":"x == SIDE ^ y == SIDE ^ ~lost","horizon":12,"policy":true,"simulator":"rddl"}}`: {exitDone, `"status":"goal"`},
		`{"command":"run","request":{"domain":"../../examples/drift/drift.rddl","instance":"../../examples/drift/pits.rddl","goal":"x == SIDE ^ y == SIDE ^ ~lost","policy":"file.json","simulator":"rddl"}}`:       {exitUsage, `is not a policy; expected the document of one`},
		`{"command":"plan","request":{"horizont":3}}`:                     {exitUsage, `did you mean horizon?`},
		`{"command":"solve","request":{"file":"x","connect":"nats://x"}}`: {exitUsage, `lacks the part cluster`},
		`{"command":"cook","request":{}}`:                                 {exitUsage, `there is no command`},
		`{"command":"help","request":{}}`:                                 {exitDone, `Usage`},
		`{"command":"man","request":{}}`:                                  {exitUsage, `takes no document`},
		`[]`:                                                              {exitUsage, `expected an object`},
	} {
		var out, errs strings.Builder
		status := Main([]string{documentCommand}, strings.NewReader(text), &out, &errs, Parts{})
		if status != want.status || !strings.Contains(out.String()+errs.String(), want.part) {
			t.Errorf("%s: status %d, expected %d and %s: %s%s", text, status, want.status, want.part, out.String(), errs.String())
		}
	}
}
