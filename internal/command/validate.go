package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine/verify"
)

type validateCmd struct {
	request.Validate
	JSON bool   `name:"json" help:"Print one JSON object."`
	Out  string `short:"o" help:"Write the answer to a file." placeholder:"FILE"`
}

// Run replays the plan; the exit status is 4 if it is invalid.
func (c *validateCmd) Run(ctx context.Context, a *environment) error {
	planArgument(&c.Ref, &c.Plan)
	if c.Plan.File == "" {
		return errors.New("no plan is named; expected PROBLEM PLAN.json")
	}
	if err := readPlan(&c.Plan); err != nil {
		return err
	}
	if policy.Is(c.Plan.Text) {
		return c.policy(ctx, a)
	}
	task, err := loadProblem(ctx, c.Ref, c.Changes)
	if err != nil {
		return err
	}
	real, err := c.SimulatorRef.Open(ctx, task, c.Seed)
	if err != nil {
		return limited(ctx, err)
	}
	v, err := execute.Validate(ctx, task, c.Plan.File, c.Plan.Text, real)
	if err = errors.Join(err, real.Close()); err != nil {
		return limited(ctx, err)
	}
	err = a.answer(c.JSON, c.Out, v, func(w io.Writer) {
		if v.Failure != nil {
			fmt.Fprintf(w, "%s: invalid in the model: %s\n", v.Problem, v.Failure.Text)
		} else {
			fmt.Fprintf(w, "%s: valid in the model, %s, reward %v\n", v.Problem, counted.Of(v.Horizon, "step"), *v.Reward)
		}
		switch {
		case v.SimulatorFailure != nil:
			fmt.Fprintf(w, "%s: invalid in the simulator: %s\n", v.Problem, v.SimulatorFailure.Text)
		case v.Simulated != nil:
			fmt.Fprintf(w, "%s: valid in the simulator, reward %v\n", v.Problem, *v.Simulated)
		case v.Valid.Simulator != nil:
			fmt.Fprintf(w, "%s: valid in the simulator\n", v.Problem)
		}
		if d := v.Differs; d != nil {
			fmt.Fprintf(w, "The simulator first differs from the model in the state of step %d: %s\n", d.Step, differing(d))
		}
		writeOutside(w, v.OutOfRange)
		writeSentence(w, load.Assumptions(v.Assumed))
		writeSentence(w, v.Note())
	})
	if err == nil && (v.Failure != nil || v.SimulatorFailure != nil) {
		return exitStatus(exitNo)
	}
	return err
}

type verifyCmd struct {
	request.Verify
	progressFlags
	JSON bool   `name:"json" help:"Print one JSON object."`
	Out  string `short:"o" help:"Write the answer to a file." placeholder:"FILE"`
}

// Run decides the property; the exit status is 4 with a counterexample.
func (c *verifyCmd) Run(ctx context.Context, a *environment) error {
	task, err := loadProblem(ctx, c.Ref, load.Changes{Edits: c.Edits, Given: c.Given})
	if err != nil {
		return err
	}
	if task, _, err = task.AnyInputs(); err != nil {
		return err
	}
	r := c.VerifyRequest
	if c.Data != "" {
		if r.Log, err = learn.RecordOf(ctx, task, c.Data); err != nil {
			return err
		}
	}
	p, err := explain.Verify(ctx, task, r)
	if err != nil {
		return limited(ctx, err)
	}
	if c.Witness != "" && p.Witness != nil {
		if err := a.toFile(c.Witness, func(w io.Writer) error { return app.WriteJSON(w, p) }); err != nil {
			return err
		}
	}
	if c.Certify != "" && p.Status == explain.Holds {
		maker, err := a.proofs(c.Certify, "", c.ProofFormat, a.limits(c.Effort))
		if err == nil {
			err = maker.Property(ctx, task.Task, p)
		}
		if err != nil {
			return limited(ctx, err)
		}
		if maker.None != nil {
			a.warn(maker.None.Error())
		}
	}
	err = a.answer(c.JSON, c.Out, p, func(w io.Writer) { writeProperty(w, p) })
	if err == nil && p.Status != explain.Holds {
		return exitStatus(exitNo)
	}
	return err
}

// writeProperty writes the answer as text.
func writeProperty(w io.Writer, p *explain.Property) {
	for _, warning := range p.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	defer writeSentence(w, p.Note())
	if p.Certificate != "" {
		defer fmt.Fprintf(w, "The checker accepted the proof in %s.\n", p.Certificate)
	}
	switch p.Status {
	case explain.Holds:
		where := "in every legal state and action"
		if p.Steps == verify.LegalNext {
			where += " that lead to a legal state"
		}
		fmt.Fprintf(w, "%s: the property holds %s: %s\n", p.Problem, where, p.Property)
		writeSentence(w, load.Assumptions(p.Assumed))
		return
	case explain.Refuted:
		writeRefuted(w, p)
		return
	}
	fmt.Fprintf(w, "%s: the property fails: %s\n  state   %v\n  action  %v\n  next    %v\nThe checker replayed the counterexample.\n",
		p.Problem, p.Property, p.Witness.State, p.Witness.Action, p.Witness.Next)
}

// writeRefuted writes which rows refute a property.
func writeRefuted(b io.Writer, p *explain.Property) {
	const most = 10
	fmt.Fprintf(b, "%s: the log refutes the property: %s\n", p.Problem, p.Property)
	for i := range p.Refuting[:min(most, len(p.Refuting))] {
		fmt.Fprintf(b, "  %v\n", &p.Refuting[i])
	}
	if len(p.Refuting) > most {
		io.WriteString(b, "  …\n")
	}
	fmt.Fprintf(b, "It is false in %d of %s, from legal states with legal actions.", p.RefutingRows, counted.Of(p.Rows, "row"))
	switch p.Model {
	case explain.Holds:
		io.WriteString(b, " It holds in the model, which differs from them there.")
	case explain.Fails:
		io.WriteString(b, " It fails in the model, too.")
	}
	io.WriteString(b, "\n")
}
