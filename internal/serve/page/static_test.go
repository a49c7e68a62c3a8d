package page

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/picture"
	rddltext "github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// read returns a file of the page.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// modules returns the page's modules by name.
func modules(t *testing.T) map[string]string {
	t.Helper()
	names, err := fs.Glob(Files(), "js/*.js")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d modules, %v", len(names), err)
	}
	out := map[string]string{}
	for _, n := range names {
		out[path.Base(n)] = read(t, n)
	}
	return out
}

// TestModulesParse lets node parse every module.
func TestModulesParse(t *testing.T) {
	extsolver.Require(t, "node")
	const parse = `
		const all = JSON.parse(require("fs").readFileSync(0, "utf8"));
		for (const [identifier, text] of Object.entries(all)) {
			try { new (require("vm").SourceTextModule)(text, { identifier }); }
			catch (e) { console.log(identifier + ": " + e); }
		}`
	all := modules(t)
	all["broken.js"] = "import { a from b;"
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--experimental-vm-modules", "--no-warnings", "-e", parse)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.CombinedOutput()
	if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0], "broken.js: SyntaxError") {
		t.Errorf("%v; expected an error in broken.js alone:\n%s", err, out)
	}
}

// TestLanguages asks for completions at a | in the files of problems, and for every word that the readers of these files know.
func TestLanguages(t *testing.T) {
	extsolver.Require(t, "node")
	type question struct {
		Texts      map[string]string
		File, Want string
	}
	const rddl = "domain d { types { cell : object; way : { @north, @south }; }; pvariables { at(cell) : { state-fluent, bool, default = false }; go(way) : { action-fluent, bool }; }; }\n" +
		"non-fluents n { domain = d; objects { cell : { c1, c2 }; }; }\n"
	const pddl = "(define (domain d) (:types truck place - object) (:predicates (at ?t - truck ?p - place)) (:functions (fuel ?t)) (:action drive :parameters (?t - truck)))\n"
	var questions []question
	ask := func(want, file string, texts ...string) {
		q := question{map[string]string{}, file, want}
		for i := 0; i < len(texts); i += 2 {
			q.Texts[texts[i]] = texts[i+1]
		}
		questions = append(questions, q)
	}
	for _, c := range [][2]string{{"a|", "at: state fluent of cell, bool"}, {"g|", "go: action fluent of way, bool"}, {"c1|2", "c1: object of cell"}, {"@n|", "@north: value of way"}, {"cel|", "cell: type"}, {"exists_{?c : cell} at(?|", "?c: parameter"}, {"// a|", ""}, {"3|", ""}} {
		ask(c[1], "d.rddl", "d.rddl", rddl+c[0])
	}
	for _, c := range [][2]string{{"(a|", "at: predicate of ?t - truck ?p - place"}, {"(f|", "fuel: number of ?t"}, {"d|", "drive: action"}, {"(:objects t1 - tru|", "truck: type"}, {"(:objects t1 t2 - truck) (at t|", "t1: object of truck"}, {":para|", ":parameters: section"}, {"; a|", ""}} {
		ask(c[1], "p.pddl", "d.pddl", pddl, "p.pddl", c[0])
	}
	for _, c := range [][2]string{{"hor|", "horizon: number of steps"}, {"[ran|", "[ranges]: table of LO..HI by fluent"}, {"goal = \"a|\"", "at: state fluent of cell, bool"}, {"horizon = h|", ""}, {"[[state]]\nname = \"door\"\nvalues = [\"open\"]\n[[action]]\nname = \"go\"\n[x]\nk = \"do|\"", "door: state"}, {"[[state]]\nname = \"door\"\nvalues = [\"open\"]\n\nrules = [\"door == @|\"]", "@open: value of door"}} {
		ask(c[1], "task.toml", "d.rddl", rddl, "task.toml", c[0])
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(operator.Functions)), slices.Collect(maps.Keys(rddltext.Distributions))) {
		ask(name, "d.rddl", "d.rddl", name+"|")
	}
	for op := rddltext.Forall; op <= rddltext.ArgMax; op++ {
		ask(op.String()+"_: quantifier", "d.rddl", "d.rddl", op.String()+"|")
	}
	text, err := json.Marshal(map[string]any{"module": read(t, "js/language.js"), "questions": questions})
	if err != nil {
		t.Fatal(err)
	}
	const run = `
		const vm = require("vm"), { module, questions } = JSON.parse(require("fs").readFileSync(0, "utf8"));
		const m = new vm.SourceTextModule(module);
		m.link(() => {}).then(() => m.evaluate()).then(() => {
			for (const { Texts, File, Want } of questions) {
				const at = Texts[File].indexOf("|"), text = Texts[File];
				const offer = m.namespace.offers(File, { ...Texts, [File]: text.replace("|", "") }, at), all = (offer?.items ?? []).map((w) => w.text + ": " + w.detail);
				if (Want ? !all.some((w) => w === Want || w.startsWith(Want + ": ")) : all.length) console.log(JSON.stringify(text.slice(-40)) + " offers " + all.slice(0, 8).join("; ") + ", not " + Want);
			}
		});`
	cmd := exec.CommandContext(t.Context(), "node", "--experimental-vm-modules", "--no-warnings", "-e", run)
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

var (
	importLine = regexp.MustCompile(`(?m)^import (?:\{([^}]*)\}|\* as (\w+)) from "\./([\w.]+)";`)
	exportLine = regexp.MustCompile(`(?m)^export (?:async )?(?:function|class|const) (\w+)`)
)

// TestImports checks that modules import only names that the others export, and that every
// name that is exported or imported is used.
func TestImports(t *testing.T) {
	all := modules(t)
	used := map[string]bool{"main.js": true}
	for name, text := range all {
		if n := strings.Count(text, "\nimport ") + strings.Count(text[:7], "import "); n != len(importLine.FindAllString(text, -1)) {
			t.Errorf("%s: an import is not of the form import {…} from \"./module.js\";", name)
		}
		for _, m := range importLine.FindAllStringSubmatch(text, -1) {
			from, ok := all[m[3]]
			if !ok {
				t.Errorf("%s imports %s, which does not exist", name, m[3])
				continue
			}
			used[m[3]] = true
			exports := exportLine.FindAllStringSubmatch(from, -1)
			names := strings.Split(m[1], ",")
			if m[2] != "" {
				names = nil
				for _, u := range regexp.MustCompile(`\b`+m[2]+`\.(\w+)\b`).FindAllStringSubmatch(importLine.ReplaceAllString(text, ""), -1) {
					names = append(names, u[1])
				}
			}
			for _, n := range names {
				n, as, _ := strings.Cut(strings.TrimSpace(n), " as ")
				if as == "" {
					as = n
				}
				found := false
				for _, e := range exports {
					found = found || e[1] == n
				}
				if !found {
					t.Errorf("%s imports %s from %s, which does not export it", name, n, m[3])
				}
				used[m[3]+" "+n] = true
				if m[2] == "" && len(regexp.MustCompile(`\b`+as+`\b`).FindAllString(text, -1)) < 2 {
					t.Errorf("%s imports %s and does not use it", name, n)
				}
			}
		}
	}
	for name, text := range all {
		if !used[name] {
			t.Errorf("nothing imports %s", name)
		}
		for _, e := range exportLine.FindAllStringSubmatch(text, -1) {
			if !used[name+" "+e[1]] && !strings.Contains(text, `import("./`+name+`").`+e[1]) {
				t.Errorf("%s exports %s, which nothing imports", name, e[1])
			}
		}
	}
}

// TestElements checks that the elements that modules look up by identifier are in the page.
func TestElements(t *testing.T) {
	html := read(t, "index.html")
	lookup := regexp.MustCompile(`getElementById\("([\w-]+)"\)|querySelector(?:All)?\("#([\w-]+)`)
	found := 0
	for name, text := range modules(t) {
		for _, m := range lookup.FindAllStringSubmatch(text, -1) {
			found++
			if id := m[1] + m[2]; !strings.Contains(html, `id="`+id+`"`) {
				t.Errorf("%s looks up #%s, which is not in index.html", name, id)
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d elements are looked up", found)
	}
}

// TestPolicy checks that the page has nothing that its content security policy forbids, and
// makes no request to other hosts.
func TestPolicy(t *testing.T) {
	html := read(t, "index.html")
	for _, forbidden := range []string{"<style", "style=", "onclick=", "javascript:", "http://", "https://"} {
		if strings.Contains(html, forbidden) {
			t.Errorf("index.html contains %s", forbidden)
		}
	}
	if regexp.MustCompile(`<script[^>]*>[^<]`).MatchString(html) {
		t.Error("index.html has an inline script")
	}
	for name, text := range modules(t) {
		text = strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")
		for _, forbidden := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "\"style\"", "style:", "http://", "https://"} {
			if strings.Contains(text, forbidden) {
				t.Errorf("%s contains %s", name, forbidden)
			}
		}
	}
	for _, sheet := range []string{"style.css", "parts.css", "picture.css"} {
		if text := read(t, sheet); strings.Contains(text, "@import") || strings.Contains(text, "url(") {
			t.Errorf("%s loads another file", sheet)
		}
		if !strings.Contains(html, `href="`+sheet+`"`) {
			t.Errorf("index.html does not load %s", sheet)
		}
	}
}

// TestPictureColours checks that the page shows pictures in the colours of package picture.
func TestPictureColours(t *testing.T) {
	if got := read(t, "picture.css"); got != picture.StyleSheet() {
		t.Errorf("picture.css differs from picture.StyleSheet; expected\n%s", picture.StyleSheet())
	}
}

// TestFiles checks that everything that is embedded belongs to the page.
func TestFiles(t *testing.T) {
	err := fs.WalkDir(Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch path.Ext(name) {
		case ".html", ".css", ".js", ".svg":
		default:
			t.Errorf("%s is not a page, style sheet, module or picture", name)
		}
		if text := read(t, name); bytes.ContainsRune([]byte(text), '\r') || strings.Contains(text, "\t") {
			t.Errorf("%s has tabs or carriage returns", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
