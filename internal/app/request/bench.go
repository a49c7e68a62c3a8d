package request

import "github.com/fdplan/fdplan/internal/app/bind"

// Bench asks for the paper's experiments.
type Bench struct {
	What string `arg:"" help:"What to run: ${enum}." enum:"paper"`

	Files    string   `help:"Folder of published networks in the FD-SAT-Plan layout; default: the bundled problems." placeholder:"DIR" type:"existingdir"`
	Quick    bool     `help:"A selection that ends in less than 5 minutes on 2 cores (docs/bench.md)."`
	Engines  []string `http:"yes" help:"Engines to compare, of ${compared}; default: all." placeholder:"NAME,…"`
	Tables   []string `http:"yes" help:"Tables to fill, of figure1, engines, literal, encodings, learning, incremental, reach and size; default: all." placeholder:"NAME,…"`
	Problems []string `http:"yes" help:"Problems of the planners' tables, such as navigation/3x3; default: all." placeholder:"NAME,…"`
	Solver   []string `help:"External solvers as further columns, ENGINE:NAME such as pb:clasp or maxsat:COMMAND with {in}; none for none; default: all known ones on the path. Repeatable." placeholder:"ENGINE:NAME" sep:"none"`
	Repeat   int      `help:"Runs of each planner on each instance, each with the next seed, while they take less than a minute; the report shows medians. Default: 3, with --quick 1." placeholder:"N"`
	Again    int      `help:"Make N runs of the folder's journal again, drawn by --seed, and compare (docs/bench.md)." placeholder:"N"`
	Parallel int      `help:"Runs at a time; more than one distorts times. With --connect, 1 leaves it to the workers." default:"1"`

	TimeLimit  bind.Duration `http:"yes" help:"Limit of each run; default: 10m, with --quick 10s." placeholder:"TIME"`
	ReachLimit bind.Duration `help:"Limit of each run of the tables reach and size; default: 60s, with --quick 2s." placeholder:"TIME"`
	TotalTime  bind.Duration `http:"yes" help:"Stop the whole bench after this time; runs without a line by then are not made; 0 for never. Default: never, with --quick 285s." placeholder:"TIME"`
	Memory     bind.Size     `http:"yes" help:"Bound on the memory of each run with all its processes, which are killed if they exceed it; default: half of what the machine or the control group has, at most 4GiB." placeholder:"SIZE"`
	Threads    int           `http:"yes" help:"Threads of each run." default:"1"`
	Seed       uint64        `http:"yes" help:"Seed of each run." default:"0"`
	Out        string        `short:"o" help:"Folder of the journal, which is resumed if it exists." placeholder:"DIR" default:"bench-out"`
	Resume     bool          `help:"Go on with the bench of the folder; without a journal there, that is an error."`
}
