package fdplan_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fdplan/fdplan"
)

// Example plans in a problem that comes with the module.
func Example() {
	p, err := fdplan.Load("navigation/3x3")
	if err != nil {
		log.Fatal(err)
	}
	plan, err := p.Plan(context.Background(), fdplan.Options{Engine: "search"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Status, plan.Reward)
	for i, step := range plan.Steps {
		fmt.Println(i+1, step.Action)
	}
	// Output:
	// optimal -4
	// 1 move-east
	// 2 move-north
	// 3 move-north
	// 4 move-west
}

// ExampleLoad shows what a problem is made of.
func ExampleLoad() {
	p, err := fdplan.Load("inventory/2")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Name(), "horizon", p.Horizon(), "network", p.Network().Shape())
	for _, v := range p.Factored().Variables {
		fmt.Println(v.Kind, v.Name, v.Lo, v.Hi)
	}
	// Output:
	// inventory/2 horizon 5 network 7:36:5
	// action resupply(c1) 0 1
	// state threshold_met(c1) 0 1
	// state quant(c1) 0 15
	// state month 0 1
}

// ExampleLoadFrom plans in a problem that is given as RDDL text.
func ExampleLoadFrom() {
	p, err := fdplan.LoadFrom(fdplan.Source{
		Domain: `domain counter {
			requirements = { reward-deterministic };
			pvariables {
				count : { state-fluent, int, default = 0 };
				up    : { action-fluent, bool, default = false };
			};
			cpfs { count' = if (up) then count + 1 else count; };
			reward = -up;
			state-invariants { count >= 0; count <= 5; };
		}`,
		Instance: `non-fluents none { domain = counter; }
		instance three { domain = counter; non-fluents = none; init-state { count = 1; }; max-nondef-actions = 1; horizon = 4; discount = 1.0; }`,
		Goal:   "count == 3",
		Ranges: map[string]fdplan.Range{"count": {Lo: 0, Hi: 5}},
	})
	if err != nil {
		log.Fatal(err)
	}
	plan, err := p.Plan(context.Background(), fdplan.Options{MinHorizon: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Status, plan.Reward, plan.Horizon, "steps,", plan.Final)
	// Output: optimal -2 2 steps, count=3
}

// ExampleProblem_Plan asks for a horizon that has no plan: an answer, not an error.
func ExampleProblem_Plan() {
	p, err := fdplan.Load("navigation/3x3")
	if err != nil {
		log.Fatal(err)
	}
	plan, err := p.Plan(context.Background(), fdplan.Options{Horizon: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Status)
	// Output: infeasible
}

// ExampleProblem_Check replays joint actions that leave the grid: the robot is
// nowhere in the state of step 3.
func ExampleProblem_Check() {
	p, err := fdplan.Load("navigation/3x3")
	if err != nil {
		log.Fatal(err)
	}
	v, err := p.Check([]fdplan.Values{{"move-east": 1}, {"move-east": 1}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Valid, v.Step)
	// Output: false 3
}

// ExampleProblem_Learn learns the network of a problem from transitions, and plans
// with it.
func ExampleProblem_Learn() {
	ctx := context.Background()
	p, err := fdplan.LoadFrom(fdplan.Source{Name: "inventory/2", Model: fdplan.None})
	if err != nil {
		log.Fatal(err)
	}
	rows, err := p.Explore(ctx, 2000, 1)
	if err != nil {
		log.Fatal(err)
	}
	learned, err := p.Learn(ctx, rows, fdplan.LearnOptions{Hidden: []int{32, 32}, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	plan, err := learned.Problem.Plan(ctx, fdplan.Options{Horizon: 5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(learned.Train.Wrong, "rows wrong;", plan.Status, plan.Reward, plan.Simulated.Valid)
	// Output: 0 rows wrong; optimal -9 true
}

// icy is a simulator written in Go: another one, on whose ice nobody goes north.
type icy struct{ fdplan.Simulator }

func (s icy) Step(ctx context.Context, action fdplan.Values) (fdplan.Observation, error) {
	if action["move-north"] == 1 {
		return fdplan.Observation{Refused: "there is ice"}, nil
	}
	return s.Simulator.Step(ctx, action)
}

// ExampleSimulator acts in a simulator, and shows with Algorithm 1 that no plan
// holds in another.
func ExampleSimulator() {
	ctx := context.Background()
	p, err := fdplan.Load("navigation/3x3")
	if err != nil {
		log.Fatal(err)
	}
	rddl, err := p.Simulator(0)
	if err != nil {
		log.Fatal(err)
	}
	run, err := p.Run(ctx, rddl, fdplan.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Status, len(run.Steps), "steps, reward", run.Reward)
	plan, err := p.PlanIn(ctx, icy{rddl}, fdplan.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Status)
	// Output:
	// goal 4 steps, reward -4
	// infeasible
}
