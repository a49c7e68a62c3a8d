package page

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/picture"
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
