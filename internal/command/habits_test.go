package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// typed are command lines as people type them who are used to other programs, with a part of what is printed. A status of 2 has one line.
var typed = []struct {
	line   string
	status int
	want   string
}{
	// No command, and other names for commands.
	{"", 0, "fdplan plan navigation/3x3"},
	{"version", 0, "go1"},
	{"--version", 0, "go1"},
	{"-V", 0, "go1"},
	{"help", 0, "Find an optimal plan"},
	{"help plan", 0, "more flags: fdplan plan --help=all"},
	{"plan --help", 0, "--horizon=N"},
	{"plan -h", 0, "--horizon=N"},
	{"plan --help=all", 0, "--client-cert=FILE"},
	{"plan --help-all", 0, "--client-cert=FILE"},
	{"ls", 0, "navigation/3x3"},
	{"info navigation/3x3", 0, "robot-at"},
	{"describe navigation/3x3", 0, "robot-at"},
	{"why navigation/3x3 -H 3", 4, "infeasible"},
	{"optimize navigation/3x3", 0, "optimal"},
	{"paln navigation/3x3", 2, "plan"},
	{"navigation/3x3", 2, `there is no command "navigation/3x3"`},
	// The horizon.
	{"plan navigation/3x3 -H 4", 0, "horizon 4"},
	{"plan navigation/3x3 -H4", 0, "horizon 4"},
	{"plan navigation/3x3 -H=4", 0, "horizon 4"},
	{"plan navigation/3x3 --horizon 4", 0, "horizon 4"},
	{"plan navigation/3x3 -horizon 4", 0, "horizon 4"},
	{"plan navigation/3x3 --Horizon=4", 0, "horizon 4"},
	{"plan navigation/3x3 --steps 4", 0, "horizon 4"},
	{"plan navigation/3x3 --steps=4", 0, "horizon 4"},
	{"plan navigation/3x3 --max-steps 4", 0, "horizon 4"},
	{"certify s", 2, "open s/answer.json"},
	{"plan navigation/3x3 --depth 4", 0, "horizon 4"},
	{"plan navigation/3x3 --length 4", 0, "horizon 4"},
	{"plan navigation/3x3 --bound 4", 0, "horizon 4"},
	{"plan navigation/3x3 -H 2..6", 0, "horizon 4"},
	{"plan navigation/3x3 -H 2-6", 0, "horizon 4"},
	{"plan navigation/3x3 -H 2:6", 0, "horizon 4"},
	{"plan navigation/3x3 -H 2,6", 0, "horizon 4"},
	{"plan navigation/3x3 -H four", 2, "expected a number from 1"},
	{"run navigation/3x3 -H 6 --sim rddl --max-steps 9", 0, "step"},
	// Limits.
	{"plan navigation/3x3 --time-limit 60s", 0, "optimal"},
	{"plan navigation/3x3 --time_limit 60s", 0, "optimal"},
	{"plan navigation/3x3 --timeout 60", 0, "optimal"},
	{"plan navigation/3x3 --timeout=60s", 0, "optimal"},
	{"plan navigation/3x3 --time 1m", 0, "optimal"},
	{"plan navigation/3x3 --max-time 1.5", 0, "optimal"},
	{"plan navigation/3x3 --timelimit 60", 0, "optimal"},
	{"plan navigation/3x3 --timeout soon", 2, "such as 60s"},
	{"plan navigation/3x3 -t 60", 2, "expected --time-limit TIME or --threads N"},
	{"plan navigation/3x3 --memory 1G", 0, "optimal"},
	{"plan navigation/3x3 --memory 512M", 0, "optimal"},
	{"plan navigation/3x3 --mem 1g", 0, "optimal"},
	{"plan navigation/3x3 --memory 1GB", 0, "optimal"},
	{"plan navigation/3x3 --memory-limit 1Gi", 0, "optimal"},
	{"plan navigation/3x3 --max-memory 4", 2, "such as 512MiB"},
	{"plan navigation/3x3 -j 2", 0, "optimal"},
	{"plan navigation/3x3 --cores 2", 0, "optimal"},
	{"plan navigation/3x3 --num-threads=2", 0, "optimal"},
	{"plan navigation/3x3 --random-seed 1", 0, "optimal"},
	{"plan navigation/3x3 --silent", 0, "optimal"},
	{"plan navigation/3x3 -v", 2, "there is no flag -v; progress is shown on a terminal"},
	{"plan navigation/3x3 --verbose", 2, "there is no flag --verbose; progress is shown on a terminal"},
	{"plan navigation/3x3 --debug", 2, "--progress json"},
	{"plan navigation/3x3 --dry-run", 2, "fdplan show"},
	{"plan navigation/3x3 --gpu", 2, "expected --threads"},
	{"plan navigation/3x3 --optimal", 2, "plans are proven optimal"},
	{"plan navigation/3x3 --format json", 2, "expected --json"},
	// Engines.
	{"plan navigation/3x3 --planner search", 0, "engine search"},
	{"plan navigation/3x3 --algorithm pb", 0, "engine pb"},
	{"plan navigation/3x3 --search astar", 2, "search"},
	{"plan navigation/3x3 --engien pb", 2, "did you mean --engine?"},
	// What is asked.
	{"plan navigation/3x3 --set robot-at(x14,y20)=0 --set robot-at(x9,y20)=1", 0, "reward -3"},
	{"plan navigation/3x3 --init robot-at(x14,y20)=false --init robot-at(x9,y20)=true", 0, "reward -3"},
	{"plan navigation/3x3 --start robot-at(x14,y20)=False --start robot-at(x9,y20)=True", 2, "robot-at(x14,y20)"},
	{"plan navigation/3x3 --goal robot-at(x9,y12)", 0, "reward -3"},
	{"plan navigation/3x3 --target robot-at(x9,y12)", 0, "reward -3"},
	{"plan navigation/3x3 --goal !robot-at(x9,y12)", 0, "reward 0"},
	{"plan navigation/3x3 --goal not_robot-at(x9,y12)", 0, "reward 0"},
	{"plan navigation/3x3 --goal robot-at(x9,y12)&&!robot-at(x9,y15)", 0, "reward -3"},
	{"plan navigation/3x3 --goal robot-at(x9,y12)_and_not_robot-at(x9,y15)", 0, "reward -3"},
	{"plan navigation/3x3 --goal robot-at(x9,y12)||robot-at(x14,y15)", 0, "reward -3"},
	{"plan navigation/3x3 --goal robot-at(x9,y12)_or_robot-at(x14,y15)", 0, "reward -3"},
	{"plan navigation/3x3 --goal robot-at(x9,y12)=True", 0, "reward -3"},
	{"plan navigation/3x3 --constraint !move-west", 4, "infeasible"},
	{"plan navigation/3x3 --require not_move-west", 4, "infeasible"},
	{"plan navigation/3x3 --require not(move-west)", 4, "infeasible"},
	{"plan navigation/3x3 --rule ~move-west", 4, "infeasible"},
	{"plan navigation/3x3 --require move-west+move-east<=2&&True", 2, "always"},
	{"plan inventory/2 -H 4 --require quant(c1)!=5", 4, "infeasible"},
	{"plan inventory/2 -H 4 --require month=0||quant(c1)>=0", 2, "always"},
	{"plan inventory/2 -H 4 --require quant(c1)=0||quant(c1)=5||quant(c1)<=4", 0, "reward -9"},
	{"plan inventory/2 -H 4 --goal quant(c1)==3", 4, "infeasible"},
	{"plan inventory/2 -H 4 --goal quant(c1)=3", 4, "infeasible"},
	{"plan inventory/2 -H 4 --goal quant(c1)_=_3_and_quant(c1)_<=_4", 4, "infeasible"},
	{"plan inventory/2 -H 4 --goal quant(c1)_=_5_and_month_=_0", 0, "optimal"},
	{"plan inventory/2 -H 4 --reward -resupply(c1)", 0, "reward -1"},
	{"plan inventory/2 -H 4 --objective -resupply(c1)", 0, "reward -1"},
	{"plan inventory/2 -H 4 --range quant=0-7", 0, "reward -9"},
	{"plan inventory/2 -H 4 --range quant=0:7", 0, "reward -9"},
	{"plan inventory/2 -H 4 --ranges quant=0,7", 0, "reward -9"},
	{"verify inventory/2 --property quant(c1)<=15_implies_True", 2, "implies"},
	{"verify inventory/2 --invariant quant'(c1)-quant(c1)<=5", 0, "holds"},
	// Files.
	{"plan RDDL/two-product.rddl", 0, "optimal"},
	{"convert navigation/3x3 --format pddl -o OWN/nav.pddl --facts OWN/facts.pddl", 0, ""},
	{"plan PDDL/two-parcels.pddl", 0, "In PDDL the plan reaches the goal"},
	{"plan PDDL/vans.pddl PDDL/two-parcels.pddl", 0, "In PDDL the plan reaches the goal"},
	{"plan PDDL/two-parcels.pddl PDDL/vans.pddl", 0, "In PDDL the plan reaches the goal"},
	{"plan --domain-file RDDL/two-product.rddl", 0, "optimal"},
	{"plan OWN", 0, "optimal, reward -3"},
	{"plan EMPTY", 2, "is a folder without a problem"},
	{"plan nothing.toml", 2, "nothing.toml: cannot be opened"},
	{"plan navigation/3x3 --output OWN/plan.json", 0, ""},
	{"plan navigation/3x3 --save OWN/plan.json", 0, ""},
	{"validate navigation/3x3 OWN/plan.json", 0, "valid in the model"},
	{"show OWN/plan.json --output OWN/plan.svg", 0, ""},
	{"init nothing.csv --output OWN/x", 2, "nothing.csv"},
	{"train OWN/nothing.csv --problem navigation/3x3 --output OWN/n.bnn --learning-rate 0.1", 2, "nothing.csv"},
	{"train OWN/nothing.csv --task navigation/3x3 -o OWN/n.bnn --batch-size 8", 2, "expected --epochs, --rate or --hidden"},
	{"serve --port x", 2, "x"},
	{"check navigation/3x3", 0, "nothing is wrong"},
	{"check OWN --goal robot-at(x9,y15)", 0, "nothing is wrong"},
	{"check navigation/3x3 --goal robot(x9)", 2, "goal:1:1"},
	{"check RDDL/two-product.rddl", 0, "domain"},
	{"certify EMPTY navigation/3x3", 2, "fdplan: "},
	{"serve --listen 127.0.0.1:http:1", 2, "127.0.0.1:http:1"},
}

// TestTyped types each line; _ stands for a blank within an argument.
func TestTyped(t *testing.T) {
	own, empty := t.TempDir(), t.TempDir()
	if status, _, stderr := session("show", "navigation/3x3", "--goal", "robot-at(x9,y12)", "-o", filepath.Join(own, "task.toml")); status != exitDone {
		t.Fatal(stderr)
	}
	if len(typed) < 100 {
		t.Errorf("%d lines; expected 100", len(typed))
	}
	names := strings.NewReplacer("OWN", own, "EMPTY", empty, "PDDL", "../../examples/pddl", "RDDL", "../../examples/two-product")
	for _, c := range typed {
		args := strings.Fields(names.Replace(c.line))
		for i := range args {
			if strings.Contains(c.line, "not_") || strings.Contains(c.line, "_and") || strings.Contains(c.line, "_or_") || strings.Contains(c.line, "_implies") {
				args[i] = strings.ReplaceAll(args[i], "_", " ")
			}
		}
		status, stdout, stderr := session(args...)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) || status == exitUsage && strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d\n%.300s\n%.300s\nwant status %d and %q", c.line, status, stdout, stderr, c.status, c.want)
		}
	}
}

// TestStandardInput has - in the place of files.
func TestStandardInput(t *testing.T) {
	task, err := os.ReadFile("../../examples/two-product/two-product.rddl")
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile("../../examples/logs/pump.csv")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, c := range []struct {
		in, line, want string
		status         int
	}{
		{string(task), "plan - --goal stock(p1)>=1 -H 2", "", exitUsage},
		{string(task), "plan - -H 2", "optimal", exitDone},
		{"domain = 1", "plan -", "standard-input.toml:1", exitUsage},
		{"", "plan -", "standard input is empty", exitUsage},
		{string(log), "init - -o " + folder + "/pump --actions pump", "wrote", exitDone},
		{string(log), "show -", "", exitUsage},
	} {
		var out, errs strings.Builder
		a := &environment{in: strings.NewReader(c.in), out: &out, err: &errs, now: time.Now, started: time.Now()}
		if status := run(a, strings.Fields(c.line)); status != c.status || !strings.Contains(out.String()+errs.String(), c.want) {
			t.Errorf("%s: status %d\n%.300s\n%.300s", c.line, status, out.String(), errs.String())
		}
	}
}
