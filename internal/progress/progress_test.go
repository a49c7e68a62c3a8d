package progress

import (
	"strings"
	"testing"
	"time"
)

func TestReporter(t *testing.T) {
	reward, done := -4.5, 1
	events := []struct {
		after   time.Duration
		message bool
		e       Event
	}{
		{time.Second, false, Event{Kind: "phase", Phase: "a <b>", Line: "a"}},
		{0, false, Event{Kind: "plan", Reward: &reward, Line: "b"}},
		{0, false, Event{Kind: "quiet"}},
		{0, false, Event{Kind: "epoch", Done: &done, Line: "c", Frequent: true}},
		{50 * time.Millisecond, false, Event{Kind: "epoch", Line: "d", Frequent: true}},
		{50 * time.Millisecond, false, Event{Kind: "epoch", Line: "e", Frequent: true}},
		{0, true, Event{Kind: "iteration", Text: "f", Line: "f"}},
		{200 * time.Millisecond, false, Event{Kind: "phase", Line: "g", Passing: true}},
		{50 * time.Millisecond, false, Event{Kind: "phase", Line: "h", Passing: true}},
		{50 * time.Millisecond, false, Event{Kind: "phase", Line: "i", Passing: true}},
	}
	for mode, want := range map[Mode]string{
		None: "",
		Bar:  "\r\x1b[Ka\r\x1b[Kb\r\x1b[Kc\r\x1b[Ke\r\x1b[Kf\n\r\x1b[Kg\r\x1b[Ki\r\x1b[K",
		JSON: `{"event":"phase","seconds":1,"phase":"a \u003cb\u003e"}
{"event":"plan","seconds":1,"reward":-4.5}
{"event":"quiet","seconds":1}
{"event":"epoch","seconds":1,"done":1}
{"event":"epoch","seconds":1.05}
{"event":"epoch","seconds":1.1}
{"event":"iteration","seconds":1.1,"text":"f"}
{"event":"phase","seconds":1.3}
{"event":"phase","seconds":1.4}
`,
	} {
		var b strings.Builder
		began := time.Unix(1000, 0)
		now := began
		r := New(&b, mode, func() time.Time { return now }, began)
		r.Clear()
		for i := range events {
			now = now.Add(events[i].after)
			if events[i].message {
				r.Message(events[i].e)
				continue
			}
			r.Report(events[i].e)
		}
		r.Clear()
		if b.String() != want {
			t.Errorf("%s: %q, expected %q", mode, b.String(), want)
		}
	}
	var kinds []string
	r := NewFunc(func(e Event) { kinds = append(kinds, e.Kind) }, time.Now, time.Now())
	r.Report(Event{Kind: "quiet"})
	r.Message(Event{Kind: "iteration"})
	r.Clear()
	if got := strings.Join(kinds, " "); got != "quiet iteration" || !r.Machine() {
		t.Errorf("a function was given %s", got)
	}
	var none *Reporter
	none.Report(Event{})
	none.Message(Event{})
	none.Clear()
	if none.Enabled() || none.Machine() {
		t.Error("a nil reporter has a reader")
	}
}
