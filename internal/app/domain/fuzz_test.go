package domain

import (
	"context"
	"os"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/actions"
	"github.com/fdplan/fdplan/internal/pddl"
)

// FuzzTrajectory reads texts as trajectories and tables, learns from what can be read, and replays it.
func FuzzTrajectory(f *testing.F) {
	text, err := os.ReadFile("../../../examples/pddl/blocks.pddl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("((:init (on a b)) (operator: (pick-up a)) (:state (and (on b a))) (:failed (put-down b)))"))
	f.Add([]byte("(:trajectory (:state (handempty)) (:action (stack a a)) (:state (not (clear a)) (clear a)))"))
	f.Add([]byte("plan_id,actions,on object a object b,clear object a\n1,stack object a object b,0,1\n1,,1,0\n"))
	f.Add([]byte(",ACt,0\n,00?,0\n,,0"))
	f.Add([]byte(",ACt,00 1 0 0 1,0\n,0\f0,0,0\n,,0,0"))
	f.Add([]byte(",ACt,<,\n,0,0,0\n,,0,0"))
	f.Add([]byte("case,activity,time\n1,a,2\n1,b,1\n"))
	f.Add([]byte("v(a),r(a),act,v(a)',r(a)'\n1,2,go_a,3,2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, given := range []bool{true, false} {
			var d *pddl.Domain
			var runs []*pddl.Trajectory
			if given {
				if d, err = pddl.ReadDomain("d", text); err != nil {
					t.Fatal(err)
				}
				if run, err := d.ReadTrajectory("t", data); err == nil {
					runs = []*pddl.Trajectory{run}
				}
			}
			if runs == nil {
				var err error
				if runs, d, err = readTable("t.csv", data, d); err != nil {
					continue
				}
			}
			m, err := actions.Learn(context.Background(), d, runs, actions.Options{Clauses: 2, Terms: 2})
			if err != nil {
				continue
			}
			out := &Document{Actions: m.Actions, model: m}
			if err := out.replay(context.Background(), runs); err != nil {
				t.Fatalf("%v\n%s", err, m.Safe.Text())
			}
			if _, err := pddl.ReadDomain("learned", []byte(m.Safe.Text())); err != nil {
				t.Fatalf("%v\n%s", err, m.Safe.Text())
			}
		}
	})
}
