package train

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
)

// npyText is an array as NumPy writes it.
func npyText(dtype string, fortran bool, shape string, body []byte) []byte {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", dtype, map[bool]string{true: "True", false: "False"}[fortran], shape)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	return append(append(out, head...), body...)
}

// doubles is an array of float64.
func doubles(shape string, values ...float64) []byte {
	return npyText("<f8", false, shape, body(values))
}

func body[T any](values []T) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err)
	}
	return b.Bytes()
}

type members map[string][]byte

func (m members) with(name string, text []byte) members {
	out := maps.Clone(m)
	if out[name] = text; text == nil {
		delete(out, name)
	}
	return out
}

func (m members) npz(t testing.TB) []byte { return m.packed(t, zip.Deflate) }

// packed is an NPZ file whose members are compressed, or stored as they are.
func (m members) packed(t testing.TB, method uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// one is a layer of two units over three inputs.
func one() members {
	return members{
		"eps.npy":           doubles("()", 0.001),
		"layer1.weight.npy": doubles("(2, 3)", 1, -1, 0, 0.5, 0.5, -0.5),
		"layer1.mean.npy":   doubles("(2,)", 0, -0.5),
		"layer1.var.npy":    doubles("(2,)", 1, 2),
		"layer1.gamma.npy":  doubles("(2,)", 1, -1),
		"layer1.beta.npy":   doubles("(2,)", 0, 0),
	}
}

func TestReadNPZ(t *testing.T) {
	// Unit 1: w = (1, -1, 0), d >= 0: at least 1 of 2 agrees. Unit 2: gamma < 0 and
	// 0.5 d + 0.5 <= 0, so d <= -1, negated (-1, -1, 1) and at least 2 of 3.
	want := &bnn.Network{Layers: []bnn.Layer{{Inputs: 3, Weights: []int8{1, -1, 0, -1, -1, 1}, Thresholds: []int32{1, 2}}}}
	for name, c := range map[string]struct {
		file members
		want []int32
	}{
		"as documented": {one(), []int32{1, 2}},
		"fortran order": {one().with("layer1.weight.npy", npyText("<f8", true, "(2, 3)", body([]float64{1, 0.5, -1, 0.5, 0, -0.5}))), []int32{1, 2}},
		"float32":       {one().with("layer1.mean.npy", npyText("<f4", false, "(2,)", body([]float32{0, -0.5}))), []int32{1, 2}},
		"float16":       {one().with("layer1.weight.npy", npyText("<f2", false, "(2, 3)", body([]uint16{0x3c00, 0xbc00, 0x8000, 0x3800, 0x3800, 0xb800}))), []int32{1, 2}},
		"big-endian":    {one().with("eps.npy", npyText(">f4", false, "()", []byte{0x3a, 0x83, 0x12, 0x6f})), []int32{1, 2}},
		"int8":          {one().with("layer1.weight.npy", npyText("|i1", false, "(2, 3)", body([]int8{1, -1, 0, 1, 1, -1}))), []int32{1, 2}},
		"int64":         {one().with("layer1.var.npy", npyText("<i8", false, "(2,)", body([]int64{0, 1}))), []int32{1, 2}},
		"no beta":       {one().with("layer1.beta.npy", nil), []int32{1, 2}},
		"a bias":        {one().with("layer1.bias.npy", doubles("(2,)", 2, -2)), []int32{0, 0}},
	} {
		f, err := ReadNPZ("net.npz", c.file.npz(t))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		net := f.Fold()
		if !slices.Equal(net.Layers[0].Weights, want.Layers[0].Weights) || !slices.Equal(net.Layers[0].Thresholds, c.want) {
			t.Errorf("%s: got %+v, want %v", name, net.Layers[0], c.want)
		}
	}
	// Without gamma the second unit is not negated.
	f, err := ReadNPZ("net.npz", one().with("layer1.gamma.npy", nil).npz(t))
	if err != nil || f.Fold().Layers[0].Weights[3] != 1 {
		t.Errorf("no gamma: %+v, %v", f, err)
	}
}

// TestReadNPZErrors reads malformed files; each gives a one-line error.
func TestReadNPZErrors(t *testing.T) {
	weight := func(values ...float64) members { return one().with("layer1.weight.npy", doubles("(2, 3)", values...)) }
	mean := func(text []byte) members { return one().with("layer1.mean.npy", text) }
	for want, m := range map[string]members{
		"there is no array eps":                                         one().with("eps.npy", nil),
		"the array eps has the shape [2], expected one number":          one().with("eps.npy", doubles("(2,)", 1, 2)),
		"eps is -1, expected 0 or more":                                 one().with("eps.npy", doubles("()", -1)),
		"there is no array layer1.weight":                               {"eps.npy": doubles("()", 1)},
		"there is no array layer1.mean":                                 mean(nil),
		"there is no array layer1.var":                                  one().with("layer1.var.npy", nil),
		"layer1.var: unit 1 has the variance -1":                        one().with("layer1.var.npy", doubles("(2,)", -1, 1)),
		"layer1.var: unit 2 has the variance 0 and eps is 0":            one().with("eps.npy", doubles("()", 0)).with("layer1.var.npy", doubles("(2,)", 1, 0)),
		"layer1.weight has the shape [6], expected (units, inputs)":     one().with("layer1.weight.npy", doubles("(6,)", 1, 1, 1, 1, 1, 1)),
		"layer1.weight has the shape [0 3]":                             one().with("layer1.weight.npy", doubles("(0, 3)")),
		"layer1.weight: unit 1: weights 1 and 3 are 1 and 0.25":         weight(1, -1, 0.25, 1, 1, 1),
		"save the weights as they count, not the latent ones":           weight(1, 1, 1, 0.3, 0.1, 0),
		"layer1.weight: unit 2: weight 2 is 1e-40":                      weight(1, 1, 1, 0, 1e-40, 0),
		"the array layer1.weight holds NaN, expected finite numbers":    weight(1, 1, 1, math.NaN(), 1, 1),
		"the array layer1.weight holds -Inf":                            weight(1, 1, 1, math.Inf(-1), 1, 1),
		"layer1.mean has the shape [3], expected (2), one number a uni": mean(doubles("(3,)", 1, 2, 3)),
		"layer1.mean has the shape [1 2], expected (2)":                 mean(doubles("(1, 2)", 1, 2)),
		"the array layer1.mean: 8 bytes of values, expected 16 for the": mean(doubles("(2,)", 1)),
		"the array layer1.mean: 24 bytes of values, expected 16":        mean(doubles("(2,)", 1, 2, 3)),
		"the array layer1.mean: the shape [99999999 99999999] in":       mean(doubles("(99999999, 99999999)", 1)),
		"the array layer1.mean: the header: \"-1,)":                     mean(doubles("(-1,)", 1)),
		`the array layer1.mean: values of type "c8"`:                    mean(npyText("c8", false, "(2,)", make([]byte, 16))),
		`the array layer1.mean: values of type "<U2"`:                   mean(npyText("<U2", false, "(2,)", make([]byte, 16))),
		"the array layer1.mean: a header that is longer than the file":  mean([]byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f{}")),
		"the array layer1.mean: no NPY file":                            mean([]byte{}),
		"expected descr, fortran_order and shape":                       mean([]byte("\x93NUMPY\x01\x00\x02\x00{}")),
		`the array "layer2.mean" has no place, expected eps and layerN`: one().with("layer2.mean.npy", doubles("(2,)", 1, 2)),
		`the array "layer1.weights" has no place`:                       one().with("layer1.weights.npy", doubles("(2,)", 1, 2)),
		`the member "readme.txt" is not an array`:                       one().with("readme.txt", []byte("hello")),
		"layer2.weight has 1 inputs, expected 2, the units of the layer": one().with("layer2.weight.npy", doubles("(1, 1)", 1)).
			with("layer2.mean.npy", doubles("(1,)", 0)).with("layer2.var.npy", doubles("(1,)", 1)),
	} {
		f, err := ReadNPZ("net.npz", m.npz(t))
		var at *source.Error
		if err == nil || !errors.As(err, &at) || !strings.HasPrefix(err.Error(), "net.npz: ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %+v, %v; want %s", f, err, want)
		}
	}
	whole := one().npz(t)
	for _, cut := range []int{0, 1, 100, len(whole) - 1} {
		if f, err := ReadNPZ("net.npz", whole[:cut]); err == nil || !strings.Contains(err.Error(), "no NPZ file") {
			t.Errorf("%d bytes of a file: %+v, %v", cut, f, err)
		}
	}
}

// pyTorch has a network that PyTorch trained and saved, and its outputs.
const pyTorch = "../../../examples/pytorch/"

// TestPyTorch compares a network with what PyTorch computed on all inputs.
func TestPyTorch(t *testing.T) {
	data, err := os.ReadFile(pyTorch + "network.npz")
	if err != nil {
		t.Fatal(err)
	}
	f, err := ReadNPZ("network.npz", data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pyTorch + "expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuilder(7, 5)
	for line := range strings.Lines(string(text)) {
		in, out, _ := strings.Cut(strings.TrimSpace(line), " ")
		b.Add(bools(in), bools(out))
	}
	e := b.Examples()
	if e.Rows() != 128 {
		t.Fatalf("%d rows, want 128", e.Rows())
	}
	net := f.Fold()
	if err := CheckFold(f, net, e, 1); err != nil {
		t.Error(err)
	}
	if m, err := Test(net, e); err != nil || m.WrongRows != 0 {
		t.Errorf("%d of 128 rows are not PyTorch's: %v", m.WrongRows, err)
	}
	net.Layers[2].Thresholds[0]++
	if m, _ := Test(net, e); m.WrongRows == 0 {
		t.Error("another threshold goes unnoticed")
	}
}

func bools(s string) []bool {
	out := make([]bool, len(s))
	for i := range s {
		out[i] = s[i] == '1'
	}
	return out
}

// FuzzReadNPZ: no file makes the reader panic, and every accepted file folds into a valid
// network that agrees with it.
func FuzzReadNPZ(f *testing.F) {
	f.Add(one().npz(f))
	f.Add(one().packed(f, zip.Store))
	if data, err := os.ReadFile(pyTorch + "network.npz"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		net, err := ReadNPZ("net.npz", data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("an error of more than one line: %q", err)
			}
			return
		}
		foldsRight(t, net)
	})
}

// FuzzNPYMember fuzzes one array of an otherwise valid file.
func FuzzNPYMember(f *testing.F) {
	for _, text := range one() {
		f.Add(text, uint8(0))
	}
	names := slices.Sorted(maps.Keys(one()))
	f.Fuzz(func(t *testing.T, text []byte, which uint8) {
		if len(text) > 1<<12 {
			return
		}
		name := names[int(which)%len(names)]
		net, err := ReadNPZ("net.npz", one().with(name, append([]byte{}, text...)).packed(t, zip.Store))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("an error of more than one line: %q", err)
			}
			return
		}
		foldsRight(t, net)
	})
}

func foldsRight(t *testing.T, f *Float) {
	folded := f.Fold()
	if err := folded.Check(); err != nil {
		t.Fatal(err)
	}
	if folded.Inputs() > 64 {
		return
	}
	rng := random(1)
	b := NewBuilder(folded.Inputs(), folded.Outputs())
	for range 50 {
		in := make([]bool, folded.Inputs())
		for i := range in {
			in[i] = rng.IntN(2) == 1
		}
		b.Add(in, make([]bool, folded.Outputs()))
	}
	if err := CheckFold(f, folded, b.Examples(), 1); err != nil {
		t.Error(err)
	}
}

// TestImportedTies compares folded networks with the formula of the documentation, on the
// numbers in the file and on all inputs. All numbers are multiples of a quarter, so that
// nothing is rounded and ties are frequent.
func TestImportedTies(t *testing.T) {
	rng := random(9)
	widths := []int{6, 9, 7, 4}
	ties := 0
	for range 40 {
		m := members{"eps.npy": doubles("()", 0.25)}
		type layer struct{ weight, mean, variance, gamma, beta, bias []float64 }
		var layers []layer
		for k, units := range widths[1:] {
			l := layer{variance: slices.Repeat([]float64{0.75}, units)}
			quarters := func(n int) []float64 {
				out := make([]float64, units)
				for j := range out {
					out[j] = float64(rng.IntN(2*n+1)-n) / 4
				}
				return out
			}
			for range units {
				scale := []float64{0.25, 1, 3}[rng.IntN(3)]
				for range widths[k] {
					l.weight = append(l.weight, scale*float64(rng.IntN(3)-1))
				}
			}
			l.mean, l.gamma, l.beta, l.bias = quarters(8), quarters(4), quarters(4), quarters(4)
			shape := fmt.Sprintf("(%d,)", units)
			p := fmt.Sprintf("layer%d.", k+1)
			m[p+"weight.npy"] = doubles(fmt.Sprintf("(%d, %d)", units, widths[k]), l.weight...)
			m[p+"mean.npy"], m[p+"var.npy"] = doubles(shape, l.mean...), doubles(shape, l.variance...)
			m[p+"gamma.npy"], m[p+"beta.npy"], m[p+"bias.npy"] = doubles(shape, l.gamma...), doubles(shape, l.beta...), doubles(shape, l.bias...)
			layers = append(layers, l)
		}
		f, err := ReadNPZ("net.npz", m.npz(t))
		if err != nil {
			t.Fatal(err)
		}
		b := NewBuilder(widths[0], widths[3])
		for x := range 1 << widths[0] {
			in := make([]bool, widths[0])
			for i := range in {
				in[i] = x>>i&1 == 1
			}
			on := in
			for k, l := range layers {
				next := make([]bool, widths[k+1])
				for j := range next {
					sum := 0.0
					for i, active := range on {
						if w := l.weight[j*widths[k]+i]; active {
							sum += w
						} else {
							sum -= w
						}
					}
					y := l.gamma[j]*(sum+l.bias[j]-l.mean[j])/math.Sqrt(l.variance[j]+0.25) + l.beta[j]
					if y == 0 {
						ties++
					}
					next[j] = y >= 0
				}
				on = next
			}
			b.Add(in, on)
		}
		e := b.Examples()
		net := f.Fold()
		if m, err := Test(net, e); err != nil || m.WrongRows > 0 {
			t.Fatalf("%d of %d rows differ from the formula: %v", m.WrongRows, m.Rows, err)
		}
		if err := CheckFold(f, net, e, 1); err != nil {
			t.Fatal(err)
		}
	}
	if ties < 500 {
		t.Errorf("%d ties, expected many", ties)
	}
}
