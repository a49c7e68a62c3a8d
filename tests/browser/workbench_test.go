package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// edit replaces a part of a file in the workbench, as somebody who types.
func (p *tab) edit(file, from, to string) {
	p.Helper()
	p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const c = %s; c.focus(); c.value = c.value.replace(%q, %q); c.dispatchEvent(new Event("input", {bubbles: true})); })()`, field(file), from, to)))
}

// TestWorkbench edits a problem: what is right is planned at once, what is wrong is shown at its place, the last
// answers stand side by side, and changes can be undone.
func TestWorkbench(t *testing.T) {
	p := open(t, browser(t), phone, serve(t))
	p.until("the form", field("Problem")+`?.value === "navigation/3x3"`)
	p.press("Edit the problem")
	p.press("Edit a copy of this problem")
	p.until("the task", field("task.toml")+`?.value.includes('goal = "robot-at(x14,y12)"')`)
	p.until("a plan", picturedGoal("x14,y12"))
	p.edit("task.toml", "goal = \"robot-at(x14,y12)\"", "goal = \"robot-at(x9,y20)\"")
	p.until("a plan for the goal that was written", picturedGoal("x9,y20"))
	p.until("both answers", `document.querySelectorAll("#view-plan .beside thead button").length === 2`)
	if at := eval[string](p, `document.activeElement.tagName`); at != "TEXTAREA" {
		t.Errorf("planning has moved the focus to %s", at)
	}
	p.edit("domain.rddl", "reward", "rewrad")
	p.until("the error at its place", field("domain.rddl")+`.getAttribute("aria-invalid") === "true" && [...document.querySelectorAll("#view-plan .error mark")].some((m) => m.textContent === "rewrad")`)
	p.refusals()
	p.fits("the workbench")
	p.names("the workbench")
	p.both("workbench")
	p.press("Undo the last change")
	p.until("no error", field("domain.rddl")+`.getAttribute("aria-invalid") === null && `+field("task.toml")+`.value.includes('goal = "robot-at(x9,y20)"')`)
	p.press("Undo the last change")
	p.until("the first plan again", field("task.toml")+`.value.includes('goal = "robot-at(x14,y12)"') && `+picturedGoal("x14,y12"))
	p.captureDownloads()
	p.press("Save its task folder (zip)")
	p.until("the folder", `window.got?.startsWith("navigation-3x3-edit.zip: PK")`)
	p.press("Show answer 2")
	p.until("the answer with its files", parameter("job")+` === "2" && `+field("task.toml")+`.value.includes('goal = "robot-at(x9,y20)"') && `+picturedGoal("x9,y20"))
}

// TestWhyNot asks why a step is as it is, and why another thing is not done.
func TestWhyNot(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem")+`?.value === "navigation/3x3"`)
	p.press("Plan")
	p.press("Why these steps?")
	p.says("Go to a step: ")
	p.press("One step on (right arrow)")
	p.until("what else could be done", `/ instead: |without /.test(document.querySelector("#view-plan section[aria-label='The plan']").innerText)`)
	p.names("the reasons of a step")
	p.write("Why not …", "~move-west")
	p.shot("why-step")
	p.press("Ask in What if")
	p.until("the rule in What if", `document.querySelector("#view-whatif [role=combobox][aria-label='Rule 1']")?.value === "~move-west"`)
	p.press("Compare")
	p.says("The plan as it is ")
}
