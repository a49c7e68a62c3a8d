package browser

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// kiln is a device that no example has: it heats while its door is closed, and cannot be opened while it is hot.
type kiln struct {
	heat int // 0 to 5
	open bool
}

// do takes a step.
func (k *kiln) do(command string) {
	before := *k
	switch command {
	case "fire":
		if !before.open {
			k.heat = min(before.heat+1, 5)
		}
	case "unlock":
		k.open = before.open || before.heat <= 2
	case "lock":
		k.open = false
	}
	if before.open || command == "rest" {
		k.heat = max(before.heat-1, 0)
	}
}

// kilnLog writes the log of a kiln that is used at random, with what else such a log has.
func kilnLog(t testing.TB, rows int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 1))
	commands := []string{"fire", "rest", "unlock", "lock"}
	var b strings.Builder
	b.WriteString("time;heat;door;serial;command\n")
	k := kiln{}
	for i := range rows {
		command := commands[random.IntN(len(commands))]
		fmt.Fprintf(&b, "2031-05-02 08:%02d:%02d;%d;%s;K-17;%s\n", i/60%60, i%60, k.heat, map[bool]string{true: "open", false: "closed"}[k.open], command)
		k.do(command)
	}
	name := filepath.Join(t.TempDir(), "kiln.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestTour goes from the log of a device that is not bundled to a plan that holds on the device, and to a report
// that another browser shows without a network.
func TestTour(t *testing.T) {
	p := open(t, browser(t), phone, serve(t))
	p.view("learn")
	p.files("Open a log", kilnLog(t, 3000))
	p.says("kiln.csv: 3,000 rows")
	p.until("what the columns are taken for", `document.querySelector("#view-learn .taken")?.innerText.replace(/\s+/g, " ") === "Time time States heat, door Actions command Not used serial"`)
	p.says("Why: ")
	p.until("the course of the heat", `document.querySelector("#view-learn .log-column svg[aria-label^='heat through the log: 0 to 5']")`)
	p.fits("the columns")
	p.names("the columns")
	p.set("Goal", "heat == 5")
	p.press("Make a problem of it")
	p.until("the problem", `!document.querySelector("#view-learn form[aria-label=Training] button").disabled`)
	p.press("Train")
	p.says("What the log leaves open")
	p.says("Predicted and logged")
	p.says("door: as logged")
	p.fits("what was learned")
	p.names("what was learned")
	p.both("tour-learned")

	p.press("Plan")
	p.says("A log has no length of its own.")
	p.set("Length of the plan", "1..9")
	p.press("Plan")
	p.until("a plan for the goal of the log", `document.querySelectorAll("#view-learn [role=option]").length === 6`)
	p.write("Goal of the plan", "heat == 0 ^ door == @opne")
	p.press("Plan")
	p.says("Failed")
	p.until("the focus at the goal", field("Goal of the plan")+`.getAttribute("aria-invalid") && document.activeElement === `+field("Goal of the plan"))
	p.write("Goal of the plan", "heat == 0 ^ door == @open")
	p.until("the note", otherSettings)
	p.set("Length of the plan", "4")
	p.press("Plan")
	p.until("the plan", `!`+otherSettings+` && document.querySelector("#view-learn section[aria-label='The plan']").offsetParent`)
	p.says("The training data show every step")
	p.press("One step on (right arrow)")
	p.says("Training data: seen, ")
	p.fits("the tour")
	p.names("the tour")
	p.both("tour")
	k := kiln{}
	steps := eval[string](p, `[...document.querySelectorAll("#view-learn [role=option] .text")].slice(1).map((e) => e.textContent).join("\n")`)
	for step := range strings.SplitSeq(steps, "\n") {
		k.do(strings.TrimPrefix(step, "command = "))
	}
	if k.heat != 0 || !k.open {
		t.Errorf("the plan\n%s\nleads the device to %+v", steps, k)
	}
	p.says("fdplan init kiln.csv")
	p.says("fdplan train ")
	p.says("fdplan plan ")
	p.captureDownloads()
	p.press("The task folder (zip)")
	p.until("the folder", `window.got?.startsWith("kiln.zip: PK")`)
	report := p.shared()
	p.run(chromedp.Reload())
	p.until("the same plan", fmt.Sprintf(`[...document.querySelectorAll("#view-learn [role=option] .text")].slice(1).map((e) => e.textContent).join("\n") === %q`, steps))
	showReport(t, report, steps)
}

// captureDownloads keeps what the page hands to the browser as a download, with its name.
func (p *tab) captureDownloads() {
	p.Helper()
	p.run(chromedp.Evaluate[chromedp.Void](`(() => {
		let text;
		URL.createObjectURL = (blob) => { text = blob.text(); return "blob:x"; };
		HTMLAnchorElement.prototype.click = function () { text.then((t) => { window.got = this.download + ": " + t; }); };
	})()`))
}

// shared keeps the page that is shared of an answer, and returns the name of its file. Downloads are captured.
func (p *tab) shared() string {
	p.Helper()
	p.run(chromedp.Evaluate[chromedp.Void](`window.got = ""`))
	p.press("Share as one page (html)")
	p.until("the report", `window.got.startsWith("plan.html: ")`)
	report := filepath.Join(p.TempDir(), "plan.html")
	if err := os.WriteFile(report, []byte(strings.TrimPrefix(eval[string](p, "window.got"), "plan.html: ")), 0o600); err != nil {
		p.Fatal(err)
	}
	return report
}

// offline is a browser that has no network: whatever is not a file has to go through a proxy that does not exist.
func offline(t *testing.T) context.Context {
	t.Helper()
	return browser(t, chromedp.ProxyServer("127.0.0.1:1"), chromedp.Flag("proxy-bypass-list", "<-loopback>"))
}

// showReport opens a report in a browser of its own that has no network.
func showReport(t *testing.T, file, steps string) {
	t.Helper()
	p := open(t, offline(t), desktop, "file://"+file)
	p.until("the goal in the report", `document.body.innerText.includes("--goal")`)
	p.until("the steps", `document.querySelectorAll("#steps a").length === `+fmt.Sprint(strings.Count(steps, "\n")+2))
	p.run(chromedp.Evaluate[chromedp.Void](`document.getElementById("last").click()`))
	p.until("the last step", fmt.Sprintf(`document.getElementById("label").textContent.startsWith("step %d")`, strings.Count(steps, "\n")+1))
	p.fits("the report")
	p.both("report")
}

// TestShares shares a plan with a certificate, a proof that there is no plan, and a run: their pages say what those of the command line say, without a network,
// and the files in them pass the checks that they name.
func TestShares(t *testing.T) {
	address, b, other := serve(t), browser(t), offline(t)
	p := open(t, b, desktop, address)
	p.until("the problem", button("Plan")+` && !`+button("Plan")+`.disabled`)
	p.captureDownloads()
	p.set("Write a certificate", "1")
	p.set("Seed", "3")
	p.press("Plan")
	p.says("the certificate was checked")
	page := open(t, other, phone, "file://"+p.shared())
	for _, text := range []string{"Valid in the model, and proven optimal there. Holds in the simulator, with reward -4.", "fdplan validate navigation/3x3 answer.json", "unzip certificate.zip\nfdplan certify certificate\n", "The checker accepted the proof in certificate."} {
		page.until(text, fmt.Sprintf("document.body.innerText.includes(%q)", text))
	}
	page.until("the settings", `[...document.querySelectorAll("tr")].some((r) => r.innerText.replace(/\s+/g, " ").trim() === "seed 3") && document.body.innerText.includes("--seed=3")`)
	if n := eval[int](page, `performance.getEntriesByType("resource").length`); n != 0 {
		t.Errorf("the page has loaded %d files", n)
	}
	page.fits("the shared page")
	page.both("shared")
	dir := t.TempDir()
	for _, name := range []string{"answer.json", "certificate.zip"} {
		data, err := base64.StdEncoding.DecodeString(eval[string](page, fmt.Sprintf(`document.querySelector("a[download='%s']").href.split(",")[1]`, name)))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := exec.Command("python3", "-m", "zipfile", "-e", filepath.Join(dir, "certificate.zip"), dir).Run(); err != nil {
		t.Fatal(err)
	}
	for _, check := range [][]string{{"validate", "navigation/3x3", "answer.json"}, {"certify", "certificate"}} {
		run := exec.Command(program, check...)
		run.Dir = dir
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", check, err, out)
		}
	}

	p.set("Write a certificate", "")
	p.set("Steps", "3")
	p.press("Plan")
	p.says("these cannot hold together")
	page = open(t, other, phone, "file://"+p.shared())
	page.until("the verdict", `document.body.innerText.includes("Proven: no plan exists in the learned model.") && document.body.innerText.includes("--horizon=3")`)
	p.run(chromedp.Evaluate[chromedp.Void](`location.hash = "#run?problem=cellda%2Fy"`)) // downloads are captured, and so are links
	p.until("the view", `document.querySelector("#view-run:not([hidden])")`)
	p.press("Run")
	p.says("The goal was reached.")
	page = open(t, other, desktop, "file://"+p.shared())
	page.until("the run", `document.body.innerText.includes("the goal holds after") && document.body.innerText.includes("fdplan run cellda/y")`)
	page.both("shared-run")
}
