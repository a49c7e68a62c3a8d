package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// at presses Tab until a control has the focus, and Enter there.
func (p *tab) at(name string) {
	p.Helper()
	p.tabTo(name)
	p.keys(kb.Enter)
}

// spoken waits until screen readers have heard a text.
func (p *tab) spoken(text string) {
	p.Helper()
	p.until(fmt.Sprintf("the spoken %q", text), fmt.Sprintf(`window.heard.some((t) => t.includes(%q))`, text))
}

// listens notes what the live region says, and when the focus is lost.
func (p *tab) listens() {
	p.Helper()
	p.run(chromedp.Evaluate[chromedp.Void](`(() => {
		const place = document.getElementById("say");
		window.heard = [];
		new MutationObserver(() => window.heard.push(place.textContent)).observe(place, { childList: true, characterData: true, subtree: true });
	})()`))
}

// keeps checks that something has the focus.
func (p *tab) keeps(what string) {
	p.Helper()
	// A control that is hidden loses the focus with the next frame.
	p.run(chromedp.Evaluate[chromedp.Void](`(() => { window.drawn = false; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { window.drawn = true; }, 20))); })()`))
	p.until("a frame", "window.drawn")
	if eval[bool](p, `document.activeElement === document.body || document.activeElement === null`) {
		p.Errorf("%s: the focus is lost", what)
	}
}

// TestKeyboardLearn goes from a log to a page to share by the keyboard alone.
func TestKeyboardLearn(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem"))
	p.listens()
	p.at("Learn")
	p.tabTo("Open a log")
	p.files("Open a log", kilnLog(t, 2000)) // what the system's dialog does
	p.spoken("kiln.csv was read: 5 columns.")
	p.tabTo("Goal")
	p.keys("heat == 5")
	p.at("Make a problem of it")
	p.spoken("The problem kiln was made.")
	p.until("the focus on the next step", `document.activeElement.textContent === "Train"`)
	p.keys(kb.Enter)
	p.spoken("Training: Done. Rows held out: ")
	p.says("Predicted and logged")
	p.keeps("training")
	p.tabTo("Length of the plan")
	p.keys("1..9")
	p.at("Plan")
	p.spoken("Planning: Done. Valid and proven optimal")
	p.keeps("planning")
	p.captureDownloads()
	p.at("Share as one page (html)")
	p.until("the page", `window.got?.startsWith("plan.html: ")`)
	p.keeps("sharing")
}

// TestKeyboardEdit changes a problem, asks why not, compares and runs by the keyboard alone.
func TestKeyboardEdit(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem")+`?.value === "navigation/3x3" && !`+button("Plan")+`.disabled`)
	p.listens()
	p.at("Edit the problem")
	p.at("Edit a copy of this problem")
	p.until("the focus in the task", `document.activeElement === `+field("task.toml"))
	p.combined(kb.Home)
	p.keys(kb.ArrowDown + kb.End + kb.ArrowLeft)
	p.keys(" | robot-at(x9,y20)")
	p.until("the goal", field("task.toml")+`.value.includes('goal = "robot-at(x14,y12) | robot-at(x9,y20)"')`)
	p.spoken("Planning: Done. Valid and proven optimal")
	p.until("both answers", `document.querySelectorAll("#view-plan .beside thead button").length === 2`)
	if at := eval[bool](p, `document.activeElement === `+field("task.toml")); !at {
		t.Error("planning has taken the focus from the editor")
	}
	p.keys(kb.Tab)
	p.at("Why these steps?")
	p.says("Go to a step: ")
	p.keeps("the reasons")
	p.tabTo("Why not …")
	p.keys("~move-east")
	p.at("Ask in What if")
	p.until("the focus in What if", `document.activeElement === document.querySelector("#view-whatif h1")`)
	p.until("the rule", `document.querySelector("#view-whatif [role=combobox][aria-label='Rule 1']")?.value === "~move-east" && !`+button("Compare")+`.disabled`)
	p.at("Compare")
	p.spoken("The reasons are below.")
	p.keeps("the comparison")
	p.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#skip").focus()`))
	p.at("Run")
	p.until("the problem", field("Problem")+`?.value && `+button("Run")+` && !`+button("Run")+`.disabled`)
	p.at("Run")
	p.spoken("The goal was reached. Every state was as planned.")
	p.keeps("the run")
}

// TestKeyboardStop stops a run, which hides the button that has the focus.
func TestKeyboardStop(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem"))
	p.listens()
	p.files("Open files of a problem", packing(t))
	p.until("the problem", field("Problem")+`.value.includes("pack") && !`+button("Plan")+`.disabled`)
	p.set("Engine", "maxsat")
	p.run(chromedp.Evaluate[chromedp.Void](button("Plan") + `.focus()`))
	p.keys(kb.Enter)
	p.says("Running")
	p.at("Stop")
	p.spoken("Planning: Stopped.")
	p.keeps("stopping")
	if at := eval[bool](p, `document.activeElement.closest("section[aria-label=Planning]") !== null`); !at {
		t.Error("after Stop the focus is elsewhere")
	}
}
