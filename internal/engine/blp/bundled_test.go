package blp_test

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/blp"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/engine/search"
)

var bundledLimit = flag.Duration("bundled", 0, "time limit of each bundled instance in the table of them; 0 is no table")

// bundledInstances are the paper's 27, on networks of this project.
var bundledInstances = []struct {
	name  string
	first int // of three horizons
}{
	{"navigation/3x3", 4}, {"navigation/4x4", 5}, {"navigation/5x5", 8}, {"inventory/2", 5}, {"inventory/4", 6},
	{"sysadmin/4", 2}, {"sysadmin/5", 2}, {"cellda/x", 10}, {"cellda/y", 8},
}

// TestBundled prints how the bundled instances fare, and compares with search.
func TestBundled(t *testing.T) {
	if *bundledLimit == 0 {
		t.Skip("the flag -bundled is not set")
	}
	needHiGHS(t)
	proven := 0
	fmt.Print("| instance | reward | seconds |\n| --- | --- | --- |\n")
	for _, b := range bundledInstances {
		p, err := load.Load(context.Background(), load.Ref{Name: b.name})
		if err != nil {
			t.Fatal(err)
		}
		for h := b.first; h < b.first+3; h++ {
			want, err := solve(context.Background(), search.Engine{}, p.Task, h)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), *bundledLimit)
			began := time.Now()
			res, err := solve(ctx, blp.Engine{}, p.Task, h)
			cancel()
			fmt.Printf("| %s H %d | %v |", b.name, h, p.Task.Problem.Reward.Float(want.Reward))
			switch {
			case err != nil:
				t.Errorf("%s H %d: %v", b.name, h, err)
				fmt.Println(" error |")
			case res.Status == engine.Optimal && res.Reward == want.Reward:
				proven++
				fmt.Printf(" %.2f |\n", time.Since(began).Seconds())
			case res.Status == engine.Feasible && res.Bound != nil && *res.Bound >= want.Reward && res.Reward <= want.Reward:
				fmt.Printf(" %v<, %s |\n", *bundledLimit, outsource.Gap(*res.Bound, res.Reward))
			case res.Status == engine.Feasible || res.Status == engine.Unknown:
				fmt.Printf(" %v<, %s |\n", *bundledLimit, res.Status)
			default:
				t.Errorf("%s H %d: %+v", b.name, h, res)
			}
		}
	}
	fmt.Printf("| proven | | %d of 27 |\n", proven)
}
