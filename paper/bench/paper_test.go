package bench

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/experiment/journal"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
)

// listed are the runs of a configuration, by ID.
func listed(t *testing.T, c Config) []string {
	t.Helper()
	jobs, err := Paper(c)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range jobs {
		r := &jobs[i].Record
		if r.ID == "" || slices.Contains(out, r.ID) {
			t.Errorf("ID %q twice", r.ID)
		}
		if !slices.Contains(Tables(), r.Table) || r.TimeLimit <= 0 || jobs[i].do == nil {
			t.Errorf("%+v", r)
		}
		out = append(out, r.ID)
	}
	return out
}

// TestProblems selects problems of the tables of planners, and refuses one that is not the paper's.
func TestProblems(t *testing.T) {
	c := Config{TimeLimit: time.Minute, ReachLimit: time.Minute, TrainLimit: time.Minute, Memory: 1 << 30, Threads: 1, Tables: []string{"engines", "literal"}}
	full := listed(t, c)
	c.Problems = []string{"navigation/3x3", "sysadmin/4"}
	some := listed(t, c)
	want := slices.DeleteFunc(full, func(id string) bool {
		return !strings.Contains(id, " navigation/3x3 ") && !strings.Contains(id, " sysadmin/4 ")
	})
	if len(some) == 0 || !slices.Equal(some, want) {
		t.Errorf("%d runs, expected %d", len(some), len(want))
	}
	c.Problems = []string{"navigation/9x9"}
	if _, err := Paper(c); err == nil || !strings.Contains(err.Error(), "navigation/9x9") {
		t.Error(err)
	}
}

// TestPaper checks that the list is reproducible, that the quick one is a subset, and that it
// contains the promised runs.
func TestPaper(t *testing.T) {
	c := Config{TimeLimit: time.Minute, ReachLimit: time.Minute, TrainLimit: time.Minute, Memory: 1 << 30, Threads: 1, Solvers: []ExternalSolver{{"pb", "clasp"}, {"maxsat", "my solver {in}"}}}
	full := listed(t, c)
	if !slices.Equal(full, listed(t, c)) {
		t.Error("another list the second time")
	}
	c.Quick = true
	quick := listed(t, c)
	at := -1
	for _, id := range quick {
		next := slices.Index(full, id)
		if next <= at {
			t.Errorf("%s is at %d of the full list", id, next)
		}
		at = next
	}
	count := func(list []string, parts ...string) int {
		n := 0
		for _, id := range list {
			all := true
			for _, p := range parts {
				all = all && strings.Contains(" "+id+" ", " "+p+" ")
			}
			if all {
				n++
			}
		}
		return n
	}
	for _, tc := range []struct {
		list []string
		n    int
		id   []string
	}{
		{quick, 27 + 9, []string{"engines", "engine=search"}}, // and the three trained networks
		{quick, 9, []string{"engines", "engine=search", "model=trained"}},
		{quick, 27 + 9 + len(QuickBLP()), []string{"engines", "engine=pb"}}, // with clasp
		{quick, 10, []string{"encodings", "engine=maxsat", "encoding=unidirectional"}},
		{quick, 10, []string{"size", "encoding=paper", "seed=0"}},
		{quick, 7 + 2, []string{"engines", "engine=blp"}},
		{quick, 3, []string{"learning", "recipe=paper"}},
		{quick, 3, []string{"learning", "recipe=bundled"}},
		{full, 2 * 27, []string{"engines", "engine=blp"}},
		{full, 3 * 27, []string{"engines", "engine=pb"}}, // with clasp
		{full, 27, []string{"engines", "engine=pb", "model=trained"}},
		{full, 27, []string{"engines", "solver=my_solver_{in}"}},
		{full, 27, []string{"encodings", "engine=maxsat", "encoding=default"}},
		{full, 27, []string{"size", "encoding=paper", "seed=0"}},
		{full, 2 * 27, []string{"incremental", "engine=pb", "landmarks=plan"}},
		{full, 2 * 27, []string{"incremental", "engine=maxsat", "landmarks=prefix"}},
		{full, 0, []string{"incremental", "engine=maxsat", "landmarks=plan"}},
		{full, 2 * 27, []string{"literal", "planner=FD-BLP-Plan+", "landmarks=plan"}},
		{full, 27, []string{"literal", "planner=FD-SAT-Plan+", "solver=my_solver_{in}", "landmarks=plan"}},
		{full, 9 * learningSeeds, []string{"learning", "recipe=paper"}},
		{full, 9, []string{"learning", "recipe=paper", "seed=5"}},
		{full, 9, []string{"learning", "recipe=grid", "seed=1"}},
		{full, 9, []string{"reach", "engine=blp"}},
		{full, 8 + 4*27, []string{"size", "seed=0"}},
		{full, 1, []string{"figure1", "model=naive"}},
	} {
		got := count(tc.list, tc.id...)
		if got != tc.n {
			t.Errorf("%d runs of %v, expected %d", got, tc.id, tc.n)
		}
	}
	for _, bad := range []Config{{Tables: []string{"two"}}, {Engines: []string{"auto"}}, {Files: t.TempDir()}, {Solvers: []ExternalSolver{{"x", "y"}}}} {
		if _, err := Paper(bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestPublished lists the runs with published networks: no folder of this machine is in
// their records, and no training. The landmarks of SysAdmin mean nothing.
func TestPublished(t *testing.T) {
	dir := t.TempDir()
	for _, part := range []string{"bnn", "normalization", "translation"} {
		if err := os.Mkdir(filepath.Join(dir, part), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"inventory_1", "sysadmin_4"} {
		if err := os.WriteFile(filepath.Join(dir, "bnn", "bnn_"+name+".txt"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := Config{Dir: dir, Files: dir, TimeLimit: time.Minute, ReachLimit: time.Minute, TrainLimit: time.Minute, Memory: 1 << 30, Threads: 1, Solvers: []ExternalSolver{{"blp", "cbc"}},
		Machine: map[string]string{"solver cbc": "Version: 1", "solver highs": "HiGHS 1.15"}}
	listed(t, c)
	jobs, err := Paper(c)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{c: c, dir: "/out", files: "/in"}
	inventories, cbc := 0, 0
	for i := range jobs {
		r := &jobs[i].Record
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), dir) || r.Kind == journal.KindTrain || r.Table == "size" || r.Model == trainedModel {
			t.Errorf("%s", text)
		}
		if r.Files != "" && r.Model != publishedModel || strings.HasPrefix(r.Problem, "sysadmin") && r.Landmarks != "" {
			t.Errorf("%s", text)
		}
		if args := strings.Join(b.places(r.Args), " "); r.Problem == "inventory/1" && r.Kind == journal.KindPlan {
			inventories++
			if !strings.HasPrefix(args, "plan inventory/1 --files /in --reward /out/"+rewardName+" -H ") {
				t.Error(args)
			}
		}
		switch {
		case r.Solver == "cbc":
			cbc++
			if r.Version != "Version: 1" || !strings.HasPrefix(r.Command, "cbc {in} ") {
				t.Errorf("%s", text)
			}
		case r.Engine == registry.BLP:
			if !strings.HasPrefix(r.Version, "HiGHS 1.") || r.Command != "" {
				t.Errorf("%s", text)
			}
		case r.Version != "" || r.Command != "":
			t.Errorf("%s", text)
		}
	}
	if inventories == 0 || cbc == 0 {
		t.Errorf("%d runs of inventories, %d of cbc", inventories, cbc)
	}
}

// TestNeuron checks that the sizes of single neurons grow as the paper states: cardinality
// networks with p; the sequential counters of the uni-directional encoding, which count both
// ways, with the square of n.
func TestNeuron(t *testing.T) {
	b := &bench{c: Config{Now: time.Now}}
	clauses := func(e string, n, p int64) int64 {
		r := journal.Record{Encoding: e, Stats: map[string]int64{"n": n, "p": p}}
		if err := countNeuron(t.Context(), b, &r); err != nil || r.Status != statusMeasured {
			t.Fatalf("%s: %+v %v", e, r, err)
		}
		k := int64(1)
		for k < p || k == p && e != "published" {
			k *= 2
		}
		if r.Stats["k"] != k || r.Stats["n"] != n || r.Stats["p"] != p {
			t.Errorf("%s: %v, expected k = %d", e, r.Stats, k)
		}
		return r.Stats["clauses"]
	}
	for _, e := range encodingNames() {
		if e == "unidirectional" {
			if few, many := clauses(e, 8, 4), clauses(e, 64, 32); many < 50*few {
				t.Errorf("%s: %d clauses for 8 inputs, %d for 64", e, few, many)
			}
			continue
		}
		for _, n := range []int64{8, 64, 256} {
			if few, many := clauses(e, n, 1), clauses(e, n, n/2); few >= many || few <= n {
				t.Errorf("%s, n %d: %d clauses for p 1, %d for half", e, n, few, many)
			}
		}
	}
}

// TestFamilies plans with instances of the families: those of the paper's sizes have the same
// optima as its own.
func TestFamilies(t *testing.T) {
	for _, tc := range []struct {
		family int
		n      int
		want   float64
	}{{0, 4, -5}, {0, 5, -8}, {0, 9, -20}, {1, 4, -3}, {1, 5, -4}, {1, 6, -5}} {
		f := &families[tc.family]
		dir := t.TempDir()
		domain, err := bundled.Read("problems/" + f.domain + "/domain.rddl")
		if err != nil {
			t.Fatal(err)
		}
		files := []string{filepath.Join(dir, "domain.rddl"), filepath.Join(dir, "instance.rddl")}
		for i, text := range [][]byte{domain, []byte(f.text(tc.n))} {
			if err := os.WriteFile(files[i], text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p, err := load.Load(context.Background(), load.Ref{Source: load.Source{Domain: files[0], Instance: files[1], Question: load.Question{Goal: f.goal(tc.n), Range: f.ranges}}})
		if err != nil {
			t.Fatal(err)
		}
		h := f.horizon(tc.n)
		d, err := plan.Plan(t.Context(), p, plan.Request{Query: plan.Query{Options: registry.Options{Engine: "search"}, Horizon: bind.Steps(h)}, Limits: engine.Limits{Threads: 1, Memory: 1 << 30}, Now: time.Now})
		if err != nil || d.Status != "optimal" || *d.Reward != tc.want {
			t.Errorf("%s of size %d: %+v %v, expected %g", f.domain, tc.n, d, err, tc.want)
		}
		// For the mazes the horizon is the length of the path.
		if tc.family == 0 && float64(-h) != tc.want {
			t.Errorf("a maze of size %d: horizon %d", tc.n, h)
		}
	}
}

func TestFurther(t *testing.T) {
	for _, tc := range []struct {
		statuses string // of runs 2, 3, 4, ...
		last     int
		status   string
		horizon  int
		runs     int
	}{
		{"optimal optimal feasible optimal", 9, "measured", 30, 3},
		{"optimal infeasible optimal optimal", 4, "measured", 40, 3},
		{"unknown", 9, "unknown", 0, 1},
		{"error", 9, "error", 0, 1},
		{"optimal error", 9, "measured", 20, 2},
	} {
		var r journal.Record
		statuses := strings.Fields(tc.statuses)
		err := further(&r, 2, tc.last, func(n int) int { return n + 1 }, func(n int, one *journal.Record) error {
			one.Horizon, one.Status, one.Seconds, one.Memory = 10*n, statuses[n-2], 1, int64(n)
			return nil
		})
		if err != nil || r.Status != tc.status || r.Horizon != tc.horizon || len(r.Reach) != tc.runs || r.Seconds != float64(tc.runs) || r.Memory != int64(tc.runs+1) {
			t.Errorf("%s: %+v %v", tc.statuses, r, err)
		}
	}
}

func TestPace(t *testing.T) {
	jobs := []Job{{Record: journal.Record{Engine: "a"}}, {Record: journal.Record{Engine: "a"}}, {Record: journal.Record{Engine: "b"}}, {Record: journal.Record{Engine: "a"}}}
	p := newPace(jobs, []int{0, 1, 2}, 1)
	if s := p.starting(0); s.Left != 0 || s.Jobs != 3 || s.Done != 0 {
		t.Errorf("%+v", s)
	}
	if s := p.ended(0, 2*time.Second); s.Left != 4*time.Second || s.Done != 1 {
		t.Errorf("%+v: nothing is known of b, expected the mean", s)
	}
	if s := p.ended(2, 10*time.Second); s.Left != 2*time.Second {
		t.Errorf("%+v: expected the time of a", s)
	}
	if s := p.ended(1, 4*time.Second); s.Left != 0 || s.Done != s.Jobs {
		t.Errorf("%+v", s)
	}
}

func TestHappened(t *testing.T) {
	document := `{"schema":1,"status":"optimal","horizon":3,"plan":[{},{"b":true},{}],"trace":[{"y(1,2)":0,"x":true},{"y(1,2)":1,"x":true},{"y(1,2)":2,"x":true},{"y(1,2)":3,"x":true}]}`
	steps := "step,x,\"y(1,2)\",b,reward\n1,true,0,false,0\n2,true,1,true,0\n3,false,5,,\n"
	got, err := happened([]byte(document), []byte(steps), map[string]any{"status": "infeasible"})
	want := `{"horizon":2,"plan":[{},{"b":true}],"schema":1,"status":"infeasible","trace":[{"y(1,2)":0,"x":true},{"y(1,2)":1,"x":true},{"y(1,2)":5,"x":false}]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; expected %s", got, err, want)
	}
	for _, bad := range []string{"", "step,x\n1,true\n", "step,x,\"y(1,2)\"\n1,true,\n", steps + steps[strings.Index(steps, "\n")+1:]} {
		if _, err := happened([]byte(document), []byte(bad), map[string]any{}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
