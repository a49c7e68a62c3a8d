//go:build unix

package part

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"
)

// TestClusterPlan divides a problem among four workers and kills some of them, and the server,
// at random. The reward is that of one process, and the certificate is accepted.
func TestClusterPlan(t *testing.T) {
	c := newTestCluster(t, 4)
	rng := rand.New(rand.NewPCG(3, 9))
	args := []string{"plan", "sysadmin/5", "--model", "rddl", "-H", "12", "--json"}
	one := c.start(args...)
	<-one.ended
	folder := filepath.Join(c.dir, "certificate")
	many := c.start(append(args, "--connect", c.url, "--workers-only", "--certify", folder)...)
	for kills := 0; ; kills++ {
		select {
		case <-many.ended:
		case <-time.After(200*time.Millisecond + time.Duration(rng.Int64N(int64(time.Second)))):
			if kills == 2 {
				c.broker.kill()
				c.serve()
			} else if kills < 6 {
				i := rng.IntN(len(c.workers))
				c.workers[i].kill()
				c.work(i)
			}
			continue
		}
		break
	}
	type answer struct {
		Status        string
		Reward, Bound float64
		Valid         struct{ Model bool }
		Stats         map[string]int64
	}
	var a, b answer
	if err := json.Unmarshal(one.stdout.Bytes(), &a); err != nil {
		t.Fatalf("%v: %s", err, one.stderr.String())
	}
	if err := json.Unmarshal(many.stdout.Bytes(), &b); err != nil {
		t.Fatalf("%v: %s", err, many.stderr.String())
	}
	if a.Status != "optimal" || b.Status != a.Status || b.Reward != a.Reward || b.Bound != a.Bound || !b.Valid.Model || b.Stats["cubes"] < 8 {
		t.Errorf("one process: %s %v; four workers: %+v", a.Status, a.Reward, b)
	}
	c.run("certify", folder, "--problem", "sysadmin/5", "--model", "rddl")
	if s := c.status(); s.Failed+s.Waiting+s.Running != 0 {
		t.Errorf("%+v", s)
	}
}
