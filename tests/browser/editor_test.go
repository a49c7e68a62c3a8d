package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// caret puts the caret of a file in the workbench behind a text, and types.
func (p *tab) caret(file, behind, typed string) {
	p.Helper()
	p.until(fmt.Sprintf("%q in %s", behind, file), field(file)+fmt.Sprintf("?.value.includes(%q)", behind))
	p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const c = %s, at = c.value.indexOf(%q) + %d; c.focus(); c.setSelectionRange(at, at); })()`, field(file), behind, len(behind))))
	p.keys(typed)
}

// offered waits until the list of completions has a text with a detail, first or at least somewhere.
func (p *tab) offered(text, detail string) {
	p.Helper()
	p.until(fmt.Sprintf("the completion %s, %s", text, detail), fmt.Sprintf(`(() => {
		const box = document.activeElement, list = document.getElementById(box.getAttribute("aria-controls"));
		return box.getAttribute("role") === "combobox" && box.getAttribute("aria-expanded") === "true" && list.getAttribute("role") === "listbox" && !list.hidden &&
			[...list.children].some((o) => o.getAttribute("role") === "option" && o.children[0].textContent === %q && o.children[1].textContent === %q);
	})()`, text, detail))
}

// TestCompletion completes names and words in the files of a problem by the keyboard, in RDDL, a task and PDDL, and marks the line of an error.
func TestCompletion(t *testing.T) {
	p := open(t, browser(t), phone, serve(t))
	p.until("the form", field("Problem")+`?.value === "navigation/3x3"`)
	p.press("Edit the problem")
	p.press("Edit a copy of this problem")
	p.caret("task.toml", `goal = "robot-at(x14,y12)`, " ^ ~rob")
	p.offered("robot-at", "state fluent of xpos, ypos, bool")
	p.keys(kb.ArrowDown)
	p.until("the choice that a screen reader hears", `document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.getAttribute("aria-selected") === "true"`)
	p.accessible("completions")
	p.shot("completion")
	p.keys(kb.Escape)
	p.until("a text box", `document.activeElement.getAttribute("role") === null && document.querySelectorAll("#view-plan .options:not([hidden])").length === 0`)
	p.keys("o")
	p.offered("robot-at", "state fluent of xpos, ypos, bool")
	p.keys(kb.ArrowDown + kb.Tab)
	p.until("the name", field("task.toml")+`.value.includes('^ ~robot-at"')`)
	p.keys("(x1")
	p.offered("x14", "object of xpos")
	p.keys(kb.ArrowDown + kb.Tab)
	p.keys(",y20)")
	p.until("the goal", field("task.toml")+`.value.includes('goal = "robot-at(x14,y12) ^ ~robot-at(x14,y20)"')`)
	p.caret("task.toml", `horizon = `, "")
	p.keys(kb.End + kb.Enter + "rew")
	p.offered("reward", "sum for each step")
	p.keys(kb.Escape + strings.Repeat(kb.Backspace, 4))
	p.caret("domain.rddl", "reward = ", "mo")
	p.offered("move-south", "action fluent, bool")
	p.keys(kb.Backspace + kb.Backspace + "exis")
	p.offered("exists_", "quantifier")
	p.keys(kb.ArrowDown + kb.Tab)
	p.until("the line with the error", `(() => {
		const box = `+field("domain.rddl")+`, mark = box.parentElement.querySelector(".wrong"), row = box.value.slice(0, box.value.indexOf("exists_-")).split("\n").length;
		if (mark.hidden || box.getAttribute("aria-invalid") !== "true") return false;
		return Math.abs(mark.getBoundingClientRect().top - box.getBoundingClientRect().top - 6 - (row - 1) * 20 + box.scrollTop) < 2 &&
			document.getElementById(box.getAttribute("aria-describedby")).textContent.startsWith(row + ": ");
	})()`)
	p.refusals()
	p.both("editor-error")
	p.run(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("#view-plan .error button")].find((b) => b.textContent.startsWith("Go to line")).focus()`))
	p.keys(kb.Enter)
	p.until("the word in the editor", `document.activeElement === `+field("domain.rddl")+` && document.activeElement.selectionEnd > document.activeElement.selectionStart`)
	p.keys(kb.Tab)
	if name, _ := p.focused(); name == "body" || name == "domain.rddl" {
		t.Errorf("Tab leads from the editor to %q", name)
	}
}

// TestCompletionPDDL completes in PDDL.
func TestCompletionPDDL(t *testing.T) {
	var files []string
	for _, name := range []string{"blocks.pddl", "tower.pddl"} {
		file, err := filepath.Abs(filepath.Join("../../examples/pddl", name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem"))
	p.files("Open files of a problem", files...)
	p.until("the problem", field("Problem")+`.value !== "navigation/3x3" && !`+button("Plan")+`.disabled`)
	p.press("Edit the problem")
	p.press("Edit a copy of this problem")
	p.until("both files", field("blocks.pddl")+` && `+field("tower.pddl"))
	p.says("is better: proven by")
	p.caret("tower.pddl", "(:goal ", "(an")
	p.offered("and", "condition")
	p.keys(kb.Escape)
	p.keys("d (o")
	p.offered("on", "predicate of ?x ?y")
	p.until("the line with the error", field("tower.pddl")+`.getAttribute("aria-invalid") === "true" && !`+field("tower.pddl")+`.parentElement.querySelector(".wrong").hidden`)
	p.refusals()
}

// TestCompletionFields completes, and marks errors, in the fields of the goal, the reward and the rules.
func TestCompletionFields(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem")+`?.value === "navigation/3x3"`)
	p.press("Change the question")
	p.press("Add a rule")
	for label, c := range map[string][3]string{"Goal": {"robot-at(x9,y2", "robot-at(x9,y20)", "state"}, "Reward": {"-2*move-e", "move-east", "action"}, "Rule 1": {"~move-w", "move-west", "action"}} {
		box := field(label)
		if label == "Rule 1" {
			box = `[...document.querySelectorAll("[role=combobox]")].find((b) => b.getAttribute("aria-label") === "Rule 1")`
		}
		p.run(chromedp.Evaluate[chromedp.Void](box + `.focus()`))
		p.keys(c[0])
		p.offered(c[1], c[2])
		p.keys(kb.ArrowDown + kb.Tab)
		p.until("the completed "+label, box+`.value.endsWith(`+fmt.Sprintf("%q", c[1])+`)`)
		p.keys(" nonsense")
		p.until("the error of "+label, box+`.getAttribute("aria-invalid") === "true" && [...`+box+`.closest(".rule").querySelectorAll(".error mark")].some((m) => m.textContent === "nonsense")`)
	}
	p.accessible("errors of expressions")
}

// TestNarrowedCompletions chooses from a list at once after the text went on, before there is a new list: all that was typed is replaced.
func TestNarrowedCompletions(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem")+`?.value === "navigation/3x3"`)
	p.press("Change the question")
	box := field("Goal")
	for _, c := range []struct{ typed, more, want string }{{"robot-at(x", "9,y2", "robot-at(x9,y20)"}, {" ^ robot-at(x", "7", "robot-at(x9,y20) ^ robot-at(x7"}} {
		p.run(chromedp.Evaluate[chromedp.Void](box + `.focus()`))
		p.keys(c.typed)
		p.offered("robot-at(x9,y20)", "state")
		p.run(chromedp.Evaluate[chromedp.Void](`{
			const b = ` + box + `, n = b.value.length;
			b.setRangeText(` + fmt.Sprintf("%q", c.more) + `, n, n, "end");
			b.dispatchEvent(new InputEvent("input", { bubbles: true }));
			for (const key of ["ArrowDown", "Tab"]) b.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
		}`))
		p.until("the text "+c.want, box+`.value === `+fmt.Sprintf("%q", c.want))
	}
}

// combined presses a key with the control key.
func (p *tab) combined(key string) {
	p.Helper()
	p.run(chromedp.KeyEvent(key, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

// TestHelp opens an example from the help by the keyboard.
func TestHelp(t *testing.T) {
	address, b := serve(t), browser(t)
	devices(t, func(t *testing.T, d device) {
		p := open(t, b, d, address)
		p.until("the problem", `document.querySelector("#view-plan details.card > p")?.textContent.startsWith("Navigation: ")`)
		p.view("help")
		p.fits("the help")
		p.names("the help")
		p.both("help")
		p.at("What does a closed passage cost?")
		p.until("the example", `document.activeElement === document.querySelector("#view-whatif h1") && !`+button("Compare")+`.disabled`)
		p.press("Compare")
		p.says("The change costs 2")
	})
}
