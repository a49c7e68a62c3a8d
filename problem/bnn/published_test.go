package bnn

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fdplan/fdplan/internal/source"
)

// drawNetwork has ternary weights and thresholds over all of 0..fan-in+1.
func drawNetwork(r *rand.Rand) *Network {
	n := &Network{}
	inputs := 1 + r.IntN(9)
	for range 1 + r.IntN(4) {
		l := Layer{Inputs: inputs}
		units := 1 + r.IntN(9)
		for j := range units {
			zeros := r.IntN(4) // each unit has its own density, possibly zero
			for range inputs {
				w := int8(0)
				if r.IntN(3) >= zeros {
					w = int8(1 - 2*r.IntN(2))
				}
				l.Weights = append(l.Weights, w)
			}
			l.Thresholds = append(l.Thresholds, 0)
			l.Thresholds[j] = int32(r.IntN(l.FanIn(j) + 2))
		}
		n.Layers = append(n.Layers, l)
		inputs = units
	}
	return n
}

func TestPublishedRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := drawNetwork(r)
		var w, v bytes.Buffer
		if err := WritePublished(&w, &v, n); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPublished("w", &w, "v", &v)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, n) {
			t.Fatalf("\n got %v\nwant %v", got, n)
		}
	}
}

// TestPublishedAllThresholds writes each threshold of each fan-in once.
func TestPublishedAllThresholds(t *testing.T) {
	for fanIn := range 10 {
		l := Layer{Inputs: 9}
		for p := range fanIn + 2 {
			for i := range 9 {
				if i < fanIn {
					l.Weights = append(l.Weights, int8(1-2*(i%2)))
				} else {
					l.Weights = append(l.Weights, 0)
				}
			}
			l.Thresholds = append(l.Thresholds, int32(p))
		}
		n := &Network{Layers: []Layer{l}}
		var w, v bytes.Buffer
		if err := WritePublished(&w, &v, n); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPublished("w", &w, "v", &v)
		if err != nil || !reflect.DeepEqual(got, n) {
			t.Fatalf("fan-in %d: %v, %v; expected %v", fanIn, got, err, n)
		}
	}
}

// TestThreshold compares with the definition ceil(n/2 + nu/2) in exact
// arithmetic.
func TestThreshold(t *testing.T) {
	for n := range 20 {
		for _, s := range []string{"0", "-0", "1e-300", "-1e-300", "0.5", "-0.5", "1", "-1", "1.0000000000000002", "2.5", "-7.99999",
			"19", "-19", "19.0001", "-19.5", "21", "1e9", "-1e9", "1e300", "-1e300", "5e-324", ".25", "+3", "3."} {
			nu, err := finite(s)
			if err != nil {
				t.Fatal(err)
			}
			exact := new(big.Rat).SetFloat64(nu)
			exact.Add(exact, new(big.Rat).SetInt64(int64(n))).Quo(exact, big.NewRat(2, 1))
			// Ceiling: minus the floor of the negation.
			exact.Neg(exact)
			c := new(big.Int).Neg(new(big.Int).Div(exact.Num(), exact.Denom()))
			want := int32(0)
			if c.Cmp(big.NewInt(int64(n))) > 0 {
				want = int32(n + 1)
			} else if c.Sign() > 0 {
				want = int32(c.Int64())
			}
			if got := threshold(n, nu); got != want {
				t.Errorf("fan-in %d, number %s: %d; expected %d", n, s, got, want)
			}
		}
	}
}

func TestReadPublishedFreedoms(t *testing.T) {
	want := &Network{Layers: []Layer{{Inputs: 3, Weights: []int8{-1, 1, 0, 0, 0, 1}, Thresholds: []int32{2, 0}}}}
	for _, w := range []string{"bnn\n3,2\n01-\n**1\n", "bnn\r\n3,2\r\n01 \r\n2x1", "bnn\n3,2\n01-\n~.1\n\n\r\n\n"} {
		for _, v := range []string{"normalization\n0.5,-1\n", "normalization\r\n1e0,-3.e5", "normalization\n+2,-1\n\n"} {
			got, err := ReadPublished("w", strings.NewReader(w), "v", strings.NewReader(v))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q, %q: %v, %v", w, v, got, err)
			}
		}
	}
}

// The other faults are files in ../fdsat/testdata/malformed.
func TestReadPublishedFaults(t *testing.T) {
	const good, norm = "bnn\n2,1\n01\n", "normalization\n1\n"
	for _, c := range []struct{ w, v, want string }{
		{"bnn\n2,1\n0\r1\n", norm, "w:3:2: byte 0x0d in the row"},
		{"bnn\n1000000000,1000000000\n1\n", norm, "w:2:1: \"1000000000\" is not a number of inputs; expected 1..1048576"},
		{"bnn\n1048576,1048576\n1\n", norm, "w:3:2: the row of layer 1 unit 1 of 1048576 has 1 weights; expected 1048576"},
		{"bnn\n1,1048576\n1\n", norm, "w:4: layer 1 ends after 1 of 1048576 units"},
		{"bnn\n4,1\n2,1\n", norm, "w:3:1: \"2,1\" stands where the row"},
		{"\n" + good, norm, "w:1:1: an empty line"},
		{good, " " + norm, "v:1:1: the title is \" normalization\""},
		{good, "normalization\n" + strings.Repeat("1", 400), "v:2:1: layer 1 unit 1: \"111111111111111111111111111111111111111111111111111111111111\"... is not finite"},
		{good, "normalization\n", "v:2: the numbers end after layer 0 of 1; expected 1 more"},
		{good, "normalization\ninfinity\n", "v:2:1: layer 1 unit 1: \"infinity\" is not finite"},
	} {
		n, err := ReadPublished("w", strings.NewReader(c.w), "v", strings.NewReader(c.v))
		var at *source.Error
		if n != nil || !errors.As(err, &at) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.40q, %.40q:\n got %v\nwant %s", c.w, c.v, err, c.want)
		}
	}
	_, err := ReadPublished("w", iotest.ErrReader(io.ErrUnexpectedEOF), "v", strings.NewReader(norm))
	if err == nil || err.Error() != "w: cannot be read: unexpected EOF" {
		t.Errorf("a reader that fails: %v", err)
	}
}

func TestWritePublishedFaults(t *testing.T) {
	for _, n := range []*Network{nil, {}, {Layers: []Layer{{Inputs: 1, Weights: []int8{1}, Thresholds: []int32{3}}}}} {
		if err := WritePublished(io.Discard, io.Discard, n); !errors.Is(err, ErrShape) {
			t.Errorf("%v: %v", n, err)
		}
	}
	full := errors.New("full")
	n := &Network{Layers: []Layer{{Inputs: 1, Weights: []int8{1}, Thresholds: []int32{1}}}}
	if err := WritePublished(failing{full}, io.Discard, n); !errors.Is(err, full) {
		t.Errorf("weights: %v", err)
	}
	if err := WritePublished(io.Discard, failing{full}, n); !errors.Is(err, full) {
		t.Errorf("normalization: %v", err)
	}
}

// failing is a writer that returns an error.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func FuzzReadPublished(f *testing.F) {
	f.Add([]byte("bnn\n3,2\n01-\n111\n2,1\n10\n"), []byte("normalization\n0.5,-1\n2"))
	f.Add([]byte("bnn\r\n1,1\r\n1\r\n\r\n"), []byte("normalization\r\n1e300\r\n"))
	f.Add([]byte("bnn\n1048576,1048576\n"), []byte("normalization\nNaN\n"))
	f.Add([]byte("bnn\n2,2\n0,1\n"), []byte("normalization\n,,\n"))
	f.Fuzz(func(t *testing.T, weights, norm []byte) {
		n, err := ReadPublished("w", bytes.NewReader(weights), "v", bytes.NewReader(norm))
		if err != nil {
			checkReport(t, err)
			return
		}
		if err := n.Check(); err != nil {
			t.Fatal(err)
		}
		var w, v bytes.Buffer
		if err := WritePublished(&w, &v, n); err != nil {
			t.Fatal(err)
		}
		again, err := ReadPublished("w", &w, "v", &v)
		if err != nil || !reflect.DeepEqual(n, again) {
			t.Fatalf("%v, %v; expected %v", again, err, n)
		}
	})
}

// checkReport fails unless err is a one-line report.
func checkReport(t *testing.T, err error) {
	t.Helper()
	var at *source.Error
	if !errors.As(err, &at) || strings.ContainsAny(err.Error(), "\n\r") {
		t.Fatalf("%T %q; expected a *source.Error of one line", err, err)
	}
}
