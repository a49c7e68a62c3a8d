package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// jobs lists the kinds and statuses of the server's jobs, the newest first.
func (p *tab) jobs() []string {
	p.Helper()
	p.run(chromedp.Evaluate[chromedp.Void](`(() => { window.listed = null; fetch("/api/v1/jobs", { headers: { "Fdplan-Key": localStorage.getItem("fdplan-key") } }).then((a) => a.json()).then((d) => { window.listed = d.jobs.map((j) => j.kind + " " + j.status).join("\n"); }); })()`))
	p.until("the list of jobs", `window.listed !== null`)
	if text := eval[string](p, "window.listed"); text != "" {
		return strings.Split(text, "\n")
	}
	return nil
}

// running counts the jobs that have not ended.
func (p *tab) running() (n int) {
	p.Helper()
	for _, j := range p.jobs() {
		if strings.HasSuffix(j, " running") || strings.HasSuffix(j, " queued") {
			n++
		}
	}
	return n
}

// parameter is the JavaScript of a parameter in the address of the view.
func parameter(name string) string {
	return fmt.Sprintf(`new URLSearchParams(location.hash.split("?")[1]).get(%q)`, name)
}

// otherSettings is the JavaScript that finds the note that an answer is one to other settings.
const otherSettings = `[...document.querySelectorAll("main > div:not([hidden]) .note")].some((n) => !n.hidden && n.innerText.includes("This answers other settings"))`

// colour is the JavaScript of the verdict's border.
const colour = `getComputedStyle(document.querySelector("main > div:not([hidden]) .verdict")).borderLeftColor`

// TestOtherSettings changes settings after a plan: its verdict no longer looks like one of the
// form, the address joins the job and its own settings alone, and there is a way back.
func TestOtherSettings(t *testing.T) {
	address, b := serve(t), browser(t)
	p := open(t, b, desktop, address)
	choose := func(cell string) {
		p.until("the cell "+cell, fmt.Sprintf(`document.querySelector("#view-plan .choice[aria-label='Start in cell (%s)']")`, cell))
		p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("#view-plan .choice[aria-label='Start in cell (%s)']").dispatchEvent(new MouseEvent("click", {bubbles: true}))`, cell)))
	}
	p.until("the picture", `document.querySelectorAll("#view-plan .choice").length === 7`)
	p.set("Steps", "5")
	p.press("Plan")
	p.says("is better: proven by")
	good := eval[string](p, colour)
	p.until("the job in the address", parameter("job")+` === "1"`)
	own := eval[string](p, "location.hash")

	p.press("The start")
	choose("x9,y12")
	p.until("the note", otherSettings)
	p.until("an address without the job", parameter("job")+" === null && "+parameter("set")+" !== null")
	if got := eval[string](p, colour); got == good {
		t.Error("the verdict on other settings looks like one on these")
	}
	p.fits("an answer to other settings")
	p.both("plan-other-settings")
	link := eval[string](p, "location.href")
	p.press("Back to its settings")
	p.until("no note", "!"+otherSettings)
	p.until("the own address", fmt.Sprintf("location.hash === %q", own))
	if got := eval[string](p, colour); got != good {
		t.Errorf("with its own settings the verdict is %s, not %s", got, good)
	}
	for _, change := range [][2]string{{"Engine", "pb"}, {"Seed", "3"}, {"Steps", "6"}, {"Model", "rddl"}} {
		before := eval[string](p, field(change[0])+".value")
		p.set(change[0], change[1])
		p.until("the note after a change of "+change[0], otherSettings)
		p.set(change[0], before)
		p.until("no note with the old "+change[0], "!"+otherSettings)
	}
	choose("x9,y12")
	p.until("the note", otherSettings)
	p.press("Plan")
	p.until("the new job", parameter("job")+` === "2" && !`+otherSettings)
	p.says("is better: proven by")

	other := open(t, b, desktop, link)
	other.until("the start of the link", `document.querySelector("#view-plan .stage title")?.textContent.includes("robot at (x9,y12)")`)
	if text := other.shown(); strings.Contains(text, "proven") {
		t.Errorf("a link to settings shows the answer to others:\n%s", text)
	}
	joined := open(t, b, desktop, strings.Replace(link, "#plan?", "#plan?job=1&", 1))
	joined.until("the note", otherSettings)
	joined.press("Back to its settings")
	joined.until("the settings of the job", fmt.Sprintf("location.hash === %q", own))
	if n := len(p.jobs()); n != 2 {
		t.Errorf("there are %d jobs", n)
	}
}

// TestOneJob presses Plan again and again while a job runs: one job runs, that of the question
// asked last.
func TestOneJob(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem"))
	p.files("Open files of a problem", packing(t))
	p.until("the problem", field("Problem")+`.value.includes("pack") && !`+button("Plan")+`.disabled`)
	p.set("Engine", "maxsat")
	for range 3 {
		p.press("Plan")
	}
	p.says("Running")
	if all := p.jobs(); len(all) != 1 {
		t.Errorf("one question has made the jobs %v", all)
	}
	p.set("Engine", "pb")
	p.until("the note", otherSettings)
	p.press("Plan")
	p.until("the second job", parameter("job")+` === "2" && !`+otherSettings)
	p.says("Running")
	for deadline := time.Now().Add(patience); p.running() != 1; time.Sleep(50 * time.Millisecond) {
		if all := p.jobs(); len(all) > 2 || time.Now().After(deadline) {
			t.Fatalf("the jobs are %v", all)
		}
	}
	p.press("Stop")
	p.says("Stopped")
	if all := p.jobs(); len(all) != 2 || p.running() != 0 {
		t.Errorf("after Stop the jobs are %v", all)
	}
}

// TestWaiting asks a second question while a job runs: it begins when that has ended, and both answers stay.
func TestWaiting(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem"))
	p.files("Open files of a problem", packing(t))
	p.until("the problem", field("Problem")+`.value.includes("pack") && !`+button("Plan")+`.disabled`)
	p.set("Engine", "maxsat")
	p.press("Plan")
	p.says("Running")
	p.set("Engine", "search")
	p.set("Time limit", "2s")
	p.says("“Plan” stops the run and answers these.")
	p.press("Ask this when it has ended")
	p.says("A question waits for the end of the run.")
	if all := p.jobs(); len(all) != 1 {
		t.Errorf("a question that waits has made the jobs %v", all)
	}
	p.both("plan-waiting")
	p.set("Seed", "5") // what waits is the question of before
	p.until("a better plan", `(document.querySelector("#view-plan .line0")?.getAttribute("d").match(/V/g) ?? []).length > 1`)
	p.press("Stop")
	p.until("the job that has waited", `document.querySelectorAll("#view-plan .beside thead button").length === 2`)
	if all := p.jobs(); len(all) != 2 || all[0] != "plan done" || all[1] != "plan cancelled" {
		t.Errorf("the jobs are %v", all)
	}
	p.until("the note on the seed", otherSettings)
	p.press("Back to its settings")
	p.until("the settings that have waited", "!"+otherSettings+` && `+field("Engine")+`.value === "search" && `+field("Seed")+`.value === ""`)
}

// TestWhatIfLink opens the address of a comparison: it is shown with its reasons, and no job is
// started for it.
func TestWhatIfLink(t *testing.T) {
	address, b := serve(t), browser(t)
	p := open(t, b, desktop, address)
	p.view("whatif")
	p.set("Problem", "navigation/3x3")
	p.rule("Rule 1", "~move-west")
	p.press("Compare")
	p.until("the reasons in the address", parameter("why"))
	const reasons = `document.querySelector("#view-whatif section[aria-label=Why]")?.innerText`
	told := eval[string](p, reasons)
	all := len(p.jobs())
	link := eval[string](p, "location.href")
	other := open(t, b, desktop, link)
	other.until("the same reasons", fmt.Sprintf(`(%s) === %q`, reasons, told))
	bare := open(t, b, desktop, strings.NewReplacer("&check=", "&x=", "&why=", "&y=").Replace(link))
	bare.until("the offer of reasons", button("Look for the reasons"))
	if n := len(p.jobs()); n != all {
		t.Errorf("opening links has started %d jobs", n-all)
	}
	bare.press("Look for the reasons")
	bare.until("the same reasons", fmt.Sprintf(`(%s) === %q`, reasons, told))
	bare.set("Steps", "6")
	bare.until("the note", otherSettings)
	bare.until("an address without jobs", parameter("before")+" === null")
	bare.shot("whatif-other-settings")
}

// TestNoPlan asks why there is no plan: where the start breaks a rule the answer says so first,
// otherwise there is a button.
func TestNoPlan(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t)+"&plan?problem=navigation%2F3x3&set=robot-at(x14%2Cy20)%3Dfalse")
	p.until("the changed start", parameter("set")+` === "robot-at(x14,y20)=false"`)
	p.press("Plan")
	p.says("The start itself breaks a rule, so no plan exists: exactly one of the 9 robot-at(…) must be true.")
	p.says("are false.")
	if text := p.shown(); strings.Contains(text, "Why is there no plan") {
		t.Errorf("the page asks for a reason that it has told:\n%s", text)
	}
	p.shot("plan-start-breaks")
	p.press("Back to the problem's own")
	p.set("Steps", "3")
	p.press("Plan")
	p.says("these cannot hold together")
	p.says("the goal: ")
	p.fits("the reasons")
	p.shot("plan-why")
}

// write puts a text into a field of an expression, as a user does.
func (p *tab) write(label, text string) {
	p.Helper()
	p.until("the field "+label, field(label)+"?.offsetParent")
	p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const c = %s; c.focus(); c.value = %q; c.setSelectionRange(c.value.length, c.value.length); c.dispatchEvent(new Event("input", {bubbles: true})); c.dispatchEvent(new Event("change", {bubbles: true})); })()`, field(label), text)))
}

// picturedGoal is the JavaScript that finds a cell marked as the goal in the picture of the plan.
func picturedGoal(cell string) string {
	return fmt.Sprintf(`document.querySelector("#view-plan section[aria-label='The plan'] .stage svg")?.textContent.includes("goal (%s)")`, cell)
}

// delayJobs has answers to requests for jobs arrive late: what is typed meanwhile has been checked by then.
func (p *tab) delayJobs() {
	p.Helper()
	p.run(chromedp.Evaluate[chromedp.Void](`(() => {
		const fetched = window.fetch;
		window.late = 0;
		window.fetch = async (path, options) => {
			const answer = await fetched(path, options);
			if (options?.method === "POST" && path.endsWith("/jobs")) {
				await new Promise((resolve) => { setTimeout(resolve, 1500); });
				setTimeout(() => { window.late++; }, 300);
			}
			return answer;
		};
	})()`))
}

// TestChangedQuestion plans for another goal and reward: what the problem says itself is shown in
// the empty fields, an error is shown at its field, and a link has the question.
func TestChangedQuestion(t *testing.T) {
	address, b := serve(t), browser(t)
	p := open(t, b, phone, address)
	p.press("Change the question")
	p.until("the own goal", field("Goal")+`.placeholder === "robot-at(x14,y12)"`)
	p.until("the own reward", field("Reward")+`.placeholder === "-move-east - move-north - move-south - move-west"`)
	p.write("Goal", "robot-at(x9,y2")
	p.until("the completions", `document.querySelector("#view-plan .options:not([hidden])")?.innerText.includes("robot-at(x9,y20)")`)
	p.until("the error at the field", field("Goal")+`.getAttribute("aria-invalid") === "true"`)
	p.press("Plan")
	p.until("the focus at the field", `document.activeElement === `+field("Goal"))
	p.says("Failed")
	p.delayJobs()
	p.press("Plan")
	p.write("Goal", "exists_{?x : xpos} robot-at(?x,y20)")
	p.until("a late answer", "window.late > 0")
	p.says("Failed")
	p.until("a goal in RDDL, which the refusal of another is not about", field("Goal")+`.getAttribute("aria-invalid") === null`)
	p.refusals()
	p.fits("another question")
	p.both("plan-question")
	p.names("another question")

	p.write("Goal", "robot-at(x9,y20)")
	p.until("the goal in the picture of the start", `document.querySelector("#view-plan .stage svg")?.textContent.includes("goal (x9,y20)")`)
	p.write("Reward", "-3*move-north - 2*move-east")
	p.press("Plan")
	p.says("is better: proven by")
	p.until("the goal in the picture of the plan", fmt.Sprintf(`(%s) && !(%s)`, picturedGoal("x9,y20"), picturedGoal("x14,y12")))
	p.until("the spoken verdict", `document.getElementById("say").textContent.startsWith("Planning: Done. Valid and proven optimal")`)
	p.until("the question in the address", parameter("goal")+` === "robot-at(x9,y20)" && `+parameter("reward")+` && `+parameter("job"))
	link := eval[string](p, "location.href")
	p.write("Goal", "robot-at(x9,y15)")
	p.until("the note", otherSettings)
	p.set("Steps", "1")
	p.press("Plan")
	p.says("these cannot hold together")
	p.says("the goal: robot-at(x9,y15)")
	p.set("Steps", "")

	p.set("Problem", "inventory/2")
	p.press("Add a range")
	p.rule("Range 1", "quant=0..9999")
	p.press("Plan")
	p.says("no more was learned")
	other := open(t, b, desktop, link)
	other.until("the goal of the link", field("Goal")+`?.value === "robot-at(x9,y20)"`)
	other.says("is better: proven by")
	other.until("the same question", parameter("job")+` && !`+otherSettings)
}
