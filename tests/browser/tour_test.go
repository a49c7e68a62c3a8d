package browser

import (
	"fmt"
	"math/rand/v2"
	"os"
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
func kilnLog(t *testing.T, rows int) string {
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
	p.press("Share as one page (html)")
	p.until("the report", `window.got?.startsWith("plan.html: ")`)
	report := filepath.Join(t.TempDir(), "plan.html")
	if err := os.WriteFile(report, []byte(strings.TrimPrefix(eval[string](p, "window.got"), "plan.html: ")), 0o644); err != nil {
		t.Fatal(err)
	}
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

// showReport opens a report in a browser of its own that has no network.
func showReport(t *testing.T, file, steps string) {
	t.Helper()
	// Whatever is not a file has to go through a proxy that does not exist.
	offline := browser(t, chromedp.ProxyServer("127.0.0.1:1"), chromedp.Flag("proxy-bypass-list", "<-loopback>"))
	p := open(t, offline, desktop, "file://"+file)
	p.until("the goal in the report", `document.body.innerText.includes("--goal")`)
	p.until("the steps", `document.querySelectorAll("#steps a").length === `+fmt.Sprint(strings.Count(steps, "\n")+2))
	p.run(chromedp.Evaluate[chromedp.Void](`document.getElementById("last").click()`))
	p.until("the last step", fmt.Sprintf(`document.getElementById("label").textContent.startsWith("step %d")`, strings.Count(steps, "\n")+1))
	p.fits("the report")
	p.both("report")
}
