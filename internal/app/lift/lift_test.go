package lift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/prove"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
)

// instance writes an instance of a domain in testdata and a task; it returns the task's
// file. Lines are of its non-fluents.
func instance(t *testing.T, domain, objects string, facts []string, init, task string) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", domain+".rddl"))
	if err != nil {
		t.Fatal(err)
	}
	inst := fmt.Sprintf("non-fluents nf { domain = %s; objects { %s }; non-fluents { %s }; }\ninstance i { domain = %s; non-fluents = nf; init-state { %s }; max-nondef-actions = pos-inf; horizon = 4; discount = 1.0; }\n",
		domain, objects, strings.Join(facts, " "), domain, init)
	for name, text := range map[string]string{"domain.rddl": string(text), "instance.rddl": inst, "task.toml": "domain = \"domain.rddl\"\ninstance = \"instance.rddl\"\n" + task} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "task.toml")
}

// computers writes a SysAdmin task with the given edges.
func computers(t *testing.T, n int, edges [][2]int) string {
	var names, facts, init []string
	for i := range n {
		names, init = append(names, fmt.Sprintf("c%d", i)), append(init, fmt.Sprintf("running(c%d);", i))
	}
	for _, e := range edges {
		facts = append(facts, fmt.Sprintf("CONNECTED(c%d, c%d); CONNECTED(c%d, c%d);", e[0], e[1], e[1], e[0]))
	}
	return instance(t, "sysadmin", "computer : { "+strings.Join(names, ", ")+" };", facts, strings.Join(init, " "),
		"learned = [\"running\", \"age\"]\n[ranges]\nage = [0, 3]\n")
}

func ring(n int) (edges [][2]int) {
	for i := range n {
		edges = append(edges, [2]int{i, (i + 1) % n})
	}
	return edges
}

func tree(n int) (edges [][2]int) {
	for i := 1; i < n; i++ {
		edges = append(edges, [2]int{(i - 1) / 2, i})
	}
	return edges
}

func star(n int) (edges [][2]int) {
	for i := 1; i < n; i++ {
		edges = append(edges, [2]int{0, i})
	}
	return edges
}

// random is a graph with an edge between any two with probability 2/n.
func random(n int) (edges [][2]int) {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	for i := range n {
		for j := range i {
			if rng.IntN(n) < 2 {
				edges = append(edges, [2]int{j, i})
			}
		}
	}
	return edges
}

// stars are stars of 2 to n computers.
func stars(n int) (edges [][2]int) {
	at := 0
	for k := 2; k <= n; k++ {
		for i := 1; i < k; i++ {
			edges = append(edges, [2]int{at, at + i})
		}
		at += k
	}
	return edges
}

// lamps writes a grid of lamps.
func lamps(t *testing.T, width, height int) string {
	var names, facts []string
	name := func(x, y int) string { return fmt.Sprintf("l%dx%d", x, y) }
	for y := range height {
		for x := range width {
			names = append(names, name(x, y))
			if x > 0 {
				facts = append(facts, fmt.Sprintf("NEXT(%s, %s); NEXT(%s, %s);", name(x-1, y), name(x, y), name(x, y), name(x-1, y)))
			}
			if y > 0 {
				facts = append(facts, fmt.Sprintf("NEXT(%s, %s); NEXT(%s, %s);", name(x, y-1), name(x, y), name(x, y), name(x, y-1)))
			}
		}
	}
	return instance(t, "lamps", "lamp : { "+strings.Join(names, ", ")+" };", facts, "", "learned = [\"on\"]\n")
}

// robots writes robots in an open room.
func robots(t *testing.T, n, size int) string {
	var names, cells, facts, init []string
	for i := range n {
		names = append(names, fmt.Sprintf("r%d", i))
		init = append(init, fmt.Sprintf("robot-at(r%d, x%dy0);", i, i))
	}
	for x := range size {
		for y := range size {
			cells = append(cells, fmt.Sprintf("x%dy%d", x, y))
			if x > 0 {
				facts = append(facts, fmt.Sprintf("LINK(x%dy%d, west, x%dy%d); LINK(x%dy%d, east, x%dy%d);", x, y, x-1, y, x-1, y, x, y))
			}
			if y > 0 {
				facts = append(facts, fmt.Sprintf("LINK(x%dy%d, south, x%dy%d); LINK(x%dy%d, north, x%dy%d);", x, y, x, y-1, x, y-1, x, y))
			}
		}
	}
	objects := fmt.Sprintf("robot : { %s }; cell : { %s }; way : { north, east, south, west };", strings.Join(names, ", "), strings.Join(cells, ", "))
	return instance(t, "robots", objects, facts, strings.Join(init, " "), "learned = [\"robot-at\"]\n")
}

// store writes products on one shelf, in lots and with demands of one and two.
func store(t *testing.T, n int) string {
	var names, facts []string
	for i := range n {
		names = append(names, fmt.Sprintf("p%d", i))
		facts = append(facts, fmt.Sprintf("LOT(p%d) = %d; DEMAND(p%d) = %d;", i, 1+i%2, i, 1+i/2%2))
		if i > 0 {
			facts = append(facts, fmt.Sprintf("BESIDE(p%d, p%d); BESIDE(p%d, p%d);", i-1, i, i, i-1))
		}
	}
	return instance(t, "store", "product : { "+strings.Join(names, ", ")+" };", facts, "", "learned = [\"stock\", \"sold-out\"]\n[ranges]\nstock = [0, 3]\n")
}

// persons writes people who meet the next two on either side, those at the ends fewer.
func persons(t *testing.T, n int) string {
	var names, facts []string
	for i := range n {
		names = append(names, fmt.Sprintf("p%d", i))
		for k := max(0, i-2); k < i; k++ {
			facts = append(facts, fmt.Sprintf("MEETS(p%d, p%d); MEETS(p%d, p%d);", k, i, i, k))
		}
	}
	return instance(t, "epidemic", "person : { "+strings.Join(names, ", ")+" };", facts, "", "learned = [\"ill\", \"late\", \"immune\"]\n")
}

// numbered lists names with numbers from 0 on.
func numbered(name string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint(name, i))
	}
	return out
}

// blocks writes blocks that are on the table.
func blocks(t *testing.T, n int) string {
	names := numbered("b", n)
	var init []string
	for _, b := range names {
		init = append(init, fmt.Sprintf("ontable(%s); clear(%s);", b, b))
	}
	return instance(t, "blocks", "block : { "+strings.Join(names, ", ")+" };", nil, strings.Join(init, " "), "learned = [\"on\", \"ontable\", \"clear\", \"holding\", \"handempty\"]\n")
}

// logistics writes parcels in the first of some cities, each with a truck, an airport and another place, and an airplane.
func logistics(t *testing.T, parcels, cities int) string {
	var places, facts, init []string
	for c := range cities {
		places = append(places, fmt.Sprintf("l%d, m%d", c, c))
		facts = append(facts, fmt.Sprintf("BASE(t%d, c%d); AIRPORT(l%d); IN-CITY(l%d, c%d); IN-CITY(m%d, c%d);", c, c, c, c, c, c, c))
		init = append(init, fmt.Sprintf("truck-at(t%d, l%d);", c, c))
	}
	for i := range parcels {
		init = append(init, fmt.Sprintf("at(p%d, m0);", i))
	}
	objects := fmt.Sprintf("parcel : { %s }; truck : { %s }; plane : { a }; place : { %s }; city : { %s };", strings.Join(numbered("p", parcels), ", "),
		strings.Join(numbered("t", cities), ", "), strings.Join(places, ", "), strings.Join(numbered("c", cities), ", "))
	return instance(t, "logistics", objects, facts, strings.Join(init, " ")+" plane-at(a, l0);", "learned = [\"at\", \"in\", \"aboard\", \"truck-at\", \"plane-at\"]\n")
}

// sokoban writes a map with walls #, the player @ and boxes $.
func sokoban(t *testing.T, rows ...string) string {
	var names, facts, init []string
	at := func(x, y int) byte {
		if y < 0 || y >= len(rows) || x < 0 || x >= len(rows[y]) {
			return '#'
		}
		return rows[y][x]
	}
	for y, row := range rows {
		for x := range row {
			name := fmt.Sprintf("x%dy%d", x, y)
			switch at(x, y) {
			case '#':
				continue
			case '@':
				init = append(init, "player("+name+");")
			case '$':
				init = append(init, "box("+name+");")
			}
			names = append(names, name)
			for i, way := range []string{"north", "east", "south", "west"} {
				if to := [][2]int{{x, y - 1}, {x + 1, y}, {x, y + 1}, {x - 1, y}}[i]; at(to[0], to[1]) != '#' {
					facts = append(facts, fmt.Sprintf("LINK(%s, %s, x%dy%d);", name, way, to[0], to[1]))
				}
			}
		}
	}
	return instance(t, "sokoban", "cell : { "+strings.Join(names, ", ")+" }; way : { north, east, south, west };", facts, strings.Join(init, " "), "learned = [\"player\", \"box\"]\n")
}

// learned learns a lifted network from random transitions of a task.
func learned(t *testing.T, task string, rows int, o Options) []byte {
	t.Helper()
	return learnedBy(t, task, rows, collect.Restart, o)
}

// untrained loads a problem without its network.
func untrained(t *testing.T, name string) *load.Problem {
	t.Helper()
	p, err := load.Load(t.Context(), load.Ref{Name: name, Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// networks are what was learned before, by its problem, rows and options.
var networks = map[string][]byte{}

// learnedBy learns a lifted network from transitions of a task by a policy.
func learnedBy(t *testing.T, task string, rows int, policy collect.Policy, o Options) []byte {
	t.Helper()
	key := task
	if text, err := os.ReadFile(task); err == nil { // it is not bundled
		instance, err := os.ReadFile(filepath.Join(filepath.Dir(task), "instance.rddl"))
		if err != nil {
			t.Fatal(err)
		}
		key = string(text) + string(instance)
	}
	key += fmt.Sprintf("%d %s %+v", rows, policy, o)
	if text, ok := networks[key]; ok {
		return text
	}
	p := untrained(t, task)
	data := filepath.Join(t.TempDir(), "rows.csv")
	if err := learn.Collect(context.Background(), p, data, collect.Options{Rows: rows, Policy: policy, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	res, err := Train(context.Background(), p, data, o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Train.Wrong > 0 {
		t.Errorf("%s: %v, expected no row wrong", task, res.Train)
	}
	var text bytes.Buffer
	if err := res.Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := res.WriteText(new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	networks[key] = text.Bytes()
	return text.Bytes()
}

// TestHeldOut: the last tenth of the rows is not learned from where errors are counted on it. Here all computers are
// down after these rows alone, which the other rows do not show.
func TestHeldOut(t *testing.T) {
	p := untrained(t, computers(t, 3, ring(3)))
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := learn.Collect(context.Background(), p, file, collect.Options{Rows: 60, Policy: collect.Restart, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	changed := 0
	for i := len(lines) - 6; i < len(lines); i++ {
		cells := strings.Split(lines[i], ",")
		before := lines[i]
		for k, name := range strings.Split(lines[0], ",") {
			if strings.HasPrefix(strings.Trim(name, `"`), "running") && strings.HasSuffix(strings.Trim(name, `"`), "'") {
				cells[k] = "0"
			}
		}
		if lines[i] = strings.Join(cells, ","); lines[i] != before {
			changed++
		}
	}
	for _, c := range []struct{ rows, held, wrong int }{{60, 6, changed}, {54, 5, 0}, {8, 0, 0}} {
		if err := os.WriteFile(file, []byte(strings.Join(lines[:1+c.rows], "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		res, err := Train(context.Background(), p, file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := res.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("held-out rows (the last %d, of a network learned without them): ", c.held)
		if c.held == 0 {
			want = "held-out rows: none, since there are fewer than 10 rows\n"
		}
		if !strings.Contains(b.String(), want) || (res.HeldOut == nil) != (c.held == 0) || res.Train.Rows != c.rows {
			t.Errorf("%d rows: %+v, and\n%s\nexpected %s", c.rows, res.HeldOut, &b, want)
			continue
		}
		if h := res.HeldOut; h != nil && (h.Rows != c.held || h.Wrong != c.wrong || res.Exact != (c.wrong == 0 && res.Train.Wrong == 0)) {
			t.Errorf("%d rows: %v, exact %v; expected %d of %d wrong", c.rows, h, res.Exact, c.wrong, c.held)
		}
	}
	if changed == 0 {
		t.Error("no row was changed")
	}
}

// No test is of small networks, and a collection of garbage for every few megabytes takes a third of the time.
func init() {
	shrinkEffort = 1
	debug.SetGCPercent(400)
}

// TestLift learns from few objects and lifts to many: the network is proven equal to the
// RDDL wherever it is not said to be unseen.
func TestLift(t *testing.T) {
	many := 15
	if *all {
		many = 50
	}
	for _, c := range []struct {
		name       string
		rows       int
		small, big string
		unseen     int // outputs of the larger problem that always are
	}{
		{"ring", 30, computers(t, 5, ring(5)), computers(t, 2*many, ring(2*many)), 0},
		{"tree", 30, computers(t, 5, tree(5)), computers(t, many, tree(many)), 0},
		{"star", 30, computers(t, 5, star(5)), computers(t, 12, star(12)), 3},
		{"random", 60, computers(t, 14, stars(5)), computers(t, 20, random(20)), 12},
		{"lamps", 150, lamps(t, 3, 3), lamps(t, 5, 4), 0},
		{"robots", 150, robots(t, 2, 3), robots(t, 3, 4), 0},
		{"store", 60, store(t, 6), store(t, many), 0},
		{"persons", 60, persons(t, 8), persons(t, many), 0},
		{"blocks", 150, blocks(t, 4), blocks(t, 6), 0},
		{"logistics", 150, logistics(t, 3, 2), logistics(t, 6, 3), 0},
		{"sokoban", 150, sokoban(t, "..#.", ".$@.", "...#", ".#.."), sokoban(t, "..#..", "#.@$.", "..#.."), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := learned(t, c.small, c.rows, Options{Seed: 1})
			p := untrained(t, c.big)
			res, err := Apply(context.Background(), p, "small", text, Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			always := map[string]bool{}
			for _, u := range res.Unseen {
				if u.Always {
					always[u.Output] = true
				}
			}
			if len(always) != c.unseen || len(res.Unseen) != c.unseen {
				t.Errorf("unseen outputs %v, expected %d", res.Unseen, c.unseen)
			}
			var big bytes.Buffer
			if err := res.Write(&big); err != nil {
				t.Fatal(err)
			}
			proof, err := prove.Network(context.Background(), load.Ref{Name: c.big}, "big", big.Bytes(), prove.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range proof.Differing {
				if !always[name] {
					t.Errorf("%s differs from the RDDL", name)
				}
			}
		})
	}
}

// TestThreads: the file does not depend on the number of threads.
func TestThreads(t *testing.T) {
	task := computers(t, 6, random(6))
	one, three := learned(t, task, 50, Options{Threads: 1}), learned(t, task, 50, Options{Threads: 3})
	if !bytes.Equal(one, three) {
		t.Error("three threads give another network")
	}
}

// TestUnfit: networks without lifted functions, and problems that they do not fit, are
// refused.
func TestUnfit(t *testing.T) {
	text := learned(t, computers(t, 5, tree(5)), 30, Options{})
	p := untrained(t, lamps(t, 2, 2))
	var at *source.Error
	if _, err := Apply(context.Background(), p, "small", text, Options{}); !errors.As(err, &at) || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("%v, expected that the functions do not fit", err)
	}
	var none []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "meta lifted") && !strings.HasPrefix(line, "checksum") {
			none = append(none, line)
		}
	}
	if _, err := Apply(context.Background(), p, "small", []byte(strings.Join(none, "")), Options{}); !errors.As(err, &at) {
		t.Errorf("%v, expected an error about the file", err)
	}
}

// TestWrongRows: where functions do not describe all rows that they were learned from, their network's answer says so.
func TestWrongRows(t *testing.T) {
	text := learned(t, "inventory/2", 200, Options{Seed: 1})
	for _, c := range []struct{ errors, said string }{{"0", ""}, {"1", "wrong on 1 row "}, {"5", "wrong on 5 rows "}} {
		f, err := bnn.ReadFile("small", bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Meta {
			if f.Meta[i][0] == load.MetaErrors {
				f.Meta[i][1] = c.errors
			}
		}
		var file bytes.Buffer
		if err := bnn.WriteFile(&file, f); err != nil {
			t.Fatal(err)
		}
		res, err := Apply(context.Background(), untrained(t, "inventory/2"), "small", file.Bytes(), Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := res.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(out.String(), "functions are wrong on"); said != (c.said != "") || !strings.Contains(out.String(), c.said) {
			t.Errorf("%s rows wrong: %q, expected %q", c.errors, out.String(), c.said)
		}
	}
}
