package collect

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/fdplan/fdplan/internal/data/bins"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/routine"
)

// Policy determines how states and actions are drawn; see the package comment.
type Policy string

// The policies.
const (
	Exploration Policy = "exploration"
	Restart     Policy = "restart"
	Random      Policy = "random"
)

// Options control what is collected.
type Options struct {
	Rows int
	// First is the number of rows to leave out: the rows are those from First on of a
	// collection of First+Rows rows. It is a multiple of PartRows.
	First   int
	Policy  Policy // Exploration when empty
	Seed    uint64
	Threads int // the number of CPUs when 0
	Horizon int // steps of an episode; the instance's when 0
	// Bins discretise the quantities behind integer fluents, by fluent; see
	// dataset.Schema.Discretize. Only ToFile uses them.
	Bins map[string]bins.Bins
	// Progress, when set, is called with the number of rows written so far.
	Progress func(rows int)
}

// chunkRows is the number of rows drawn from one stream of random numbers. It is part of the
// meaning of a seed: another value gives other data.
const chunkRows = 2048

// PartRows is the number of rows of a part of a large collection, which can be made
// by itself; see Options.First.
const PartRows = 32 * chunkRows

// Parts returns the rows of each part of a collection.
func Parts(rows int) []int {
	var out []int
	for ; rows > 0; rows -= PartRows {
		out = append(out, min(rows, PartRows))
	}
	return out
}

// Schema returns the data set's schema for a problem, with the ranges of s.
func Schema(s *sim.Simulator) (*dataset.Schema, error) {
	p := s.Problem()
	columns := func(fluents []int) []dataset.Column {
		out := make([]dataset.Column, len(fluents))
		for i, f := range fluents {
			fl := &p.Fluents[f]
			out[i] = dataset.Column{Name: fl.Name, Values: fl.Values}
			switch fl.Type {
			case ground.Int:
				out[i].Type = dataset.Int
			case ground.Real:
				out[i].Type = dataset.Real
			case ground.Enum:
				out[i].Type = dataset.Enum
			}
			if r, ok := s.Ranges().Of(fl); ok {
				out[i].Bounded, out[i].Lo, out[i].Hi = true, r.Lo, r.Hi
			}
		}
		return out
	}
	if len(s.States()) == 0 {
		return nil, fmt.Errorf("%s has no state; expected state fluents, whose next values a data set is about", p.Instance)
	}
	return dataset.NewSchema(p.Instance, columns(s.States()), columns(s.Actions()))
}

// ToFile collects rows into the data set name, in the format of its extension. Nothing is
// left behind after an error or if ctx ends.
func ToFile(ctx context.Context, name string, s *sim.Simulator, o Options) error {
	schema, err := Schema(s)
	if err != nil {
		return err
	}
	if schema, err = schema.Discretize(o.Bins); err != nil {
		return err
	}
	f, err := dataset.Create(name, schema)
	if err != nil {
		return err
	}
	if err := Rows(ctx, s, o, f.WriteRows); err != nil {
		f.Abort()
		return err
	}
	return f.Close()
}

// Rows collects rows and passes them on in order, several complete rows at a time, in the
// columns of Schema. emit must not keep the slice.
func Rows(ctx context.Context, s *sim.Simulator, o Options, emit func(values []float64) error) error {
	c, err := newCollector(s, o)
	if err != nil {
		return err
	}
	threads := o.Threads
	if threads <= 0 {
		threads = runtime.NumCPU()
	}
	const ahead = 4 // chunks for each thread, before the rows are passed on
	parts := make([]chunk, ahead*threads)
	for from, written := 0, 0; written < o.Rows; from += len(parts) {
		n := min(len(parts), (o.Rows-written+chunkRows-1)/chunkRows)
		err := routine.Each(ctx, threads, n, func(i int) {
			part := &parts[i]
			part.index, part.rows = c.first+from+i, min(chunkRows, o.Rows-(from+i)*chunkRows)
			part.err = c.fill(ctx, part)
		})
		if err != nil {
			return err
		}
		for i := range parts[:n] {
			part := &parts[i]
			if part.err != nil {
				return part.err
			}
			if err := emit(part.values); err != nil {
				return err
			}
			if written += part.rows; o.Progress != nil {
				o.Progress(written)
			}
		}
	}
	return ctx.Err()
}

// chunk is a fixed part of the rows.
type chunk struct {
	index, rows int
	values      []float64
	err         error
}

// collector is shared by all workers and never changes.
type collector struct {
	s       *sim.Simulator
	states  *sim.StateDrawer // for Restart
	seed    uint64
	horizon int
	first   int // chunk
}

func newCollector(s *sim.Simulator, o Options) (*collector, error) {
	if o.Rows < 0 {
		return nil, fmt.Errorf("%d rows cannot be collected, expected 0 or more", o.Rows)
	}
	if o.First < 0 || o.First%PartRows != 0 {
		return nil, fmt.Errorf("rows from %d on, expected a multiple of %d", o.First, PartRows)
	}
	c := &collector{s: s, seed: o.Seed, horizon: o.Horizon, first: o.First / chunkRows}
	if c.horizon <= 0 {
		c.horizon = s.Problem().Horizon
	}
	switch o.Policy {
	case "", Exploration, Random:
		if c.horizon <= 0 {
			return nil, errors.New("the instance has no horizon, expected the length of an episode")
		}
	case Restart:
		var err error
		if c.states, err = sim.NewStateDrawer(s); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("no policy %q, expected exploration, restart or random", o.Policy)
	}
	return c, nil
}

// stream returns the random numbers of a chunk. The two words of the generator's state are
// hashed (SplitMix64) so that streams of neighbouring chunks and seeds start far apart.
func stream(seed uint64, chunk int) *rand.Rand {
	mix := func(x uint64) uint64 {
		x += 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	a := mix(seed)
	b := mix(a ^ uint64(chunk))
	return rand.New(rand.NewPCG(a^mix(b), b))
}

// maxLost is the number of consecutive draws without a row after which the collection is
// abandoned.
const maxLost = 10_000

// fill makes the rows of a chunk.
func (c *collector) fill(ctx context.Context, ch *chunk) error {
	e := &episode{collector: c, r: c.s.NewRunner(stream(c.seed, ch.index))}
	width := 2*len(c.s.States()) + len(c.s.Actions())
	ch.values = slices.Grow(ch.values[:0], ch.rows*width)
	lost := 0
	for made := 0; made < ch.rows; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var err error
		if ch.values, err = e.row(ch.values); err == nil {
			made++
			lost = 0
			continue
		}
		if lost++; lost >= maxLost || !errors.Is(err, errLost) {
			return err
		}
	}
	return nil
}

// errLost is wrapped if a draw gave no row, but the next may.
var errLost = errors.New("no transition")

// episode is a worker's simulation in progress.
type episode struct {
	*collector
	r      *sim.Runner
	going  bool
	state  []float64
	action []float64
}

// row appends one transition to values.
func (e *episode) row(values []float64) ([]float64, error) {
	if err := e.begin(); err != nil {
		return values, err
	}
	e.state = e.r.State(e.state)
	var err error
	if e.action, err = e.r.DrawAction(e.action); err != nil {
		e.going = false
		if errors.Is(err, sim.ErrNoAction) && (e.states != nil || e.r.Steps() > 0) {
			return values, fmt.Errorf("%w: %w", errLost, err)
		}
		return values, err
	}
	if _, err = e.r.Advance(e.action); err != nil {
		e.going = false
		var v *sim.Violation
		switch {
		case !errors.As(err, &v):
			return values, err
		case v.Kind != sim.Invariant:
			return values, fmt.Errorf("%w: %w", errLost, err)
		}
	}
	values = append(values, e.state...)
	values = append(values, e.action...)
	next := len(values)
	values = append(values, e.state...)
	e.r.State(values[next:next])
	return values, nil
}

// begin puts the runner into a state to act in.
func (e *episode) begin() error {
	if e.states != nil {
		return e.states.Draw(e.r)
	}
	if e.going && e.r.Steps() < e.horizon {
		done, err := e.r.Terminal()
		if err != nil || !done {
			return err
		}
	}
	e.going = true
	if err := e.r.Reset(); err != nil {
		return err
	}
	if done, err := e.r.Terminal(); err != nil || done {
		return errors.Join(err, errTerminal)
	}
	return nil
}

var errTerminal = errors.New("a termination condition holds in the initial state, expected one to act in")
