package blp_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/blp"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/problem/fdsat"
)

var (
	table   = flag.Duration("table", 0, "time limit of each instance of the table of published instances; 0 is no table")
	only    = flag.String("only", "", "regular expression for the table's instances, such as navigation/3x3; all by default")
	backend = flag.String("solver", "", "external solver of the table; HiGHS by default")
)

const publishedFiles = "../../../../shared/data/fd-sat-plan"

// instance is a published problem at a horizon with its best reward.
type instance struct {
	domain, name string
	horizon      int
	reward       int64
	change       string // "young": all ages are 0 at first; "storage": costs of storage
}

// load reads the problem of an instance, or skips the test.
func (in instance) load(t testing.TB) engine.Task {
	t.Helper()
	if _, err := os.Stat(publishedFiles); err != nil {
		t.Skipf("the published files are not there: %v", err)
	}
	p, net, err := fdsat.Load(publishedFiles, in.domain, in.name)
	if err != nil {
		t.Fatal(err)
	}
	switch in.change {
	case "young":
		for _, b := range p.Bits(factored.State) {
			if v, _ := p.Owner(b); strings.HasPrefix(v.Name, "age") {
				p.Initial = append(p.Initial, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b}}}, Op: factored.EQ, K: 0})
			}
		}
	case "storage":
		p.Reward = factored.Reward{Scale: 1}
		for i := range 4 {
			v, ok := p.Lookup(fmt.Sprintf("quant_bit_%d[$c1]", i))
			if !ok {
				t.Fatal("inventory has no quantity")
			}
			p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: v.First, Next: true}, Weight: -1 << i})
		}
	}
	return engine.Task{Problem: p, Network: net}
}

func (in instance) String() string {
	s := fmt.Sprintf("%s/%s H %d", in.domain, in.name, in.horizon)
	if in.change != "" {
		s += " " + in.change
	}
	return s
}

// instances are those of the paper whose files are published, with variants.
var instances = []instance{
	{"navigation", "3x3", 4, -4, ""}, {"navigation", "3x3", 5, -4, ""}, {"navigation", "3x3", 6, -4, ""},
	{"navigation", "5x5", 8, -8, ""}, {"navigation", "5x5", 9, -8, ""}, {"navigation", "5x5", 10, -8, ""},
	{"inventory", "1", 5, -9, "storage"}, {"inventory", "1", 6, -16, "storage"}, {"inventory", "1", 7, -18, "storage"},
	{"sysadmin", "4", 2, 0, ""}, {"sysadmin", "4", 3, -2, ""}, {"sysadmin", "4", 4, -3, ""},
	{"sysadmin", "4", 2, -1, "young"}, {"sysadmin", "4", 3, -3, "young"}, {"sysadmin", "4", 4, -4, "young"},
	{"cellda", "x", 10, -9, ""}, {"cellda", "x", 11, -9, ""}, {"cellda", "x", 12, -9, ""},
}

// needHiGHS skips the test where there is no HiGHS.
func needHiGHS(t testing.TB) {
	t.Helper()
	s := known(t, "highs")
	if _, err := s.Program(); err != nil {
		extsolver.Missing(t, err.Error())
	}
}

func solve(ctx context.Context, e engine.Engine, task engine.Task, horizon int) (*engine.Result, error) {
	return e.Solve(ctx, engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
}

// TestTable prints, for every published instance, what the paper's program and the one with what
// helps are worth in the time limit -table; a row a line, as Markdown.
func TestTable(t *testing.T) {
	if *table == 0 {
		t.Skip("the flag -table is not set")
	}
	needHiGHS(t)
	e := blp.Engine{}
	if *backend != "" {
		s, err := external.Lookup(external.MILP, *backend)
		if err != nil {
			t.Fatal(err)
		}
		e.Solver = &s
	}
	pick, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Print("| instance | plain | with all |\n| --- | --- | --- |\n")
	var proofs [2]int
	rows := 0
	for _, in := range instances {
		if !pick.MatchString(in.String()) {
			continue
		}
		rows++
		fmt.Printf("| %v |", in)
		for i := range proofs {
			e.Help = []blp.Help{blp.None, blp.All}[i]
			ctx, cancel := context.WithTimeout(context.Background(), *table)
			began := time.Now()
			res, err := solve(ctx, e, in.load(t), in.horizon)
			cancel()
			switch {
			case err != nil:
				t.Errorf("%v, %s: %v", in, blp.Helps[e.Help], err)
				fmt.Print(" error |")
			case res.Status == engine.Optimal && res.Reward == in.reward:
				proofs[i]++
				fmt.Printf(" %.2f |", time.Since(began).Seconds())
			case res.Status == engine.Feasible && res.Bound != nil && *res.Bound >= in.reward && res.Reward <= in.reward:
				fmt.Printf(" %v<, %s |", *table, outsource.Gap(*res.Bound, res.Reward))
			case res.Status == engine.Feasible:
				fmt.Printf(" %v<, no bound |", *table)
			case res.Status == engine.Unknown:
				fmt.Printf(" %v<, no sol. |", *table)
			default:
				t.Errorf("%v, %s: %+v", in, blp.Helps[e.Help], res)
			}
		}
		fmt.Println()
	}
	fmt.Print("| proven |")
	for _, n := range proofs {
		fmt.Printf(" %d/%d |", n, rows)
	}
	fmt.Println()
}

// TestStorage has CBC and GLPK prove Inventory with costs of storage, and CBC from the paper's
// program with -every-file.
func TestStorage(t *testing.T) {
	extsolver.Require(t, "cbc", "glpsol")
	for _, in := range instances {
		if in.change != "storage" {
			continue
		}
		for _, solver := range []string{"cbc", "glpsol"} {
			for _, help := range []blp.Help{blp.All, blp.None, blp.Flow} {
				if help == blp.None && (solver != "cbc" || in.horizon > 5 || !*everyFile) {
					continue // some seconds each
				}
				res, err := solve(context.Background(), blp.Engine{Solver: known(t, solver), Help: help}, in.load(t), in.horizon)
				if err != nil || res.Status != engine.Optimal || res.Reward != in.reward {
					t.Errorf("%v, %s, %s: %+v, %v", in, solver, blp.Helps[help], res, err)
				}
			}
		}
	}
}

// TestProven has HiGHS prove one instance of each domain, and with -every-file a small one from the paper's
// program.
func TestProven(t *testing.T) {
	needHiGHS(t)
	for _, c := range []struct {
		in   int
		help blp.Help
	}{{0, blp.All}, {5, blp.All}, {6, blp.None}, {8, blp.All}, {13, blp.All}, {15, blp.All}} {
		in := instances[c.in]
		if c.help == blp.None && !*everyFile {
			continue
		}
		res, err := solve(context.Background(), blp.Engine{Help: c.help}, in.load(t), in.horizon)
		if err != nil || res.Status != engine.Optimal || res.Reward != in.reward || *res.Bound != in.reward {
			t.Errorf("%v, %s: %+v, %v", in, blp.Helps[c.help], res, err)
		}
	}
}

// TestStops holds the engine to its deadline, where HiGHS has no proof.
func TestStops(t *testing.T) {
	needHiGHS(t)
	in := instances[9]
	task := in.load(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	began := time.Now()
	res, err := solve(ctx, blp.Engine{Help: blp.None}, task, 4)
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	if err != nil || res.Status == engine.Optimal || res.Status == engine.Infeasible || res.Reason == "" {
		t.Errorf("got %+v, %v", res, err)
	}
}
