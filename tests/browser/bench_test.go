package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// busy returns the time of the processor that the page's main thread has had, in milliseconds.
func (p *tab) busy() float64 {
	p.Helper()
	got, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (performance.GetMetricsResult, error) {
		if _, err := cdp.Call(ctx, t, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
			return performance.GetMetricsResult{}, err
		}
		return cdp.Call(ctx, t, performance.GetMetrics, cdp.Empty{})
	})
	if err != nil {
		p.Fatal(err)
	}
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return 1000 * m.Value
		}
	}
	p.Fatal("the browser does not tell how long its tasks took")
	return 0
}

// BenchmarkPaint opens the page: when something is seen, by the clock, and the processor's time until the picture is there.
func BenchmarkPaint(b *testing.B) {
	address, browser := serve(b), browser(b)
	open(b, browser, desktop, address).until("the picture", `document.querySelectorAll("#view-plan .choice").length > 3`)
	paint, cpu := 0.0, 0.0
	for b.Loop() {
		p := open(b, browser, desktop, strings.Split(address, "#")[0]+"icon.svg")
		before := p.busy() // from here on it is counted
		p.run(chromedp.Navigate(address))
		p.until("the picture", `document.querySelectorAll("#view-plan .choice").length > 3`)
		p.until("a paint", `performance.getEntriesByName("first-contentful-paint").length`)
		paint += eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
		cpu += p.busy() - before
		p.refusals() // of the icon that the browser asks for beside a picture
	}
	b.ReportMetric(paint/float64(b.N), "paint-ms")
	b.ReportMetric(cpu/float64(b.N), "cpu-ms")
}

// BenchmarkFirstPlan presses Plan: when the verdict is seen, by the clock, and the processor's time of the page for it.
func BenchmarkFirstPlan(b *testing.B) {
	address, browser := serve(b), browser(b)
	seen, cpu := 0.0, 0.0
	for b.Loop() {
		p := open(b, browser, desktop, address)
		p.until("the picture", `document.querySelectorAll("#view-plan .choice").length > 3 && !`+button("Plan")+`.disabled`)
		before := p.busy()
		p.run(chromedp.Evaluate[chromedp.Void](`(() => {
			const begun = performance.now();
			new MutationObserver((_, o) => {
				if (!document.querySelector("#view-plan .verdict")) return;
				o.disconnect();
				requestAnimationFrame(() => { window.seen = performance.now() - begun; });
			}).observe(document.getElementById("main"), { childList: true, subtree: true });
		})()`))
		p.press("Plan")
		p.until("the verdict", "window.seen")
		p.until("the steps", `document.querySelectorAll("#view-plan [role=option]").length === 5`)
		seen += eval[float64](p, "window.seen")
		cpu += p.busy() - before
	}
	b.ReportMetric(seen/float64(b.N), "seen-ms")
	b.ReportMetric(cpu/float64(b.N), "cpu-ms")
}

// BenchmarkPlay plays a plan of 1,000 steps and 500 variables, with all its values shown: the processor's time for a step.
func BenchmarkPlay(b *testing.B) {
	p := open(b, browser(b), desktop, serve(b))
	p.until("the form", field("Problem"))
	p.files("Open files of a problem", wide(b, 500))
	p.until("the problem", `document.querySelectorAll("#view-plan .value").length > 5 && `+field("Problem")+`.value.includes("wide")`)
	p.press("Plan")
	p.until("all values", `document.querySelector("#view-plan .grid .cell.true")`)
	time.Sleep(time.Second) // what is left to do for the answer
	before, steps := p.busy(), 0
	for b.Loop() {
		p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
			const seek = document.querySelector("#view-plan section[aria-label='The plan'] input[type=range]"), next = (k) => {
				seek.value = k;
				seek.dispatchEvent(new Event("input"));
				if (k < 300) requestAnimationFrame(() => next(k + 1));
				else window.played = %d;
			};
			next(1);
		})()`, steps)))
		p.until("the steps", fmt.Sprintf("window.played === %d", steps))
		steps += 300
	}
	b.ReportMetric((p.busy()-before)/float64(steps), "cpu-ms/step")
}
