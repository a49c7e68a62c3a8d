package lift

import (
	"bytes"
	"context"
	"flag"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

var all = flag.Bool("all", false, "learn from 10 to 300 rows by two policies, in place of some of these, and lift to more objects")

// TestSupported: of the rows of larger problems that rows of smaller ones support, at most one
// in a thousand is wrong.
func TestSupported(t *testing.T) {
	sure, wrong := 0, 0
	for _, c := range []struct {
		name       string
		small, big string
		rows       []int
	}{
		{"ring", computers(t, 5, ring(5)), computers(t, 20, ring(20)), []int{30, 10, 60, 100, 300}},
		{"tree", computers(t, 5, tree(5)), computers(t, 20, tree(20)), []int{10, 30, 60, 100, 300}},
		{"star", computers(t, 5, star(5)), computers(t, 5, tree(5)), []int{10, 30, 60, 100, 300}},
		{"random", computers(t, 14, stars(5)), computers(t, 20, random(20)), []int{30, 10, 60, 100, 300}},
		{"lamps", lamps(t, 3, 3), lamps(t, 5, 4), []int{10, 30, 60, 100, 300}},
		{"robots", robots(t, 2, 3), robots(t, 3, 4), []int{60, 10, 30, 100, 300}},
	} {
		n, policies := 1000, []collect.Policy{collect.Restart, collect.Exploration}
		if !*all {
			c.rows, n, policies = c.rows[:1], 200, policies[1:]
		}
		p := untrained(t, c.big)
		for _, policy := range policies {
			data := filepath.Join(t.TempDir(), "rows.csv")
			if err := learn.Collect(context.Background(), p, data, collect.Options{Rows: n, Policy: policy, Seed: 2}); err != nil {
				t.Fatal(err)
			}
			sources, err := learn.Sources(t.Context(), p, data)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := train.FromSources(p.Problem, sources...)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range c.rows {
				for _, from := range policies {
					text := learnedBy(t, c.small, n, from, Options{Seed: 1})
					res, err := Apply(context.Background(), p, "small", text, Options{Seed: 1})
					if err != nil {
						t.Fatal(err)
					}
					var big bytes.Buffer
					if err := res.Write(&big); err != nil {
						t.Fatal(err)
					}
					f, err := bnn.ReadFile("big", &big)
					if err != nil {
						t.Fatal(err)
					}
					trained, err := load.ReadTrained("big", f)
					if err != nil || trained.Support == nil {
						t.Fatalf("%s: it is not recorded what the rows settle, %v", c.name, err)
					}
					one, fails, bad := supported(f.Network, trained.Support, rows)
					t.Logf("%s, %d rows of %s, on rows of %s: %d of %d rows supported, %d of these wrong; %d of all", c.name, n, from, policy, one, rows.Rows(), fails, bad)
					sure, wrong = sure+one, wrong+fails
				}
			}
		}
	}
	if wrong*1000 > sure || sure == 0 {
		t.Errorf("%d of %d supported rows are wrong, expected at most one in a thousand", wrong, sure)
	}
}

// supported counts the rows that are supported, how many of these the network has wrong, and
// how many of all.
func supported(net *bnn.Network, s *coverage.Support, rows *train.Examples) (sure, wrong, bad int) {
	eval := bnn.NewEvaluator(net)
	scratch, out := eval.NewScratch(), make([]uint64, bnn.Words(rows.Outputs))
	for i := range rows.Rows() {
		eval.Forward(out, rows.Input(i), scratch)
		fails := !slices.Equal(out, rows.Output(i))
		if fails {
			bad++
		}
		if len(s.Open(rows.Input(i), out)) == 0 {
			sure++
			if fails {
				wrong++
			}
		}
	}
	return sure, wrong, bad
}
