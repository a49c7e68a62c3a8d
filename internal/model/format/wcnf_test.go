package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

// softFile is the content of a WCNF file of either format.
type softFile struct {
	hard [][]string
	soft map[string]string // clause by weight and literals
}

// parseWCNF reads both formats, and checks the counts of a p line.
func parseWCNF(text string) (softFile, error) {
	f := softFile{soft: map[string]string{}}
	top := "h"
	var variables, clauses, largest int64
	header := false
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "c":
		case words[0] == "p":
			header = true
			if len(words) != 5 || words[1] != "wcnf" {
				return f, fmt.Errorf("header %q", line)
			}
			variables, _ = strconv.ParseInt(words[2], 10, 64)
			clauses, _ = strconv.ParseInt(words[3], 10, 64)
			top = words[4]
		default:
			lits := words[1:]
			if len(lits) < 2 || lits[len(lits)-1] != "0" {
				return f, fmt.Errorf("clause %q", line)
			}
			for _, l := range lits[:len(lits)-1] {
				v, err := strconv.ParseInt(strings.TrimPrefix(l, "-"), 10, 32)
				if err != nil || v == 0 {
					return f, fmt.Errorf("literal %q", l)
				}
				largest = max(largest, v)
			}
			if words[0] == top {
				f.hard = append(f.hard, lits)
			} else {
				f.soft[strings.Join(words, " ")] = words[0]
			}
		}
	}
	if header && (largest > variables || clauses != int64(len(f.hard)+len(f.soft))) {
		return f, fmt.Errorf("header says %d variables and %d clauses, the file has %d and %d", variables, clauses, largest, len(f.hard)+len(f.soft))
	}
	return f, nil
}

// TestWCNF compares the two WCNF formats clause by clause, and their hard
// clauses with the CNF file.
func TestWCNF(t *testing.T) {
	for seed := range uint64(100) {
		p, net, h := randprob.New(seed, randprob.Options{})
		m, err := model.New(p, net, h, model.Options{Propagate: seed%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		e := encodings[seed%4]
		now, err := parseWCNF(text(t, m, Options{Kind: WCNF, Encoding: e}))
		if err != nil {
			t.Fatal(err)
		}
		old, err := parseWCNF(text(t, m, Options{Kind: WCNFOld, Encoding: e}))
		if err != nil {
			t.Fatal(err)
		}
		var hard [][]string
		for line := range strings.Lines(text(t, m, Options{Kind: CNF, Encoding: e})) {
			if line[0] != 'c' && line[0] != 'p' {
				hard = append(hard, strings.Fields(line))
			}
		}
		same := func(a, b [][]string) bool {
			return slices.EqualFunc(a, b, func(x, y []string) bool { return slices.Equal(x, y) })
		}
		if !same(now.hard, old.hard) || !same(now.hard, hard) {
			t.Errorf("seed %d: the hard clauses differ", seed)
		}
		if len(now.soft) != len(old.soft) {
			t.Errorf("seed %d: %d and %d soft clauses", seed, len(now.soft), len(old.soft))
		}
		for clause := range now.soft {
			if _, ok := old.soft[clause]; !ok {
				t.Errorf("seed %d: the soft clause %s is missing in the old format", seed, clause)
			}
		}
	}
}

// TestWeights refuses weights whose sum overflows, and writes those just below.
func TestWeights(t *testing.T) {
	build := func(weight int64) *model.Model {
		p := factored.NewProblem("weights")
		for _, name := range []string{"a", "b", "c", "d"} {
			if _, err := p.AddVariable(factored.Variable{Name: name, Bool: true}); err != nil {
				t.Fatal(err)
			}
			p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: factored.Bit(len(p.Reward.Terms))}, Weight: weight})
		}
		m, err := model.New(p, nil, 4, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const limit = int64(1) << 58 // 16 of them are 2^62
	for _, k := range []Kind{WCNF, WCNFOld} {
		for _, w := range []int64{limit, -limit} {
			if _, err := Write(context.Background(), io.Discard, build(w), Options{Kind: k}); !errors.Is(err, ErrWeights) {
				t.Errorf("%v: error %v, expected ErrWeights", k, err)
			}
		}
		if _, err := Write(context.Background(), io.Discard, build(limit-1), Options{Kind: k}); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
	if s := text(t, build(-limit+1), Options{Kind: WCNFOld}); !strings.Contains(s, fmt.Sprintf(" %d\n", 16*(limit-1)+1)) {
		t.Errorf("the top weight is missing in\n%s", s)
	}
}
