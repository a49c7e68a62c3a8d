package stdio

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/race"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/routine"
)

// panicking is an engine that panics: at once, or on a goroutine of its own.
type panicking struct {
	search.Engine
	apart bool
}

func (e panicking) Solve(context.Context, engine.Query, engine.Limits, func(engine.Progress)) (*engine.Result, error) {
	fails := func() {
		var none *engine.Result
		none.Reward = 1
	}
	if !e.apart {
		fails()
	}
	var g routine.Group
	for range 3 {
		g.Go(fails)
	}
	g.Wait()
	return nil, nil
}

// TestPanic: a panic on whatever goroutine ends its request with one line, and the session and
// its problems live on.
func TestPanic(t *testing.T) {
	for name, broken := range map[string]engine.Engine{
		"the request's goroutine": panicking{},
		"workers":                 panicking{apart: true},
		"in a race":               race.New(panicking{}, search.Engine{}),
		"workers in a race":       race.New(panicking{apart: true}, search.Engine{}),
	} {
		requests := 0
		in := strings.NewReader(`{"id":1,"method":"load","params":{"problem":"navigation/3x3"}}
			{"id":2,"method":"plan"}
			{"id":3,"method":"plan","params":{"progress":true}}
			{"id":4,"method":"plan"}`)
		var out strings.Builder
		err := Serve(t.Context(), Config{In: in, Out: &out, Now: time.Now, Threads: 2, Describe: describe, Divide: func(e engine.Engine) engine.Engine {
			if requests++; requests < 3 {
				return broken
			}
			return e
		}})
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if err != nil || len(lines) != 4 {
			t.Fatalf("%s: %v, %q", name, err, lines)
		}
		for i, want := range []string{
			`"handle":1`, `^{"id":2,"error":"internal error: panic: runtime error: invalid memory address or nil pointer dereference; at stdio/panic_test.go:\d+ .*","bug":true,`,
			`^{"id":3,"error":"internal error: panic`, `^{"id":4,"result":.*"status":"optimal","reward":-4,`,
		} {
			if !regexp.MustCompile(want).MatchString(lines[i]) {
				t.Errorf("%s: %s, want %s", name, lines[i], want)
			}
		}
	}
}
