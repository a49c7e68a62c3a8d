package request

import (
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/fromlog"
	"github.com/fdplan/fdplan/internal/app/load"
)

// Collect asks for transitions to learn from.
type Collect struct {
	load.Ref
	app.Bounds
	Simulator        string        `help:"Take the transitions from a process in place of the RDDL, which the task need not have (docs/simulators.md)." placeholder:"rddl|COMMAND"`
	SimulatorTimeout bind.Duration `help:"Time limit for an answer of a simulator process." default:"30s"`
	Horizon          int           `short:"H" help:"Steps of an episode; default: the problem's own, 100 for a simulator of a problem without one." min:"0" placeholder:"N"`
	Rows             int           `short:"n" help:"Number of transitions." default:"200000" min:"1"`
	Policy           string        `help:"Policy: ${enum}." enum:"exploration,restart,random" default:"exploration"`
	Log              string        `help:"Take the transitions from a log instead: a CSV of triplets, or of sequences with episode and step." placeholder:"FILE"`
	Threads          int           `help:"Threads to use; 0 for one per core." default:"0"`
	Seed             uint64        `help:"Seed." default:"0"`
	Out              string        `short:"o" help:"Data set to write: .parquet, .csv or .npz, or .manifest for one in parts (docs/data.md)." placeholder:"DATA" required:""`
}

// Init asks for a task and a data set, made of a log.
type Init struct {
	fromlog.Request
	app.Bounds
}

// Train asks for a network. Options with the tag recipe are of that recipe alone, and ask for it.
type Train struct {
	Data   string `arg:"" help:"Data set (.parquet, .csv, .npz, .manifest) or log to learn from; for a PDDL domain trajectories: a file, or a folder of them."`
	Task   string `help:"Bundled problem or task file whose learned fluents the network gives." placeholder:"PROBLEM"`
	Out    string `short:"o" help:"Network file to write, or PDDL domain (.pddl)." required:"" placeholder:"NETWORK"`
	Recipe string `http:"yes" help:"How to learn: structure finds the inputs of each output and builds an exact network; dense trains all weights. Flags that are of the dense recipe alone ask for it." enum:"structure,dense," default:"" placeholder:"structure|dense"`
	Lift   bool   `help:"Learn one function for all objects of a type, in which neighbours enter as counts; the network's file has them for fdplan lift."`

	Hidden bind.Widths `recipe:"dense" http:"yes" help:"Widths of the hidden layers; those of --init, else 128,128." placeholder:"N,N"`
	Init   string      `recipe:"dense" also:"start" help:"Begin from this network, or from that of a bundled problem." placeholder:"NETWORK"`
	// More rows.
	Also        string  `help:"Learn the rows of this data set too, each with the weight of ten others; none of them is held out." placeholder:"DATA"`
	LearnReward bool    `http:"yes" help:"Learn the reward of a step from the column reward though the task has one in its RDDL; without, it is learned if the task gives none."`
	Lags        int     `http:"yes" help:"Functions of quantities may read what states and actions were up to N rows before; how far they do is decided by their error on held-out time." default:"3" min:"0" max:"50" placeholder:"N"`
	Noise       float64 `http:"yes" help:"The share of wrong cells that rows are known to have, below 0.5: what they explain is neither chance nor a rule of the system. By default it is estimated." placeholder:"RATE" type:"rate"`
	// See package train.
	Weights   string  `recipe:"dense" help:"Weights: ${enum}." enum:"ternary,binary" default:"ternary"`
	Epochs    int     `recipe:"dense" http:"yes" help:"Maximal number of epochs; training ends at the first without a wrong row." default:"500"`
	Rate      float64 `recipe:"dense" http:"yes" help:"Learning rate at the start." default:"0.003"`
	Threshold float64 `recipe:"dense" help:"With ternary weights, the latent magnitude below which a weight is 0: less makes denser networks, which learn small tasks; more makes sparser ones, in which planning is faster." default:"0.8"`
	Split     string  `recipe:"dense" http:"yes" help:"What is held out: ${enum}; time, the default for logs, holds out the last tenth, the others draw rows or distinct rows, half of which choose the epoch." enum:"auto,time,random,distinct" default:"auto"`
	Prune     int     `recipe:"dense" http:"yes" help:"Once no row is wrong, remove what no row needs, and repeat this many times from a randomly changed network." min:"0" placeholder:"ROUNDS"`
	// Rarely changed settings of the recipe.
	Multiplicity float64 `recipe:"dense" help:"Power of a row's count that weights its loss: 0 weights distinct rows equally, 1 by how often they were seen, as where logs contradict themselves." default:"0"`
	Repeated     bool    `recipe:"dense" help:"An epoch goes over every row as often as it was seen, as in the paper, not over the distinct rows."`
	Polish       bool    `recipe:"dense" help:"If few rows are wrong, search for changes of single weights and thresholds that correct them." negatable:"" default:"true"`
	// Several shapes.
	Grid        bool        `recipe:"dense" help:"Try several shapes, and choose the smallest that meets the target error."`
	Widths      bind.Widths `recipe:"dense" help:"With --grid, the widths of hidden layers; the paper's 36,96,128." placeholder:"N,N"`
	Depths      bind.Widths `recipe:"dense" help:"With --grid, the numbers of hidden layers; the paper's 1,2,3." placeholder:"N,N"`
	Smallest    string      `recipe:"dense" help:"With --grid, what the size of a network is: neurons (the default) or edges." enum:"neurons,edges," default:"" placeholder:"neurons|edges"`
	TargetError *float64    `recipe:"dense" help:"With --grid, the share of wrong bits that held-out rows must stay under; 0 for no wrong row at all. By default 0 for ternary and 0.03 for binary weights."`

	Report string `help:"Folder for a report: what fdplan test says, and the structure as text, JSON and SVG or, of the dense recipe, loss and errors by epoch as CSV and SVG." placeholder:"DIR"`
	// PDDL domains, see package actions.
	PDDL     string `help:"Learn the actions of a PDDL domain: this file declares its types, predicates, functions and actions (docs/pddl.md#learned-domains)." placeholder:"DOMAIN.pddl"`
	Clauses  int    `help:"For a PDDL domain, the most literals of a clause in a precondition." default:"1" min:"1" max:"2" placeholder:"N"`
	Terms    int    `help:"For a PDDL domain, the most functions in an inequality of a precondition; 0 where preconditions read no numbers." default:"3" min:"0" max:"6" placeholder:"N"`
	Relevant string `help:"For a PDDL domain, a JSON file with the functions that the preconditions of actions may read, such as {\"load\": [\"(weight ?crate)\"]}; those of other actions may read all." placeholder:"FILE"`
	// Long runs.
	Checkpoint string `help:"Store the state of training in this file; with --grid, in this folder." placeholder:"FILE"`
	Resume     bool   `help:"Resume from the checkpoint, if it exists; the network is the same as without the interruption."`

	IgnoreDiscount bool `http:"yes" help:"Treat a discount other than 1 as 1."`
	app.Effort
}

// Test asks for the errors of a network.
type Test struct {
	Network        string `arg:"" help:"Network file, or learned PDDL domain (.pddl)."`
	Data           string `arg:"" optional:"" help:"Data set or log, for example from exploration; without one, all legal rows are measured. For a PDDL domain, trajectories."`
	Legal          bool   `http:"yes" help:"Measure all legal states and actions too, which are listed one by one."`
	Task           string `help:"Bundled problem or task file of the network." placeholder:"PROBLEM"`
	Model          string `help:"With --prove of PDDL files, whether they were written of the network or of the RDDL: ${enum}." enum:"network,rddl" default:"network"`
	PDDL           string `help:"The true domain of a learned PDDL domain: what both allow is compared in all states of the trajectories." placeholder:"DOMAIN.pddl"`
	IgnoreDiscount bool   `http:"yes" help:"Treat a discount other than 1 as 1."`
	Samples        int    `http:"yes" help:"Rows to draw if the legal ones are too many to list." default:"200000" min:"1" placeholder:"N"`
	Seed           uint64 `http:"yes" help:"Seed for drawing rows if the legal ones are too many to list." default:"0"`
	Out            string `short:"o" help:"Picture of quantities with functions (.svg): predicted values beside those of the data, with bands." placeholder:"FIT.svg"`
	Prove          bool   `help:"Prove for each output bit that it equals the RDDL's in every legal state with every legal action, or print a counterexample. For DOMAIN.pddl PROBLEM.pddl, that they are the problem of --task."`
	Proof          string `help:"With --prove, folder for the proofs, which the checker reads: for each output bit N its question N.opb and the VeriPB proof N.pbp." placeholder:"DIR"`
	Threads        int    `help:"With --prove, threads to use; 0 for one a core." default:"0"`
	app.Bounds
}
