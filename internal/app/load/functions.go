package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// The metadata keys of functions of quantities, which are not among the outputs of the network.
const (
	// MetaFunction is the next value of a state as expr.ParseFunction reads it.
	MetaFunction = "function"
	// MetaLag is a state that functions read, NAME = FLUENT STEPS: what a state or an action was so many steps before.
	MetaLag = "lag"
	// MetaBand is the range of the errors of a function: FLUENT SHARE% STEPS LOW HIGH, logged less predicted values so many
	// steps ahead.
	MetaBand = "band"
	// MetaLinear and MetaLinearLag are the linear functions that functions are compared with.
	MetaLinear    = "linear"
	MetaLinearLag = "linear-lag"
)

// Band has the share of the errors of a function: logged less predicted values, so many steps ahead.
type Band struct {
	Fluent    string  `json:"-"`
	When      string  `json:"when,omitempty"` // a condition, as Machine writes it; empty for what no other band is for
	Share     float64 `json:"share"`          // of 1
	Steps     int     `json:"steps"`
	Low, High float64
}

// String writes a band as a network's file has it.
func (b *Band) String() string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	return fmt.Sprintf("%s %s%% %d %s %s", Where(b.Fluent, b.When), number(100*b.Share), b.Steps, number(b.Low), number(b.High))
}

// Where names a fluent under a condition, which may be empty.
func Where(fluent, when string) string {
	if when == "" {
		return fluent
	}
	return fluent + where + when
}

const where = " if "

// Machine is the condition that an enumeration has a value.
func Machine(v *factored.Variable, x int64) string {
	return v.Name + " == " + strconv.Quote(v.View.Names[x-v.Lo])
}

// parseBand reads a band.
func parseBand(text string) (b Band, err error) {
	of, when, conditional := strings.Cut(text, where)
	words := strings.Fields(of)
	if conditional { // the numbers are behind it
		at := max(0, strings.LastIndexByte(when, '"')+1)
		words, when = append(words, strings.Fields(when[at:])...), when[:at]
	}
	bad := fmt.Errorf("%q is no band; expected FLUENT SHARE%% STEPS LOW HIGH", text)
	if len(words) < 5 {
		return b, bad
	}
	n := len(words)
	b.Fluent, b.When = strings.Join(words[:n-4], " "), when
	var errs [4]error
	b.Share, errs[0] = strconv.ParseFloat(strings.TrimSuffix(words[n-4], "%"), 64)
	b.Steps, errs[1] = strconv.Atoi(words[n-3])
	b.Low, errs[2] = strconv.ParseFloat(words[n-2], 64)
	b.High, errs[3] = strconv.ParseFloat(words[n-1], 64)
	b.Share /= 100
	if slices.ContainsFunc(errs[:], func(e error) bool { return e != nil }) || !(b.Share > 0 && b.Share < 1) || b.Steps < 1 || !(b.Low <= b.High) {
		return b, bad
	}
	return b, nil
}

// Lagged is a state that functions read.
type Lagged struct {
	Name string
	factored.Lag
}

// Functions are what a network's file says of next values that the network does not give.
type Functions struct {
	Lags  []Lagged
	Texts []string // as expr.ParseFunction reads them
	Bands []Band
	// Linear are the linear functions that these are compared with, and nothing else; nil if they are not known.
	Linear *Functions

	lines map[string][]int // of the file, by key
}

// ReadFunctions returns the functions in a network's file; nil if there are none.
func ReadFunctions(name string, f *bnn.File) (*Functions, error) {
	x := &Functions{lines: map[string][]int{}, Linear: &Functions{lines: map[string][]int{}}}
	for i, kv := range f.Meta {
		fail := func(format string, args ...any) error {
			return source.Errorf(name, firstMeta+i, len("meta "+kv[0]+" ")+1, format, args...)
		}
		switch kv[0] {
		case MetaFunction:
			x.Texts = append(x.Texts, kv[1])
		case MetaLinear:
			x.Linear.Texts = append(x.Linear.Texts, kv[1])
		case MetaLag, MetaLinearLag:
			lag, rest, ok := strings.Cut(kv[1], " = ")
			at := strings.LastIndexByte(rest, ' ')
			by, err := strconv.Atoi(rest[at+1:])
			if !ok || at < 0 || err != nil {
				return nil, fail("%q is no lag; expected NAME = FLUENT STEPS", kv[1])
			}
			to := x
			if kv[0] == MetaLinearLag {
				to = x.Linear
			}
			to.Lags = append(to.Lags, Lagged{lag, factored.Lag{Of: rest[:at], By: by}})
		case MetaBand:
			b, err := parseBand(kv[1])
			if err != nil {
				return nil, fail("%v", err)
			}
			x.Bands = append(x.Bands, b)
		default:
			continue
		}
		x.lines[kv[0]] = append(x.lines[kv[0]], firstMeta+i)
	}
	if len(x.Texts) == 0 {
		return nil, nil
	}
	if len(x.Linear.Texts) == 0 {
		x.Linear = nil
	}
	return x, nil
}

// Meta is what a network's file says of the functions.
func (x *Functions) Meta() (meta [][2]string) {
	add := func(x *Functions, lag, function string) {
		for _, l := range x.Lags {
			meta = append(meta, [2]string{lag, fmt.Sprintf("%s = %s %d", l.Name, l.Of, l.By)})
		}
		for _, t := range x.Texts {
			meta = append(meta, [2]string{function, t})
		}
	}
	add(x, MetaLag, MetaFunction)
	if x.Linear != nil {
		add(x.Linear, MetaLinearLag, MetaLinear)
	}
	for i := range x.Bands {
		meta = append(meta, [2]string{MetaBand, x.Bands[i].String()})
	}
	return meta
}

// errorf returns an error at the place of the i-th item of a kind.
func (x *Functions) errorf(name, key string, i int, err error) error {
	if at := x.lines[key]; i < len(at) {
		return source.Errorf(name, at[i], len("meta "+key+" ")+1, "%v", err)
	}
	return err
}

// addLags adds the states that functions read to a problem, which begin with the value of what they are lags of.
func (x *Functions) addLags(name string, p *factored.Problem) error {
	for i, l := range x.Lags {
		of, ok := p.Lookup(l.Of)
		if !ok || of.Kind == factored.Auxiliary {
			return x.errorf(name, MetaLag, i, fmt.Errorf("there is no state or action %q%s", l.Of, p.Hint(l.Of)))
		}
		v := *of
		v.Name, v.Kind, v.Lag = l.Name, factored.State, l.Lag
		v.Default, v.Given = 0, false // what an input was is known
		id, err := p.AddVariable(v)
		if err != nil {
			return x.errorf(name, MetaLag, i, err)
		}
		of, _ = p.Lookup(l.Of) // it may have moved
		p.Initial = append(p.Initial, initialLag(p, &p.Variables[id], of)...)
	}
	return p.ConnectLags(func(v *factored.Variable) bool {
		return slices.ContainsFunc(x.Lags, func(l Lagged) bool { return l.Name == v.Name })
	})
}

// initialLag says what a lag is at first: what the state is, or what the action does if it does nothing, as if nothing had moved.
func initialLag(p *factored.Problem, v, of *factored.Variable) (out []factored.Constraint) {
	origin := "initial value of " + v.Name
	if of.Kind == factored.Action {
		x := of.Default
		if !of.HasDefault() {
			x = of.Lo
		}
		return v.Equals(x, origin)
	}
	val, given := p.InitialBits()
	if !slices.Contains(given[of.First:int(of.First)+of.Width], false) {
		return v.Equals(of.Value(val), origin)
	}
	for k, b := range v.Bits() {
		out = append(out, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b}}, {Coef: -1, Lit: factored.Lit{Bit: of.First + factored.Bit(k)}}}, Op: factored.EQ, Origin: origin})
	}
	return out
}

// Define adds the functions to a problem, whose network no longer gives their states. name is that of the file, for errors.
func (x *Functions) Define(name string, p *factored.Problem) error {
	if err := x.addLags(name, p); err != nil {
		return err
	}
	for i, text := range x.Texts {
		f, err := expr.ParseFunction(p, text)
		if err != nil {
			return x.errorf(name, MetaFunction, i, err)
		}
		v := p.Variables[f.Variable]
		if !slices.Contains(p.Outputs, v.First) {
			return x.errorf(name, MetaFunction, i, fmt.Errorf("%s is not learned; expected a function of a state that is", v.Name))
		}
		p.Outputs = slices.DeleteFunc(slices.Clone(p.Outputs), func(b factored.Bit) bool { return slices.Contains(v.Bits(), b) })
		if err := p.DefineFunction(*f); err != nil {
			return x.errorf(name, MetaFunction, i, err)
		}
	}
	return p.Check()
}

// Predict sets out to the output bits that are predicted for some input bits; see measure.Predict.
type Predict = func(out, in []uint64)

// Whole is a problem whose outputs are those of a network and of functions, which read lags too, and what both predict. The
// problem is as it was before Define; network is the prediction of the other outputs, nil for none.
func (x *Functions) Whole(name string, p *factored.Problem, network Predict) (*factored.Problem, Predict, error) {
	defined := p.Clone()
	if err := x.Define(name, defined); err != nil {
		return nil, nil, err
	}
	q := p.Clone()
	if err := x.addLags(name, q); err != nil {
		return nil, nil, err
	}
	for _, l := range x.Lags {
		v, _ := q.Lookup(l.Name)
		q.Inputs = append(slices.Clip(q.Inputs), v.Bits()...)
	}
	return q, join(q, defined, network), nil
}

// join predicts the outputs of q by the functions of a problem, whose variables begin with those of q, and the network of its
// outputs, which may be nil.
func join(q, defined *factored.Problem, network Predict) Predict {
	val, next := make(factored.Valuation, defined.NumBits()), make(factored.Valuation, defined.NumBits())
	in, out := make([]uint64, bnn.Words(len(defined.Inputs))), make([]uint64, bnn.Words(len(defined.Outputs)))
	values := make([]int64, len(defined.Variables))
	return func(to, from []uint64) {
		for i, b := range q.Inputs {
			val[b] = from[i/64]>>(i%64)&1 == 1
		}
		if network != nil {
			val.Pack(in, defined.Inputs)
			network(out, in)
			for i, b := range defined.Outputs {
				next[b] = out[i/64]>>(i%64)&1 == 1
			}
		}
		for i := range defined.Variables {
			values[i] = defined.Variables[i].Value(val)
		}
		defined.SetNext(next, values)
		clear(to)
		for i, b := range q.Outputs {
			if next[b] {
				to[i/64] |= 1 << (i % 64)
			}
		}
	}
}
