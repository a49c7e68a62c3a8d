package simulator

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/problem/factored"
)

// TestMain lets the test binary act as a simulator on request.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "simulate" {
		simulate(os.Args[2:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command returns the command line of the helper, with the faults that it shows.
func command(t *testing.T, modes ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("'%s' simulate %s", self, strings.Join(append(modes, "-"), " "))
}

// counter is a problem with a number x in 0..7 that inc increases, a switch that
// toggle toggles, the constraints x <= 6 and inc + toggle <= 1, and the goal
// x >= 2, on. The reward is -1 for each action.
func counter(t testing.TB) *factored.Problem {
	t.Helper()
	p := factored.NewProblem("counter")
	for _, v := range []factored.Variable{
		{Name: "x", Kind: factored.State, Hi: 7}, {Name: "on", Kind: factored.State, Bool: true},
		{Name: "inc", Kind: factored.Action, Bool: true}, {Name: "toggle", Kind: factored.Action, Bool: true},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	term := func(coef int64, b factored.Bit) factored.Term {
		return factored.Term{Coef: coef, Lit: factored.Lit{Bit: b}}
	}
	x := []factored.Term{term(4, 0), term(2, 1), term(1, 2)}
	p.Global = append(p.Global,
		factored.Constraint{Terms: x, Op: factored.LE, K: 6, Origin: "counter:1"},
		factored.Constraint{Terms: []factored.Term{term(1, 4), term(1, 5)}, Op: factored.LE, K: 1, Origin: "counter:2"})
	p.Goal = []factored.Constraint{
		{Terms: x, Op: factored.GE, K: 2, Origin: "counter:3"},
		{Terms: []factored.Term{term(1, 3)}, Op: factored.EQ, K: 1, Origin: "counter:4"},
	}
	p.Reward.Terms = []factored.RewardTerm{{Lit: factored.Lit{Bit: 4}, Weight: -1}, {Lit: factored.Lit{Bit: 5}, Weight: -1}}
	return p
}

// valuation parses "x=3 on inc".
func valuation(t testing.TB, p *factored.Problem, text string) factored.Valuation {
	t.Helper()
	val := make(factored.Valuation, p.NumBits())
	for _, word := range strings.Fields(text) {
		name, value, number := strings.Cut(word, "=")
		x := int64(1)
		if number {
			fmt.Sscan(value, &x)
		}
		v, ok := p.Lookup(name)
		if !ok {
			t.Fatalf("no variable %s", name)
		}
		if err := v.Set(val, x); err != nil {
			t.Fatal(err)
		}
	}
	return val
}

func actions(t testing.TB, p *factored.Problem, texts ...string) []factored.Valuation {
	t.Helper()
	var out []factored.Valuation
	for _, text := range texts {
		out = append(out, valuation(t, p, text))
	}
	return out
}

// simulate is the process: the counter, with the faults given by modes.
func simulate(modes []string) {
	has := func(mode string) bool { return slices.Contains(modes, mode) }
	in := bufio.NewScanner(os.Stdin)
	x, on, steps, episode := 0, false, 0, 0
	for in.Scan() {
		var q struct {
			ID             int
			Call           string
			State, Action  map[string]any
			States         []struct{ Name, Type string }
			Version        int
			Problem        string
			Lo, Hi, Ignore any
		}
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			fmt.Fprintln(os.Stderr, "request:", err)
			os.Exit(9)
		}
		extra := ""
		switch q.Call {
		case "hello":
			if has("dies-at-once") {
				fmt.Fprintln(os.Stderr, "no module named gym")
				os.Exit(1)
			}
			if has("stubborn") {
				signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
			}
			if has("parent") { // leaves a child behind that holds the pipes
				child := exec.Command("sleep", "60")
				child.Stdout, child.Stderr = os.Stdout, os.Stderr
				if err := child.Start(); err != nil {
					os.Exit(9)
				}
			}
			hello := map[string]any{"id": q.ID, "version": 1, "name": "counter"}
			if has("version") {
				hello["version"] = 7
			}
			if has("any") {
				hello["resets"] = "any"
			}
			if has("sometimes") {
				hello["resets"] = "sometimes"
			}
			if has("deterministic") {
				hello["deterministic"] = true
			}
			if has("partial") {
				hello["observed"] = "partial"
			}
			text, _ := json.Marshal(hello)
			fmt.Println(string(text))
			continue
		case "reset":
			x, on = 0, false
			episode++
			if q.State != nil {
				x, on = int(q.State["x"].(float64)), q.State["on"].(bool)
			}
			if has("begins-elsewhere") {
				x = 1
			}
		case "step":
			steps++
			if steps == 2 {
				misbehave(has, q.ID)
			}
			inc, toggle := q.Action["inc"].(bool), q.Action["toggle"].(bool)
			if inc && toggle && has("judges") {
				fmt.Printf(`{"id":%d,"violation":{"constraint":"one thing at a time","values":{"inc":true,"toggle":1,"x":2.5}}}`+"\n", q.ID)
				continue
			}
			if inc {
				x++
			}
			if toggle {
				on = !on
			}
			if has("moody") && steps == 3 {
				x++
			}
			if has("liar") && episode == 2 {
				x++
			}
			if has("rewards") {
				extra += fmt.Sprintf(`,"reward":%g`, 0.5*float64(x))
			}
			if has("judges") && x == 3 {
				extra += `,"violation":{"constraint":"x < 3"}`
			}
			if has("ends") && x == 2 {
				extra += `,"terminal":true`
			}
			if has("goal") {
				extra += fmt.Sprintf(`,"goal":%v`, x == 1)
			}
		}
		state := fmt.Sprintf(`"x":%d,"on":%v`, x, on)
		if has("numbers") {
			state = fmt.Sprintf(`"x":%d.0," on ":%d`, x, map[bool]int{true: 1}[on])
		}
		if has("partial") {
			state = fmt.Sprintf(`"x":%d`, x)
		}
		fmt.Printf(`{"id":%d,"state":{%s}%s,"info":{"steps":%d}}`+"\n", q.ID, state, extra, steps)
	}
	if has("stubborn") {
		time.Sleep(time.Minute)
	}
}

// misbehave shows the fault of a mode at the second step.
func misbehave(has func(string) bool, id int) {
	for mode, line := range map[string]string{
		"garbage":  "Welcome to gym!",
		"list":     "[1,2]",
		"no-state": fmt.Sprintf(`{"id":%d}`, id),
		"wrong-id": fmt.Sprintf(`{"id":%d,"state":{"x":1,"on":false}}`, id-1),
		"no-id":    `{"state":{"x":1,"on":false}}`,
		"missing":  fmt.Sprintf(`{"id":%d,"state":{"x":1}}`, id),
		"unknown":  fmt.Sprintf(`{"id":%d,"state":{"x":1,"on":false,"y":2}}`, id),
		"action":   fmt.Sprintf(`{"id":%d,"state":{"x":1,"on":false,"inc":true}}`, id),
		"twice":    fmt.Sprintf(`{"id":%d,"state":{"x":1,"on":false," on":true}}`, id),
		"text":     fmt.Sprintf(`{"id":%d,"state":{"x":1,"on":"yes"}}`, id),
		"typo":     fmt.Sprintf(`{"id":%d,"state":{"x":1,"on":false},"terminated":true}`, id),
		"two":      fmt.Sprintf(`{"id":%d,"state":{"x":1,"on":false}} {}`, id),
		"nameless": fmt.Sprintf(`{"id":%d,"violation":{}}`, id),
		"listed":   fmt.Sprintf(`{"id":%d,"violation":{"constraint":"c","values":{"x":[1]}}}`, id),
		"nan":      fmt.Sprintf(`{"id":%d,"state":{"x":1,"on":false},"reward":NaN}`, id),
		"refuses":  fmt.Sprintf(`{"id":%d,"error":"the robot has left the building"}`, id),
		"range":    fmt.Sprintf(`{"id":%d,"state":{"x":9,"on":false}}`, id),
	} {
		if has(mode) {
			fmt.Println(line)
			time.Sleep(time.Minute)
		}
	}
	switch {
	case has("crashes"):
		for i := range 30 {
			fmt.Fprintln(os.Stderr, "line", i)
		}
		os.Exit(3)
	case has("leaves"):
		os.Exit(0)
	case has("killed"):
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		time.Sleep(time.Minute)
	case has("silent"):
		fmt.Fprintln(os.Stderr, "thinking")
		time.Sleep(time.Minute)
	case has("mute"):
		os.Stdout.Close()
		time.Sleep(time.Minute)
	case has("endless"):
		for {
			fmt.Print(strings.Repeat("x", 1<<20))
		}
	}
}

// begin starts the helper and stops it at the end of the test.
func begin(t *testing.T, p *factored.Problem, modes ...string) *Process {
	t.Helper()
	s, err := Start(context.Background(), p, command(t, modes...), ProcessOptions{Timeout: 20 * time.Second, Grace: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
