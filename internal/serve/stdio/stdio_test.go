package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
)

// describe returns errors with the exit status 3 for requests that were stopped, else 2.
func describe(err error) (app.Complaint, int) {
	if errors.Is(err, ErrStopped) {
		return app.ComplaintOf(err, ""), 3
	}
	return app.ComplaintOf(err, ""), 2
}

// converse sends all lines at once and returns what comes back.
func converse(t *testing.T, lines ...string) []string {
	t.Helper()
	var out strings.Builder
	in := strings.NewReader(strings.Join(lines, "\n"))
	if err := Serve(t.Context(), Config{In: in, Out: &out, Now: time.Now, Threads: 1, Describe: describe}); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// TestMethods: each request after the load of navigation/3x3 is answered by one line.
func TestMethods(t *testing.T) {
	const load = `{"id":1,"method":"load","params":{"problem":"navigation/3x3"}}`
	for _, c := range []struct {
		method, params string
		want           string // a pattern of the answer after the id
	}{
		{"plan", `{}`, `"result":{"schema":1,.*"horizon":4,.*"status":"optimal","reward":-4,.*"plan":\[{"move-east":true},{"move-north":true},{"move-north":true},{"move-west":true}\]`},
		{"plan", `{"horizon":[2,6]}`, `"result":{.*"horizons":\[{"horizon":2,"status":"infeasible"`},
		{"plan", `{"horizon":3}`, `"result":{.*"status":"infeasible"`},
		{"plan", `{"initial":{"robot-at(x14,y20)":false,"robot-at(x9,y20)":true}}`, `"result":{.*"status":"optimal","reward":-3,`},
		{"plan", `{"require":["~move-west"],"horizon":6}`, `"result":{.*"status":"infeasible"`},
		{"plan", `{"reward":{"move-east":-3,"move-north":-1.5,"move-west":-1}}`, `"result":{.*"status":"optimal","reward":-7,`},
		{"plan", `{"simulator":"rddl","engine":"pb","threads":1,"time_limit":60}`, `"result":{.*"engine":"pb",.*"simulator":true`},
		{"plan", `{"goal":"robot-at(x9,y12)"}`, `"result":{.*"status":"optimal","reward":-3,`},
		{"plan", `{"goal":"robot-at(x9,y12)","reward":"-2*move-north","require":["~move-west"]}`, `"result":{.*"status":"optimal","reward":-4,`},
		{"show", `{"goal":"robot-at(x9,y12)"}`, `"result":{.*"goal":"robot-at\(x9,y12\)"`},
		{"plan", `{"goal":"robot-at(x9)"}`, `"error":"robot-at has 1 argument here.*"file":"goal","line":1`},
		{"plan", `{"horizon":0}`, `"error":"params: .*0 is not a horizon; expected a number`},
		{"plan", `{"horizon":[3]}`, `"error":"params: .*is not a horizon`},
		{"plan", `{"horizont":4}`, `"error":"params: .*there is no field \\"horizont\\"; did you mean horizon`},
		{"plan", `{"horizon":4,"horizon":5}`, `"error":"the name .*horizon.* is there twice`},
		{"plan", `{"engine":"steam"}`, `"error":"params: engine is \\"steam\\"; expected one of auto, search`},
		{"plan", `{"encoding":"morse"}`, `"error":".*morse`},
		{"plan", `{"time_limit":-1}`, `"error":"params: time_limit: -1 is not a time`},
		{"plan", `{"handle":7}`, `"error":"there is no problem of handle 7"`},
		{"plan", `{"initial":{"robot-at(x1,y1)":true}}`, `"error":"initial .*there is no variable`},
		{"plan", `{"require":["(move-west"]}`, `"error":"require \(move-west: `},
		{"plan", `{"reward":{"move-up":1}}`, `"error":"there is no variable .*move-up.*","file":"reward","line":1`},
		{"validate", `{"plan":[{"move-east":true},{"move-north":true},{"move-north":true},{"move-west":true}],"simulator":"rddl"}`, `"result":{.*"valid":{"model":true,"simulator":true},"reward":-4,`},
		{"validate", `{"plan":[{"move-east":true}]}`, `"result":{.*"valid":{"model":false,"simulator":null},"reward":null,.*"failure":{"step":2,`},
		{"validate", `{"plan":{"schema":1,"plan":[{}],"trace":[{}]}}`, `"error":"the trace has 1 states.*","file":"plan","line":1,"exit":2}`},
		{"validate", `{}`, `"error":.*"file":"plan"`},
		{"explain", `{"horizon":3}`, `"result":{.*"status":"infeasible",.*"conflict":{"constraints":\[{`},
		{"explain", `{"plan":[{"move-east":true}]}`, `"result":{.*"status":"invalid"`},
		{"explain", `{"alternatives":0}`, `"error":"params: alternatives is 0; expected at least 1"`},
		{"verify", `{"property":"~move-north | ~move-south"}`, `"result":{.*"status":"(holds|fails)"`},
		{"verify", `{"property":"move-up"}`, `"error":"property move-up: `},
		{"simulate", `{"policy":"noop","steps":3}`, `"result":{.*"steps":3,"reward":0,`},
		{"simulate", `{"plan":[{"move-east":true}]}`, `"result":{.*"steps":1,"reward":-1,`},
		{"simulate", `{"policy":"noop","plan":[{}]}`, `"error":"params: plan and policy`},
		{"show", `{"require":["~move-west"]}`, `"result":{.*"origin":"require 1"`},
		{"list", `{}`, `"result":\[{"problem":"navigation/3x3","horizon":4,`},
		{"draw", `{"initial":{"robot-at(x14,y20)":false,"robot-at(x9,y20)":true}}`, `"result":{.*"frames":\[{"step":"start","text":"robot at \(x9,y20\)"`},
		{"draw", `{"plan":[{"move-east":true}]}`, `"error":"expected a \\"trace\\": a picture shows the states.*","file":"plan"`},
		{"step", `{}`, `"error":"no episode has begun`},
		{"close", `{}`, `"result":{}`},
		{"shut", `{}`, `"error":"there is no method \\"shut\\"; expected one of close, draw, explain, list, load,`},
		{"load", `{"problem":"absent.toml"}`, `"error":"cannot be opened: [^"]*","file":"absent.toml","exit":2}`},
		{"load", `{"problem":"inventory/2","model":"clay"}`, `"error":"params: model is \\"clay\\"; expected one of network, rddl"`},
		{"load", `{"problem":"inventory/2","model":"rddl","require":["month == 0"]}`, `"result":{"handle":2,"schema":1,"problem":"inventory/2",`},
	} {
		lines := converse(t, load, fmt.Sprintf(`{"id":2,"method":%q,"params":%s}`, c.method, c.params))
		slices.Sort(lines) // what cannot be read is answered at once
		if len(lines) != 2 || !regexp.MustCompile(`^{"id":2,`+c.want).MatchString(lines[1]) {
			t.Errorf("%s %s: %q, expected %s", c.method, c.params, lines[1:], c.want)
		}
	}
}

// TestDraw draws an answer.
func TestDraw(t *testing.T) {
	planned := converse(t, `{"id":1,"method":"load","params":{"problem":"navigation/3x3"}}`, `{"id":2,"method":"plan"}`)
	answer := strings.TrimSuffix(strings.TrimPrefix(planned[1], `{"id":2,"result":`), "}")
	lines := converse(t, `{"id":1,"method":"load","params":{"problem":"navigation/3x3"}}`, `{"id":2,"method":"draw","params":{"plan":`+answer+`}}`)
	if n := strings.Count(lines[1], `"step":`); n != 5 || !strings.Contains(lines[1], `{"step":"move-west","text":"robot at (x14,y12), the goal","markup":"<`) {
		t.Errorf("%d frames: %.2000s", n, lines[1])
	}
}

// TestMalformedLines are answered by an error, with the id if there is one.
func TestMalformedLines(t *testing.T) {
	for line, want := range map[string]string{
		`nonsense`:                         `^{"id":null,"error":"it is no JSON: invalid character`,
		`[]`:                               `^{"id":null,"error":"it is a list; expected an object`,
		`{"method":"plan"}`:                `^{"id":null,"error":"expected an \\"id\\", a number or a string","exit":2}$`,
		`{"id":{},"method":"plan"}`:        `^{"id":null,"error":"expected an`,
		`{"id":3}`:                         `^{"id":3,"error":"expected a \\"method\\"","exit":2}$`,
		`{"id":"a","method":"plan","x":1}`: `^{"id":"a","error":"there is no field \\"x\\"","exit":2}$`,
		`{"id":3,"method":"plan"} {}`:      `^{"id":3,"error":"expected nothing after the JSON object"|^{"id":null,"error":"expected nothing`,
		`{"id":3,"method":"plan"}`:         `^{"id":3,"error":"no problem is loaded; expected a request of method load first","exit":2}$`,
	} {
		if lines := converse(t, "", line, " "); len(lines) != 1 || !regexp.MustCompile(want).MatchString(lines[0]) {
			t.Errorf("%s: %q, expected %s", line, lines, want)
		}
	}
	defer func(most int) { maxLine = most }(maxLine)
	maxLine = 1 << 20
	long := `{"id":1,"method":"` + strings.Repeat("x", maxLine) + `"}`
	var out strings.Builder
	err := Serve(t.Context(), Config{In: strings.NewReader(long), Out: &out, Now: time.Now, Describe: describe})
	if err == nil || !strings.HasPrefix(out.String(), `{"id":null,"error":"a request has more than`) {
		t.Errorf("%v: %s", err, out.String())
	}
}

// TestChangesEnd: a change holds for one request.
func TestChangesEnd(t *testing.T) {
	lines := converse(t,
		`{"id":1,"method":"load","params":{"problem":"inventory/2"}}`,
		`{"id":2,"method":"show"}`,
		`{"id":3,"method":"plan","params":{"horizon":4,"require":["month == 0 | resupply(c1) | ~resupply(c1)","resupply(c1)@2 == 0"],"reward":{"resupply(c1)":-9},"initial":{"month":1}}}`,
		`{"id":4,"method":"reset","params":{"require":["month == 0"]}}`,
		`{"id":5,"method":"show"}`,
	)
	if len(lines) != 5 || strings.TrimPrefix(lines[1], `{"id":2`) != strings.TrimPrefix(lines[4], `{"id":5`) || !strings.Contains(lines[2], `"status":"infeasible"`) || !strings.Contains(lines[3], `"step":0`) {
		t.Errorf("%q", lines)
	}
}

// TestEpisodes: an episode ends with the rule that it breaks; the next reset begins another.
func TestEpisodes(t *testing.T) {
	lines := converse(t,
		`{"id":1,"method":"load","params":{"problem":"sysadmin/4"}}`,
		`{"id":2,"method":"reset","params":{"seed":3}}`,
		`{"id":3,"method":"step"}`, `{"id":4,"method":"step"}`, `{"id":5,"method":"step"}`, `{"id":6,"method":"step"}`,
		`{"id":7,"method":"reset"}`,
		`{"id":8,"method":"step","params":{"action":{"jump":true}}}`,
		`{"id":9,"method":"step","params":{"action":{}}}`,
		`{"id":10,"method":"reset","params":{"simulator":"no-such-program-anywhere"}}`,
		`{"id":11,"method":"step"}`,
		`{"id":12,"method":"reset","params":{"require":["running(c1)@2 == 1"]}}`,
	)
	for i, want := range []string{
		`"handle":1`, `"step":0,"state":{.*"failure":null`, `"step":1,.*"reward":0,`, `"step":2,`, `"step":3,.*"failure":{"step":4,"group":"invariant"`, `"error":"no episode has begun, or it has ended`,
		`"step":0,`, `"error":"plan step 1: there is no action variable .*"file":"action"`, `"step":1,`, `"error":`, `"error":"no episode`, `"error":"require running.c1.@2 == 1: a condition on step 2`,
	} {
		if i >= len(lines) || !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Fatalf("line %d: %q, expected %s", i+1, lines, want)
		}
	}
}

// TestCancel: a request that runs ends with what it has, one that waits with an error, and
// events come before the answer.
func TestCancel(t *testing.T) {
	requests, write := io.Pipe()
	read, answers := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(t.Context(), Config{In: requests, Out: answers, Now: time.Now, Threads: 1, Describe: describe})
	}()
	lines := make(chan []byte, 1<<16) // the server waits for a reader
	go func() {
		in := bufio.NewReader(read)
		for line, err := in.ReadBytes('\n'); err == nil; line, err = in.ReadBytes('\n') {
			lines <- line
		}
	}()
	next := func() map[string]any {
		t.Helper()
		line := <-lines
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return v
	}
	send := func(line string) {
		t.Helper()
		if _, err := fmt.Fprintln(write, line); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"id":1,"method":"load","params":{"problem":"cellda/x"}}`)
	next()
	// The proof takes much longer than the test.
	send(`{"id":2,"method":"plan","params":{"horizon":300,"engine":"maxsat","progress":true}}`)
	if e := next(); e["event"] == nil || e["id"] != 2.0 {
		t.Fatalf("%v, expected an event", e)
	}
	send(`{"id":3,"method":"plan","params":{"horizon":24}}`)
	send(`{"id":2,"method":"show"}`)
	send(`{"id":4,"method":"cancel","params":{"request":3}}`)
	send(`{"id":5,"method":"cancel","params":{"request":2}}`)
	send(`{"id":6,"method":"cancel","params":{"request":9}}`)
	got := map[float64][]map[string]any{}
	for n := 0; n < 6; {
		if v := next(); v["event"] == nil {
			id := v["id"].(float64)
			got[id] = append(got[id], v)
			n++
		}
	}
	cancelled := func(id float64) any { return got[id][0]["result"].(map[string]any)["cancelled"] }
	if cancelled(4) != true || cancelled(5) != true || cancelled(6) != false {
		t.Errorf("%v", got)
	}
	if got[3][0]["exit"] != 3.0 || got[3][0]["error"] != "no answer yet: the request was cancelled" {
		t.Errorf("%v, expected that it was cancelled", got[3])
	}
	if got[2][0]["error"] != "a request with this id is not answered yet" {
		t.Errorf("%v, expected that the id is taken", got[2])
	}
	d, _ := got[2][1]["result"].(map[string]any)
	if status := d["status"]; status != "feasible" && status != "unknown" || d["stopped"] != "the request was cancelled" {
		t.Errorf("%v, expected what was known", d)
	}
	write.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestEnds: a session ends with its context while it waits, and when its reader is gone.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	idle, hold := io.Pipe()
	defer hold.Close()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, Config{In: idle, Out: io.Discard, Now: time.Now, Describe: describe})
	}()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	gone, w := io.Pipe()
	gone.Close()
	err := Serve(t.Context(), Config{In: strings.NewReader(`{"id":1,"method":"show"}`), Out: w, Now: time.Now, Describe: describe})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v, expected an error of writing", err)
	}
}

// FuzzParse: a line is a request or an error, and the id is always one that can be repeated.
func FuzzParse(f *testing.F) {
	for _, line := range []string{`{"id":1,"method":"plan","params":{"horizon":[2,4],"initial":{"a":1}}}`, `{"id":"x"}`, `{"id":1}{`, `[`, `{"id":-0.5e3,"method":"a","id":2}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parse(line)
		if err == nil && (r.Method == "" || checkID(r.ID) != nil) {
			t.Errorf("%q is a request", line)
		}
		if r.ID != nil && !json.Valid(r.ID) {
			t.Errorf("%q has the id %q", line, r.ID)
		}
		var c struct {
			load.Changes
			plan.Query
		}
		_ = decode(r.Params, &c)
	})
}
