package cnf

import (
	"bufio"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
)

// shared is where the project's data lies.
const shared = "../../../../shared/data/fd-sat-plan"

// network is one step of a published network: neurons by layer, and the constant units, as
// literals that hold.
type network struct {
	inputs   []model.Lit
	layers   [][]model.Neuron
	constant []model.Lit
	next     model.Lit
	sizes    map[Encoding][3]int64 // of one step
}

// networks are those that tests have read.
var networks = map[string]*network{}

// readNetwork reads the files of one published network, in the format that
// shared/facts/encodings.md describes.
func readNetwork(t testing.TB, name string) *network {
	t.Helper()
	if nw, ok := networks[name]; ok {
		return nw
	}
	norm := readLines(t, filepath.Join(shared, "normalization", "normalization_"+name+".txt"))[1:]
	lines := readLines(t, filepath.Join(shared, "bnn", "bnn_"+name+".txt"))[1:]
	nw := &network{sizes: map[Encoding][3]int64{}}
	var inputs []model.Lit
	for layer := 0; len(lines) > 0; layer++ {
		var n, units int
		if _, err := fmt.Sscanf(lines[0], "%d,%d", &n, &units); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if layer == 0 {
			for range n {
				nw.next++
				inputs = append(inputs, nw.next)
			}
			nw.inputs = inputs
		}
		nus := strings.Split(norm[layer], ",")
		var neurons []model.Neuron
		var outputs []model.Lit
		for u := range units {
			var lits []model.Lit
			for i, w := range lines[1+u] {
				switch w {
				case '0':
					lits = append(lits, -inputs[i])
				case '1':
					lits = append(lits, inputs[i])
				}
			}
			nu, err := strconv.ParseFloat(strings.TrimSpace(nus[u]), 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			p := int(math.Ceil(float64(len(lits))/2 + nu/2))
			nw.next++
			outputs = append(outputs, nw.next)
			switch {
			case p <= 0:
				nw.constant = append(nw.constant, nw.next)
				continue
			case p > len(lits):
				nw.constant = append(nw.constant, -nw.next)
				continue
			}
			neurons = append(neurons, model.Neuron{Out: nw.next, Inputs: lits, Threshold: p})
		}
		nw.layers = append(nw.layers, neurons)
		inputs = outputs
		lines = lines[1+units:]
	}
	networks[name] = nw
	return nw
}

func readLines(t testing.TB, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("the published networks are not here: %v", err)
	}
	defer f.Close()
	var lines []string
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if line := strings.TrimSpace(sc.Text()); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// size encodes all layers of h steps and counts.
func (nw *network) size(e Encoding, h int) [3]int64 {
	c, ok := nw.sizes[e]
	if !ok {
		c = nw.stepSize(e)
		nw.sizes[e] = c
	}
	return [3]int64{c[0] * int64(h), c[1] * int64(h), c[2] * int64(h)}
}

func (nw *network) stepSize(e Encoding) [3]int64 {
	c := Counter{Next: nw.next}
	for _, layer := range nw.layers {
		e.Neurons(&c, layer)
	}
	for _, l := range nw.constant {
		c.Clause(l)
	}
	return [3]int64{c.Vars, c.Clauses, c.Literals}
}

type size struct {
	name             string
	h                int
	published, paper [3]int64
}

// sizes is the table of shared/facts/encodings.md: variables, clauses and
// literals of the neurons' part.
var sizes = []size{
	{"navigation_3x3", 4, [3]int64{158456, 468112, 1086776}, [3]int64{171152, 505272, 1172864}},
	{"navigation_5x5", 8, [3]int64{3633024, 10897424, 25421728}, [3]int64{3703200, 11107952, 25912960}},
	{"inventory_1", 5, [3]int64{1383630, 4119900, 9590470}, [3]int64{1384410, 4122240, 9595930}},
	{"sysadmin_4", 2, [3]int64{781216, 2344720, 5470656}, [3]int64{804332, 2414068, 5632468}},
	{"cellda_x", 10, [3]int64{3691840, 11071120, 25824480}, [3]int64{3742920, 11223720, 26180120}},
}

func TestSizes(t *testing.T) {
	for _, tc := range sizes {
		t.Run(tc.name, func(t *testing.T) {
			nw := readNetwork(t, tc.name)
			published := nw.size(Published, tc.h)
			if published != tc.published {
				t.Errorf("published: %v, want %v", published, tc.published)
			}
			if got := nw.size(Paper, tc.h); got != tc.paper {
				t.Errorf("paper: %v, want %v", got, tc.paper)
			}
			got := nw.size(Default, tc.h)
			ratio := float64(got[1]) / float64(published[1])
			t.Logf("default: %v, %.1f%% of published's clauses, %.1f%% of its variables, %.1f%% of its literals", got, 100*ratio,
				100*float64(got[0])/float64(published[0]), 100*float64(got[2])/float64(published[2]))
			if ratio > 0.75 {
				t.Errorf("default has %.1f%% of published's clauses, want 75%% at most", 100*ratio)
			}
		})
	}
}

// TestPublishedPropagation tests on whole published networks what the paper
// proves: Definition 1 at the thresholds of neurons, and that the forward pass
// is determined by unit propagation (its corollary).
func TestPublishedPropagation(t *testing.T) {
	for _, tc := range sizes {
		t.Run(tc.name, func(t *testing.T) {
			if tc.name != "navigation_3x3" && !*exhaustive {
				t.Skip("only with -exhaustive")
			}
			nw := readNetwork(t, tc.name)
			m := &memory{next: nw.next}
			for _, c := range nw.constant {
				m.Clause(c)
			}
			for _, layer := range nw.layers {
				Default.Neurons(m, layer)
			}
			pr := newPropagator(t, m)
			base := len(pr.trail)
			rng := rand.New(rand.NewSource(8))
			for _, layer := range nw.layers {
				for i := range layer {
					if miss := atThreshold(rng, pr, &layer[i]); miss != "" && nw.free(&layer[i]) {
						t.Fatal(miss)
					}
					pr.undo(base)
				}
			}
			for range 20 {
				for _, l := range nw.inputs {
					if !pr.assume(l * model.Lit(1-2*rng.Intn(2))) {
						t.Fatal("conflict in the forward pass")
					}
				}
				for _, layer := range nw.layers {
					for _, u := range layer {
						count := 0
						for _, l := range u.Inputs {
							count += int(pr.val(l)+1) / 2
						}
						if got := pr.val(u.Out); got == 0 || got > 0 != (count >= u.Threshold) {
							t.Fatalf("unit %d is %d with %d of %d inputs", u.Out, got, count, u.Threshold)
						}
					}
				}
				pr.undo(base)
			}
		})
	}
}

// free reports whether all inputs of u are inputs of the network, so that no other constraint
// applies to them.
func (nw *network) free(u *model.Neuron) bool {
	return u.Inputs[0].Var() <= int32(len(nw.inputs))
}

func BenchmarkLayer(b *testing.B) {
	nw := readNetwork(b, "cellda_x")
	for _, e := range []Encoding{Default, Paper, Published, Unidirectional} {
		b.Run(e.String(), func(b *testing.B) {
			for range b.N {
				e.Neurons(&Counter{Next: nw.next}, nw.layers[1])
			}
		})
	}
}
