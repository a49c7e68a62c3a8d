package format

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

var update = flag.Bool("update", false, "write the golden files anew")

// lamp is a problem small enough to read: a lamp whose switching a network learned, and a
// battery that each switching drains.
func lamp(t testing.TB) *model.Model {
	t.Helper()
	p := factored.NewProblem("lamp")
	for _, v := range []factored.Variable{
		{Name: "switch", Kind: factored.Action, Bool: true},
		{Name: "on", Bool: true},
		{Name: "charge", Lo: -2, Hi: 1},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	const toggle, on, sign, one = 0, 1, 2, 3
	lit := func(b factored.Bit) factored.Lit { return factored.Lit{Bit: b} }
	next := func(b factored.Bit) factored.Lit { return factored.Lit{Bit: b, Next: true} }
	p.Initial = []factored.Constraint{
		{Terms: []factored.Term{{Coef: 1, Lit: lit(on)}}, Op: factored.EQ, K: 0},
		{Terms: []factored.Term{{Coef: -2, Lit: lit(sign)}, {Coef: 1, Lit: lit(one)}}, Op: factored.EQ, K: 1},
	}
	p.Global = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: lit(toggle)}, {Coef: 1, Lit: lit(sign)}}, Op: factored.LE, K: 1}}
	p.Goal = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: lit(on)}}, Op: factored.GE, K: 1}}
	p.Transition = []factored.Constraint{{Terms: []factored.Term{
		{Coef: -2, Lit: next(sign)}, {Coef: 1, Lit: next(one)},
		{Coef: 2, Lit: lit(sign)}, {Coef: -1, Lit: lit(one)}, {Coef: 1, Lit: lit(toggle)}}, Op: factored.EQ, K: 0}}
	p.Reward = factored.Reward{Constant: 5, Scale: 10, Terms: []factored.RewardTerm{{Lit: next(on), Weight: 30}, {Lit: lit(toggle), Weight: -12}}}
	// A true exclusive or needs a hidden layer: one unit for "at least one",
	// one for "both".
	p.Inputs, p.Outputs = []factored.Bit{toggle, on}, []factored.Bit{on}
	net := &bnn.Network{Layers: []bnn.Layer{
		{Inputs: 2, Weights: []int8{1, 1, 1, 1}, Thresholds: []int32{1, 2}},
		{Inputs: 2, Weights: []int8{1, -1}, Thresholds: []int32{2}},
	}}
	if err := errors.Join(p.Check(), net.Check()); err != nil {
		t.Fatal(err)
	}
	m, err := model.New(p, net, 2, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGolden compares the files of one small problem with those in testdata. After an
// intended change, run it with -update.
func TestGolden(t *testing.T) {
	m := lamp(t)
	compare := func(name string, got []byte) {
		t.Helper()
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s has changed; it is now\n%s", file, got)
		}
	}
	for k := range numKinds {
		o := Options{Kind: k, Encoding: cnf.Published}
		var text, names bytes.Buffer
		stats, err := Write(context.Background(), &text, m, o)
		if err != nil {
			t.Fatal(err)
		}
		compare("lamp."+k.String(), text.Bytes())
		if err := WriteMap(&names, m, o); err != nil {
			t.Fatal(err)
		}
		compare("lamp."+k.String()+".map.json", names.Bytes())
		sizes, err := json.MarshalIndent(stats, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		compare("lamp."+k.String()+".stats.json", append(sizes, '\n'))
	}
}

// TestParseKind reads back every name.
func TestParseKind(t *testing.T) {
	for k := range numKinds {
		if got, err := ParseKind(k.String()); err != nil || got != k {
			t.Errorf("ParseKind(%q) = %v, %v", k, got, err)
		}
	}
	if _, err := ParseKind("smt"); err == nil || !strings.Contains(err.Error(), "wcnf-old") {
		t.Errorf("error %v, expected one that lists the formats", err)
	}
	if _, err := Write(context.Background(), io.Discard, lamp(t), Options{Kind: numKinds}); err == nil {
		t.Error("a format that does not exist was written")
	}
}

// text returns the file of m.
func text(t testing.TB, m *model.Model, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, m, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// limited fails after some bytes.
type limited struct{ left int }

var errFull = errors.New("disk full")

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestErrors checks the errors that stop writing.
func TestErrors(t *testing.T) {
	m := wide(t, 400, 1)
	light := lamp(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for k := range numKinds {
		o := Options{Kind: k, Encoding: cnf.Default}
		big := m
		if k.Clausal() {
			big = light // sums of 150 large coefficients are too large as clauses
		}
		for _, room := range []int{0, 1 << 18} {
			if room > 0 && k.Clausal() {
				continue
			}
			if _, err := Write(context.Background(), &limited{room}, big, o); !errors.Is(err, errFull) {
				t.Errorf("%v: error %v, expected that of the writer", k, err)
			}
		}
		if _, err := Write(ctx, io.Discard, light, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v, expected that of the context", k, err)
		}
		if err := WriteMap(&limited{}, light, o); !errors.Is(err, errFull) {
			t.Errorf("%v: map error %v, expected that of the writer", k, err)
		}
	}
}

// TestNumbers compares the number writers with package strconv.
func TestNumbers(t *testing.T) {
	var values []int64
	for p := int64(1); p > 0 && p < 1e18; p *= 10 {
		values = append(values, p-1, p, p+1, -p, 1-p)
	}
	values = append(values, math.MaxInt64, math.MinInt64, math.MaxInt32, -math.MaxInt32)
	var b bytes.Buffer
	out := newOutput(&b)
	var want strings.Builder
	for _, v := range values {
		out.int(v)
		out.byte('\n')
		fmt.Fprintln(&want, v)
		if v != 0 && v >= -math.MaxInt32 && v <= math.MaxInt32 {
			out.clauses("h ", []int32{int32(v), 0})
			fmt.Fprintf(&want, "h %d 0\n", v)
		}
	}
	if err := out.flush(); err != nil || b.String() != want.String() {
		t.Errorf("%v, wrote\n%s\nexpected\n%s", err, &b, &want)
	}
}
