package learn

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// TestMachines: a machine with larger errors has a band of its own if an input tells it; else it is said that its rows refute
// the band, though those of all machines together do not.
func TestMachines(t *testing.T) {
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, n) }
	write := func(n, text string) string {
		if err := os.WriteFile(name(n), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name(n)
	}
	log := func(n string, seed uint64, last float64) string {
		rng := rand.New(rand.NewPCG(seed, 5))
		var b strings.Builder
		b.WriteString("machine,u,level\n")
		for m := range 5 {
			level, noise := 3., .1
			if m == 4 {
				noise = last
			}
			for range 300 {
				u := rng.IntN(5)
				fmt.Fprintf(&b, "m %d,%d,%.2f\n", m, u, level)
				level = .7*level + .3*float64(u) + noise*rng.NormFloat64()
			}
		}
		return write(n, b.String())
	}
	const task = `network = "n.bnn"
horizon = 3
[[action]]
name = "u"
range = "0..4 by 1"
[[state]]
name = "level"
range = "-4..10 by 0.01"
initial = 3
[log]
entity = "machine"
`
	told := strings.Replace(task, "[log]", "[[input]]\nname = \"machine\"\nvalues = [\"m 0\", \"m 1\", \"m 2\", \"m 3\", \"m 4\"]\ninitial = \"m 0\"\n[log]", 1)
	learned := func(n, text, log string) (*load.Problem, *Trained, *bytes.Buffer) {
		p, err := load.Load(context.Background(), load.Ref{Name: write(n, text), Untrained: true})
		if err != nil {
			t.Fatal(err)
		}
		out, err := Train(context.Background(), p, log, Training{Recipe: RecipeStructure, Lags: 1, Config: train.Config{Threads: 1}})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := bnn.WriteFile(&b, out.file); err != nil {
			t.Fatal(err)
		}
		return p, out, &b
	}
	_, out, file := learned("told.toml", told, log("unlike.csv", 1, .4))
	q := &out.Quantities[0]
	if len(q.Refuted) > 0 || q.Bands[0].When != `machine == "m 4"` || q.Bands[1].When != "" || math.Abs(q.Bands[0].High/q.Bands[1].High-4) > 2 {
		t.Errorf("told of the machines: %+v", q)
	}
	for _, want := range []string{`meta band level if machine == "m 4" 99% 1 -`, `meta residuals level if machine == "m 4": `} {
		if !strings.Contains(file.String(), want) {
			t.Errorf("the file has no %s", want)
		}
	}
	write("n.bnn", file.String())
	for machine, of := range map[string]string{"m 4": "m 4", "m 2": ""} {
		p, err := load.Load(context.Background(), load.Ref{Name: write("one.toml", strings.Replace(told, `initial = "m 0"`, `initial = "`+machine+`"`, 1))})
		if err != nil {
			t.Fatal(err)
		}
		if errs, by := p.ErrorsOf("level"); len(errs) != 1 || by[0] != of {
			t.Errorf("%s: errors of %q", machine, by)
		}
	}
	p, out, file := learned("equal.toml", task, log("equal.csv", 2, .1))
	if r := out.Quantities[0].Refuted; len(r) > 0 {
		t.Errorf("equal machines: %v", r)
	}
	for noise, refuted := range map[float64]bool{.1: false, .25: true} {
		tested, err := Test(context.Background(), p, name("n.bnn"), file.Bytes(), Testing{Data: log("test.csv", 3, noise)})
		if err != nil {
			t.Fatal(err)
		}
		r := tested.Quantities[0].Refuted
		if refuted && (len(r) == 0 || r[0].Machine != "m 4" || r[0].Rows != 299 || r[0].Outside < 30) || !refuted && len(r) > 0 {
			t.Errorf("noise %v: %+v", noise, r)
		}
	}
}
