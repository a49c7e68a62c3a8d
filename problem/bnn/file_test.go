package bnn

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// drawFile names the bits of a random network with symbols that have a meaning in other
// formats.
func drawFile(r *rand.Rand) *File {
	n := drawNetwork(r)
	f := &File{Network: n}
	for i := range n.Inputs() {
		f.Inputs = append(f.Inputs, fmt.Sprintf("~at[$x%d| (é, %%)]'  ", i))
	}
	for i := range n.Outputs() {
		f.Outputs = append(f.Outputs, fmt.Sprintf(" checksum%d", i))
	}
	for i := range r.IntN(4) {
		f.Meta = append(f.Meta, [2]string{fmt.Sprintf("key-%d", i/2), strings.Repeat(" a=1\"", r.IntN(3))})
	}
	return f
}

func TestFileRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		f := drawFile(r)
		var b, again bytes.Buffer
		if err := WriteFile(&b, f); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		got, err := ReadFile("f", &b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, f) {
			t.Fatalf("\n got %v\nwant %v", got, f)
		}
		if err := WriteFile(&again, got); err != nil || again.String() != text {
			t.Fatalf("%v\n got %s\nwant %s", err, &again, text)
		}
	}
}

// tiny is a file without its last line.
const tiny = `fdplan-network 1
meta seed 7
meta empty
input move east
input at[$x1| $y2]
output at[$x1| $y2]
layer 2 2
2 +-
0 00
layer 2 1
1 0+
`

func sealed(body string) string {
	return body + "checksum crc32c " + checksum([]byte(body)) + "\n"
}

func TestReadFile(t *testing.T) {
	want := &File{
		Network: &Network{Layers: []Layer{
			{Inputs: 2, Weights: []int8{1, -1, 0, 0}, Thresholds: []int32{2, 0}},
			{Inputs: 2, Weights: []int8{0, 1}, Thresholds: []int32{1}},
		}},
		Inputs:  []string{"move east", "at[$x1| $y2]"},
		Outputs: []string{"at[$x1| $y2]"},
		Meta:    [][2]string{{"seed", "7"}, {"empty", ""}},
	}
	// The checksum is written out once, so that its meaning cannot drift.
	const last = "checksum crc32c 3a6fc135\n"
	for _, text := range []string{tiny + last, strings.TrimSuffix(tiny+last, "\n")} {
		got, err := ReadFile("f", strings.NewReader(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v; expected %v", got, err, want)
		}
	}
	var b bytes.Buffer
	if err := WriteFile(&b, want); err != nil || b.String() != tiny+last {
		t.Errorf("%v, %s", err, &b)
	}
}

func TestReadFileFaults(t *testing.T) {
	change := func(old, new string) string {
		if !strings.Contains(tiny, old) {
			t.Fatalf("%q is not in the file", old)
		}
		return sealed(strings.Replace(tiny, old, new, 1))
	}
	good := sealed(tiny)
	for _, c := range []struct{ text, want string }{
		{"", "f:1: the file is empty; expected fdplan-network 1"},
		{"bnn\n2,1\n", `f:1:1: "bnn" is not the first line of a network; expected fdplan-network 1`},
		{change("network 1", "network 2"), `f:1:16: version "2" of the format; this program reads version 1`},
		{change("network 1", "network"), `f:1:16: version "" of the format; this program reads version 1`},
		{change("network 1\n", "network 1\r\n"), "f:1:17: the line ends in CR LF"},
		{change("seed 7\n", "seed 7\r\n"), "f:2:12: byte 0x0d"},
		{change("meta seed 7\n", "meta\n"), "f:2:6: the key is missing"},
		{change("meta seed 7\n", "meta  7\n"), "f:2:6: the key is missing"},
		{change("meta empty\n", "meta empty \n"), "f:3:11: a blank with no value"},
		{change("meta empty\n", "\n"), `f:3:1: "" is not a line of the format; expected meta, input, output, layer, checksum`},
		{change("meta empty\n", "moto empty\n"), `f:3:1: "moto empty" is not a line of the format`},
		{change("move east", "move\teast"), "f:4:11: byte 0x09"},
		{change("move east", "move\xffeast"), "f:4:11: byte 0xff"},
		{change("input move east", "input "), "f:4:7: the name is missing"},
		{change("input move east", "input"), "f:4:7: the name is missing"},
		{change("input move east", "input at[$x1| $y2]"), `f:5:7: two inputs are named "at[$x1| $y2]"`},
		{change("input move east\n", ""), "f:6:7: the network has 2 inputs and the file names 1"},
		{change("output at", "output b\noutput at"), "f:13:1: the network has 1 outputs and the file names 2"},
		{change("output at[$x1| $y2]\n", ""), "f:11:1: the network has 1 outputs and the file names 0"},
		{change("output at", "meta k v\noutput at"), "f:6:1: a line meta after one of input; expected the order meta, input, output, layer, checksum"},
		{change("layer 2 2", "layer 2"), `f:7:7: "2" is not the sizes of a layer`},
		{change("layer 2 2", "layer 2 2 2"), `f:7:9: "2 2" is not a number of units`},
		{change("layer 2 2", "layer 2 -2"), `f:7:9: "-2" is not a number of units`},
		{change("layer 2 2", "layer 1000000000 1000000000"), `f:7:7: "1000000000" is not a number of inputs`},
		{change("layer 2 2", "layer 2 1048576"), `f:10:1: layer 1 unit 3: "layer 2 1"; expected THRESHOLD WEIGHTS`},
		{change("layer 2 1", "layer 3 1"), "f:10:7: layer 2 has 3 inputs; expected 2, the units of layer 1"},
		{change("2 +-", "2+-"), `f:8:1: layer 1 unit 1: "2+-"; expected THRESHOLD WEIGHTS`},
		{change("2 +-", "02 +-"), `f:8:1: layer 1 unit 1: "02 +-"; expected THRESHOLD WEIGHTS`},
		{change("2 +-", "-1 +-"), `f:8:1: layer 1 unit 1: "-1 +-"; expected THRESHOLD WEIGHTS`},
		{change("2 +-", "4 +-"), "f:8:1: layer 1 unit 1 has the threshold 4; expected 0..3"},
		{change("0 00", "2 00"), "f:9:1: layer 1 unit 2 has the threshold 2; expected 0..1"},
		{change("2 +-", "2 +1"), `f:8:4: layer 1 unit 1: "1" is not a weight`},
		{change("2 +-", "2 +"), "f:8:4: layer 1 unit 1 has 1 weights; expected 2"},
		{change("2 +-", "2 +-+"), "f:8:5: layer 1 unit 1 has 3 weights; expected 2"},
		{change("0 00\n", ""), `f:9:1: layer 1 unit 2: "layer 2 1"`},
		{change("0 00\n", "0 00\n0 00\n"), `f:10:1: "0 00" is not a line of the format; expected layer, checksum`},
		{sealed(tiny[:strings.Index(tiny, "layer")]), "f:7:1: there is no layer"},
		{tiny, "f:12: the file is cut short"},
		{tiny[:strings.LastIndex(tiny, "1 0+")], "f:11: layer 2 ends after 0 of 1 units"},
		{tiny + "checksum crc32c 3A6FC135\n", "f:12:10: \"crc32c 3A6FC135\" is not a checksum"},
		{tiny + "checksum sha256 3a6fc135\n", "f:12:10: \"sha256 3a6fc135\" is not a checksum"},
		{tiny + "checksum crc32c 00000000\n", "f:12:17: the checksum is 00000000 and the lines above give "},
		{strings.Replace(good, "seed 7", "seed 8", 1), "f:12:17: the checksum is "},
		{strings.Replace(good, "2 +-", "2 -+", 1), "f:12:17: the checksum is "},
		{good + "\n", "f:13:1: something follows the checksum"},
		{good + good, "f:13:1: something follows the checksum"},
	} {
		f, err := ReadFile("f", strings.NewReader(c.text))
		if f != nil || err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
			continue
		}
		checkReport(t, err)
	}
	_, err := ReadFile("f", iotest.ErrReader(io.ErrUnexpectedEOF))
	if err == nil || err.Error() != "f: cannot be read: unexpected EOF" {
		t.Errorf("a reader that fails: %v", err)
	}
}

// TestReadFileDamage changes each byte of a file in turn: every change is refused.
func TestReadFileDamage(t *testing.T) {
	good := sealed(tiny)
	for i := range len(good) - 1 { // the last line may lack its end
		for _, x := range []byte{1, 2, 4, 8, 16, 32, 64, 128} {
			bad := []byte(good)
			bad[i] ^= x
			if _, err := ReadFile("f", bytes.NewReader(bad)); err == nil {
				t.Errorf("byte %d, %q for %q: read", i, bad[i], good[i])
			}
		}
		if i > 0 {
			if _, err := ReadFile("f", strings.NewReader(good[:i])); err == nil {
				t.Errorf("cut after %d bytes: read", i)
			}
		}
	}
}

func TestWriteFileFaults(t *testing.T) {
	f := func(change func(f *File)) *File {
		out, err := ReadFile("f", strings.NewReader(sealed(tiny)))
		if err != nil {
			t.Fatal(err)
		}
		change(out)
		return out
	}
	for name, f := range map[string]*File{
		"no network":         {},
		"threshold":          f(func(f *File) { f.Network.Layers[0].Thresholds[0] = 4 }),
		"too few names":      f(func(f *File) { f.Inputs = f.Inputs[:1] }),
		"too many names":     f(func(f *File) { f.Outputs = append(f.Outputs, "more") }),
		"name twice":         f(func(f *File) { f.Inputs[0] = f.Inputs[1] }),
		"empty name":         f(func(f *File) { f.Outputs[0] = "" }),
		"line break in name": f(func(f *File) { f.Outputs[0] = "a\nb" }),
		"name not UTF-8":     f(func(f *File) { f.Outputs[0] = "a\xff" }),
		"empty key":          f(func(f *File) { f.Meta[0][0] = "" }),
		"blank in key":       f(func(f *File) { f.Meta[0][0] = "a b" }),
		"line break, value":  f(func(f *File) { f.Meta[0][1] = "a\u2028b" }),
	} {
		var b bytes.Buffer
		if err := WriteFile(&b, f); !errors.Is(err, ErrShape) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, b.Len())
		}
	}
	full := errors.New("full")
	if err := WriteFile(failing{full}, f(func(*File) {})); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add([]byte(tiny))
	f.Add([]byte("fdplan-network 1\ninput a\noutput a\nlayer 1 1\n2 +\n"))
	f.Add([]byte("fdplan-network 1\nmeta k  \ninput  ~\noutput checksum\nlayer 1 1048576\n0 0\n"))
	f.Add([]byte(sealed(tiny) + "x"))
	r := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		var b bytes.Buffer
		if err := WriteFile(&b, drawFile(r)); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes()[:bytes.LastIndex(b.Bytes(), []byte("checksum crc32c"))])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		// Each seed unchanged, and with the right checksum, which mutations would not hit.
		for _, text := range []string{string(body), sealed(string(body))} {
			got, err := ReadFile("f", strings.NewReader(text))
			if err != nil {
				checkReport(t, err)
				continue
			}
			if err := got.Check(); err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := WriteFile(&b, got); err != nil {
				t.Fatal(err)
			}
			if b.String() != strings.TrimSuffix(text, "\n")+"\n" {
				t.Fatalf("%q is written as %q", text, &b)
			}
			again, err := ReadFile("f", &b)
			if err != nil || !reflect.DeepEqual(got, again) {
				t.Fatalf("%v, %v; expected %v", again, err, got)
			}
		}
	})
}
