package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/backward"
	"github.com/fdplan/fdplan/internal/engine/blp"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

var (
	instances = flag.Int("instances", 12, "random problems of each family, with stocks and others")
	firstSeed = flag.Uint64("first", 0, "seed of the first of them")
	certified = flag.Int("certified", 1, "of so many problems, one has its answer and its bound proven and checked")
)

// stockSpellings are ways to write the next value of a stock, with what is taken and what comes.
var stockSpellings = []struct {
	name, cpf, intermediate, legal string
	free                           bool // nothing keeps more from being taken than there is
}{
	{name: "min", cpf: "min[ROOM, stock - TAKEN + COMES]"},
	{name: "if", cpf: "if (stock - TAKEN + COMES > ROOM) then ROOM else stock - TAKEN + COMES"},
	{name: "intermediate", cpf: "min[ROOM, level]", intermediate: "level = stock - TAKEN + COMES;"},
	{name: "clamped", cpf: "max[0, min[ROOM, stock + COMES - TAKEN]]", free: true},
	{name: "lost", cpf: "if (TAKEN > stock) then COMES else min[ROOM, stock - TAKEN + COMES]", free: true},
	{name: "plain", cpf: "stock - TAKEN + COMES", legal: "stock - TAKEN + COMES <= ROOM;"},
	{name: "season", cpf: "if (odd) then min[ROOM, stock - TAKEN + COMES] else stock - TAKEN"},
	{name: "other way round", cpf: "ROOM - max[0, TAKEN - COMES + (ROOM - stock)]"},
}

// takenSpellings are ways to write what units take.
var takenSpellings = []string{
	"(sum_{?u : unit} [NEED(?u) * use(?u)])",
	"(sum_{?u : unit} [if (use(?u)) then NEED(?u) else 0])",
	"(sum_{?u : unit} [NEED(?u) * (use(?u) ^ on(?u))])",
	"(sum_{?u : unit} [use(?u) + (NEED(?u) - 1) * on(?u)])",
}

// stockDomain draws a domain of units that take from one stock.
func stockDomain(r *rand.Rand) (name string, made *files) {
	s := stockSpellings[r.IntN(len(stockSpellings))]
	taken := takenSpellings[r.IntN(len(takenSpellings))]
	fill := strings.NewReplacer("TAKEN", taken, "COMES", "order").Replace
	n := 4 + r.IntN(3)
	legal := ""
	if !s.free {
		legal = fill("TAKEN <= stock;")
	}
	legal += fill(s.legal)
	if r.IntN(2) == 0 {
		legal += " (sum_{?u : unit} [use(?u)]) <= CREWS;"
	}
	fluents, cpfs := "", fill(s.intermediate)
	if s.intermediate != "" {
		fluents = "level : { interm-fluent, int };"
	}
	next := []string{"on'(?u) = use(?u) | (on(?u) ^ ~LAPSE(?u));", "on'(?u) = use(?u) ~= on(?u);", "on'(?u) = if (use(?u)) then true else (on(?u) ^ odd ^ ~LAPSE(?u));"}[r.IntN(3)]
	domain := fmt.Sprintf(`domain stocks {
	types { unit : object; };
	pvariables {
		NEED(unit)  : { non-fluent, int, default = 1 };
		VALUE(unit) : { non-fluent, int, default = 1 };
		LAPSE(unit) : { non-fluent, bool, default = false };
		ROOM  : { non-fluent, int, default = 3 };
		CREWS : { non-fluent, int, default = 2 };
		PRICE : { non-fluent, int, default = 1 };
		stock    : { state-fluent, int, default = 2 };
		odd      : { state-fluent, bool, default = false };
		on(unit) : { state-fluent, bool, default = false };
		use(unit) : { action-fluent, bool, default = false };
		order     : { action-fluent, int, default = 0 };
		%s
	};
	cpfs {
		%s
		odd' = ~odd;
		%s
		stock' = %s;
	};
	reward = (sum_{?u : unit} [VALUE(?u) * on(?u)]) - PRICE * order + stock' - (sum_{?u : unit} [use(?u)]);
	action-preconditions { order <= 3; %s };
}
`, fluents, cpfs, next, fill(s.cpf), legal)
	names := numbered("u", n)
	room := []int{7, 11, 15}[r.IntN(3)]
	nf := []string{fmt.Sprintf("ROOM = %d; CREWS = %d; PRICE = %d;", room, 1+r.IntN(2), 1+r.IntN(3))}
	for _, u := range names {
		lapse := ""
		if r.IntN(2) == 0 {
			lapse = fmt.Sprintf(" LAPSE(%s);", u)
		}
		nf = append(nf, fmt.Sprintf("NEED(%s) = %d; VALUE(%s) = %d;%s", u, 1+r.IntN(2), u, r.IntN(6), lapse))
	}
	h := 2 + r.IntN(3)
	x := &instance{kinds: []kind{{"unit", names}}, facts: nf, initial: []string{fmt.Sprintf("stock = %d;", r.IntN(room+1))}}
	x.ranges = []string{fmt.Sprintf("stock = [0, %d]", room), "order = [0, 3]"}
	if s.intermediate != "" {
		x.ranges = append(x.ranges, "level = [-31, 31]")
	}
	return s.name, x.files("stocks", domain, h)
}

// TestStocks compares the bounds and plans of random problems with stocks, spelled in several
// ways, with a search through all states, and certifies the answers.
func TestStocks(t *testing.T) {
	whole := 0
	checkSpellings(t, 0x73746f636b, stockDomain, len(stockSpellings), func(_ string, x *bound.Summary) bool {
		if x.Groups == nil && !x.Infeasible {
			whole++
		}
		return countsSum(x)
	})
	if whole > 1+*instances/20 {
		t.Errorf("%d of %d problems do not fall into groups", whole, *instances)
	}
}

// checkSpellings checks random problems, drawn with a salt, in which one of several spellings is used. Of many of them some of each
// spelling must be as wanted.
func checkSpellings(t *testing.T, salt uint64, draw func(*rand.Rand) (string, *files), spellings int, wanted func(name string, x *bound.Summary) bool) {
	t.Helper()
	counted := map[string]int{}
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		name, made := draw(rand.New(rand.NewPCG(seed, salt)))
		if wanted(name, checkSmall(t, fmt.Sprintf("seed %d (%s)", seed, name), made, i)) {
			counted[name]++
		}
	}
	t.Log(counted)
	if *instances >= 60 && len(counted) < spellings {
		t.Errorf("of %d spellings only some are as wanted: %v", spellings, counted)
	}
}

// countsSum reports whether a group counts a sum over others.
func countsSum(x *bound.Summary) bool {
	return slices.ContainsFunc(x.Rules, func(r bound.RuleSummary) bool { return r.Sum })
}

// TestFlowOfStocks has cbc and glpsol solve the flow programs of random problems with stocks, in two formats. Half of the stocks stay
// integers.
func TestFlowOfStocks(t *testing.T) {
	extsolver.Require(t, "cbc", "glpsol")
	numbers := 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		name, made := stockDomain(rand.New(rand.NewPCG(seed, 0x666c6f77)))
		if i%3 == 0 { // at every other step nothing is ordered or taken
			made.domain = strings.Replace(made.domain, "order <= 3;", "order <= 3; odd => (order <= 0); odd => ((sum_{?u : unit} [use(?u)]) <= 0);", 1)
		}
		what, h := loadFiles(t, made)
		want := solve(t, search.Engine{Without: search.Tables | search.CheapestWay}, what, h)
		program := []string{"cbc", "glpsol", "cbc {in:mps} solve solution {out}", "glpsol --freemps {in:mps} -o {out}"}[i%4]
		if flowSmall(t, fmt.Sprintf("seed %d (%s)", seed, name), program, what, h, want) > 0 {
			numbers++
		}
	}
	t.Logf("%d of %d have integers", numbers, *instances)
	if numbers < *instances/4 {
		t.Errorf("%d of %d flow programs have integers", numbers, *instances)
	}
}

// TestPricedSum does the same where what is taken from a stock is in a rule of several groups that has a price.
func TestPricedSum(t *testing.T) {
	const seed = 5000060
	name, made := stockDomain(rand.New(rand.NewPCG(seed, 0x73746f636b)))
	checkSmall(t, name, made, 0)
}

// TestServed does the same with lifts, robots of a warehouse and machines, whose groups hold others.
func TestServed(t *testing.T) {
	together := 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 0x736572766564))
		o := &options{n: 3 + r.IntN(2), k: 1 + r.IntN(2), size: 3, loops: 1 + r.IntN(2), h: 3 + r.IntN(4), seed: int(seed)}
		name := "lifts"
		switch r.IntN(4) {
		case 0:
			name, o.n, o.k, o.size = "warehouse", 1+r.IntN(2), 1+r.IntN(3), 4
		case 1:
			name, o.size = "jobs", 1+r.IntN(2)
		}
		made, err := find(name).make(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range checkSmall(t, fmt.Sprintf("seed %d", seed), made, i).Groups {
			if len(table.Variables) >= o.n+o.size { // a lift and its guests
				together++
				break
			}
		}
	}
	if together < *instances/4 {
		t.Errorf("%d of %d problems have groups that hold others", together, *instances)
	}
}

// TestRest does so with robots in mazes, where the system can rest: no state is visited twice, and pairs of robots bound the cost.
func TestRest(t *testing.T) {
	feasible := 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 0x72657374))
		o := &options{n: 2 + r.IntN(2), size: 3 + r.IntN(3), loops: r.IntN(3), h: 2 + r.IntN(9), seed: int(seed)}
		made, err := find("robots").make(o)
		if err != nil {
			continue // they do not fit
		}
		if x := checkSmall(t, fmt.Sprintf("seed %d", seed), made, i); x.Groups != nil && !x.Infeasible {
			feasible++
		}
	}
	if feasible < *instances/4 {
		t.Errorf("%d of %d problems may have a plan", feasible, *instances)
	}
}

// checkSmall compares the bound and the plan of a problem with a search through all states, and certifies the answer of one in as many as
// -certified says. Of a problem that does not fall into groups it says nothing.
func checkSmall(t *testing.T, name string, made *files, i int) *bound.Summary {
	t.Helper()
	what, h := loadFiles(t, made)
	plain := solve(t, search.Engine{Without: search.Tables | search.CheapestWay}, what, h)
	s, err := bound.Start(t.Context(), what, h, engine.Limits{Threads: 1}, nil)
	if errors.Is(err, bound.ErrNoGroups) {
		return &bound.Summary{}
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if i%2 == 1 {
		s.FlowFirst()
	}
	x := bound.Summarize(t.Context(), s)
	if plain.Status == engine.Optimal && (x.Infeasible || x.Bound < plain.Reward) {
		t.Fatalf("%s: the bound is %d, infeasible %v, a plan has %d", name, x.Bound, x.Infeasible, plain.Reward)
	}
	for !s.Done() {
		if err := s.Advance(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	got := s.Result()
	if got.Status != plain.Status || got.Reward != plain.Reward {
		t.Fatalf("%s: %s %d, expected %s %d", name, got.Status, got.Reward, plain.Status, plain.Reward)
	}
	if i%*certified == 0 {
		proveSmall(t, newSmallOf(t, name, what, h), i / *certified)
		if i%(4**certified) == 0 {
			flowSmall(t, name, "cbc", what, h, plain)
		}
	}
	return x
}

// flowSmall compares the flow program of the groups, solved by a program where it is installed, and returns how many integers it has.
func flowSmall(t *testing.T, name, program string, what engine.Task, h int, want *engine.Result) int64 {
	t.Helper()
	solver, err := external.Lookup(external.MILP, program)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := solver.Program(); err != nil {
		return 0
	}
	got := solve(t, blp.Engine{Solver: &solver, Help: blp.Flow}, what, h)
	if got.Status != want.Status || got.Reward != want.Reward {
		t.Fatalf("%s: by its flow program %s %d, expected %s %d", name, got.Status, got.Reward, want.Status, want.Reward)
	}
	return got.Stats["flow_integers"]
}

// proveSmall has the answer proven by the states that tables leave, and the bound by tables alone.
func proveSmall(t *testing.T, s *small, i int) {
	t.Helper()
	if s.m.Infeasible() {
		return
	}
	v := []proof.Format{proof.VeriPB12, proof.VeriPB20, proof.VeriPB30}[i%3]
	claim := backward.Claim{Infeasible: s.res.Status == engine.Infeasible, Trace: s.res.Trace, Bound: s.res.Bound}
	text, _, err := s.prove(claim, i%4*20, v)
	if err == nil {
		verdict, err := veripb.Check(bytes.NewReader(s.opb), bytes.NewReader(text))
		if err != nil || s.false(verdict) || (verdict.Kind != veripb.Optimal) != claim.Infeasible {
			t.Fatalf("%s: %v, %v", s.args, verdict, err)
		}
	} else if !errors.Is(err, errTooMany) {
		t.Fatalf("%s: %v", s.args, err)
	}
	s.refuse(t)
	x, err := bound.Relax(t.Context(), s.task, s.horizon, bound.Wanted{Most: s.res.Reward, Infeasible: claim.Infeasible, Rounds: 100, Partial: true})
	if err != nil || x == nil || claim.Infeasible {
		return
	}
	most := x.Most()
	var b bytes.Buffer
	if _, err := backward.Tables(t.Context(), s.m, backward.Claim{Bound: &most}, x, backward.Options{W: &b, Format: v}); err != nil {
		t.Fatalf("%s: tables: %v", s.args, err)
	}
	if verdict, err := veripb.Check(bytes.NewReader(s.opb), &b); err != nil || s.false(verdict) {
		t.Fatalf("%s: tables: %v, %v", s.args, verdict, err)
	}
}

// loadFiles reads files as a task.
func loadFiles(t testing.TB, made *files) (engine.Task, int) {
	t.Helper()
	dir := t.TempDir()
	if err := made.write(dir); err != nil {
		t.Fatal(err)
	}
	file, err := task.Load(filepath.Join(dir, "task.toml"), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	c, err := file.Problem(context.Background(), task.Options{Known: true, Read: os.ReadFile})
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, made.domain, made.instance)
	}
	return engine.Task{Problem: c.Problem}, c.Problem.Horizon
}

// TestAgents does so with robots and machines that have more to choose from than groups may read otherwise.
func TestAgents(t *testing.T) {
	together := 0
	for i := range max(1, *instances/4) {
		seed := *firstSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 0x6167656e74))
		name, o := "warehouse", &options{n: 2, k: 4 + r.IntN(2), size: 11 + r.IntN(3), loops: 2, h: 3 + r.IntN(4), seed: int(seed)}
		if r.IntN(3) == 0 {
			name, o = "jobs", &options{n: 4 + r.IntN(3), k: 2 + r.IntN(2), size: 1 + r.IntN(2), loops: 2 + r.IntN(2), h: 3 + r.IntN(3), seed: int(seed)}
		}
		made, err := find(name).make(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range checkSmall(t, fmt.Sprintf("seed %d (%s)", seed, name), made, i).Groups {
			if len(table.Variables) >= o.size+o.k && name == "warehouse" || name == "jobs" && len(table.Variables) == o.loops {
				together++
				break
			}
		}
	}
	if together < *instances/8 {
		t.Errorf("%d of %d problems have agents as groups", together, max(1, *instances/4))
	}
}
