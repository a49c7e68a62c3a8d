// Package request declares what each use case can be asked, once. The command line embeds these
// structs in its commands, the server checks jobs against them, sessions decode their parameters
// into them, and descriptions are generated from them. Package bind tells what the tags mean.
package request

import (
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/act"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/app/robust"
)

// Plan asks for a plan.
type Plan struct {
	load.Ref
	load.Changes
	execute.SimulatorRef
	Incremental bool `http:"yes" help:"Plan until a plan holds in the simulator (Algorithm 1 of the paper)."`
	execute.LoopOptions
	plan.Query
	Proof       string      `help:"Write a VeriPB proof of the answer, about the file of compile --format opb; compressed if FILE ends in .gz or .zst." placeholder:"FILE"`
	Certify     bind.Folder `http:"yes" help:"Write problem file, proof and answer to a folder (default: certificate), and check them; see certify." placeholder:"DIR"`
	ProofFormat string      `help:"Version of the proof's format: ${enum}." enum:"1.2,2.0,3.0" default:"2.0"`
	Safe        bool        `http:"yes" help:"Use only steps that the training rows support, and bound what any plan could reach whatever the others turn out to be."`
	Policy      bool        `http:"yes" help:"Find a policy, which says what to do in each state, for a problem that draws at random (docs/policies.md)."`
	policy.Aim
	robust.Against
	Optimistic bool `help:"With --safe and --simulator, try plans with steps that the training rows do not support there, if these would reach the bound; the problem's RDDL is asked without this flag. With --incremental, learn by acting until a plan is proven, with -o as the folder of learn."`
	app.Effort
}

// Validate asks whether a plan is valid.
type Validate struct {
	load.Ref
	load.Changes
	execute.SimulatorRef
	Seed uint64    `http:"yes" help:"Seed of a simulator that draws random numbers." default:"0"`
	Plan bind.Plan `arg:"" optional:"" http:"yes" help:"Plan or policy as fdplan plan --json prints it; - for standard input."`
	app.Bounds
}

// Verify asks whether a property holds in every step.
type Verify struct {
	load.Ref
	load.Edits
	explain.VerifyRequest
	Given       bind.Given  `http:"yes" help:"What inputs are before and after the step: INPUT=VALUE, or INPUT=LO..HI; repeatable. Others may be anything." placeholder:"INPUT=VALUE" sep:"none"`
	Data        string      `help:"Log to hold the property against, too, in place of the rows that the network's file keeps." placeholder:"LOG" type:"existingfile"`
	Witness     string      `help:"Write the answer with its counterexample to a file, as JSON." placeholder:"FILE"`
	Certify     bind.Folder `http:"yes" help:"Write a proof of a property that holds to a folder (default: certificate), and check it; see certify." placeholder:"DIR"`
	ProofFormat string      `help:"Version of the proof's format: ${enum}." enum:"1.2,2.0,3.0" default:"2.0"`
	app.Effort
}

// Explain asks why there is no plan, or what forces one.
type Explain struct {
	load.Ref
	load.Changes
	explain.Request
	Constraints bool        `help:"Show the rules as constraints over the variables, too."`
	Bound       bool        `http:"yes" help:"Say which tables, prices and rules bound the reward of all plans."`
	Certify     bind.Folder `help:"Write proofs of the answer, and of what comes of each change, to a folder (default: certificate), and check them; see certify." placeholder:"DIR"`
	ProofFormat string      `help:"Version of the proofs' format: ${enum}." enum:"1.2,2.0,3.0" default:"2.0"`
	app.Effort
}

// Simulate asks how a plan or a policy does in the problem's RDDL.
type Simulate struct {
	load.Ref
	load.Edits
	execute.Simulation
	Given bind.Given `http:"yes" help:"What inputs are: a file with a row for each step and a column for each input, INPUT=VALUE, or INPUT=VALUE,VALUE,… by step; repeatable. Others keep their first value." placeholder:"FILE|INPUT=VALUE" sep:"none"`
	app.Bounds
}

// Execution asks to act in a simulator or the real system.
type Execution struct {
	load.Ref
	load.Changes
	execute.SimulatorRef
	execute.EpisodesRequest
	Policy bind.Policy `http:"yes" help:"Follow a policy in place of plans: that of a file of plan --policy -o, or one that is made now." placeholder:"FILE"`
	policy.Aim
	robust.Against
	app.Effort
}

// Learn asks to learn a system by acting in it.
type Learn struct {
	load.Ref
	load.Changes
	Simulator        string        `http:"yes" help:"The system or a simulator of it: rddl for the problem's own RDDL, or the command of a process (docs/simulators.md)." required:"" placeholder:"rddl|COMMAND"`
	SimulatorTimeout bind.Duration `help:"Time limit for an answer of a simulator process." default:"30s"`
	act.Request
	Gap      bind.Share `http:"yes" help:"The system draws next states at random: act until a policy is known that is worth at most so much less than the best one (docs/acting.md)." placeholder:"P%"`
	Maximize string     `http:"yes" help:"With --gap, what a policy maximises: success, the probability that the goal is reached, or reward, the expected sum; default: success if there is a goal." enum:"success,reward," default:"" placeholder:"WHAT"`
	Out      string     `short:"o" help:"Folder for everything that is seen and concluded." required:"" placeholder:"FOLDER"`
	app.Effort
}
