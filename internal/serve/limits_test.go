package serve

import (
	"net/http"
	"testing"
	"time"
)

// TestBoundsOfJobs refuses what is beyond the server's limits, and names that no command knows,
// before there is a job.
func TestBoundsOfJobs(t *testing.T) {
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Limits.Time = time.Minute })
	with := func(name string, value any) obj {
		return obj{"kind": "plan", "problem": "navigation/3x3", name: value}
	}
	for _, c := range []struct {
		request obj
		want    string
	}{
		{with("threads", 100000), "threads is 100000; expected at most 4, which the machine has"},
		{with("threads", -1), "threads is -1; expected at least 0"},
		{with("memory", 1<<50), "expected 1048576 to 1073741824 bytes"},
		{with("memory", 1), "expected at least 1048576 bytes"},
		{with("memory", "1 lot"), "is not a size"},
		{with("time_limit", "2h"), "expected at most 1m0s"},
		{with("engine", "foo"), `engine is "foo"; expected one of auto, `},
		{with("model", "foo"), `model is "foo"; expected one of network, rddl`},
		{with("determinize", "foo"), `determinize is "foo"; expected one of none, `},
		{with("gaol", "x"), `there is no field "gaol"`},
		{with("require", "x"), "require is a text; expected a list"},
		{obj{"kind": "explain", "problem": "navigation/3x3", "engine": "blp"}, `engine is "blp"; expected one of auto, `},
		{obj{"kind": "run", "problem": "navigation/3x3", "simulator": "rddl", "until": "dawn"}, "expected one of auto, goal, steps"},
		{obj{"kind": "train", "problem": "navigation/3x3", "recipe": "cake"}, "expected one of structure, dense"},
		{obj{"kind": "train", "problem": "navigation/3x3", "split": "pea"}, "expected one of auto, time, random, distinct"},
	} {
		x.refused("POST", "jobs", c.request, http.StatusBadRequest, c.want)
	}
	var list struct{ Jobs []Job }
	if x.call("GET", "jobs", nil, http.StatusOK, &list); len(list.Jobs) != 0 {
		t.Errorf("refused jobs are listed: %+v", list.Jobs)
	}
	if j := x.run(obj{"kind": "plan", "problem": "navigation/3x3", "threads": 4, "memory": 1 << 29, "time_limit": "1m"}); j.Status != Done {
		t.Errorf("a job within the limits is %s: %v", j.Status, j.Error)
	}
}
