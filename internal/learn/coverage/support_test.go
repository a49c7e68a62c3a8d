package coverage

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestSupport: what is read back from the lines is what was written, and the checks are
// those of the definition.
func TestSupport(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, inputs := range []int{1, 2, 5, 30, 70} {
		s := &Support{Inputs: inputs, Outputs: 3, Tables: make([][]Table, 3)}
		for a := range 2 * inputs {
			for b := a; b < 2*inputs; b++ {
				if r.IntN(9) == 0 {
					s.Unseen = append(s.Unseen, [3]Literal{a, b, b + r.IntN(2*inputs-b)})
				}
			}
		}
		for o := range 2 { // the last output has no table
			for range o + 1 {
				var tab Table
				for b := range inputs {
					if r.IntN(3) == 0 {
						tab.Inputs = append(tab.Inputs, b)
					}
				}
				for range 20 {
					cell := r.Uint64() & (1<<len(tab.Inputs) - 1)
					if slices.Contains(tab.On, cell) || slices.Contains(tab.Off, cell) {
						continue
					}
					if r.IntN(2) == 0 {
						tab.On = append(tab.On, cell)
					} else {
						tab.Off = append(tab.Off, cell)
					}
				}
				slices.Sort(tab.On)
				slices.Sort(tab.Off)
				s.Tables[o] = append(s.Tables[o], tab)
			}
		}
		lines, err := s.Lines()
		if err != nil {
			t.Fatal(err)
		}
		back, line, err := ParseSupport(lines, inputs, 3)
		if err != nil {
			t.Fatalf("%d inputs, line %d %q: %v", inputs, line, lines[line], err)
		}
		if !reflect.DeepEqual(back, s) {
			t.Fatalf("%d inputs: %v is read back as %v", inputs, s, back)
		}
		for range 200 {
			row := []uint64{r.Uint64(), r.Uint64()}
			compareOpen(t, s, row, []uint64{r.Uint64()})
		}
	}
}

// compareOpen compares Open with a direct reading of the definition.
func compareOpen(t *testing.T, s *Support, row, out []uint64) {
	t.Helper()
	bit := func(i int) int { return int(row[i/64] >> (i % 64) & 1) }
	seen := true
	for _, p := range s.Unseen {
		if bit(p[0]/2) == p[0]%2 && bit(p[1]/2) == p[1]%2 && bit(p[2]/2) == p[2]%2 {
			seen = false
		}
	}
	var want []int
	for o, tables := range s.Tables {
		good := seen && len(tables) > 0
		for _, tab := range tables {
			var cell uint64
			for i, b := range tab.Inputs {
				cell |= uint64(bit(b)) << i
			}
			if out[0]>>o&1 == 1 {
				good = good && slices.Contains(tab.On, cell)
			} else {
				good = good && slices.Contains(tab.Off, cell)
			}
		}
		if !good {
			want = append(want, o)
		}
	}
	if got := s.Open(row, out); !slices.Equal(got, want) {
		t.Fatalf("%v are open, expected %v", got, want)
	}
}

func TestSupportFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "is not the first line"},
		{"unseen", "a set of cells is missing"},
		{"unseen none more", "something follows the combinations"},
		{"unseen map 1 AAAAAA==", "the map has 4 bytes"},
		{"unseen bloom 1 1 AA==", "a set of cells is missing"},
		{"unseen none\n9 - all none", `"9" is not an output; expected 0..1`},
		{"unseen none\n1", "a table ends early"},
		{"unseen none\n1 -", "a set of cells is missing"},
		{"unseen none\n1 1,0 none none", `"1,0" are not the inputs`},
		{"unseen none\n1 3 none none", `"3" are not the inputs`},
		{"unseen none\n1 0,1 map 1 gA== none", ""},
		{"unseen none\n1 0,1 map 1 gA== map 1 gA==", "cell 0 is both on and off"},
		{"unseen none\n1 - all none none", "something follows the table"},
	} {
		_, _, err := ParseSupport(strings.Split(c.text, "\n"), 3, 2)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// FuzzSupport: whatever is read can be written and read again, and asked.
func FuzzSupport(f *testing.F) {
	f.Add("unseen none\n0 - all none\n1 0,2 map 2 oA== rows 1 QA==")
	f.Add("unseen rows 1 AAA=")
	f.Fuzz(func(t *testing.T, text string) {
		s, _, err := ParseSupport(strings.Split(text, "\n"), 3, 2)
		if err != nil {
			return
		}
		s.Open([]uint64{5}, []uint64{1})
		lines, err := s.Lines()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := ParseSupport(lines, 3, 2); err != nil {
			t.Fatalf("%q is written as %q: %v", text, lines, err)
		}
	})
}
