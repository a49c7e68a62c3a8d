package tests

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/problem/fdsat"
)

// writeLayout writes a bundled problem and its network below dir in the
// FD-SAT-Plan layout, so that --files is tested where there is no checkout of
// that program. What the layout cannot say is an error.
func writeLayout(dir, name string) error {
	tk, err := bundled.Task(name)
	if err != nil {
		return err
	}
	c, err := tk.Problem(context.Background(), task.Options{Name: name, Read: bundled.Read})
	if err != nil {
		return err
	}
	text, err := bundled.Read(tk.Network)
	if err != nil {
		return err
	}
	file, err := bnn.ReadFile(tk.Network, bytes.NewReader(text))
	if err != nil {
		return err
	}
	l := layout{p: c.Problem, name: func(b factored.Bit) string { return tk.BitName(c.Problem, b) }}
	parts, err := l.parts()
	if err != nil {
		return err
	}
	var weights, norm bytes.Buffer
	if err := bnn.WritePublished(&weights, &norm, file.Network); err != nil {
		return err
	}
	base := strings.ReplaceAll(name, "/", "_") + ".txt"
	parts["bnn/bnn"], parts["normalization/normalization"] = weights.String(), norm.String()
	for part, text := range parts {
		if part != "bnn/bnn" && part != "normalization/normalization" {
			part = "translation/" + part
		}
		out := filepath.Join(dir, filepath.FromSlash(part)+"_"+base)
		if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(out, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// layout is a problem to be written, with the names of its bits in the files.
type layout struct {
	p    *factored.Problem
	name func(factored.Bit) string
}

// parts returns the files of the folder translation by their first words.
func (l layout) parts() (map[string]string, error) {
	vars, err := l.variables()
	if err != nil {
		return nil, err
	}
	parts := map[string]string{"pvariables": vars}
	for part, cs := range map[string][]factored.Constraint{
		"initial": l.p.Initial, "constraints": l.p.Global, "goals": l.p.Goal, "transitions": l.p.Transition,
	} {
		var b strings.Builder
		for _, c := range cs {
			line, err := l.constraint(c)
			if err != nil {
				return nil, err
			}
			b.WriteString(line)
		}
		parts[part] = b.String()
	}
	parts["reward"], err = l.reward()
	return parts, err
}

// variables is the line of variables: those that the network reads first, in
// its order. Inputs and outputs have to be in one order, as the line has.
func (l layout) variables() (string, error) {
	kinds := map[factored.Bit]string{}
	var bits []factored.Bit
	for _, b := range l.p.Inputs {
		kinds[b] = l.p.Kind(b).String() + "_data"
		bits = append(bits, b)
	}
	for _, b := range l.p.Outputs {
		if kinds[b] == "" {
			bits = append(bits, b)
			kinds[b] = l.p.Kind(b).String()
		}
		kinds[b] += "_label"
	}
	var fields []string
	for b := range factored.Bit(l.p.NumBits()) {
		if kinds[b] == "" {
			bits = append(bits, b)
			kinds[b] = l.p.Kind(b).String()
		}
	}
	outputs := 0
	for _, b := range bits {
		if strings.HasSuffix(kinds[b], "_label") {
			if l.p.Outputs[outputs] != b {
				return "", fmt.Errorf("%s: the network's inputs and outputs are in different orders", l.p.Name)
			}
			outputs++
		}
		if v, _ := l.p.Owner(b); !v.Bool {
			return "", fmt.Errorf("%s: the layout holds no integer %s", l.p.Name, v.Name)
		}
		fields = append(fields, kinds[b]+": "+l.name(b))
	}
	return strings.Join(fields, ",") + "\n", nil
}

func (l layout) literal(x factored.Lit) string {
	text := l.name(x.Bit)
	if x.Neg {
		text = "~" + text
	}
	if x.Next {
		text += "'"
	}
	return text
}

// constraint is the line of one constraint; -x stands in it as ~x, 1 less.
func (l layout) constraint(c factored.Constraint) (string, error) {
	k := c.K
	var b strings.Builder
	for _, t := range c.Terms {
		switch t.Coef {
		case 1:
		case -1:
			t.Lit = t.Lit.Not()
			k++
		default:
			return "", fmt.Errorf("%s: the layout holds no coefficient %d", l.p.Name, t.Coef)
		}
		b.WriteString(l.literal(t.Lit) + ",")
	}
	if k < 0 {
		return "", fmt.Errorf("%s: the layout holds no bound %d", l.p.Name, k)
	}
	return fmt.Sprintf("%s%s,%d\n", b.String(), c.Op, k), nil
}

// reward is the file of the reward; a constant stands in it as the reward of a
// literal and of its negation.
func (l layout) reward() (string, error) {
	r := l.p.Reward
	var b strings.Builder
	put := func(x factored.Lit, weight int64) error {
		if state := l.p.Kind(x.Bit) == factored.State; state != x.Next {
			return fmt.Errorf("%s: the layout holds no reward of %s at this step", l.p.Name, l.literal(x))
		}
		x.Next = false
		fmt.Fprintf(&b, "%s,%s\n", l.literal(x), strconv.FormatFloat(float64(weight)/float64(r.Scale), 'f', -1, 64))
		return nil
	}
	for _, t := range r.Terms {
		if err := put(t.Lit, t.Weight); err != nil {
			return "", err
		}
	}
	if r.Constant != 0 {
		x := factored.Lit{Bit: l.p.Bits(factored.Action)[0]}
		if err := put(x, r.Constant); err != nil {
			return "", err
		}
		return b.String(), put(x.Not(), r.Constant)
	}
	return b.String(), nil
}

// TestLayout reads a written layout back: the same bits, constraints, reward
// and network.
func TestLayout(t *testing.T) {
	for _, name := range []string{"navigation/3x3", "navigation/4x4"} {
		dir := t.TempDir()
		if err := writeLayout(dir, name); err != nil {
			t.Fatal(err)
		}
		domain, instance, _ := strings.Cut(name, "/")
		p, n, err := fdsat.Load(dir, domain, instance)
		if err != nil {
			t.Fatal(err)
		}
		want, err := bundled.RDDL(context.Background(), name, false)
		if err != nil {
			t.Fatal(err)
		}
		w := want.Problem
		if p.NumBits() != w.NumBits() || len(p.Inputs) != len(w.Inputs) || len(p.Outputs) != len(w.Outputs) ||
			len(p.Initial) != len(w.Initial) || len(p.Global) != len(w.Global) || len(p.Goal) != len(w.Goal) || len(p.Transition) != len(w.Transition) {
			t.Errorf("%s: shapes differ: %+v, of the RDDL %+v", name, p, w)
		}
		if n.Layers[0].Inputs != len(p.Inputs) {
			t.Errorf("%s: the network reads %d of %d bits", name, n.Layers[0].Inputs, len(p.Inputs))
		}
		if math.Abs(p.Reward.Float(1)-w.Reward.Float(1)) > 1e-9 {
			t.Errorf("%s: scales %d and %d", name, p.Reward.Scale, w.Reward.Scale)
		}
	}
	if err := writeLayout(t.TempDir(), "inventory/2"); err == nil || !strings.Contains(err.Error(), "the layout holds no") {
		t.Errorf("integers are written: %v", err)
	}
}
