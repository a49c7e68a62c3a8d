package picture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// sample is a plan and its surroundings.
type sample struct {
	name  string
	plan  func() *Plan // returns a new one each time, which may be changed
	facts Facts
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// constants returns Facts with these constants.
func constants(m map[string]float64, defaults ...string) func(string, ...string) (float64, bool) {
	return func(name string, args ...string) (float64, bool) {
		key := name
		if len(args) > 0 {
			key += "(" + strings.Join(args, ",") + ")"
		}
		if x, ok := m[key]; ok {
			return x, true
		}
		for _, d := range defaults {
			if d == name {
				return 0, true
			}
		}
		return 0, false
	}
}

func objects(m map[string][]string) func(string) []string {
	return func(t string) []string { return m[t] }
}

// steps makes actions of names; an empty one does nothing.
func steps(names ...string) [][]Value {
	var out [][]Value
	for _, n := range names {
		var vs []Value
		for _, a := range strings.Fields(n) {
			vs = append(vs, Value{a, 1, true})
		}
		out = append(out, vs)
	}
	return out
}

func mazeState(c, r int) []Value {
	var vs []Value
	for i, x := range []string{"x21", "x14", "x9"} {
		for j, y := range []string{"y12", "y15", "y20"} {
			vs = append(vs, Value{"robot-at(" + x + "," + y + ")", truth(i == c && j == r), true})
		}
	}
	return vs
}

func dungeonState(ax, ay, ex, ey int64, alive, key bool) []Value {
	return []Value{
		{"cellda-loc(x)", ax, false}, {"cellda-loc(y)", ay, false}, {"cellda-alive", truth(alive), true}, {"has-key", truth(key), true},
		{"enem-loc(e1,x)", ex, false}, {"enem-loc(e1,y)", ey, false},
	}
}

func stockState(met bool, quant, month int64) []Value {
	return []Value{{"threshold_met(c1)", truth(met), true}, {"quant(c1)", quant, false}, {"month", month, false}}
}

func agesState(running [2]bool, age [2]int64) []Value {
	return []Value{{"running(c1)", truth(running[0]), true}, {"running(c2)", truth(running[1]), true}, {"age(c1)", age[0], false}, {"age(c2)", age[1], false}}
}

var up = [2]bool{true, true}

var samples = []sample{
	{"maze", func() *Plan {
		return &Plan{Problem: "navigation/3x3", Status: "optimal", Actions: steps("move-east", "move-north", "move-north", "move-west"),
			States: [][]Value{mazeState(1, 2), mazeState(2, 2), mazeState(2, 1), mazeState(2, 0), mazeState(1, 0)}}
	}, Facts{From: "navigation/3x3", Goal: map[string]int64{"robot-at(x14,y12)": 1},
		Constant: constants(map[string]float64{"BLOCKED(x21,y15)": 1, "BLOCKED(x14,y15)": 1}, "BLOCKED")}},
	{"dungeon", func() *Plan {
		return &Plan{Problem: "cellda/y", Actions: steps("", "move-up", "move-up"),
			States: [][]Value{dungeonState(0, 0, 3, 0, true, false), dungeonState(0, 0, 2, 0, true, false), dungeonState(0, 1, 1, 0, true, false), dungeonState(0, 2, 0, 0, true, true)}}
	}, Facts{From: "cellda/y", Goal: map[string]int64{"cellda-loc(x)": 3, "cellda-loc(y)": 3}, Objects: objects(map[string][]string{"block": {"b1"}}),
		Constant: constants(map[string]float64{"LAST-CELL": 3, "KEY-AT(x)": 1, "KEY-AT(y)": 3, "BLOCK-AT(b1,x)": 1, "BLOCK-AT(b1,y)": 1})}},
	{"stock", func() *Plan {
		return &Plan{Problem: "inventory/2", Actions: steps("resupply(c1)", "", ""),
			States: [][]Value{stockState(true, 0, 0), stockState(true, 5, 1), stockState(true, 2, 0), stockState(false, 2, 1)}}
	}, Facts{From: "inventory/2", Objects: objects(map[string][]string{"phase": {"p0", "p1"}}),
		Constant: constants(map[string]float64{"INDEX(p1)": 1, "DEMAND(c1,p1)": 3}, "INDEX", "DEMAND")}},
	{"ages", func() *Plan {
		return &Plan{Problem: "sysadmin/2", Actions: steps("", "reboot(c1)"), States: [][]Value{agesState(up, [2]int64{0, 1}), agesState(up, [2]int64{1, 2}), agesState([2]bool{true, false}, [2]int64{0, 3})}}
	}, Facts{}},
	{"table", func() *Plan {
		return &Plan{Problem: "tank/1", Actions: steps("open(t1)", ""), States: [][]Value{
			{{"level(t1)", 3, false}, {"valve", 0, true}}, {{"level(t1)", 7, false}, {"valve", 1, true}}, {{"level(t1)", -2, false}, {"valve", 0, true}}}}
	}, Facts{}},
}

func pictureOf(t *testing.T, p *Plan, f Facts) *Picture {
	t.Helper()
	pic, err := New(p, f)
	if err != nil {
		t.Fatal(err)
	}
	return pic
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// formats are the ways of writing a picture.
var formats = map[string]func(*Picture, io.Writer) error{"svg": (*Picture).SVG, "html": (*Picture).HTML, "gif": (*Picture).GIF, "txt": (*Picture).Text}

// TestKinds checks which view each sample has, and that pictures are reproducible.
func TestKinds(t *testing.T) {
	for _, s := range samples {
		one, two := pictureOf(t, s.plan(), s.facts), pictureOf(t, s.plan(), s.facts)
		if got := strings.TrimPrefix(fmt.Sprintf("%T", one.view), "*picture."); got != s.name {
			t.Errorf("%s is drawn as %s", s.name, got)
		}
		for name, write := range formats {
			a, b := written(t, func(w io.Writer) error { return write(one, w) }), written(t, func(w io.Writer) error { return write(two, w) })
			if a != b || len(a) < 100 {
				t.Errorf("%s as %s: %d and %d bytes, expected the same", s.name, name, len(a), len(b))
			}
		}
	}
}

// TestTraceIsShown changes every value of every state, one at a time: every format must
// change, since pictures follow the trace alone.
func TestTraceIsShown(t *testing.T) {
	for _, s := range samples {
		before := map[string]string{}
		for name, write := range formats {
			before[name] = written(t, func(w io.Writer) error { return write(pictureOf(t, s.plan(), s.facts), w) })
		}
		for k := range s.plan().States {
			for i, v := range s.plan().States[k] {
				if v.Name == "month" && k == len(s.plan().States)-1 {
					continue // nothing is ordered in the phase after the plan
				}
				p := s.plan()
				if v.Bool {
					p.States[k][i].X ^= 1
				} else if v.Name == "month" || strings.Contains(v.Name, "loc") {
					p.States[k][i].X = (v.X + 1) % 2
				} else {
					p.States[k][i].X++
				}
				pic := pictureOf(t, p, s.facts)
				for name, write := range formats {
					if name == "gif" && (k != 1 || i%3 > 0) {
						continue // for time
					}
					if after := written(t, func(w io.Writer) error { return write(pic, w) }); after == before[name] {
						t.Errorf("%s as %s is the same with %s changed to %d in state %d", s.name, name, v.Name, p.States[k][i].X, k)
					}
				}
			}
		}
	}
}

// TestActionsAreShown changes the plan's actions and checks that pictures change.
func TestActionsAreShown(t *testing.T) {
	for _, s := range samples {
		p := s.plan()
		p.Actions[1] = []Value{{"reboot(c2)", 1, true}, {"resupply(c1)", 1, true}, {"move-south", 1, true}}
		for name, write := range formats {
			a := written(t, func(w io.Writer) error { return write(pictureOf(t, s.plan(), s.facts), w) })
			b := written(t, func(w io.Writer) error { return write(pictureOf(t, p, s.facts), w) })
			if a == b {
				t.Errorf("%s: the %s is the same with other actions", s.name, name)
			}
		}
	}
}

// thingsAt finds the groups called thing among elements, with their places.
func thingsAt(es []element, thing string) []point {
	var out []point
	for _, e := range es {
		if e.shape == group && e.thing == thing {
			out = append(out, point{e.x, e.y})
		}
	}
	return out
}

// TestPlaces compares where things are drawn with random traces, valid or not.
func TestPlaces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := samples[1].plan()
		type who struct{ agent, enemy spot }
		var want []who
		for k := range p.States {
			w := who{spot{rnd.Int64N(4), rnd.Int64N(4)}, spot{rnd.Int64N(4), rnd.Int64N(4)}}
			key := rnd.IntN(2) == 0
			p.States[k] = dungeonState(w.agent.x, w.agent.y, w.enemy.x, w.enemy.y, true, key)
			want = append(want, w)
		}
		pic := pictureOf(t, p, samples[1].facts)
		for k, w := range want {
			frame := pic.view.frame(k)
			cellOf := func(thing string) spot {
				at := thingsAt(frame, thing)
				if len(at) != 1 {
					t.Fatalf("%d times %s", len(at), thing)
				}
				return spot{int64((at[0].x - dungeonMargin) / cell), 3 - int64((at[0].y-1)/cell)}
			}
			if got := (who{cellOf("agent"), cellOf("enemy")}); got != w {
				t.Fatalf("state %d draws %v, the trace says %v", k, got, w)
			}
			key := p.States[k][3].X != 0
			if held := len(thingsAt(frame, "key")) == 0; held != key {
				t.Fatalf("state %d: the key is held: %v, the trace says %v", k, held, key)
			}
		}
	}
	for range 200 {
		p := samples[0].plan()
		var want []map[place]bool
		for k := range p.States {
			at := map[place]bool{}
			for i := range p.States[k] {
				on := rnd.IntN(9) == 0
				p.States[k][i].X = truth(on)
				if on {
					at[place{i / 3, i % 3}] = true
				}
			}
			want = append(want, at)
		}
		pic := pictureOf(t, p, samples[0].facts)
		for k, w := range want {
			got := map[place]bool{}
			for _, q := range thingsAt(pic.view.frame(k), "robot") {
				got[place{int((q.x - mazeLeft) / cell), int((q.y - mazeTop) / cell)}] = true
			}
			if fmt.Sprint(got) != fmt.Sprint(w) {
				t.Fatalf("state %d draws robots in %v, the trace says %v", k, got, w)
			}
			if len(w) == 0 && pic.view.describe(k) != "robot nowhere" {
				t.Fatalf("no robot is described as %s", pic.view.describe(k))
			}
		}
	}
}

// TestBars compares the heights of the stock's bars with levels and demands.
func TestBars(t *testing.T) {
	s := samples[2]
	p := s.plan()
	p.States[2][1].X = 9
	pic := pictureOf(t, p, s.facts)
	unit := stockHeight / 9
	levels, demands := []float64{0, 5, 9, 2}, []float64{0, 3, 0}
	var gotLevels, gotDemands []float64
	for _, e := range pic.view.base() {
		switch e.thing {
		case "level":
			gotLevels = append(gotLevels, e.parts[0].h/unit)
		case "demand":
			gotDemands = append(gotDemands, e.parts[0].h/unit)
		}
	}
	if fmt.Sprintf("%.6f", gotLevels) != fmt.Sprintf("%.6f", levels) || fmt.Sprintf("%.6f", gotDemands) != fmt.Sprintf("%.6f", demands) {
		t.Errorf("levels %v and demands %v, expected %v and %v", gotLevels, gotDemands, levels, demands)
	}
	if n := len(thingsAt(pic.view.base(), "order")); n != 1 {
		t.Errorf("%d orders, expected 1", n)
	}
	if n := len(thingsAt(pic.view.base(), "unmet")); n != 1 {
		t.Errorf("%d thresholds not met, expected 1", n)
	}
}

// TestWithoutFacts draws plans alone: the pictures say what is unknown.
func TestWithoutFacts(t *testing.T) {
	for _, s := range samples[:3] {
		pic := pictureOf(t, s.plan(), Facts{})
		if text := written(t, pic.Text); !strings.Contains(text, "not known") {
			t.Errorf("%s does not say what is not known:\n%s", s.name, text)
		}
		for _, thing := range []string{"blocked", "block", "key", "door", "demand", "goal"} {
			if strings.Contains(written(t, pic.SVG), `data-thing="`+thing+`"`) {
				t.Errorf("%s shows a %s that does not exist", s.name, thing)
			}
		}
	}
}

// TestPublishedNames assembles integers from the bits of published files.
func TestPublishedNames(t *testing.T) {
	bits := func(x int64, names ...string) (out []Value) {
		for i, n := range names {
			out = append(out, Value{n, x >> (len(names) - 1 - i) & 1, true})
		}
		return out
	}
	state := func(x, y, ex, ey int64) []Value {
		vs := append(bits(x, "cellda-loc_bit_1[$x]", "cellda-loc_bit_0[$x]"), bits(y, "cellda-loc_bit_1[$y]", "cellda-loc_bit_0[$y]")...)
		vs = append(vs, Value{"cellda-alive", 1, true}, Value{"has-key", 0, true})
		return append(append(vs, bits(ex, "enem-loc_bit_1[$e1| $x]", "enem-loc_bit_0[$e1| $x]")...), bits(ey, "enem-loc_bit_1[$e1| $y]", "enem-loc_bit_0[$e1| $y]")...)
	}
	p := &Plan{Problem: "cellda/y", Actions: steps("move-up"), States: [][]Value{state(0, 2, 3, 1), state(2, 3, 1, 0)}}
	pic := pictureOf(t, p, Facts{Goal: map[string]int64{"cellda-loc_bit_1[$x]": 1, "cellda-loc_bit_0[$x]": 0, "cellda-loc_bit_1[$y]": 1, "cellda-loc_bit_0[$y]": 1}})
	d, ok := pic.view.(*dungeon)
	if !ok {
		t.Fatalf("drawn as %T", pic.view)
	}
	if fmt.Sprint(d.agent, d.enemies, *d.door) != "[(0,2) (2,3)] [[(3,1) (1,0)]] (2,3)" {
		t.Errorf("agent %v, enemies %v, door %v", d.agent, d.enemies, *d.door)
	}
	// Bits with a gap stay what they are.
	p = &Plan{Actions: steps(""), States: [][]Value{{{"n_bit_2", 1, true}, {"n_bit_0", 1, true}}, {{"n_bit_2", 1, true}, {"n_bit_0", 1, true}}}}
	if text := written(t, pictureOf(t, p, Facts{}).Text); !strings.Contains(text, "n_bit_2") {
		t.Errorf("bits with a gap were put together:\n%s", text)
	}
	// Two variables with one name are refused.
	p = &Plan{Actions: steps(""), States: [][]Value{{{"a(b)", 1, true}, {"a[b]", 1, true}}, {{"a(b)", 1, true}, {"a[b]", 1, true}}}}
	if _, err := New(p, Facts{}); err == nil {
		t.Error("two variables of one name were accepted")
	}
}

// TestBounds checks plans that are too long or wide to be drawn, but can be written as text.
func TestBounds(t *testing.T) {
	p := samples[4].plan()
	for len(p.Actions) <= MaxSteps {
		p.Actions, p.States = append(p.Actions, nil), append(p.States, p.States[0])
	}
	for name, write := range formats {
		if err := write(pictureOf(t, p, Facts{}), io.Discard); (err != nil) != (name != "txt" && name != "html") {
			t.Errorf("%s of %d steps: %v", name, len(p.Actions), err)
		}
	}
	page := written(t, pictureOf(t, p, Facts{}).HTML)
	if !strings.Contains(page, "There is no drawing: the plan has 401 steps") || !strings.Contains(page, `<th scope="row">401 `) || strings.Contains(page, "<svg") || strings.Contains(page, "<script") {
		t.Errorf("the page of a long plan:\n%.3000s", page)
	}
	wide := samples[4].plan()
	for k := range wide.States {
		for i := range 10_000 {
			wide.States[k] = append(wide.States[k], Value{"w" + strconv.Itoa(i), 1 << 52, false})
		}
	}
	for range 50 {
		wide.Actions, wide.States = append(wide.Actions, nil), append(wide.States, wide.States[0])
	}
	if err := pictureOf(t, wide, Facts{}).SVG(io.Discard); err == nil || !strings.Contains(err.Error(), "pixels") {
		t.Errorf("a picture of more than %d pixels: %v", maxArea, err)
	}
	// Coordinates that do not fit the picture give a table.
	far := samples[1].plan()
	far.States[1][0].X = 1 << 40
	if _, ok := pictureOf(t, far, Facts{}).view.(*table); !ok {
		t.Error("a dungeon of 2^40 cells was drawn")
	}
}

// document writes a plan as the program does.
func document(t testing.TB, p *Plan) []byte {
	t.Helper()
	list := func(steps [][]Value) (out []json.RawMessage) {
		for _, vs := range steps {
			var parts []string
			for _, v := range vs {
				x := strconv.FormatInt(v.X, 10)
				if v.Bool {
					x = strconv.FormatBool(v.X != 0)
				}
				parts = append(parts, strconv.Quote(v.Name)+":"+x)
			}
			out = append(out, json.RawMessage("{"+strings.Join(parts, ",")+"}"))
		}
		return out
	}
	data, err := json.Marshal(map[string]any{"schema": 1, "problem": p.Problem, "status": p.Status, "reward": p.Reward, "plan": list(p.Actions), "trace": list(p.States)})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
