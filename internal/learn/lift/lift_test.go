package lift

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/integers"
)

// TestReadClass: what is written is read back, and malformed text is refused.
func TestReadClass(t *testing.T) {
	where := Atom{"NEXT", []string{"?1", "?2"}}
	price, age, month := Atom{Name: "PRICE"}, Atom{"age", []string{"?1"}}, Atom{Name: "month"}
	demand, index := Atom{"DEMAND", []string{"?1", "?2"}}, Atom{"INDEX", []string{"?2"}}
	one, two := variable(0, true), variable(1, false)
	c := &Class{
		Output: Atom{"on", []string{"?1"}}, Types: []string{"lamp"}, Hi: 1, Ranges: map[string][2]int64{"age": {0, 3}},
		Features: []Feature{
			{Bits: []Literal{{Atom{"on", []string{"?1"}}, -1, true}}, Seen: []float64{0, 1}},
			{Fresh: []string{"lamp"}, Where: &where, Bits: []Literal{{Atom{"age", []string{"?2"}}, 1, false}}, Seen: []float64{0, 2}},
			{Static: &price, Seen: []float64{-0.5}},
		},
		Same:  []Same{{1, Feature{Fresh: []string{"lamp"}, Bits: []Literal{{Atom{"age", []string{"?2"}}, 1, false}}, Seen: []float64{0, 2}}}},
		Bits:  []*Node{{Feature: 1, AtLeast: 2, No: &Node{}, Yes: &Node{Odd: true, Feature: 1, No: &Node{Value: true}, Yes: &Node{}}}},
		Tests: []Test{{Feature: 1, AtLeast: 2}, {Feature: 1, Odd: true}}, Support: []string{"unseen none", "0 0,1 map 1 gA== map 3 cA=="},
		Formula: &Formula{
			Features: []Feature{{Number: &age, Seen: []float64{0, 1}}, {Static: &demand, Fresh: []string{"phase"}, Index: &index, Number: &month, Seen: []float64{0, 3}}},
			Value:    &integers.Expr{Op: integers.Sum, Args: []*integers.Expr{{Op: integers.Var, Variable: &one}, {Op: integers.Var, Variable: &two}}, Weights: []int{1, -1}, Constant: 2},
			Joint:    [][]int{{0, 3}, {1, 0}},
		},
		Lookups: []Lookup{{Feature{Static: &demand, Fresh: []string{"phase"}, Index: &index, Number: &month, Seen: []float64{0, 3}}, [][][2]float64{{{1, 3}}}}},
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadClass(string(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if got.settled == nil || len(got.settled.Tables[0]) != 1 {
		t.Errorf("what the rows settle is %v, expected one table", got.settled)
	}
	got.settled = nil
	if !reflect.DeepEqual(got, c) {
		t.Errorf("read %+v, expected %+v", got, c)
	}
	for name, text := range map[string]string{
		"empty":             `{}`,
		"no tree":           `{"output":"on(?1)","types":["lamp"],"bits":[null]}`,
		"no object":         `{"output":"on(?2)","types":["lamp"],"bits":[{"value":true}]}`,
		"unknown key":       `{"output":"on","types":[],"bits":[{"value":true}],"more":1}`,
		"no branch":         `{"output":"on","types":[],"bits":[{"no":{}}]}`,
		"no feature":        `{"output":"on","types":[],"bits":[{"no":{},"yes":{}}]}`,
		"no atom":           `{"output":"on(","types":[],"bits":[{}]}`,
		"no bit":            `{"output":"on","types":[],"features":[{"bits":["on#x"],"seen":[]}],"bits":[{}]}`,
		"no choice":         `{"output":"on","types":[],"features":[{"seen":[]}],"bits":[{}]}`,
		"relation alone":    `{"output":"on","types":[],"features":[{"where":"R","seen":[]}],"bits":[{}]}`,
		"values unsorted":   `{"output":"on","types":[],"features":[{"static":"P","seen":[2,1]}],"bits":[{}]}`,
		"more after it":     `{"output":"on","types":[],"bits":[{}]} {}`,
		"same as none":      `{"output":"on","types":[],"bits":[{}],"same":[{"as":0,"feature":{"static":"P","seen":[]}}]}`,
		"test of none":      `{"output":"on","types":[],"bits":[{}],"tests":[{"feature":0}]}`,
		"no support":        `{"output":"on","types":[],"bits":[{}],"support":["unseen nothing"]}`,
		"no formula":        `{"output":"on","types":[],"bits":[{}],"formula":{"features":[]}}`,
		"formula of bits":   `{"output":"on","types":[],"bits":[{}],"formula":{"features":[{"bits":["on"],"seen":[]}],"value":{"op":"value"}}}`,
		"no such number":    `{"output":"on","types":[],"bits":[{}],"formula":{"features":[],"value":{"op":"variable","variable":{"bits":[0]}}}}`,
		"part of a number":  `{"output":"on","types":[],"bits":[{}],"formula":{"features":[{"static":"P","seen":[1]}],"value":{"op":"variable","variable":{"bits":[1]}}}}`,
		"weights missing":   `{"output":"on","types":[],"bits":[{}],"formula":{"features":[],"value":{"op":"sum","args":[{"op":"value"}]}}}`,
		"remainder by 0":    `{"output":"on","types":[],"bits":[{}],"formula":{"features":[],"value":{"op":"mod","args":[{"op":"value"}]}}}`,
		"no operation":      `{"output":"on","types":[],"bits":[{}],"formula":{"features":[],"value":{"op":"power"}}}`,
		"joint values":      `{"output":"on","types":[],"bits":[{}],"formula":{"features":[],"value":{"op":"value"},"joint":[[1]]}}`,
		"lookup of none":    `{"output":"on","types":[],"bits":[{}],"lookups":[{"feature":{"static":"P","seen":[]},"entries":[]}]}`,
		"index alone":       `{"output":"on","types":[],"features":[{"static":"P","index":"I","seen":[]}],"bits":[{}]}`,
		"range upside down": `{"output":"on","types":[],"lo":2,"hi":1,"bits":[{}]}`,
	} {
		if _, err := ReadClass(text); !errors.Is(err, ErrModel) {
			t.Errorf("%s: %v, expected an error about the text", name, err)
		}
	}
}

// FuzzReadClass looks for panics.
func FuzzReadClass(f *testing.F) {
	f.Add(`{"output":"on(?1)","types":["lamp"],"features":[{"fresh":["lamp"],"where":"NEXT(?1,?2)","bits":["~on(?2)#0"],"seen":[0,1]}],"bits":[{"at_least":1,"no":{},"yes":{"value":true}}]}`)
	f.Add(`{"output":"on(?1)","types":["lamp"],"hi":1,"bits":[{}],"formula":{"features":[{"static":"P(?1,?2)","fresh":["time"],"index":"I(?2)","number":"now","seen":[0,1]}],"value":{"op":"if","args":[{"op":"at least","args":[{"op":"variable","variable":{"bits":[0]}}],"constant":1},{"op":"value"},{"op":"value","constant":1}]},"joint":[[0],[1]]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadClass(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadClass(string(again)); err != nil {
			t.Errorf("%s is refused: %v", again, err)
		}
	})
}

// randomTree is a tree over some features.
func randomTree(rng *rand.Rand, features []grounded, depth int) *Node {
	if depth == 0 || rng.IntN(5) == 0 {
		return &Node{Value: rng.IntN(2) == 1}
	}
	f := rng.IntN(len(features))
	n := &Node{Feature: f, AtLeast: float64(1 + rng.IntN(max(1, len(features[f].terms))))}
	if rng.IntN(3) == 0 {
		n.Odd, n.AtLeast = true, 0
	}
	n.No, n.Yes = randomTree(rng, features, depth-1), randomTree(rng, features, depth-1)
	return n
}

// TestFunction compares grounded functions with the trees that they are of.
func TestFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	for range 300 {
		inputs := 3 + rng.IntN(11)
		features := make([]grounded, 1+rng.IntN(4))
		for i := range features {
			f := &features[i]
			if rng.IntN(5) == 0 {
				f.value = float64(rng.IntN(4))
				continue
			}
			f.count = true
			for range rng.IntN(5) {
				var term []literal
				for range 1 + rng.IntN(2) {
					term = append(term, literal{rng.IntN(inputs), rng.IntN(2) == 0})
				}
				f.terms = append(f.terms, term)
			}
		}
		tree := randomTree(rng, features, 4)
		f, form := function(tree, features), tree.form(features)
		for v := range uint64(1) << inputs {
			e := &expander{tree: tree, features: features, value: map[int]bool{}}
			for b := range inputs {
				e.value[b] = v>>b&1 == 1
			}
			want, _ := e.walk()
			if got := form.Eval([]uint64{v}); got != int(bit64(want)) {
				t.Fatalf("inputs %0*b: the formula is %d, expected %v", inputs, v, got, want)
			}
			var cell uint64
			for i, b := range f.Inputs {
				cell |= v >> b & 1 << i
			}
			on, off := 0, 0
			for _, c := range f.On {
				if cell&c.Care == c.Value {
					on++
				}
			}
			for _, c := range f.Off {
				if cell&c.Care == c.Value {
					off++
				}
			}
			if on+off != 1 || (on == 1) != want {
				t.Fatalf("inputs %0*b: in %d cubes of true and %d of false, expected %v", inputs, v, on, off, want)
			}
		}
	}
}

// TestReadMet: malformed text is refused.
func TestReadMet(t *testing.T) {
	if m, err := ReadMet(`{"values":{"on(?1)":3},"pairs":{}}`); err != nil || m.Values["on(?1)"] != 3 {
		t.Errorf("%v, %v", m, err)
	}
	for _, text := range []string{``, `{"values":{"on":256}}`, `{"more":1}`, `{} {}`} {
		if _, err := ReadMet(text); !errors.Is(err, ErrModel) {
			t.Errorf("%s: %v, expected an error about the text", text, err)
		}
	}
}
