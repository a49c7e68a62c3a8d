package browser

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/fdplan/fdplan/internal/extsolver"
)

// mostPlayground bounds the files of the playground, in bytes.
const mostPlayground = 8 << 20

// playground builds the playground and serves it as a static host does.
func playground(t *testing.T) string {
	t.Helper()
	extsolver.Require(t, "chromium")
	dir := t.TempDir()
	if out, err := exec.Command("bash", "../../.ci/playground", dir).CombinedOutput(); err != nil {
		t.Fatalf("building the playground: %v\n%s", err, out)
	}
	size := int64(0)
	if err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if size > mostPlayground {
		t.Errorf("the playground has %d bytes, more than %d", size, mostPlayground)
	}
	host := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(host.Close)
	return host.URL
}

// answered waits until the playground has answered.
func (p *tab) answered(text string) {
	p.Helper()
	p.until("an answer", `document.querySelector("[aria-busy]").getAttribute("aria-busy") === "false"`)
	p.says(text)
}

// document takes the answer that the page gives to keep. Each is taken once, so that the one before is not taken for it.
func (p *tab) document() map[string]any {
	p.Helper()
	p.until("an answer to keep", `window.blob`)
	p.run(chromedp.Evaluate[chromedp.Void](`(() => { window.kept = ""; window.blob.text().then((t) => { window.kept = t; }); window.blob = null; })()`))
	p.until("the answer as JSON", `window.kept`)
	return answer(p.TB, []byte(eval[string](p, "window.kept")))
}

// answer reads an answer without what another run has otherwise.
func answer(t testing.TB, text []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	delete(out, "seconds")
	return out
}

// same compares an answer of the page with that of a command.
func (p *tab) same(command ...string) {
	p.Helper()
	p.sameIn(".", command...)
}

// sameIn compares an answer of the page with that of a command in a folder.
func (p *tab) sameIn(dir string, command ...string) {
	p.Helper()
	run := exec.Command(program, append(command, "--json", "--threads", "1")...)
	run.Dir = dir
	out, err := run.Output()
	if err != nil && len(out) == 0 {
		p.Fatalf("%v: %v", command, err)
	}
	got, want := p.document(), answer(p.TB, out)
	if !reflect.DeepEqual(got, want) {
		p.Errorf("the page has\n%v\nand %v\n%v", got, command, want)
	}
}

// TestPlayground plans, changes, explains and stops in a page that no program serves, with the answers
// of the command line.
func TestPlayground(t *testing.T) {
	address, b := playground(t), browser(t)
	t.Run("questions", func(t *testing.T) { testQuestions(t, open(t, b, desktop, address)) })
	t.Run("pasted", func(t *testing.T) { testPasted(t, open(t, b, desktop, address)) })
	t.Run("stop", func(t *testing.T) { testStop(t, open(t, b, phone, address)) })
}

// ready waits for the planner, and keeps the answers that are given to keep.
func (p *tab) ready() {
	p.Helper()
	p.until("the planner", `document.documentElement.dataset.ready === "yes"`)
	p.run(chromedp.Evaluate[chromedp.Void](`(() => { const make = URL.createObjectURL; URL.createObjectURL = (b) => { window.blob = b; return make(b); }; })()`))
}

// testQuestions asks about bundled problems.
func testQuestions(_ *testing.T, p *tab) {
	p.ready()
	bundled := map[string]string{"navigation/3x3": "network", "inventory/4-text": "rddl", "sysadmin/4": "network", "cellda/y": "network"}
	for name, model := range bundled {
		p.set("Problem", name)
		p.press("Plan")
		p.answered("Time")
		p.same("plan", name, "--model", model)
	}
	p.set("Problem", "navigation/3x3")
	p.set("Steps", "6")
	p.press("Change the question")
	p.set("Rules", "~robot-at(x9,y15)")
	p.press("Explain")
	p.answered("must be false")
	p.same("explain", "navigation/3x3", "-H", "6", "--require", "~robot-at(x9,y15)")
	p.set("Rules", "")
	p.set("Steps", "4")
	p.set("What if also …", "~move-east")
	p.press("Compare")
	p.answered("With the change there is no plan of this length")
	p.fits("the playground")
	p.names("the playground")
	p.both("playground")

	p.set("Rules", "robot-at(")
	p.press("Plan")
	p.answered("robot-at(")
	p.until("an error", `document.querySelector(".note.bad[role=alert]")`)
}

// testPasted plans for problems that are pasted.
func testPasted(t *testing.T, p *tab) {
	p.ready()
	const dir = "../../internal/rddl/bundled/problems/inventory/"
	paste := func(label, file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p.set(label, string(text))
	}
	p.set("Steps", "3")
	p.set("Problem", "rddl")
	paste("domain.rddl", dir+"domain.rddl")
	paste("instance.rddl", dir+"2/instance.rddl")
	p.press("Plan")
	p.answered("Time")
	p.same("plan", "--domain", dir+"domain.rddl", "--instance", dir+"2/instance.rddl", "-H", "3")

	p.set("Steps", "")
	p.set("Problem", "pddl")
	paste("domain.pddl", "../../examples/pddl/blocks.pddl")
	paste("problem.pddl", "../../examples/pddl/tower.pddl")
	p.press("Plan")
	p.answered("Time")
	p.same("plan", "--pddl", "../../examples/pddl/blocks.pddl", "../../examples/pddl/tower.pddl")
	p.run(chromedp.Evaluate[chromedp.Void](field("problem.pddl") + `.focus()`))
	p.edit("problem.pddl", "(:goal", "(:gaol")
	p.press("Plan")
	p.until("the line with the error", field("problem.pddl")+`.getAttribute("aria-invalid") === "true" && [...document.querySelectorAll(".error mark")].some((m) => m.textContent.includes("gaol") || m.textContent === "(") && !document.querySelector(".wrong:not([hidden])").hidden`)
	p.caret("problem.pddl", "(:gaol ", "(o")
	p.offered("on", "predicate of ?x ?y")

	const maze = "../../internal/rddl/bundled/problems/navigation/"
	folder := t.TempDir()
	var beside []string
	for name, from := range map[string]string{"maze.rddl": maze + "domain.rddl", "small.rddl": maze + "3x3/instance.rddl", "task.toml": ""} {
		text := []byte("domain = \"maze.rddl\"\ninstance = \"small.rddl\"\ngoal = \"robot-at(x9,y20)\"\nhorizon = 5\nrules = [\"~move-south\"]\n")
		if from != "" {
			var err error
			if text, err = os.ReadFile(from); err != nil {
				t.Fatal(err)
			}
			beside = append(beside, filepath.Join(folder, name))
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.set("Problem", "task")
	paste("task.toml", filepath.Join(folder, "task.toml"))
	p.run(chromedp.SetUploadFiles(chromedp.CSS("#beside"), beside))
	p.until("the files", `document.querySelector("#beside").files.length === 2`)
	p.press("Plan")
	p.answered("Time")
	p.sameIn(folder, "plan", "task.toml")
	p.fits("a task")
	p.both("playground-task")
}

// testStop stops a question that takes long, and asks another.
func testStop(_ *testing.T, p *tab) {
	p.ready()
	p.set("Problem", "cellda/x")
	p.set("Steps", "1..200")
	p.press("Plan")
	p.press("Stop")
	p.answered("It was stopped")
	p.set("Steps", "")
	p.press("Plan")
	p.answered("Time")
	p.fits("the playground")
}
