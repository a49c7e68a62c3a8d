// Package lift implements the use cases of lifted models: it learns functions that all
// objects of a type share, and applies them to problems with other objects.
package lift

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/lift"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/synthesis"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Options say how to learn and to build networks.
type Options struct {
	Seed    uint64
	Threads int // 0 for one a core
	// Progress is called with a step and the part of it that is done, in 0..1; nil for none.
	Progress func(step string, done float64)
}

// shrinkEffort is how long a network is made smaller; see synthesis.Options. Tests need no small networks.
var shrinkEffort = 1000

// FunctionLine is a function that all objects of a type share.
type FunctionLine struct {
	Output  string `json:"output"` // its objects are ?1, ?2, …
	Objects int    `json:"objects"`
	// Rows counts the distinct rows of all objects together.
	Rows int       `json:"rows"`
	Bits []BitLine `json:"bits"` // most significant first
	// Features are those that the bits read, and then those that the objects alone determine
	// and that were the same for all of them.
	Features []FeatureLine `json:"features"`
	// Formula is the next value by whole numbers, for values of constants that no row has; empty for none.
	Formula string `json:"formula,omitempty"`
}

// BitLine is a bit of a function.
type BitLine struct {
	Features []int  `json:"features"` // places among the function's
	Wrong    int    `json:"wrong"`    // rows that do not follow it
	Held     int    `json:"held_out_wrong"`
	Verdict  string `json:"verdict"`
}

// FeatureLine is something that a function reads.
type FeatureLine struct {
	Feature string    `json:"feature"`
	Seen    []float64 `json:"seen"` // its values in the rows
}

// Trained is the outcome of `fdplan train --lift`.
type Trained struct {
	Schema        int    `json:"schema"`
	Recipe        string `json:"recipe"` // "lift"
	Problem       string `json:"problem"`
	Network       string `json:"network"` // its shape
	Neurons       int    `json:"neurons"`
	Edges         int    `json:"edges"`
	Rows          int    `json:"rows"`     // in the data
	Unique        int    `json:"distinct"` // states and actions among them
	Contradictory int    `json:"contradictory"`
	Incomplete    int    `json:"incomplete"`
	learn.Errors
	Functions []FunctionLine `json:"functions"`
	Stopped   string         `json:"stopped,omitempty"`

	file *bnn.File
}

// Train learns lifted functions from a data set, and builds the problem's network of them.
// When ctx ends while the network is made smaller, the one so far is the answer.
func Train(ctx context.Context, p *load.Problem, file string, o Options) (*Trained, error) {
	w, err := world(p)
	if err != nil {
		return nil, err
	}
	from, err := learn.Sources(ctx, p, file)
	if err != nil {
		return nil, err
	}
	rows, err := learn.Examples(p, from)
	if err != nil {
		return nil, err
	}
	pooled, incomplete, err := rowsOf(p, from, nil)
	if err != nil {
		return nil, err
	}
	found, m, applied, err := o.learn(ctx, w, pooled, "structure")
	if err != nil {
		return nil, err
	}
	held, err := o.holdOut(ctx, p, w, from)
	if err != nil {
		return nil, err
	}
	net, err := o.network(ctx, p, applied)
	if err != nil {
		return nil, err
	}
	out := &Trained{
		Schema: app.Schema, Recipe: "lift", Problem: p.Problem.Name, Network: net.Shape(), Neurons: net.Hidden() + net.Outputs(), Edges: net.Edges(),
		Rows: rows.Total() + rows.Conflicts.Dropped, Unique: rows.Rows(), Contradictory: rows.Conflicts.Inputs, Incomplete: incomplete,
		Errors: held,
	}
	on, err := learn.Measure(p, net, from)
	if err != nil {
		return nil, err
	}
	out.On(on)
	for i := range found {
		out.Functions = append(out.Functions, lineOf(&found[i]))
	}
	out.Stopped = app.Stopped(ctx)
	meta := [][2]string{
		{"transitions", fmt.Sprint(out.Rows)}, {"recipe", "lift"}, {"seed", fmt.Sprint(o.Seed)},
		{"rows", fmt.Sprint(rows.Rows())}, {load.MetaErrors, fmt.Sprint(out.Train.Wrong)}, {load.MetaData, rows.Digest()},
	}
	if h := held.HeldOut; h != nil {
		meta = append(meta, [2]string{"test-rows", fmt.Sprint(h.Rows)}, [2]string{"test-errors", fmt.Sprint(h.Wrong)})
	}
	if out.file, err = fileOf(p, net, m, applied, meta); err != nil {
		return nil, err
	}
	return out, record(p, out.file, from, rows)
}

// learn finds the functions in rows, and grounds them in the problem that the rows are of.
func (o *Options) learn(ctx context.Context, w *lift.World, rows []lift.Row, step string) ([]lift.Learned, *lift.Model, *lift.Applied, error) {
	found, err := lift.Learn(ctx, w, rows, lift.Options{Seed: o.Seed, Threads: app.Threads(o.Threads), Progress: o.step(step)})
	if err != nil {
		return nil, nil, nil, err
	}
	m, err := modelOf(w, found, rows)
	if err != nil {
		return nil, nil, nil, err
	}
	applied, err := m.Apply(w)
	return found, m, applied, err
}

// holdOut learns without the last rows, and measures the network on them. It is not made smaller.
func (o *Options) holdOut(ctx context.Context, p *load.Problem, w *lift.World, from []train.Source) (learn.Errors, error) {
	held, err := learn.HoldOut(ctx, p, from, func(ctx context.Context, keep func(*train.Row) bool) (measure.Predict, error) {
		rows, _, err := rowsOf(p, from, keep)
		if err != nil {
			return nil, err
		}
		_, _, applied, err := o.learn(ctx, w, rows, "structure without the rows held out")
		if err != nil {
			return nil, err
		}
		net, err := synthesis.Network(ctx, len(p.Problem.Inputs), applied.Functions, synthesis.Options{Seed: o.Seed, Threads: app.Threads(o.Threads)})
		if err != nil {
			return nil, err
		}
		return measure.Network(net), nil
	})
	if errors.Is(err, lift.ErrWide) {
		return learn.Errors{HeldOutWhy: "without some rows a function has too many inputs"}, nil
	}
	return held, err
}

// record writes the rows into a network's file.
func record(p *load.Problem, f *bnn.File, from []train.Source, rows *train.Examples) error {
	seen, err := learn.Record(p, from)
	if err == nil {
		learn.AddRecord(f, seen, rows)
	}
	return err
}

// modelOf is what was learned from rows.
func modelOf(w *lift.World, found []lift.Learned, rows []lift.Row) (m *lift.Model, err error) {
	m = &lift.Model{}
	for i := range found {
		m.Classes = append(m.Classes, found[i].Class)
	}
	m.Met, err = w.Meet(rows)
	return m, err
}

// world is the view of a problem that lifted functions have.
func world(p *load.Problem) (*lift.World, error) {
	if p.Truth == nil || p.Truth.Compiled == nil {
		return nil, fmt.Errorf("%s cannot be lifted: %w", p.Problem.Name, lift.ErrNoRelations)
	}
	if err := p.Learns(); err != nil {
		return nil, err
	}
	return lift.NewWorld(p.Problem, p.Truth.Compiled.Ground)
}

// rowsOf reads the rows of data sets for which keep holds, nil for all; incomplete ones have an empty cell.
func rowsOf(p *load.Problem, from []train.Source, keep func(*train.Row) bool) (rows []lift.Row, incomplete int, err error) {
	err = train.EachRow(p.Problem, func(r *train.Row) {
		if keep != nil && !keep(r) {
			return
		}
		one := lift.Row{In: bytesOf(r.In), Out: bytesOf(r.Out)}
		if r.InKnown != nil {
			incomplete++
			one.InKnown, one.OutKnown = bytesOf(r.InKnown), bytesOf(r.OutKnown)
		}
		rows = append(rows, one)
	}, from...)
	return rows, incomplete, err
}

func bytesOf(bits []bool) []bool { return append([]bool(nil), bits...) }

func (o *Options) step(name string) func(float64) {
	if o.Progress == nil {
		return nil
	}
	return func(done float64) { o.Progress(name, done) }
}

// network synthesises the functions.
func (o *Options) network(ctx context.Context, p *load.Problem, a *lift.Applied) (*bnn.Network, error) {
	so := synthesis.Options{Seed: o.Seed, Threads: app.Threads(o.Threads), Effort: shrinkEffort}
	if report := o.step("network"); report != nil {
		so.Progress = func(done float64, _ int) { report(done) }
	}
	return synthesis.Network(ctx, len(p.Problem.Inputs), a.Functions, so)
}

// fileOf is a network's file with the lifted functions that it was made of.
func fileOf(p *load.Problem, net *bnn.Network, m *lift.Model, a *lift.Applied, meta [][2]string) (*bnn.File, error) {
	f := &bnn.File{Network: net, Inputs: load.BitNames(p.Problem, p.Problem.Inputs), Outputs: load.BitNames(p.Problem, p.Problem.Outputs)}
	f.Meta = append([][2]string{{"problem", p.Problem.Name}}, meta...)
	for i := range m.Classes {
		text, err := json.Marshal(&m.Classes[i])
		if err != nil {
			return nil, fmt.Errorf("%w: a lifted function: %w", app.ErrInternal, err)
		}
		f.Meta = append(f.Meta, [2]string{load.MetaLifted, string(text)})
	}
	if m.Met != nil {
		text, err := json.Marshal(m.Met)
		if err != nil {
			return nil, fmt.Errorf("%w: what the rows met: %w", app.ErrInternal, err)
		}
		f.Meta = append(f.Meta, [2]string{load.MetaMet, string(text)})
	}
	if a.Support != nil {
		f.Meta = append(f.Meta, load.SupportLines(a.Support)...)
	}
	return f, f.Check()
}

func lineOf(l *lift.Learned) FunctionLine {
	out := FunctionLine{Output: l.Output.String(), Objects: l.Objects, Rows: l.Pooled}
	if l.Formula != nil {
		out.Formula = l.Formula.String()
	}
	read := make([]bool, len(l.Features))
	for _, n := range l.Bits {
		for k, reads := range n.Reads(len(l.Features)) {
			read[k] = read[k] || reads
		}
	}
	for i := range l.Features {
		if f := &l.Features[i]; read[i] || f.Fixed() { // others come last
			out.Features = append(out.Features, FeatureLine{f.String(), f.Seen})
		}
	}
	for i, n := range l.Bits {
		b := BitLine{Features: []int{}, Wrong: l.Outputs[i].Wrong, Held: l.Outputs[i].Held, Verdict: string(l.Outputs[i].Verdict)}
		for k, reads := range n.Reads(len(l.Features)) {
			if reads {
				b.Features = append(b.Features, k)
			}
		}
		out.Bits = append(out.Bits, b)
	}
	return out
}

// Write writes the network, with the lifted functions.
func (t *Trained) Write(w io.Writer) error { return bnn.WriteFile(w, t.file) }

// Lifted is the outcome of `fdplan lift`.
type Lifted struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	Network string `json:"network"` // its shape
	Neurons int    `json:"neurons"`
	Edges   int    `json:"edges"`
	Outputs int    `json:"outputs"` // bits
	// Functions counts the fluents that the outputs share.
	Functions int `json:"functions"`
	// Wrong counts the rows that the functions were learned from and do not describe.
	Wrong   int           `json:"wrong,omitempty"`
	Unseen  []lift.Unseen `json:"unseen"`
	Stopped string        `json:"stopped,omitempty"`

	file *bnn.File
}

// Apply builds the network of a problem from the lifted functions in a network's file.
func Apply(ctx context.Context, p *load.Problem, name string, text []byte, o Options) (*Lifted, error) {
	w, err := world(p)
	if err != nil {
		return nil, err
	}
	from, err := bnn.ReadFile(name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	m, err := readModel(name, from)
	if err != nil {
		return nil, err
	}
	trained, err := load.ReadTrained(name, from)
	if err != nil {
		return nil, err
	}
	applied, err := m.Apply(w)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "%v", err)
	}
	net, err := o.network(ctx, p, applied)
	if err != nil {
		return nil, err
	}
	out := &Lifted{
		Schema: app.Schema, Problem: p.Problem.Name, Network: net.Shape(), Neurons: net.Hidden() + net.Outputs(), Edges: net.Edges(),
		Outputs: len(p.Problem.Outputs), Functions: len(m.Classes), Wrong: trained.Errors, Unseen: append([]lift.Unseen{}, applied.Unseen...),
	}
	out.Stopped = app.Stopped(ctx)
	out.file, err = fileOf(p, net, m, applied, [][2]string{{"recipe", "lifted"}, {"seed", fmt.Sprint(o.Seed)}})
	return out, err
}

// readModel reads the lifted functions of a network's file.
func readModel(name string, f *bnn.File) (m *lift.Model, err error) {
	m = &lift.Model{}
	for i, kv := range f.Meta {
		const first = 2 // the first line with metadata
		if kv[0] == load.MetaMet {
			if m.Met, err = lift.ReadMet(kv[1]); err != nil {
				return nil, source.Errorf(name, first+i, len("meta "+load.MetaMet+" ")+1, "%v", err)
			}
		}
		if kv[0] != load.MetaLifted {
			continue
		}
		c, err := lift.ReadClass(kv[1])
		if err != nil {
			return nil, source.Errorf(name, first+i, len("meta "+load.MetaLifted+" ")+1, "%v", err)
		}
		m.Classes = append(m.Classes, *c)
	}
	if len(m.Classes) == 0 {
		return nil, source.Errorf(name, 0, 0, "it has no lifted functions; expected a network of fdplan train --lift")
	}
	return m, nil
}

// Write writes the network, with the lifted functions.
func (l *Lifted) Write(w io.Writer) error { return bnn.WriteFile(w, l.file) }
