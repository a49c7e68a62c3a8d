package tests

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCautiousPolicy learns a permit office, of which few rows show that a fee is to be paid in the third stage: a policy is wanted that pays it, as the rows
// show nothing of permits in later stages without. The row of a cell is the stage of the permit, its column whether the fee is paid.
func TestCautiousPolicy(t *testing.T) {
	office := kernel{}
	for stage := range 5 {
		for _, paid := range []int{0, 2} { // not 0 and 1, which are false and true
			here, next := cellOf{stage, paid}, cellOf{min(4, stage+1), paid}
			submit := map[cellOf]float64{here: .5, next: .5}
			if stage == 2 && paid == 0 || next == here {
				submit = map[cellOf]float64{here: 1}
			}
			office[here] = map[string]map[cellOf]float64{"wait": {here: 1}, "pay": {{stage, 2}: 1}, "submit": submit}
		}
	}
	var log strings.Builder
	log.WriteString("row,col,act,row',col'\n")
	rng := rand.New(rand.NewPCG(3, 1))
	for range 150 {
		for at, step := (cellOf{}), 0; step < 14; step++ {
			act := []string{"wait", "pay", "submit"}[rng.IntN(3)]
			to, x := at, rng.Float64()
			for _, next := range []cellOf{at, {min(4, at[0]+1), at[1]}, {at[0], 2}} {
				if x -= office[at][act][next]; x < 0 {
					to = next
					break
				}
			}
			fmt.Fprintf(&log, "%d,%d,%s,%d,%d\n", at[0], at[1], act, to[0], to[1])
			at = to
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "log.csv"), []byte(log.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	run := runner(t, dir)
	run("init", "log.csv", "--actions", "act", "-o", "made", "--goal", "row==4")
	run("train", "log.csv", "--task", "made/task.toml", "-o", "made/network.bnn")
	run("plan", "made/task.toml", "--set-initial", "row=0", "--set-initial", "col=0", "--policy", "-H", "10", "-o", "policy.json")
	var p struct {
		policyFile
		Avoids *struct{ Value, Supported float64 }
	}
	text, err := os.ReadFile(filepath.Join(dir, "policy.json"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	truth := p.success(t, office, "act", cellOf{}, cellOf{4, 2}, nil)
	if truth < .7 || p.Value > truth+.1 || p.Avoids == nil || p.Avoids.Value <= p.Value || p.Avoids.Supported >= .05 {
		t.Errorf("said %.3f, true %.3f, avoids %+v; the best policy has .746, and one that does not pay 0", p.Value, truth, p.Avoids)
	}
}
