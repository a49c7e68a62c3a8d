package coverage

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// draw returns n distinct rows, and as many others that are not among them.
func draw(r *rand.Rand, inputs, n int) (words []uint64, others [][]uint64) {
	width := (inputs + 63) / 64
	row := func() []uint64 {
		out := make([]uint64, width)
		for i := range inputs {
			out[i/64] |= uint64(r.IntN(2)) << (i % 64)
		}
		return out
	}
	seen := map[[4]uint64]bool{}
	for len(words) < n*width {
		x := row()
		if k := ([4]uint64{}); copy(k[:], x) > 0 && !seen[k] {
			seen[k] = true
			words = append(words, x...)
		}
	}
	for range 5000 {
		x := row()
		if k := ([4]uint64{}); copy(k[:], x) > 0 && !seen[k] {
			others = append(others, x)
		}
	}
	return words, others
}

// TestSet: each representation admits all of its rows, and other rows only as rarely as a
// Bloom filter does; so does the set read back from its text.
func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		inputs, rows int
		kind         kind
		most         float64 // share of other rows that are admitted
	}{
		{1, 1, list, 0}, {1, 2, list, 0}, {3, 5, table, 0}, {2, 2, list, 0}, {2, 4, list, 0}, {7, 9, list, 0}, {8, 100, table, 0}, {12, 300, list, 0},
		{16, 20_000, table, 0}, {18, 100_000, table, 0}, {19, 20_000, list, 0}, {64, 500, list, 0}, {65, 500, list, 0}, {200, 100, list, 0},
		{64, 6145, bloom, 0.002}, {20, 26_624, bloom, 0.003}, {70, 180_000, bloom, 0.45},
	} {
		words, others := draw(r, c.inputs, c.rows)
		s := Of(c.inputs, words)
		if s.kind != c.kind || s.Rows() != c.rows || s.Inputs() != c.inputs || s.AllLegal() || s.Exact() != (c.kind != bloom) {
			t.Errorf("%d rows of %d bits: %s of %d rows", c.rows, c.inputs, s.kind, s.Rows())
		}
		text := s.String()
		if len(text) > 64<<10+30 {
			t.Errorf("%d rows of %d bits: %d bytes", c.rows, c.inputs, len(text))
		}
		back, err := Parse(text, c.inputs)
		if err != nil || back.String() != text {
			t.Errorf("%d rows of %d bits, read back: %v", c.rows, c.inputs, err)
			continue
		}
		wrong := 0
		for i := 0; i < len(words); i += len(words) / c.rows {
			if row := words[i : i+len(words)/c.rows]; !s.Has(row) || !back.Has(row) {
				t.Fatalf("%d rows of %d bits: row %d is missing", c.rows, c.inputs, i)
			}
		}
		for _, row := range others {
			if s.Has(row) != back.Has(row) {
				t.Fatal("the set that is read back differs")
			}
			if s.Has(row) {
				wrong++
			}
		}
		if share := float64(wrong) / float64(max(1, len(others))); share > c.most {
			t.Errorf("%d rows of %d bits: %.4f of other rows are admitted", c.rows, c.inputs, share)
		}
	}
}

// TestOrder: the order in which rows are given does not matter.
func TestOrder(t *testing.T) {
	words := []uint64{5, 1, 4, 2, 3}
	want := Of(9, words).String()
	slices.Sort(words)
	if got := Of(9, words).String(); got != want {
		t.Errorf("%s and %s", got, want)
	}
}

// TestText has texts written out by hand, so that their meaning cannot drift.
func TestText(t *testing.T) {
	for _, c := range []struct {
		set  *Set
		text string
	}{
		{Legal(7, 64), "legal 64"},
		// Bit 0 comes first: the rows 010 and 100, and 0 for the rest of the byte.
		{Of(3, []uint64{1, 2}), "rows 2 UA=="},
		// Rows 001, 010, 101, 110: the bits 1, 2, 5 and 6 of a byte.
		{Of(3, []uint64{4, 2, 5, 3}), "map 4 Zg=="},
	} {
		if got := c.set.String(); got != c.text {
			t.Errorf("got %q, want %q", got, c.text)
		}
	}
	s := Legal(7, 64)
	if back, err := Parse(s.String(), 7); err != nil || !back.AllLegal() || back.Rows() != 64 || !back.Has([]uint64{77}) {
		t.Errorf("%v %v", back, err)
	}
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct {
		text   string
		inputs int
		want   string
	}{
		{"", 3, `"" of 1 words is not a set of rows`},
		{"legal", 3, "expected legal ROWS"},
		{"legal 0", 3, `"0" is not a number of rows`},
		{"legal 07", 3, `"07" is not a number of rows`},
		{"legal 7 x", 3, "of 3 words"},
		{"rows -1 UA==", 3, `"-1" is not a number of rows`},
		{"rows 2 U?==", 3, "not base64"},
		{"rows 2 ", 3, "not base64"},
		{"rows 2 UA==\n", 3, "not base64"},
		{"rows 2 UAA=", 3, "2 bytes of rows; expected 2 rows of 3 bits"},
		{"rows 2147483647 UA==", 3, "1 bytes of rows"},
		{"rows 2 UA==", 3, ""},
		{"rows 2 SA==", 3, "row 2 is out of order"},
		{"rows 2 UQ==", 3, "something follows row 2"},
		{"map 4 Zg==", 4, "the map has 1 bytes"},
		{"map 3 Zg==", 3, "the map has 4 rows; expected 3"},
		{"map 1 AQ==", 2, "the map has 1 rows; expected 1"},
		{"map 1 AQ==", 60, "the map has 1 bytes"},
		{"bloom 4 0 Zg==", 3, `"0" is not a number of hashes`},
		{"bloom 4 65 Zg==", 3, `"65" is not a number of hashes`},
		{"bloom 4 Zg==", 3, "of 3 words"},
		{"bloom 4 2 " + strings.Repeat("AAAA", MaxBytes/3+1), 3, "not base64 of 1..49152 bytes"},
	} {
		_, err := Parse(c.text, c.inputs)
		if c.want == "" {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// FuzzParse: whatever is read can be written and read again, and asked.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"legal 64", "rows 2 UA==", "map 4 Zg==", "bloom 4 2 ZmZm", "rows 2 UQ==", "map 1 AQ=="} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, inputs int) {
		s, err := Parse(text, inputs)
		if err != nil || inputs > 1<<20 {
			return
		}
		s.Has(make([]uint64, (inputs+63)/64))
		back, err := Parse(s.String(), inputs)
		if err != nil || back.String() != s.String() || s.String() != text {
			t.Fatalf("%q is read as %q, and again: %v", text, s, err)
		}
	})
}
