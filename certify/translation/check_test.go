package translation_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/fdplan/fdplan/certify/translation"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

func written(t *testing.T, p *factored.Problem, net *bnn.Network, horizon int) []byte {
	t.Helper()
	m, err := model.New(p, net, horizon, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := format.Write(context.Background(), &b, m, format.Options{Kind: format.OPB}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRandomProblems compares the files of random problems, and files in which a
// number was changed, a row is missing, doubled or moved to another step.
func TestRandomProblems(t *testing.T) {
	number := regexp.MustCompile(`\d+`)
	rng := rand.New(rand.NewPCG(1, 1))
	rows := int64(0)
	for seed := range uint64(300) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		text := written(t, p, net, horizon)
		check := func(text []byte) error {
			_, err := translation.Check(p, net, horizon, "f.opb", bytes.NewReader(text))
			return err
		}
		report, err := translation.Check(p, net, horizon, "f.opb", bytes.NewReader(text))
		if err != nil {
			t.Fatalf("problem %d: %v\n%s", seed, err, text)
		}
		rows += report.Rows
		start := bytes.Index(text, []byte("min:"))
		places := number.FindAllIndex(text[start:], -1)
		for range 10 {
			at := places[rng.IntN(len(places))]
			from, to := start+at[0], start+at[1]
			n, err := strconv.Atoi(string(text[from:to]))
			if err != nil {
				t.Fatal(err)
			}
			changed := fmt.Appendf(bytes.Clone(text[:from]), "%d%s", n+1+rng.IntN(3), text[to:])
			if check(changed) == nil && !bytes.Contains(text, []byte("min: +0 x1 ;")) {
				t.Fatalf("problem %d: accepted with %d changed:\n%s", seed, n, changed)
			}
		}
		lines := bytes.SplitAfter(text[start:], []byte("\n"))
		if len(lines) < 4 {
			continue
		}
		i := 1 + rng.IntN(len(lines)-2)
		without := bytes.Join([][]byte{text[:start], bytes.Join(lines[:i], nil), bytes.Join(lines[i+1:], nil)}, nil)
		double := bytes.Join([][]byte{text[:start], bytes.Join(lines[:i+1], nil), bytes.Join(lines[i:], nil)}, nil)
		if check(without) == nil || check(double) == nil {
			t.Fatalf("problem %d: accepted with row %d missing or double", seed, i)
		}
		longer := written(t, p, net, horizon+1) // without bits its rows may be the same
		if _, err := translation.Check(p, net, horizon+1, "f.opb", bytes.NewReader(text)); err == nil && !bytes.Equal(text[start:], longer[bytes.Index(longer, []byte("min:")):]) {
			t.Fatalf("problem %d: accepted for another horizon", seed)
		}
	}
	if rows < 5_000 {
		t.Errorf("only %d rows were compared", rows)
	}
}

// FuzzCheck looks for panics.
func FuzzCheck(f *testing.F) {
	p, net, horizon := randprob.New(3, randprob.Options{})
	f.Add([]byte("* reward = -(objective + 0) / 1\nmin: +1 x1 ;\n+1 x1 -1 x2 >= 0 ;\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := translation.Check(p, net, horizon, "f", bytes.NewReader(text)); err == nil && r.Horizon != horizon {
			t.Errorf("%+v", r)
		}
	})
}
