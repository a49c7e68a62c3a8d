package npy

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// file is a file with that header, of version 1, and body.
func file(header, body string) []byte {
	header += "\n"
	return []byte(magic + "\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header + body)
}

func TestParse(t *testing.T) {
	six := "\x00\x01\x02\x03\x04\x05"
	one := "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}"
	v2 := []byte(magic + "\x02\x00" + string([]byte{byte(len(one)), 0, 0, 0}) + one + "\x07")
	for _, c := range []struct {
		text  []byte
		shape []int
		want  []float64
	}{
		{file("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", six), []int{2, 3}, []float64{0, 1, 2, 3, 4, 5}},
		{file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", six), []int{2, 3}, []float64{0, 2, 4, 1, 3, 5}},
		{file("{'descr': '|i1', 'fortran_order': True, 'shape': (1, 3, 2)}", six), []int{1, 3, 2}, []float64{0, 3, 1, 4, 2, 5}},
		{file(`{"shape":(3L,),"fortran_order":False,"descr":"<i2"}`, six), []int{3}, []float64{256, 770, 1284}},
		{file("{'descr': '>i2', 'fortran_order': False, 'shape': (3,)}", six), []int{3}, []float64{1, 515, 1029}},
		{file("{'descr': '<f2', 'fortran_order': False, 'shape': ()}", "\x00\xc0"), nil, []float64{-2}},
		{file("{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", "\x01\x00\x00\x7c"), []int{2}, []float64{math.Ldexp(1, -24), math.Inf(1)}},
		{file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\x00\x02"), []int{2}, []float64{0, 1}},
		{file("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 4)}", ""), []int{0, 4}, []float64{}},
		{v2, []int{1}, []float64{7}},
	} {
		a, err := Parse(c.text)
		if err != nil || !slices.Equal(a.Shape, c.shape) || !slices.Equal(a.Values(), c.want) {
			t.Errorf("%q: %+v, %v; expected %v", c.text, a, err, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	header := func(h string) []byte { return file(h, "\x00") }
	for want, text := range map[string][]byte{
		"does not begin with":               []byte("PK\x03\x04 and more of it"),
		"version 4.0":                       []byte(magic + "\x04\x00\x00\x00"),
		"longer than the file":              []byte(magic + "\x01\x00\xff\x00"),
		"the file ends in its header":       []byte(magic + "\x02\x00\x00\x00"),
		"2 bytes of values, expected 1":     file("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "ab"),
		"1 bytes of values, expected 2":     header("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}"),
		"the shape [2000000 2000000]":       header("{'descr': '|u1', 'fortran_order': False, 'shape': (2000000, 2000000)}"),
		"expected a length":                 header("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}"),
		`values of type "<c8"`:              header("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}"),
		`values of type "|O"`:               header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"),
		`"[('a', '<i4')], 'for", expected`:  header("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}"),
		"True or False":                     header("{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}"),
		"expected descr, fortran_order and": header("{'descr': '|u1', 'shape': (1,)}"),
		"one value for each":                header("{'descr': '|u1', 'descr': '|u1', 'shape': (1,)}"),
		`the key "more"`:                    header("{'more': 1}"),
		"the end of the header":             header("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x"),
	} {
		if a, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; expected %s", text, a, err, want)
		}
	}
}

func TestWrite(t *testing.T) {
	check := func(text []byte, err error, kind byte, want ...float64) {
		t.Helper()
		a, err2 := Parse(text)
		if err != nil || err2 != nil || a.Kind() != kind || !slices.Equal(a.Values(), want) || (len(text)-len(a.Body))%64 != 0 {
			t.Errorf("%q: %+v, %v, %v", text, a, err, err2)
		}
	}
	var b bytes.Buffer
	err := Write(&b, 'b', []float64{1, 0})
	check(b.Bytes(), err, 'b', 1, 0)
	b.Reset()
	err = Write(&b, 'i', []float64{-1, 1 << 40})
	check(b.Bytes(), err, 'i', -1, 1<<40)
	for n := range 70 { // headers of several lengths
		b.Reset()
		values := slices.Repeat([]float64{0.5}, n*n)
		err = Write(&b, 'f', values)
		check(b.Bytes(), err, 'f', values...)
	}
}

// FuzzParse: no input makes Parse panic, and what it accepts has the values that
// its shape tells.
func FuzzParse(f *testing.F) {
	f.Add(file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1), }", "ab"))
	f.Add([]byte(magic + "\x02\x00\x36\x00\x00\x00{'descr': '<f4', 'fortran_order': False, 'shape': ()}    "))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := Parse(text)
		if err != nil {
			return
		}
		n := 1
		for _, s := range a.Shape {
			n *= s
		}
		if got := a.Values(); len(got) != n {
			t.Errorf("%d values of shape %v", len(got), a.Shape)
		}
	})
}

func TestHalf(t *testing.T) {
	for b, want := range map[uint16]float64{
		0: 0, 1: math.Ldexp(1, -24), 0x3c00: 1, 0xc000: -2, 0x3555: 0.333251953125, 0x7bff: 65504, 0x0400: math.Ldexp(1, -14), 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		if got := half(b); got != want {
			t.Errorf("%#x: %v, want %v", b, got, want)
		}
	}
	if x := half(0x7c01); x == x {
		t.Errorf("0x7c01 is %v, want NaN", x)
	}
}
