package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuestions asks something else of each kind of problem, keeps it as a task, and asks the task.
func TestQuestions(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string // in what is printed
	}{
		{"plan navigation/3x3 --goal robot-at(x9,y12)", exitDone, "optimal, reward -3, horizon 4"},
		{"plan navigation/3x3 --goal robot-at(x9,y12) --model rddl --reward=-2*move-north", exitDone, "optimal, reward -4, horizon 4"},
		{"plan navigation/3x3 --goal robot-at(x9,y12) --reward=-2*move-north --require ~move-west --set-initial robot-at(x14,y20)=0 " +
			"--set-initial robot-at(x9,y20)=1 -o OWN/maze.toml", exitDone, "optimal, reward -4, horizon 4"},
		{"plan OWN/maze.toml", exitDone, "optimal, reward -4, horizon 4"},
		{"plan OWN/maze.toml --require ~move-north", exitNo, "infeasible"},
		{"explain OWN/maze.toml --require ~move-north", exitNo, "~move-north"},
		{"simulate OWN/maze.toml --policy noop --steps 2", exitDone, "2 steps"},
		{"show inventory/4 --range quant=0..7 --goal quant(c1)>=7 -H 6 -o OWN/maze.toml", exitUsage, "domain.rddl is another file"},
		{"plan inventory/2 --range quant=0..4 -H 4", exitNo, "infeasible"},
		{"plan inventory/2 --range quant=0..7 -H 4 --model rddl", exitDone, "reward -9"},
		{"plan inventory/2 --range quant=0..99 -H 4", exitUsage, "quant(c1) is in 0..15 here"},
		{"plan inventory/2 --range quant=7..0 -H 4", exitUsage, "--range quant=7..0: 7..0 is no range"},
		{"plan inventory/2 --range quaint=0..1 -H 4", exitUsage, "there is no variable quaint"},
		{"plan navigation/3x3 --goal robot-at(x9,y99)", exitUsage, "goal:1:13: unknown name y99"},
		{"plan inventory/2 --reward quaint(c1)", exitUsage, "there is no such file, and as an expression: 1:1: there is no variable quaint(c1)"},
		{"plan inventory/2 --reward quant(c1) -H 4", exitDone, "reward 9"},
		{"verify inventory/2 --property quant(c1)<=9 --require quant(c1)<=9", exitDone, "holds"},
		{"plan PDDL/two-parcels.pddl --pddl PDDL/vans.pddl --goal x", exitUsage, "outside of brackets"},
		{"show PDDL/two-parcels.pddl --pddl PDDL/vans.pddl -o OWN/parcels.toml", exitUsage, "no problem in PDDL"},
		{"plan examples/two-product/task.toml --goal x", exitUsage, "goal:1:1: unknown name x"},
		{"plan --files ../../problem/fdsat/testdata/base tiny/1 -H 2 --goal nothing", exitUsage, "--goal nothing: 1:1: there is no variable nothing"},
	} {
		args := strings.Fields(strings.NewReplacer("OWN", own, "PDDL", "../../examples/pddl", "examples/two", "../../examples/two").Replace(c.args))
		status, stdout, stderr := session(args...)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: status %d\n%s%s\nwant status %d and %q", c.args, status, stdout, stderr, c.status, c.want)
		}
	}
	status, stdout, stderr := session("plan", "../../examples/pddl/two-parcels.pddl", "--pddl", "../../examples/pddl/vans.pddl", "--goal", "(at x shop)")
	if status != exitDone || !strings.Contains(stdout, "In PDDL the plan reaches the goal, with metric 7.") {
		t.Errorf("another goal in PDDL: status %d\n%s%s", status, stdout, stderr)
	}
}
