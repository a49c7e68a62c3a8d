package fromlog

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// press is a row of a log of presses: what the wear of one is, what is done, and what that yields.
type press struct {
	shift, wear, next, profit int
	name, kind, action        string
}

// presses draws a log of six presses by their shifts. A press that runs wears by chance and yields what its wear leaves.
func presses(shifts int) (rows []press) {
	r := rand.New(rand.NewPCG(7, 1))
	wear := make([]int, 6)
	for s := range shifts {
		for m := range wear {
			p := press{shift: s + 1, wear: wear[m], name: fmt.Sprintf("press_%d", m), kind: []string{"A", "B"}[m%2], action: "run"}
			if r.IntN(4) == 0 {
				p.action = "service"
			}
			switch {
			case p.action == "service":
				wear[m], p.profit = 0, -3
			default:
				p.profit = 8 - p.wear
				if r.IntN(3) == 0 {
					wear[m] = min(wear[m]+1, 5)
				}
			}
			p.next = wear[m]
			rows = append(rows, p)
		}
	}
	return rows
}

// written writes a log.
func written(t *testing.T, header string, rows []press, format func(press) string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(header + "\n")
	for _, p := range rows {
		b.WriteString(format(p) + "\n")
	}
	name := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func step(p press) string {
	return fmt.Sprintf("%d,%s,%s,%d,%s,%d", p.shift, p.name, p.kind, p.wear, p.action, p.profit)
}

const stepHead = "shift,machine,type,wear,action,profit"

// imported returns the rows of the data set that a log gives, each as text, with its reward.
func imported(t *testing.T, r Request) (rows []string, report string) {
	t.Helper()
	r.Out = filepath.Join(t.TempDir(), "out")
	if r.Actions = []string{"action"}; r.Input == nil {
		r.Entity = "machine"
	}
	res, err := Init(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := res.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Read(filepath.Join(r.Out, dataFile))
	if err != nil {
		t.Fatal(err)
	}
	for i := range data.Rows {
		rows = append(rows, fmt.Sprint(data.Row(i)))
		if data.Rewards != nil {
			rows[i] += fmt.Sprintf(" reward %v", data.Rewards[i])
		}
	}
	slices.Sort(rows)
	return rows, b.String()
}

// TestScattered has a log whose rows stand in any order read like the log in order, by a column that only counts shifts.
func TestScattered(t *testing.T) {
	rows := presses(120)
	want, report := imported(t, Request{Log: written(t, stepHead, rows, step), Reward: "profit"})
	for _, text := range []string{"time     shift (it counts the rows one by one", "reward   profit (learned", "714 transitions"} {
		if !strings.Contains(report, text) {
			t.Fatalf("want %q in\n%s", text, report)
		}
	}
	if strings.Contains(report, "WARNING") || strings.Contains(report, "sorted") {
		t.Errorf("a log in order:\n%s", report)
	}
	r := rand.New(rand.NewPCG(3, 3))
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	name := written(t, stepHead, rows, step)
	res, err := Init(t.Context(), Request{Log: name, Out: filepath.Join(t.TempDir(), "out"), Actions: []string{"action"}})
	if want := "column machine (press_"; err != nil || len(res.Warnings) == 0 || !strings.HasPrefix(res.Warnings[0], want) || !strings.Contains(res.Warnings[0], "shift counts the rows of each machine, and several have the same. Give --entity machine") {
		t.Errorf("%v, warnings %q, want one that begins %q", err, res.Warnings, want)
	}
	got, report := imported(t, Request{Log: name, Reward: "profit"})
	if !strings.Contains(report, "note: the rows stand in no order of shift: they were sorted by it") {
		t.Errorf("no note:\n%s", report)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d rows of the scattered log, %d of the log in order, or others", len(got), len(want))
	}
}

// TestUnlikePresses has the reward learned where the log is read again, since machines differ.
func TestUnlikePresses(t *testing.T) {
	rows := presses(400)
	for i := range rows {
		if rows[i].name == "press_2" && rows[i].action == "run" { // it does not wear, and all are of one kind
			rows[i].next = rows[i].wear
		}
		rows[i].kind = "A"
	}
	format := func(p press) string {
		return fmt.Sprintf("%d,%s,%d,%s,%d,%d", p.shift, p.name, p.wear, p.action, p.profit, p.next)
	}
	_, report := imported(t, Request{Log: written(t, "shift,machine,wear,action,profit,next_wear", rows, format), Reward: "profit"})
	for _, want := range []string{"machine is an input, too, since no other column tells its values apart", "reward   profit (learned"} {
		if !strings.Contains(report, want) {
			t.Errorf("want %q in\n%s", want, report)
		}
	}
}

// TestRestarting has steps that begin again in each episode leave the rows in their order.
func TestRestarting(t *testing.T) {
	rows := presses(120)
	for i := range rows {
		rows[i].shift = i / 6 % 8
	}
	_, report := imported(t, Request{Log: written(t, strings.Replace(stepHead, "shift", "step", 1), rows, step)})
	if strings.Contains(report, "sorted") || !strings.Contains(report, "630 transitions") {
		t.Errorf("want 630 transitions in the order of the file:\n%s", report)
	}
}

// TestOutcomes has what a step yields learned as its reward where it is asked for, and called no state where it is not.
func TestOutcomes(t *testing.T) {
	name := written(t, stepHead, presses(120), step)
	_, report := imported(t, Request{Log: name})
	if want := "WARNING: column profit follows from the action of its own row, and not from the row before"; !strings.Contains(report, want) {
		t.Errorf("want %q in\n%s", want, report)
	}
	for reward, of := range map[string]func(press) float64{
		"profit":              func(p press) float64 { return float64(p.profit) },
		"-profit":             func(p press) float64 { return -float64(p.profit) },
		"2*profit - wear*0.5": func(p press) float64 { return 2*float64(p.profit) - .5*float64(p.wear) },
	} {
		rows, report := imported(t, Request{Log: name, Reward: reward})
		var want, got []float64
		for _, p := range presses(119) {
			want = append(want, of(p))
		}
		for _, row := range rows {
			var y float64
			if _, err := fmt.Sscan(row[strings.LastIndex(row, " ")+1:], &y); err != nil {
				t.Fatal(err)
			}
			got = append(got, y)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || strings.Contains(report, "WARNING") || strings.Contains(report, "state    profit") {
			t.Errorf("--reward %q: rewards %v, want %v, in\n%s", reward, got, want, report)
		}
	}
	if _, report := imported(t, Request{Log: name, Reward: "-wear"}); !strings.Contains(report, "state    wear") {
		t.Errorf("wear is a state before the action:\n%s", report)
	}
}

// TestCurvedOutcome has a cost that is a price times what is done, and what the room lacks, taken for a reward, which no line tells of.
func TestCurvedOutcome(t *testing.T) {
	var b strings.Builder
	b.WriteString("outdoor,price,action,room,cost\n")
	r, room := rand.New(rand.NewPCG(2, 2)), 19.0
	for range 1200 {
		outdoor, price, heat := float64(r.IntN(150))/10, 5+r.IntN(20), r.IntN(6)
		fmt.Fprintf(&b, "%.1f,%d,%d,%.1f,%.2f\n", outdoor, price, heat, room, float64(price*heat)/2+12*max(0, 19-room)+5*max(0, room-22))
		room = math.Round(10*(room+.6*float64(heat)-.12*(room-outdoor)+.1*r.NormFloat64())) / 10
	}
	name := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	_, report := imported(t, Request{Log: name, Reward: "-cost", Input: []string{"outdoor", "price"}})
	if want := "reward   cost (learned: what a step yields or costs, known after its action)"; !strings.Contains(report, want) || !strings.Contains(report, "state    room") {
		t.Errorf("want %q, and a state room, in\n%s", want, report)
	}
}

// TestEndsByAction has rows whose actions end an episode lead to an end, with their rewards, where the column says that of actions; where it
// says it of states, these are no steps.
func TestEndsByAction(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var byAction, byState []press
	broken, wear := 0, 0
	for range 400 {
		p := press{wear: wear, name: "m", action: []string{"run", "service"}[r.IntN(2)]}
		breaks := p.action == "run" && r.IntN(6) <= wear
		switch {
		case breaks:
			p.profit, p.next, wear = -20, 1, 0
			broken++
		case p.action == "service":
			p.profit, wear = -3, 0
		default:
			p.profit, wear = 8-wear, min(wear+1, 4)
		}
		byAction, byState = append(byAction, p), append(byState, p)
		if breaks { // and what is seen then
			byState[len(byState)-1].next = 0
			byState = append(byState, press{wear: 5, name: "m", action: "service", next: 1})
		}
	}
	format := func(p press) string {
		return fmt.Sprintf("%s,%d,%s,%d,%t", p.name, p.wear, p.action, p.profit, p.next > 0)
	}
	rows, report := imported(t, Request{Log: written(t, "machine,wear,action,profit,done", byAction, format), Reward: "profit"})
	for _, want := range []string{fmt.Sprintf("note: the actions of %d rows, where done is true, end an episode: done is a state", broken), "state    done, bool (true after an action that ends an episode)", "reward   profit"} {
		if !strings.Contains(report, want) {
			t.Errorf("want %q in\n%s", want, report)
		}
	}
	other := written(t, "machine,wear,action,profit,broke", byAction, format)
	renamed, _ := imported(t, Request{Log: other, Reward: "profit", Rename: []string{"broke=done"}})
	if !slices.Equal(renamed, rows) {
		t.Errorf("a column that was renamed to done gives %d rows, want the %d of one named so", len(renamed), len(rows))
	}
	ends := 0
	for _, row := range rows {
		if strings.HasSuffix(row, "reward -20") {
			ends++
		}
	}
	if want := len(byAction) - 1 + byAction[len(byAction)-1].next; ends != broken || len(rows) != want {
		t.Errorf("%d rows of which %d end an episode, want %d and %d", len(rows), ends, want, broken)
	}
	if _, report := imported(t, Request{Log: written(t, "machine,wear,action,profit,done", byState, format), Reward: "profit"}); strings.Contains(report, "state    done") {
		t.Errorf("states that end an episode were taken for actions:\n%s", report)
	}
}

// TestDerivedStates has the hour and the day go on with the rows where these are whole hours apart.
func TestDerivedStates(t *testing.T) {
	for minutes, want := range map[int][]string{
		60:   {"state    hour, int 0..23 (it goes on by 1 h from row to row)", "state    weekday, int 1..7"},
		120:  {"state    hour, int 0..23 (it goes on by 2 h from row to row)", "state    weekday, int 1..7"},
		30:   {"input    hour, int 0..23", "input    weekday, int 1..7"},
		1440: {"state    weekday, int 1..7 (it goes on by 24 h from row to row)"},
	} {
		rows := presses(400)
		at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
		_, report := imported(t, Request{Log: written(t, "at,machine,wear,action", rows, func(p press) string {
			return fmt.Sprintf("%s,%s,%d,%s", at.Add(time.Duration(p.shift*minutes)*time.Minute).Format("2006-01-02 15:04"), p.name, p.wear, p.action)
		}), Derive: []string{"hour", "weekday"}})
		for _, text := range want {
			if !strings.Contains(report, text) {
				t.Errorf("rows every %d minutes: want %q in\n%s", minutes, text, report)
			}
		}
	}
}

// TestNextBeside has columns of next states found in a log of several machines, in order and not, and what a machine is taken for an input.
func TestNextBeside(t *testing.T) {
	rows := presses(120)
	for _, order := range []string{"file", "any"} {
		if order == "any" {
			rand.New(rand.NewPCG(3, 3)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		}
		_, report := imported(t, Request{Log: written(t, "machine,type,wear,phase,action,profit,next_wear,next_phase", rows, func(p press) string {
			return fmt.Sprintf("%s,%s,%d,%d,%s,%d,%d,%d", p.name, p.kind, p.wear, p.shift%3, p.action, p.profit, p.next, (p.shift+1)%3)
		}), Reward: "profit"})
		for _, want := range []string{"720 transitions", "input    type", "next     next_wear", "next     next_phase", "reward   profit"} {
			if !strings.Contains(report, want) {
				t.Errorf("%s order: want %q in\n%s", order, want, report)
			}
		}
	}
}
