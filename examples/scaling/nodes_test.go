package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/backward"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

var seeds = flag.Int("seeds", 6, "instances of each small family whose proofs are made with the states that the tables leave")

// small is an instance whose answer two engines agree on, and what proofs of it are made of.
type small struct {
	args      string
	task      engine.Task
	horizon   int
	res       *engine.Result
	m         *model.Model
	opb       []byte
	objective format.Objective
}

func newSmall(t *testing.T, args string) *small {
	t.Helper()
	what, h := load(t, args)
	return newSmallOf(t, args, what, h)
}

func newSmallOf(t *testing.T, args string, what engine.Task, h int) *small {
	t.Helper()
	s := &small{args: args, task: what, horizon: h, res: solve(t, search.Engine{}, what, h)}
	if other := solve(t, conflict.PB{}, what, h); other.Status != s.res.Status || other.Reward != s.res.Reward {
		t.Fatalf("%s: search gives %s %d, pb %s %d", args, s.res.Status, s.res.Reward, other.Status, other.Reward)
	}
	var err error
	if s.m, err = model.New(what.Problem, what.Network, h, model.Options{Propagate: true}); err != nil {
		t.Fatal(err)
	}
	s.opb, s.objective = compile(t, what, h), format.ObjectiveOf(s.m, format.OPB)
	return s
}

var errTooMany = errors.New("too many nodes")

// prove writes a proof of a claim with tables of so many rounds of prices, and returns the number
// of states that it is about.
func (s *small) prove(c backward.Claim, rounds int, v proof.Format) (text []byte, states int64, err error) {
	ctx := context.Background()
	want := bound.Wanted{Infeasible: c.Infeasible, Rounds: rounds, Partial: true}
	if c.Bound != nil {
		want.Most = *c.Bound
	}
	x, err := bound.Relax(ctx, s.task, s.horizon, want)
	if err != nil {
		return nil, 0, err
	}
	nodes := x.Nodes(ctx, 100_000)
	if nodes == nil {
		return nil, 0, errTooMany
	}
	var b bytes.Buffer
	stats, err := backward.Nodes(ctx, s.m, c, x, nodes, backward.Options{W: &b, Format: v})
	return b.Bytes(), stats.States, err
}

// false reports whether a verdict says more than is true.
func (s *small) false(v veripb.Verdict) bool {
	feasible := s.res.Status == engine.Optimal
	switch v.Kind {
	case veripb.Unsat:
		return feasible
	case veripb.Optimal, veripb.Bounds:
		return v.Upper != nil && (!feasible || s.objective.Reward(v.Upper.Int64()) > s.res.Reward) ||
			v.Lower != nil && feasible && s.objective.Reward(v.Lower.Int64()) < s.res.Reward
	}
	return false
}

// TestNodes has proofs with the states that tables leave checked, on small instances of
// families whose groups are coupled: answers of two engines, false claims, and proofs in
// which a line was changed.
func TestNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	formats := []proof.Format{proof.VeriPB12, proof.VeriPB20, proof.VeriPB30}
	var states, tried, accepted int
	for i := range *seeds {
		for k, args := range []string{
			"inventory -n 3 -H 4", "inventory -n 3 -truck 3 -H 5", "robots -n 3 -size 4 -loops 0 -H 7", "robots -n 2 -size 3 -loops 0 -H 5",
			"failing -n 4 -k 1 -graph random -cost 3 -H 4", "sysadmin -n 5 -k 1 -graph ring -H 4", "sysadmin -n 5 -k 2 -graph star -H 4",
		} {
			s := newSmall(t, fmt.Sprintf("%s -seed %d", args, i+1))
			if s.m.Infeasible() {
				continue // propagation alone shows it
			}
			v := formats[(i+k)%len(formats)]
			claim := backward.Claim{Infeasible: s.res.Status == engine.Infeasible, Trace: s.res.Trace, Bound: s.res.Bound}
			text, n, err := s.prove(claim, i%3*10, v)
			if err != nil {
				t.Fatalf("%s: %v", s.args, err)
			}
			if n > 0 {
				states++
			}
			verdict, err := veripb.Check(bytes.NewReader(s.opb), bytes.NewReader(text))
			if err != nil || s.false(verdict) || (verdict.Kind != veripb.Optimal) != claim.Infeasible {
				t.Fatalf("%s: %v, %v", s.args, verdict, err)
			}
			s.refuse(t)
			lines := bytes.SplitAfter(text, []byte("\n"))
			for range 10 {
				broken := randprob.BreakLine(rng, lines)
				tried++
				if verdict, err := veripb.Check(bytes.NewReader(s.opb), bytes.NewReader(broken)); err == nil {
					if accepted++; s.false(verdict) {
						t.Fatalf("%s, the best reward is %d: a broken proof shows %v", s.args, s.res.Reward, verdict)
					}
				}
			}
		}
	}
	t.Logf("%d proofs are about states; of %d broken ones %d are accepted, and true", states, tried, accepted)
	if states < 2**seeds || accepted == tried {
		t.Errorf("only %d proofs are about states, %d of %d broken ones are accepted", states, accepted, tried)
	}
}

// refuse wants errors for claims that do not hold.
func (s *small) refuse(t *testing.T) {
	t.Helper()
	if s.res.Status != engine.Optimal {
		return
	}
	less := s.res.Reward - 1
	for _, c := range []backward.Claim{{Infeasible: true}, {Bound: &less}, {Trace: s.res.Trace, Bound: &less}} {
		if _, _, err := s.prove(c, 20, proof.VeriPB20); !errors.Is(err, backward.ErrClaim) && !errors.Is(err, errTooMany) {
			t.Fatalf("%s, the best reward is %d: the claim %+v gives %v", s.args, s.res.Reward, c, err)
		}
	}
}
