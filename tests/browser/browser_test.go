// Package browser plays the page of fdplan serve in a browser.
package browser

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/fdplan/fdplan/internal/extsolver"
)

// shotsVariable names the environment variable with the folder for screenshots, an absolute
// path. Without it none are made.
const shotsVariable = "FDPLAN_SCREENSHOTS"

// program is the fdplan that the tests have built, elevator its example of a device.
var program, elevator string

// TestMain builds the programs if there is a browser to test with.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		if _, err := exec.LookPath("chromium"); err != nil {
			return m.Run()
		}
		dir, err := os.MkdirTemp("", "page")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		build := exec.Command("go", "build", "-o", dir, "github.com/fdplan/fdplan/cmd/fdplan", "github.com/fdplan/fdplan/paper/cmd/fdplan-paper", "github.com/fdplan/fdplan/examples/elevator")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building fdplan: %v\n%s", err, out)
			return 1
		}
		program, elevator = filepath.Join(dir, "fdplan"), filepath.Join(dir, "elevator")
		defer func() { stop() }()
		return m.Run()
	}())
}

// serve starts fdplan serve and returns the address of its page.
func serve(t testing.TB, flags ...string) string {
	t.Helper()
	extsolver.Require(t, "chromium")
	cmd := exec.Command(program, append([]string{"serve", "--no-browser"}, flags...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		late.Stop()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	at := strings.Index(line, "http://")
	if err != nil || at < 0 {
		t.Fatalf("fdplan serve printed %q, %v; expected its address", line, err)
	}
	return strings.TrimSpace(line[at:])
}

// launch starts a headless Chromium.
func launch(more ...chromedp.ExecAllocatorOption) (ctx context.Context, stop func(), err error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox)
	allocator, end := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	ctx, cancel := chromedp.NewContext(allocator)
	return ctx, func() { cancel(); end() }, chromedp.Do(ctx)
}

// stop ends the Chromium of chromium, if it was started.
var stop = func() {}

// chromium is started once for all tests.
var chromium = sync.OnceValues(func() (ctx context.Context, err error) {
	ctx, stop, err = launch()
	return ctx, err
})

// browser returns a browser that all tabs of a test share, with cookies and storage of its own: of the Chromium of all tests
// or, with options, a Chromium of its own.
func browser(t testing.TB, more ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	extsolver.Require(t, "chromium")
	if len(more) > 0 {
		ctx, stop, err := launch(more...)
		t.Cleanup(stop)
		if err != nil {
			t.Fatal(err)
		}
		return ctx
	}
	all, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(all, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// device is a kind of screen.
type device struct {
	name          string
	width, height int64
	dark          bool
	paired        bool // another device shows the same with the other colours
}

var (
	desktop = device{"desktop", 1280, 900, false, false}
	phone   = device{"phone", 390, 844, true, false}
)

// tab is a page of the browser, whose console must stay empty.
type tab struct {
	testing.TB
	ctx     context.Context
	device  device
	mu      sync.Mutex
	console []string
}

// patience bounds what a test waits for; a busy machine may need long.
const patience = 90 * time.Second

// open opens the page in a tab of its own.
func open(t testing.TB, browser context.Context, d device, address string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	p := &tab{TB: t, ctx: ctx, device: d}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			p.mu.Lock()
			p.console = append(p.console, fmt.Sprintf("%s: %s %s", m.Type, m.Text, m.URL))
			p.mu.Unlock()
		}
	}()
	p.run(chromedp.EmulateViewport(d.width, d.height), p.theme(d.dark), chromedp.Navigate(address))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, line := range p.console {
			t.Errorf("on the console: %s", line)
		}
	})
	return p
}

// settle waits until the notes that the browser has taken so far are read: those come in order, and the last one is its own.
func (p *tab) settle() {
	p.Helper()
	const last = "all notes so far"
	p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("console.debug(%q)", last)))
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		at := slices.IndexFunc(p.console, func(line string) bool { return strings.Contains(line, last) })
		if at >= 0 {
			p.console = slices.Delete(p.console, at, at+1)
		}
		p.mu.Unlock()
		if at >= 0 {
			return
		}
		if time.Now().After(end) {
			p.Fatal("the console does not show what was written to it")
		}
	}
}

// refusals removes the notes of the browser about requests that the server has refused, and
// returns their number.
func (p *tab) refusals() int {
	p.settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	var kept []string
	for _, line := range p.console {
		if !strings.Contains(line, "the server responded with a status of 4") {
			kept = append(kept, line)
		}
	}
	n := len(p.console) - len(kept)
	p.console = kept
	return n
}

// theme sets what the system prefers.
func (p *tab) theme(dark bool) chromedp.Action[chromedp.Void] {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return chromedp.Void{}, err
	}
}

// run performs actions.
func (p *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.shot("failed")
		p.Fatalf("%v; the page shows:\n%s", err, p.shown())
	}
}

// shown returns the text of the page.
func (p *tab) shown() string {
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text[:min(len(text), 3000)]
}

// until waits until an expression of JavaScript is true.
func (p *tab) until(what, expression string) {
	p.Helper()
	deadline := time.Now().Add(patience)
	for {
		holds, err := tried[bool](p, "Boolean("+expression+")")
		if holds {
			return
		}
		if err != nil && !strings.Contains(err.Error(), "navigated or closed") { // the page is being loaded
			p.fail(expression, err)
		}
		if time.Now().After(deadline) {
			p.shot("failed")
			p.Fatalf("waited for %s in vain; the page shows:\n%s", what, p.shown())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// eval returns the value of an expression of JavaScript.
func eval[T any](p *tab, expression string) T {
	p.Helper()
	out, err := tried[T](p, expression)
	if err != nil {
		p.fail(expression, err)
	}
	return out
}

// fail ends the test for an expression that has no value.
func (p *tab) fail(expression string, err error) {
	p.Helper()
	p.shot("failed")
	p.Fatalf("%s: %v; the page shows:\n%s", expression, err, p.shown())
}

// tried is eval, or an error.
func tried[T any](p *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// field is the JavaScript that finds the control with a label in the view that is shown.
func field(label string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("main > div:not([hidden]) label")].filter((l) => l.textContent.trim() === %q).map((l) => l.control)[0]`, label)
}

// set gives a control a value, as a user does.
func (p *tab) set(label, value string) {
	p.Helper()
	p.until(fmt.Sprintf("the field %s, where %q can be chosen", label, value), fmt.Sprintf(`(() => { const c = %s; return c && !c.disabled && (!c.options || [...c.options].some((o) => o.value === %q)); })()`, field(label), value))
	p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const c = %s; if (c.type === "checkbox") c.checked = %q === "1"; else c.value = %q; c.dispatchEvent(new Event("input", {bubbles: true})); c.dispatchEvent(new Event("change", {bubbles: true})); })()`, field(label), value, value)))
}

// button is the JavaScript that finds a button or link by its text in the view that is shown.
func button(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("main > div:not([hidden]) :is(button, summary, a)")].filter((b) => b.offsetParent !== null && (b.textContent.trim() === %q || b.getAttribute("aria-label") === %q))[0]`, text, text)
}

// press clicks a button.
func (p *tab) press(text string) {
	p.Helper()
	p.until("the button "+text, button(text)+" && !"+button(text)+".disabled")
	p.run(chromedp.Evaluate[chromedp.Void](button(text) + ".click()"))
}

// view opens a view by its link.
func (p *tab) view(name string) {
	p.Helper()
	link := fmt.Sprintf(`document.querySelector("#views a[data-view=%s]")`, name)
	p.run(chromedp.Evaluate[chromedp.Void](link + ".click()"))
	p.until("the view "+name, link+`.getAttribute("aria-current") === "page"`)
}

// says waits until the view that is shown has a text.
func (p *tab) says(text string) {
	p.Helper()
	p.until(fmt.Sprintf("%q", text), fmt.Sprintf(`document.querySelector("main > div:not([hidden])")?.innerText.includes(%q)`, text))
}

// fits checks that nothing is wider than the screen.
func (p *tab) fits(where string) {
	p.Helper()
	if wide := eval[string](p, `document.documentElement.scrollWidth <= innerWidth ? "" : [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.parentElement.closest(".stage, .grid, .list, .wide, svg")).map((e) => e.tagName + "." + e.className).slice(0, 5).join(", ") || "something"`); wide != "" {
		p.shot("wide")
		p.Errorf("%s is wider than %d pixels: %s", where, p.device.width, wide)
	}
}

// shot keeps a screenshot of the whole page if the environment names a folder.
func (p *tab) shot(name string) {
	p.Helper()
	dir := os.Getenv(shotsVariable)
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.Error(err)
		return
	}
	picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Errorf("the screenshot %s: %v", name, err)
		return
	}
	scheme := map[bool]string{false: "light", true: "dark"}[p.device.dark]
	file := filepath.Join(dir, fmt.Sprintf("%s-%s-%s.png", name, p.device.name, scheme))
	if err := os.WriteFile(file, picture, 0o644); err != nil {
		p.Error(err)
	}
}

// both checks what is shown for accessibility and keeps screenshots, in both themes: one for each of paired devices.
func (p *tab) both(name string) {
	p.Helper()
	if p.device.paired {
		p.shot(name)
		p.accessible(name)
		return
	}
	for range 2 {
		p.shot(name)
		p.accessible(name)
		p.device.dark = !p.device.dark
		p.run(p.theme(p.device.dark))
	}
}

// axe is the text of axe-core, which .ci/tools brings.
var axe = sync.OnceValue(func() string {
	text, err := os.ReadFile("../../tools/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		return ""
	}
	return string(text)
})

// accessible checks what is shown against the rules of WCAG 2.2, A and AA. Without axe-core nothing is checked, or the test fails where all tools are required.
func (p *tab) accessible(where string) {
	p.Helper()
	if axe() == "" {
		if os.Getenv(extsolver.RequireVariable) != "" {
			p.Fatal("axe-core is missing; bash .ci/tools brings it")
		}
		return
	}
	if !eval[bool](p, `Boolean(window.axe)`) {
		p.run(chromedp.Evaluate[chromedp.Void](axe()))
	}
	p.run(chromedp.Evaluate[chromedp.Void](`(() => {
		window.found = null;
		const tell = (n) => n.target.join(" ") + ": " + n.failureSummary.split("\n").slice(1).join(" ").trim();
		axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"] }).then(
			(r) => { window.found = r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map(tell).join("; ")).join("\n"); }, (e) => { window.found = "axe: " + e; });
	})()`))
	p.until("the rules of accessibility", `window.found !== null`)
	if found := eval[string](p, `window.found`); found != "" {
		p.shot("inaccessible")
		p.Errorf("%s (%s, dark %t) violates\n%s", where, p.device.name, p.device.dark, found)
	}
}
