package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
)

// TestOptions checks the options of each command: their names, their defaults, and that the command line and documents can have all of them.
func TestOptions(t *testing.T) {
	b := app.Binder()
	for _, e := range commands {
		of := e.make()
		if err := b.SetDefaults(of); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
		if err := b.Check(of, bind.Flags); err != nil {
			t.Errorf("%s: the defaults: %v", e.name, err)
		}
		once := map[string]bool{}
		for _, o := range b.Options(of) {
			for _, name := range []string{o.Name, o.Also} {
				if name != "" && once[name] {
					t.Errorf("%s: two options are called %s", e.name, name)
				}
				once[name] = true
			}
			for _, name := range []string{"--" + o.Flag, "-" + o.Short} {
				if name != "-" && once[name] {
					t.Errorf("%s: two options are called %s", e.name, name)
				}
				once[name] = true
			}
			if o.HTTP && o.Name == "" {
				t.Errorf("%s: %s is for HTTP and has no name in JSON", e.name, o.Flag)
			}
			if o.Help == "" || strings.Contains(o.Help+strings.Join(o.Enum, ""), "${") {
				t.Errorf("%s: %s has the help %q and the values %v", e.name, o.Flag, o.Help, o.Enum)
			}
		}
		if _, err := json.Marshal(b.Schema(of, nil)); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
	}
}

// TestArguments reads command lines.
func TestArguments(t *testing.T) {
	for _, c := range []struct{ line, want, fault string }{
		{"plan p -H4 -o x --time-limit=5s", `{"horizon":4,"out":"x","problem":"p","time_limit":"5s"}`, ""},
		{"plan -H 2..4 p --certify --json", `{"certify":"certificate","horizon":"2..4","json":true,"problem":"p"}`, ""},
		{"plan p --certify there --policy -qH3", `{"certify":"there","horizon":3,"policy":true,"problem":"p","quiet":true}`, ""},
		{"plan --goal=-x=2 --require -1=x --require a,b -- -p", `{"goal":"-x=2","problem":"-p","require":["-1=x","a,b"]}`, ""},
		{"plan p --entity A,B --entity C", `{"entity":["A","B","C"],"problem":"p"}`, ""},
		{"train p -o n --no-polish --noise 5%", `{"data":"p","noise":0.05,"out":"n","polish":false}`, ""},
		{"plan p --threads 0x10 --seed -1", "", `--seed: "-1" is not an integer of 64 bits from 0 on`},
		{"plan p --threads 1.5", "", `--threads: "1.5" is not an integer of 64 bits`},
		{"plan p --json=maybe", "", `--json: "maybe" is neither true nor false`},
		{"train p -o n --noise x", "", `--noise: "x" is neither a number such as 0.05 nor a percentage such as 5%`},
		{"plan p -o --json", "", "--out: a value is missing before --json; expected --out=FILE"},
		{"plan p --files -q", "", "--files: a value is missing before -q; expected --files=DIR"},
		{"plan p --goal=-q", `{"goal":"-q","problem":"p"}`, ""},
		{"plan p --goal", "", "--goal needs a value; expected --goal=EXPR"},
		{"plan p -H=4 -z", "", "plan has no flag -z; see fdplan plan --help"},
		{"plan a b c", "", "unexpected argument b"},
		{"completion", "", `expected "<shell>"`},
		{"compile p", "", "missing flags: --format=FORMAT"},
		{"simulate p --plan x --policy y", "", "--plan and --policy can't be used together"},
		{"plan p --files options_test.go", "", `--files: "` + filepath.Join(here(t), "options_test.go") + `" is no folder`},
	} {
		words := strings.Fields(c.line)
		e := entryOf(words[0])
		command := e.make()
		_, _, err := e.parse(command, words[1:])
		if err != nil || c.fault != "" {
			if err == nil || err.Error() != c.fault {
				t.Errorf("%s: %v, expected %q", c.line, err, c.fault)
			}
			continue
		}
		got, err := app.Binder().Encode(command)
		text, err2 := json.Marshal(got)
		if err != nil || err2 != nil || string(text) != c.want {
			t.Errorf("%s: %s %v %v, expected %s", c.line, text, err, err2, c.want)
		}
	}
}

// here is the folder of the test.
func here(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

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
		`{"command":"man","request":{}}`:                                  {exitDone, `.SH NAME`},
		`[]`:                                                              {exitUsage, `expected an object`},
	} {
		var out, errs strings.Builder
		status := Main([]string{documentCommand}, strings.NewReader(text), &out, &errs, Parts{})
		if status != want.status || !strings.Contains(out.String()+errs.String(), want.part) {
			t.Errorf("%s: status %d, expected %d and %s: %s%s", text, status, want.status, want.part, out.String(), errs.String())
		}
	}
}
