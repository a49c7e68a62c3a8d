package draw

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/picture"
)

const drift = "../../../examples/drift/"

// policyOf finds the policy of an example, and reads it from its file.
func policyOf(t *testing.T, ref load.Ref, horizon int, robust *policy.Robust) (*policy.Document, []byte) {
	t.Helper()
	ref.Chance = true
	p, err := load.Load(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	r := policy.Request{Horizon: horizon, Robust: robust, Now: time.Now, Started: time.Now()}
	r.Limits.Memory = 1 << 30
	d, err := policy.Plan(t.Context(), p, r)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = policy.Parse("policy.json", data); err != nil {
		t.Fatal(err)
	}
	return d, data
}

// count returns how often things stand for a thing in a well-formed drawing.
func count(t *testing.T, svg, thing string) int {
	t.Helper()
	for dec := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("a coordinate is not a number")
	}
	return strings.Count(svg, `data-thing="`+thing+`"`)
}

func svgOf(t *testing.T, p *picture.Picture) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.SVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestField draws a policy over two coordinates as arrows.
func TestField(t *testing.T) {
	d, data := policyOf(t, load.Ref{Source: load.Source{Domain: drift + "drift.rddl", Instance: drift + "pits.rddl", Question: load.Question{Goal: "x == SIDE ^ y == SIDE ^ ~lost"}}}, 0, nil)
	p, err := Picture(t.Context(), load.Ref{}, "policy.json", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := p.Text(&text); err != nil {
		t.Fatal(err)
	}
	if want := "     y=4  > > > > G\n       3  > ^ x > ^\n"; !strings.Contains(text.String(), want) {
		t.Errorf("expected\n%s in\n%s", want, text.String())
	}
	if svg := svgOf(t, p); count(t, svg, "state") != 20 || !strings.Contains(svg, "prefers-color-scheme:dark") {
		t.Errorf("%d states are drawn, expected 20", count(t, svg, "state"))
	}
	for seed := range uint64(20) {
		p, err := Policy(d, &seed)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Frames()
		if err != nil {
			t.Fatal(err)
		}
		last := f.Frames[len(f.Frames)-1]
		if len(f.Frames) < 6 || !strings.Contains(last.Text, "the goal") && !strings.Contains(last.Text, "0 %") || strings.Count(last.Markup, `data-thing="run"`) != 1 {
			t.Errorf("seed %d: %d frames, at last %s", seed, len(f.Frames), last.Text)
		}
	}
}

// TestTree draws the most likely runs of policies whose states are no cells of a grid.
func TestTree(t *testing.T) {
	for _, c := range []struct {
		ref    load.Ref
		robust *policy.Robust
		states int
		says   string
	}{
		{load.Ref{Source: load.Source{Domain: "../../../examples/machines/machines.rddl"}}, nil, 1 + 6*4, "~running(c5)"},
		{load.Ref{Source: load.Source{Domain: drift + "drift.rddl", Instance: drift + "slippery.rddl", Question: load.Question{Goal: "x == SIDE ^ y == SIDE ^ ~lost"}}}, &policy.Robust{Disturbances: 2, MinHorizon: 1}, 0, "x=0, y=0 (1)"},
	} {
		d, _ := policyOf(t, c.ref, map[bool]int{true: 6, false: 12}[c.robust == nil], c.robust)
		p, err := Policy(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		svg := svgOf(t, p)
		if n := count(t, svg, "state"); c.states > 0 && n != c.states || !strings.Contains(svg, c.says) || count(t, svg, "outcome") == 0 {
			t.Errorf("%d states are drawn, expected %d with %q", n, c.states, c.says)
		}
		for _, write := range []func(io.Writer) error{p.HTML, p.GIF} {
			if err := write(io.Discard); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestCourse compares the course of a policy with what the evaluator says of it, and its runs with its values.
func TestCourse(t *testing.T) {
	for _, ref := range []load.Ref{
		{Source: load.Source{Domain: drift + "drift.rddl", Instance: drift + "pits.rddl", Question: load.Question{Goal: "x == SIDE ^ y == SIDE ^ ~lost"}}}, {Source: load.Source{Domain: "../../../examples/machines/machines.rddl"}},
	} {
		d, _ := policyOf(t, ref, 9, nil)
		c, err := d.Course()
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(c.Steps[0][0].Value-*d.Value) > 1e-9 {
			t.Errorf("%s: the course is worth %v, expected %v", d.Problem, c.Steps[0][0].Value, *d.Value)
		}
		const runs = 4000
		sum := 0.0
		for seed := range uint64(runs) {
			run, failed := c.Sample(seed)
			if again, _ := c.Sample(seed); failed || !slices.Equal(run, again) {
				t.Fatalf("seed %d: %v, then %v", seed, run, again)
			}
			for k, i := range run {
				s := &c.Steps[k][i]
				if c.Success && s.Goal {
					sum++
				} else if k+1 < len(run) && !c.Success {
					b := slices.IndexFunc(s.Next, func(b policy.Branch) bool { return b.To == run[k+1] })
					sum += s.Next[b].Reward
				}
			}
		}
		if off := math.Abs(sum/runs - *d.Value); off > .02**d.Value {
			t.Errorf("%s: runs have %v on average, expected %v", d.Problem, sum/runs, *d.Value)
		}
	}
}

// TestEffects draws what a network's file says to be drawn.
func TestEffects(t *testing.T) {
	file := "fdplan-network 1\nmeta problem grid/task\nmeta chance draw row, col\nmeta chance when a == 2\nmeta chance rows 4\nmeta chance 3/4: col + 1\nmeta chance 1/4: keep\n" +
		"meta chance otherwise\nmeta chance 50%: row = 2, col - 1\nmeta chance 0.5: col + 2\ninput a\noutput b\nlayer 1 1\n1 +\n"
	file += fmt.Sprintf("checksum crc32c %08x\n", crc32.Checksum([]byte(file), crc32.MakeTable(crc32.Castagnoli)))
	d, err := inspect.ShowNetwork("grid.bnn", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Effects("grid.bnn", d)
	if err != nil {
		t.Fatal(err)
	}
	if svg := svgOf(t, p); count(t, svg, "outcome") != 4 || count(t, svg, "directions") != 1 || !strings.Contains(svg, "75 %") {
		t.Errorf("%d outcomes and %d pictures of directions; expected 4 and 1", count(t, svg, "outcome"), count(t, svg, "directions"))
	}
}
