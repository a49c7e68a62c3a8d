package browser

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// controls are the roles that need a name.
var controls = map[string]bool{
	"button": true, "link": true, "textbox": true, "searchbox": true, "combobox": true, "ComboBoxSelect": true, "slider": true, "checkbox": true, "listbox": true, "spinbutton": true,
	"option": true, "progressbar": true, "img": true, "image": true, "figure": false, "table": true, "form": true, "toolbar": true, "navigation": true, "DisclosureTriangle": true,
}

// names checks that every control of the accessibility tree has a name, and returns how many
// there are.
func (p *tab) names(where string) int {
	p.Helper()
	tree, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	if err != nil {
		p.Fatal(err)
	}
	found, levels, mains := 0, 0, 0
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := text(n.Role), ""
		if n.Name != nil {
			name = text(n.Name)
		}
		switch {
		case role == "heading" && strings.TrimSpace(name) != "":
			levels++
		case role == "main":
			mains++
		case controls[role]:
			found++
			if strings.TrimSpace(name) == "" {
				p.Errorf("%s: a %s has no name (node %d)", where, role, n.BackendDOMNodeID)
			}
		}
	}
	if levels == 0 || mains != 1 {
		p.Errorf("%s: %d headings, %d main landmarks", where, levels, mains)
	}
	return found
}

// text is a value of the accessibility tree as a string.
func text(v *accessibility.Value) string { return strings.Trim(string(v.Value), `"`) }

// TestNames checks the names of all controls in every view, before and after a job.
func TestNames(t *testing.T) {
	address, b := serve(t), browser(t)
	p := open(t, b, desktop, address)
	p.until("the picture", `document.querySelectorAll("#view-plan .choice").length > 3`)
	p.run(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => { d.open = true; })`))
	p.press("Add a rule")
	if n := p.names("Plan"); n < 40 {
		t.Errorf("the view Plan has only %d controls", n)
	}
	p.press("Plan")
	p.says("is better: proven by")
	p.names("the plan")
	for _, theme := range []string{"dark", "light", "auto"} {
		p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const c = document.getElementById("theme"); c.value = %q; c.dispatchEvent(new Event("change")); })()`, theme)))
		want := strings.Replace(theme, "auto", "light", 1) // what the system of the test prefers
		if got := eval[string](p, `document.documentElement.dataset.theme`); got != want {
			t.Errorf("with the colours %s the theme is %s", theme, got)
		}
	}
	for _, view := range []string{"whatif", "learn", "run", "results"} {
		p.view(view)
		p.until("the form", fmt.Sprintf(`document.querySelector("#view-%s form")`, view))
		p.run(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => { d.open = true; })`))
		if n := p.names(view); n < 12 {
			t.Errorf("the view %s has only %d controls", view, n)
		}
	}
}

// focused returns a description of the element that has the focus, and whether its focus can
// be seen.
func (p *tab) focused() (name string, visible bool) {
	p.Helper()
	name = eval[string](p, `(() => { const e = document.activeElement; return e === document.body ? "body" : (e.getAttribute("aria-label") || (e.labels && e.labels[0] ? e.labels[0].textContent : e.textContent) || e.className.baseVal || e.tagName).trim().slice(0, 60); })()`)
	visible = eval[bool](p, `(() => { const e = document.activeElement, s = getComputedStyle(e.querySelector(":scope > rect") ?? e); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 || parseFloat(s.strokeWidth) >= 2.5; })()`)
	return name, visible
}

// tabTo presses Tab until the element with a name has the focus.
func (p *tab) tabTo(want string) {
	p.Helper()
	for range 150 {
		p.keys(kb.Tab)
		name, visible := p.focused()
		for tries := 0; !visible && name != "body" && tries < 20; tries++ { // what was drawn anew in between, on a busy machine
			time.Sleep(50 * time.Millisecond)
			name, visible = p.focused()
		}
		if !visible && name != "body" { // a script took the focus and gave it back when it drew anew: the keys that come now must show it
			p.run(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
			p.keys(kb.Tab)
			name, visible = p.focused()
		}
		if !visible && name != "body" {
			p.Errorf("the focus on %q cannot be seen", name)
		}
		if name == want {
			return
		}
	}
	p.shot("failed")
	p.Fatalf("Tab does not lead to %q", want)
}

// TestKeyboard plans and plays a plan by the keyboard alone.
func TestKeyboard(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the picture", `document.querySelectorAll("#view-plan .choice").length === 7`)
	p.keys(kb.Tab)
	if name, _ := p.focused(); name != "Skip to the content" {
		t.Errorf("the first stop is %q", name)
	}
	p.keys(kb.Enter)
	if at := eval[string](p, `document.activeElement.id`); at != "main" {
		t.Errorf("the link to the content leads to %q", at)
	}
	p.tabTo("Steps")
	p.keys("5")
	p.tabTo("Plan")
	p.tabTo("The start")
	p.tabTo("Picture of the initial state")
	p.tabTo("Start in cell (x21,y12)")
	p.keys(kb.ArrowRight + kb.ArrowRight)
	if name, _ := p.focused(); name != "Start in cell (x9,y12)" {
		t.Errorf("the arrow keys lead to %q", name)
	}
	p.keys(kb.Enter)
	p.until("the new start", `document.querySelector("#view-plan .stage title").textContent.includes("robot at (x9,y12)")`)
	if name, _ := p.focused(); name != "Start in cell (x9,y12)" {
		t.Errorf("after the choice the focus is on %q", name)
	}
	p.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#skip").focus()`))
	p.tabTo("Plan")
	for eval[string](p, `document.activeElement.tagName`) != "BUTTON" {
		p.tabTo("Plan") // the link to the view has the same name
	}
	p.keys(kb.Enter)
	p.says("is better: proven by")
	p.until("the steps", `document.querySelectorAll("#view-plan [role=option]").length === 6`)
	p.tabTo("Play")
	p.keys(kb.Tab)
	p.keys(kb.End)
	p.says("Step 5 of 5")
	p.keys(kb.Home + kb.ArrowRight + kb.ArrowRight + kb.ArrowLeft)
	p.says("Step 1 of 5")
	p.tabTo("Play")
	p.keys(" ")
	p.until("a playing plan", button("Pause"))
	p.keys(" ")
	p.until("the pause", button("Play"))
	p.tabTo("Steps of the plan")
	p.keys(kb.End)
	p.says("Step 5 of 5")
	if said := eval[string](p, `document.getElementById("say").textContent`); !strings.HasPrefix(said, "Step 5 of 5") {
		t.Errorf("screen readers hear %q", said)
	}
}

// packing is RDDL of one step that is hard to prove best: which of many things to take, so
// that five sums of weights stay below half of what all weigh.
func packing(t testing.TB) string {
	t.Helper()
	const things, sums = 60, 5
	random := rand.New(rand.NewPCG(1, 2))
	weighted := func() (sum string, total int) {
		var terms []string
		for i := range things {
			w := 10 + random.IntN(90)
			total += w
			terms = append(terms, fmt.Sprintf("%d * take%d", w, i))
		}
		return strings.Join(terms, " + "), total
	}
	var b strings.Builder
	b.WriteString("domain pack {\n  pvariables {\n    done : { state-fluent, bool, default = false };\n")
	for i := range things {
		fmt.Fprintf(&b, "    take%d : { action-fluent, bool, default = false };\n", i)
	}
	value, _ := weighted()
	fmt.Fprintf(&b, "  };\n  cpfs { done' = true; };\n  reward = %s;\n  action-preconditions {\n", value)
	for range sums {
		sum, total := weighted()
		fmt.Fprintf(&b, "    %s <= %d;\n", sum, total/2)
	}
	fmt.Fprintf(&b, "  };\n}\ninstance pack_1 { domain = pack; horizon = 1; discount = 1.0; max-nondef-actions = %d; }\n", things)
	name := filepath.Join(t.TempDir(), "pack.rddl")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestStop watches a long run, reloads the page, stops the run, and finds its best plan.
func TestStop(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem"))
	p.files("Open files of a problem", packing(t))
	p.until("the problem", field("Problem")+`.value.includes("pack") && !`+button("Plan")+`.disabled`)
	p.set("Engine", "maxsat")
	p.press("Plan")
	const climbing = `(document.querySelector("#view-plan .line0")?.getAttribute("d").match(/V/g) ?? []).length > 2`
	p.until("better and better plans", climbing)
	p.says("Running")
	p.shot("plan-live")
	p.run(chromedp.Reload())
	p.until("the same run", climbing)
	p.press("Stop")
	p.says("Stopped")
	p.says("In the model a better plan may exist, but none above")
	p.shot("plan-stopped")
}

// TestCertificate downloads the certificate of a plan.
func TestCertificate(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the problem", button("Plan")+` && !`+button("Plan")+`.disabled`)
	p.set("Write a certificate", "1")
	p.press("Plan")
	p.says("the certificate was checked")
	p.until("the certificate", button("Certificate (zip)"))
	// What is handed to the browser as a download is kept, with its name.
	p.run(chromedp.Evaluate[chromedp.Void](`(() => {
		let head;
		URL.createObjectURL = (blob) => { head = blob.slice(0, 2).text(); return "blob:x"; };
		HTMLAnchorElement.prototype.click = function () { head.then((t) => { window.got = this.download + ": " + t; }); };
	})()`))
	p.press("Certificate (zip)")
	p.until("the download", "window.got")
	if got := eval[string](p, "window.got"); got != "certificate.zip: PK" {
		t.Errorf("the download is %q; expected a zip archive", got)
	}
}

// TestToken checks what the page does without a session, with a wrong token, with the code of
// its address, and after the end of its session.
func TestToken(t *testing.T) {
	address := serve(t)
	page, _, _ := strings.Cut(address, "#code=")
	b := browser(t)
	p := open(t, b, phone, page)
	p.until("the question", `document.querySelector("main form[aria-label=Token]")`)
	p.shot("token")
	enter := func(text string) {
		p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const i = document.querySelector("main input"); i.value = %q; i.form.requestSubmit(); })()`, text)))
	}
	enter("wrong")
	p.until("the error", `document.querySelector("main .error").textContent.includes("wrong")`)
	if n := p.refusals(); n == 0 {
		t.Error("the server has not refused a request")
	}
	enter(address)
	p.says("What is in it")
	p.fits("the page")
	p.run(chromedp.Reload())
	p.says("What is in it")
	other := open(t, b, desktop, address) // whose code is used up
	other.says("What is in it")
	if at := eval[string](other, `location.hash`); strings.Contains(at, "code") {
		t.Errorf("the address keeps its code: %s", at)
	}
	for _, of := range []string{"document.cookie", "JSON.stringify(sessionStorage)"} {
		if text := eval[string](other, of); text != "" && text != "{}" {
			t.Errorf("scripts can read %s: %s", of, text)
		}
	}
	other.run(chromedp.Evaluate[chromedp.Void](`document.getElementById("leave").click()`))
	other.until("the question", `document.querySelector("main form[aria-label=Token]")`)
	other.refusals()
	p.run(chromedp.Reload())
	p.until("the question", `document.querySelector("main form[aria-label=Token]")`)
	enter(address)
	p.until("the error", `document.querySelector("main .error").textContent.includes("wrong")`)
	p.refusals()
	answer, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if policy := answer.Header.Get("Content-Security-Policy"); err != nil || len(body) == 0 || !strings.Contains(policy, "default-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%v: %d bytes under the policy %q", err, len(body), policy)
	}
}

// wide is RDDL with many variables: a light that wanders through a ring of cells.
func wide(t testing.TB, cells int) string {
	t.Helper()
	var objects, next []string
	for i := range cells {
		objects = append(objects, fmt.Sprintf("o%d", i))
		next = append(next, fmt.Sprintf("NEXT(o%d, o%d);", i, (i+1)%cells))
	}
	text := `domain wide {
  types { cell : object; };
  pvariables {
    NEXT(cell, cell) : { non-fluent, bool, default = false };
    lit(cell) : { state-fluent, bool, default = false };
    go : { action-fluent, bool, default = false };
  };
  cpfs { lit'(?c) = if (go) then exists_{?d : cell} [NEXT(?d, ?c) ^ lit(?d)] else lit(?c); };
  reward = go;
}
non-fluents ring { domain = wide; objects { cell : { ` + strings.Join(objects, ", ") + ` }; }; non-fluents { ` + strings.Join(next, " ") + ` }; }
instance wide_1 { domain = wide; non-fluents = ring; init-state { lit(o0); }; horizon = 1000; discount = 1.0; }
`
	name := filepath.Join(t.TempDir(), "wide.rddl")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestLongLists opens a file with 500 variables, plans 1,000 steps, and scrolls. The document
// must stay small wherever it is scrolled to.
func TestLongLists(t *testing.T) {
	p := open(t, browser(t), desktop, serve(t))
	p.until("the form", field("Problem"))
	p.files("Open files of a problem", wide(t, 500))
	p.until("the problem", `document.querySelectorAll("#view-plan .value").length > 5 && `+field("Problem")+`.value.includes("wide")`)
	p.press("Plan")
	p.says("is better: proven by")
	p.until("the steps", `document.querySelector("#view-plan [role=option]")?.getAttribute("aria-setsize") === "1001"`)
	p.until("all values", `document.querySelector("#view-plan .grid .cell.true")`)
	const small = 6000
	if n := eval[int](p, `document.querySelectorAll("*").length`); n > small {
		t.Errorf("the page has %d elements", n)
	}
	for _, at := range [][2]float64{{1, 1}, {0.5, 0.5}, {0, 1}, {0.25, 0}} {
		p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const g = document.querySelector("#view-plan .grid"); g.scrollLeft = g.scrollWidth * %g; g.scrollTop = g.scrollHeight * %g; })()`, at[0], at[1])))
		// The light is in cell k mod 500 after step k: what is shown must agree.
		p.until("the cells", `(() => {
			const g = document.querySelector("#view-plan .grid"), heads = [...g.querySelectorAll("[role=columnheader]")].slice(1), rows = [...g.querySelectorAll("[role=row]")].slice(1);
			if (heads.length < 4 || rows.length < 4) return false;
			const seen = g.getBoundingClientRect();
			if (!rows.some((r) => { const b = r.lastElementChild.getBoundingClientRect(); return b.top > seen.top + 40 && b.bottom < seen.bottom; })) return false;
			return rows.every((r) => {
				const name = r.firstElementChild.textContent, cells = [...r.children].slice(1);
				return name === "go" || cells.every((c, i) => (c.textContent === "●") === (name === "lit(o" + (Number(heads[i].textContent.replace("start", "0")) % 500) + ")"));
			});
		})()`)
	}
	p.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#view-plan .player ~ * summary, #view-plan [role=listbox]").focus()`))
	p.press("To the end (End)")
	p.says("Step 1000 of 1000")
	p.until("the last step", `document.querySelector("#view-plan [role=option].now")?.getAttribute("aria-posinset") === "1001"`)
	if n := eval[int](p, `document.querySelectorAll("*").length`); n > small {
		t.Errorf("after scrolling the page has %d elements", n)
	}
	p.fits("the long plan")
	p.shot("long")
}
