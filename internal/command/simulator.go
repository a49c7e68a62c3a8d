package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
)

// simulatorFlags name the real system, or a simulator of it.
type simulatorFlags struct {
	Simulator        string       `help:"Simulator: rddl for the problem's own RDDL, a server of RDDLSim, or the command of a process (docs/simulators.md)." placeholder:"rddl|rddlsim:HOST:PORT|COMMAND"`
	SimulatorTimeout durationFlag `help:"Time limit for an answer of a simulator process or server." default:"30s"`
	MaxSimulations   int          `help:"Maximal number of simulator steps; 0 for no bound." default:"0"`
	Truth            string       `help:"With --files and --simulator rddl: the bundled problem or task file whose RDDL is the truth; default: the bundled one with the same bits." placeholder:"PROBLEM"`
	Record           string       `help:"Append every observed transition to a data set: .csv, .parquet or .npz." placeholder:"FILE"`
}

// open starts the simulator; it returns nil if there is none.
func (f *simulatorFlags) open(ctx context.Context, p *load.Problem, seed uint64) (*execute.Real, error) {
	switch {
	case f.MaxSimulations < 0:
		return nil, fmt.Errorf("--max-simulations %d is not a budget; expected at least 1, or 0 for no bound", f.MaxSimulations)
	case f.Simulator == "" && (f.Record != "" || f.MaxSimulations > 0 || f.Truth != ""):
		return nil, errors.New("--record, --truth and --max-simulations go with --simulator")
	case f.Simulator == "":
		return nil, nil
	}
	return execute.OpenSimulator(ctx, p, f.ref(seed))
}

// shownOutside is how many values out of range are listed as text; --json has all.
const shownOutside = 5

// writeOutside lists the values of a simulator that their variables do not have.
func writeOutside(w io.Writer, all []simulator.Outside) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "values out of range that the simulator sent: %d\n", len(all))
	for _, o := range all[:min(len(all), shownOutside)] {
		fmt.Fprintf(w, "  after %v\n", o)
	}
	if more := len(all) - shownOutside; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

func (f *simulatorFlags) ref(seed uint64) execute.SimulatorRef {
	return execute.SimulatorRef{
		Name: f.Simulator, Timeout: time.Duration(f.SimulatorTimeout), MaxSteps: f.MaxSimulations, Record: f.Record, Seed: seed, Truth: f.Truth,
	}
}

// differing describes how a state differs from the expected one.
func differing(d *app.Difference) string {
	parts := make([]string, len(d.Observed))
	for i, e := range d.Observed {
		parts[i] = fmt.Sprintf("%s=%v, not %v", e.Name, e.Value, d.Expected[i].Value)
	}
	return strings.Join(parts, "; ")
}
