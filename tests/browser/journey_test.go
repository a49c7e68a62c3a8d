package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// devices runs a journey on a desktop with light and a phone with dark colours.
func devices(t *testing.T, journey func(t *testing.T, d device)) {
	for _, d := range []device{desktop, phone} {
		d.paired = true
		t.Run(d.name, func(t *testing.T) { journey(t, d) })
	}
}

// keys presses keys as a person at the keyboard does.
func (p *tab) keys(text string) {
	p.Helper()
	p.run(chromedp.KeyEvent(text))
}

// rule writes a rule into the field with a label, as a user types it.
func (p *tab) rule(label, text string) {
	p.Helper()
	box := fmt.Sprintf(`[...document.querySelectorAll("main > div:not([hidden]) [role=combobox]")].filter((c) => c.getAttribute("aria-label") === %q)[0]`, label)
	p.until("the field "+label, box)
	p.run(chromedp.Evaluate[chromedp.Void](box + ".focus()"))
	p.keys(text)
}

// files gives files to the control with a name.
func (p *tab) files(name string, files ...string) {
	p.Helper()
	p.run(chromedp.SetUploadFiles(chromedp.CSS(fmt.Sprintf("main > div:not([hidden]) input[type=file][aria-label=%q]", name)), files))
}

// TestPlanJourney plans in a maze: a click on the start, a rule with completion and an error
// in place, the plan step by step, a reload.
func TestPlanJourney(t *testing.T) {
	address, b := serve(t), browser(t)
	devices(t, func(t *testing.T, d device) {
		p := open(t, b, d, address)
		p.set("Problem", "navigation/5x5")
		p.until("the picture", `document.querySelectorAll("#view-plan .choice").length === 19`)
		p.fits("the start")
		p.both("plan-start")
		p.set("Steps", "0")
		p.press("Plan")
		p.says("“0” is not a number of steps. Write 8, or 4..8 for a range.")
		p.set("Steps", "8..10")

		p.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#view-plan .choice[aria-label='Start in cell (x9,y6)']").dispatchEvent(new MouseEvent("click", {bubbles: true}))`))
		p.until("the new start", `document.querySelector("#view-plan .stage title").textContent.includes("robot at (x9,y6)")`)
		p.until("the start in the address", `new URLSearchParams(location.hash.split("?")[1]).getAll("set").includes("robot-at(x9,y6)=true")`)

		p.press("Change the question")
		p.press("Add a rule")
		p.rule("Rule 1", "~move-we")
		p.until("completions", `document.querySelector("#view-plan .options:not([hidden])")?.innerText.includes("move-west")`)
		p.shot("plan-completion")
		p.keys(kb.ArrowDown + kb.Tab) // a key of chromedp types its character even where the page has handled it: Enter would plan
		p.until("the completed rule", `document.querySelector("#view-plan [role=combobox][aria-label='Rule 1']").value === "~move-west"`)
		p.keys(" ^ levle")
		p.says("there is no variable levle")
		p.shot("plan-error")
		p.keys(strings.Repeat(kb.Backspace, 8))
		p.press("Plan")
		p.says("there is no plan of this length: proven")
		p.press("Remove rule 1")
		p.press("Plan")
		p.says("is better: proven by")
		p.until("the verdict in view", `(() => { const b = document.querySelector("#view-plan .verdict").getBoundingClientRect(); return b.top >= 0 && b.top < innerHeight; })()`)
		p.says("In the simulator the plan holds")
		p.says("The training data show every step")
		p.until("the steps", `document.querySelectorAll("#view-plan [role=option]").length === 9`)
		p.fits("the plan")
		p.both("plan")

		p.press("One step on (right arrow)")
		p.keys(kb.ArrowRight)
		p.says("Step 2 of 8")
		p.keys(kb.End)
		p.says("Step 8 of 8")
		p.until("the goal", `document.querySelector("#view-plan section .stage title").textContent.includes("the goal")`)
		p.press("All values by step")
		p.until("all values", `document.querySelector("#view-plan .grid .cell.true")`)
		p.fits("all values")
		p.shot("plan-values")
		p.run(chromedp.Reload())
		p.says("Step 8 of 8")
		if got := eval[string](p, field("Steps")+".value"); got != "8..10" {
			t.Errorf("after a reload the steps are %q", got)
		}
	})
}

// TestWhatIfJourney compares plans with and without a rule: once it costs moves, once there
// is no plan.
func TestWhatIfJourney(t *testing.T) {
	address, b := serve(t), browser(t)
	devices(t, func(t *testing.T, d device) {
		p := open(t, b, d, address)
		p.view("whatif")
		p.set("Problem", "navigation/5x5")
		p.press("Compare")
		p.says("Write a rule here")
		p.set("Steps", "12")
		p.rule("Rule 1", "~(robot-at(x6,y12) | robot-at(x6,y15))")
		p.press("Compare")
		p.says("The change costs 2: the best reward goes from -8 to -10.")
		p.says("The plan as it is breaks the change at step ")
		p.until("two pictures", `[...document.querySelectorAll("#view-whatif .stage svg")].length === 2`)
		p.until("the reasons", `document.querySelectorAll("#view-whatif section[aria-label=Why] details ol > li[value]").length === 12`)
		p.fits("What if")
		p.both("whatif")
		p.run(chromedp.Reload())
		p.says("The change costs 2")
		p.set("Steps", "8")
		p.press("Compare")
		p.says("With the change there is no plan of this length.")
		p.until("the reasons", `document.querySelector("#view-whatif section[aria-label=Why]").innerText.length > 100`)
		p.fits("What if without a plan")
		p.shot("whatif-none")
	})
}

// logFile writes the log of the lift.
func logFile(t testing.TB) string {
	t.Helper()
	out, err := exec.Command(elevator, "-log", "2000").Output()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "lift.csv")
	if err := os.WriteFile(name, out, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestLearnJourney makes a problem of a log, trains a network, looks at its structure and
// errors, and plans with it.
func TestLearnJourney(t *testing.T) {
	address, b := serve(t), browser(t)
	log := logFile(t)
	devices(t, func(t *testing.T, d device) {
		p := open(t, b, d, address)
		p.view("learn")
		p.files("Open a log", log)
		p.says("lift.csv: 2,000 rows")
		p.until("the histograms", `document.querySelectorAll("#view-learn .log-column .chart").length > 5`)
		p.fits("the columns")
		p.both("learn-columns")
		p.set("Goal", "floor == 0 ^ lod_kg < 200")
		p.set("Use of command", "state")
		p.press("Make a problem of it")
		p.says("No column is an action.")
		p.set("Use of command", "action")
		p.press("Make a problem of it")
		p.says("lod_kg")
		p.refusals()
		p.set("Goal", "floor == 0 ^ load_kg < 200")
		p.set("Reward of a step", "-(command ~= @wait)")
		p.press("Make a problem of it")
		p.until("the problem", `!document.querySelector("#view-learn form[aria-label=Training] button").disabled`)
		p.says("no network yet")
		p.press("Train")
		p.until("the structure", `document.querySelectorAll("#view-learn .structure .edge").length > 10`)
		p.until("the new network", `!document.querySelector("main > div:not([hidden])").innerText.includes("no network yet")`)
		p.says("Rows held out: ")
		p.says("have a wrong next state")
		p.until("that no row is wrong", `[...document.querySelectorAll("#view-learn .note.good")].some((n) => n.innerText.startsWith("Rows held out: "))`)
		p.says("Errors on the data")
		p.says("Contradictory rows")
		p.refusals() // a problem without RDDL has no legal rows to list
		p.fits("the network")
		p.both("learn")
		p.set("Epochs", "7")
		p.until("the note on what was trained", otherSettings)
		p.press("Back to its settings")
		p.until("no note", "!"+otherSettings+` && `+field("Epochs")+`.value === ""`)
		p.run(chromedp.Reload())
		p.until("the structure", `document.querySelectorAll("#view-learn .structure .edge").length > 10`)
		if text := p.shown(); strings.Contains(text, "no network yet") {
			t.Errorf("after training the page says that there is no network yet:\n%s", text)
		}
		before := len(p.jobs())
		p.press("Plan with it")
		p.until("the variables", `document.querySelectorAll("#view-plan .value").length > 3`)
		p.until("the bin of the load at the start", field("load_kg")+`?.selectedOptions[0]?.text === "0–200 kg"`)
		p.says("This problem has no length of its own. Write a number of steps.")
		p.press("Plan")
		p.says("This problem has no length of its own. Write a number of steps.")
		if n := len(p.jobs()); n != before {
			t.Errorf("a question without a length has made %d jobs", n-before)
		}
		p.set("Steps", "20")
		p.press("Plan")
		p.says("The plan was not tried in a simulator.")
		p.fits("the plan of the lift")
		p.shot("learn-plan")
	})
}

// TestRunJourney acts in the simulator of a problem, finds a plan by Algorithm 1, and learns by acting.
func TestRunJourney(t *testing.T) {
	address, b := serve(t), browser(t)
	devices(t, func(t *testing.T, d device) {
		p := open(t, b, d, address)
		p.view("run")
		p.set("Problem", "cellda/y")
		p.set("Plan again after steps", "none")
		p.press("Run")
		p.says("“none” is not a number of steps")
		p.set("Plan again after steps", "2")
		p.until("the problem", `document.querySelectorAll("#view-run .value").length > 3`)
		p.press("Run")
		p.says("The goal was reached.")
		p.says("Every state was as planned.")
		p.until("the plans", `document.querySelectorAll("#view-run section[aria-label='The run'] .table tbody tr").length === 4`)
		p.fits("the run")
		p.both("run")
		p.set("How", "incremental")
		p.press("Run")
		p.says("In the simulator the plan holds")
		p.fits("the plan that holds")
		p.shot("run-incremental")
		p.set("Problem", "navigation/3x3")
		p.set("How", "learn")
		p.set("Steps to take at most", "none")
		p.press("Run")
		p.says("“none” is not a number of steps")
		p.set("Steps to take at most", "")
		p.set("Resets", "no")
		p.set("Until", "model")
		p.press("Run")
		p.says("No plan is better, if")
		p.until("the drawing of plan and bound", `[...document.querySelectorAll("#view-run .report img")].some((i) => i.offsetParent && i.naturalWidth > 100)`)
		p.fits("what was learned")
		p.both("run-learn")
	})
}

// TestResultsJourney starts a small bench and follows it.
func TestResultsJourney(t *testing.T) {
	address, b := serve(t), browser(t)
	devices(t, func(t *testing.T, d device) {
		p := open(t, b, d, address)
		p.view("results")
		p.set("Engines", "search")
		p.set("Tables", "figure1")
		p.press("Start the bench")
		p.until("the bench", `document.querySelector("#view-results section[aria-label=Benches] td")`)
		p.until("the end of the bench", `document.querySelector("#view-results section[aria-label=Bench] .state")?.textContent === "Done"`)
		p.until("the end of all jobs", `[...document.querySelectorAll("#view-results section[aria-label=Jobs] .badge")].every((b) => b.textContent === "done")`)
		p.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#view-results section[aria-label=Benches] th a").click()`))
		p.until("the journal", `document.querySelectorAll("#view-results section[aria-label='Journal and report'] .item").length > 0`)
		p.until("the report", `document.querySelectorAll("#view-results .report summary").length > 5`)
		p.press("The example")
		p.until("the figure of the report", `[...document.querySelectorAll("#view-results .report img")].some((i) => i.offsetParent && i.naturalWidth > 100)`)
		p.fits("the results")
		p.both("results")
	})
}

// TestPolicyJourney finds a policy for machines that fail at random, and plays runs of it.
func TestPolicyJourney(t *testing.T) {
	address, b := serve(t), browser(t)
	rddl, err := filepath.Abs("../../examples/machines/machines.rddl")
	if err != nil {
		t.Fatal(err)
	}
	devices(t, func(t *testing.T, d device) {
		p := open(t, b, d, address)
		p.files("Open files of a problem", rddl)
		p.until("the problem", field("Problem")+`.value.includes("machines") && !`+button("Plan")+`.disabled`)
		p.set("Steps", "6")
		p.press("Engine, limits and model")
		p.set("A policy, for all outcomes", "1")
		p.press("Plan")
		p.says("Optimal, expected reward 25.4")
		p.until("the graph", `document.querySelectorAll("#view-plan section .stage [data-thing=state]").length > 6`)
		p.until("the steps", `document.querySelectorAll("#view-plan [role=option]").length === 7`)
		p.fits("the policy")
		p.both("policy")
		p.press("One step on (right arrow)")
		p.says("Step 1 of 6")
		p.says("expected reward from here")
		p.press("Draw a run")
		p.says("Draw another run (seed 1)")
		p.press("Draw another run (seed 1)")
		p.says("Draw another run (seed 2)")
		p.press("Most likely run")
		p.says("Draw a run")
		p.run(chromedp.Reload())
		p.says("Optimal, expected reward 25.4")
	})
}
