package policy_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/engine"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/engine/scenario"
)

// long are the numbers of problems whose proofs take seconds: they are certified where more problems than usual are.
var long = []int{31, 55}

// compareScenarios compares answers by scenarios with a minimax over all histories, or all plans.
func compareScenarios(t *testing.T, p *load.Problem, changes *changes, seed int, text string, kinds map[string]int) {
	n := seed % 3
	for _, o := range solver.Objectives {
		for _, blind := range []bool{false, true} {
			b := newBrute(t, p, o, changes)
			want := func(h int) *big.Rat {
				if blind {
					return b.bestPlan(h, n)
				}
				return b.worst(b.start(), h, n)
			}
			r := policy.Request{Horizon: 4, Objective: o, Blind: blind, Robust: &policy.Robust{Disturbances: n}, Certify: true, Now: time.Now, Started: time.Now()}
			least := 4
			if r.Limits.Memory = 1 << 30; o == solver.Success {
				r.Robust.MinHorizon, least = 1, 1
			}
			d, err := policy.ByScenarios(t.Context(), p, r)
			if errors.Is(err, scenario.ErrUnsuited) {
				kinds["unsuited to scenarios"]++
				break
			}
			if err != nil {
				t.Fatalf("%s, blind %v, %d disturbances: %v\n%s", o, blind, n, err, text)
			}
			for least <= 4 && want(least) == nil {
				least++
			}
			if (least > 4) != (d.Status == engine.Infeasible) || least <= 4 && d.Horizon != least {
				t.Fatalf("%s, blind %v, %d disturbances: %s; expected the least horizon %d\n%s", o, blind, n, d.Says(), least, text)
			}
			kinds[fmt.Sprintf("scenarios, %s, blind %v, %s", o, blind, d.Status)]++
			if d.Value != nil {
				if best, _ := want(least).Float64(); *d.Value != best || d.Status != engine.Optimal {
					t.Fatalf("%s, blind %v, %d disturbances: %s, the worst reward is %v, expected %v\n%s", o, blind, n, d.Status, *d.Value, best, text)
				}
			}
			if kinds["scenarios"] += d.Scenarios; d.Proof == nil || testing.Short() || *instances <= usual && slices.Contains(long, seed) {
				continue
			}
			dir := t.TempDir()
			if err := d.Write(dir); err != nil {
				t.Fatalf("%s, blind %v, %d disturbances: %v\n%s", o, blind, n, err, text)
			}
			report, err := policy.Certify(t.Context(), dir, p)
			if err != nil || !report.Accepted || len(report.Claims) == 0 {
				t.Fatalf("%s, blind %v, %d disturbances: %+v, %v\n%s", o, blind, n, report, err, text)
			}
			kinds["scenarios, certified"]++
		}
	}
}
