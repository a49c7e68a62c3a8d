// Package npy reads and writes arrays of numbers in NumPy's format NPY, versions
// 1.0 to 3.0 (NumPy documentation, numpy.lib.format). An NPZ file is a ZIP archive
// of such arrays.
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

const magic = "\x93NUMPY"

// Header describes an array.
type Header struct {
	Type    string // NumPy's name, such as <f8: byte order, kind and bytes of a value
	Fortran bool   // the first index changes fastest, not the last
	Shape   []int  // nil for a single number
}

// Array is an array in memory.
type Array struct {
	Header
	Body []byte // the values as they are in the file

	get  func([]byte) float64
	size int
}

// Parse reads a file. The values must be numbers or Booleans, as many as the shape
// tells.
func Parse(text []byte) (*Array, error) {
	h, body, err := parseHeader(text)
	if err != nil {
		return nil, err
	}
	a := &Array{Header: h, Body: body}
	if a.get, a.size = decoder(h.Type); a.get == nil {
		return nil, fmt.Errorf("values of type %.40q, expected floating-point numbers, integers or Booleans", h.Type)
	}
	n := 1
	for _, s := range h.Shape {
		if s > 0 && n > len(text)/s {
			return nil, fmt.Errorf("the shape %v in %d bytes", h.Shape, len(text))
		}
		n *= s
	}
	if len(body) != n*a.size {
		return nil, fmt.Errorf("%d bytes of values, expected %d for the shape %v", len(body), n*a.size, h.Shape)
	}
	return a, nil
}

// Len is the number of values.
func (a *Array) Len() int { return len(a.Body) / a.size }

// Kind is the kind of the values: b for Booleans, i and u for integers with and
// without sign, f for floating-point numbers.
func (a *Array) Kind() byte { return strings.TrimLeft(a.Type, "<>|=")[0] }

// Value returns value i in the order of the file; true is 1.
func (a *Array) Value(i int) float64 { return a.get(a.Body[i*a.size:]) }

// Values returns the values in C order: the last index changes fastest.
func (a *Array) Values() []float64 {
	out := make([]float64, a.Len())
	for i := range out {
		at := i
		if a.Fortran {
			at = a.fortran(i)
		}
		out[i] = a.Value(at)
	}
	return out
}

// fortran is the place in Fortran order of the value at place i in C order.
func (a *Array) fortran(i int) int {
	at, stride := 0, a.Len()
	for d := len(a.Shape) - 1; d >= 0; d-- {
		stride /= a.Shape[d]
		at += i % a.Shape[d] * stride
		i /= a.Shape[d]
	}
	return at
}

// parseHeader splits a file into its header and the values.
func parseHeader(text []byte) (h Header, body []byte, err error) {
	if len(text) < 10 || string(text[:6]) != magic {
		return h, nil, errors.New("no NPY file: it does not begin with NumPy's mark")
	}
	var length uint64
	at := 10
	switch text[6] {
	case 1:
		length = uint64(binary.LittleEndian.Uint16(text[8:]))
	case 2, 3:
		if at = 12; len(text) < at {
			return h, nil, errors.New("the file ends in its header")
		}
		length = uint64(binary.LittleEndian.Uint32(text[8:]))
	default:
		return h, nil, fmt.Errorf("version %d.%d of the format, expected 1.0 to 3.0", text[6], text[7])
	}
	if length > uint64(len(text)-at) {
		return h, nil, errors.New("a header that is longer than the file")
	}
	p := &parser{string(text[at : at+int(length)])}
	if h, err = p.header(); err != nil {
		return h, nil, fmt.Errorf("the header: %w", err)
	}
	return h, text[at+int(length):], nil
}

// parser reads a header, a dictionary in Python's notation.
type parser struct{ rest string }

// take skips white space and then token, and reports whether it was there.
func (p *parser) take(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) expected(what string) error {
	return fmt.Errorf("%.20q, expected %s", p.rest, what)
}

func (p *parser) header() (h Header, err error) {
	if !p.take("{") {
		return h, p.expected("{")
	}
	seen := map[string]bool{}
	for !p.take("}") {
		key, err := p.text()
		if err != nil {
			return h, err
		}
		if seen[key] || !p.take(":") {
			return h, p.expected("one value for each of descr, fortran_order and shape")
		}
		seen[key] = true
		switch key {
		case "descr":
			h.Type, err = p.text()
		case "fortran_order":
			h.Fortran, err = p.boolean()
		case "shape":
			h.Shape, err = p.shape()
		default:
			err = fmt.Errorf("the key %.20q, expected descr, fortran_order or shape", key)
		}
		if err != nil {
			return h, err
		}
		if !p.take(",") && !strings.HasPrefix(strings.TrimLeft(p.rest, " \t\r\n"), "}") {
			return h, p.expected(", or }")
		}
	}
	if len(seen) != 3 {
		return h, errors.New("expected descr, fortran_order and shape")
	}
	if !p.take("") || p.rest != "" {
		return h, p.expected("the end of the header")
	}
	return h, nil
}

// text reads a string without escapes.
func (p *parser) text() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.take(quote) {
			s, rest, ok := strings.Cut(p.rest, quote)
			if !ok || strings.Contains(s, `\`) {
				return "", p.expected("a string without escapes")
			}
			p.rest = rest
			return s, nil
		}
	}
	return "", p.expected("a string")
}

func (p *parser) boolean() (bool, error) {
	switch {
	case p.take("True"):
		return true, nil
	case p.take("False"):
		return false, nil
	}
	return false, p.expected("True or False")
}

// shape reads a tuple of lengths.
func (p *parser) shape() ([]int, error) {
	if !p.take("(") {
		return nil, p.expected("a tuple of lengths")
	}
	var out []int
	for !p.take(")") {
		p.take("")
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
		n, err := strconv.ParseInt(p.rest[:digits], 10, 64)
		if err != nil || n > math.MaxInt32 {
			return nil, p.expected("a length")
		}
		p.rest = p.rest[digits:]
		p.take("L") // of Python 2
		out = append(out, int(n))
		if !p.take(",") && !strings.HasPrefix(strings.TrimLeft(p.rest, " "), ")") {
			return nil, p.expected(", or )")
		}
	}
	return out, nil
}

// decoder returns what reads one value of a type, and the number of its bytes; nil
// for a type that holds no numbers.
func decoder(dtype string) (get func([]byte) float64, size int) {
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(dtype, ">") {
		order = binary.BigEndian
	}
	switch strings.TrimLeft(dtype, "<>|=") {
	case "b1":
		return func(b []byte) float64 { return min(1, float64(b[0])) }, 1
	case "f2":
		return func(b []byte) float64 { return half(order.Uint16(b)) }, 2
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }, 4
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }, 8
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }, 1
	case "i2":
		return func(b []byte) float64 { return float64(int16(order.Uint16(b))) }, 2
	case "i4":
		return func(b []byte) float64 { return float64(int32(order.Uint32(b))) }, 4
	case "i8":
		return func(b []byte) float64 { return float64(int64(order.Uint64(b))) }, 8
	case "u1":
		return func(b []byte) float64 { return float64(b[0]) }, 1
	case "u2":
		return func(b []byte) float64 { return float64(order.Uint16(b)) }, 2
	case "u4":
		return func(b []byte) float64 { return float64(order.Uint32(b)) }, 4
	case "u8":
		return func(b []byte) float64 { return float64(order.Uint64(b)) }, 8
	}
	return nil, 0
}

// half is the value of an IEEE 754 number of 16 bits.
func half(b uint16) float64 {
	sign, exponent, fraction := 1-2*float64(b>>15), int(b>>10&31), float64(b&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction == 0 {
			return sign * math.Inf(1)
		}
		return math.NaN()
	}
	return sign * math.Ldexp(fraction+1024, exponent-25)
}

// Write writes values as an array of one dimension, in version 1.0 of the format: as Booleans, integers or floating-point
// numbers of 64 bits, by the kind b, i or f.
func Write(w io.Writer, kind byte, values []float64) error {
	dtype := map[byte]string{'b': "|b1", 'i': "<i8", 'f': "<f8"}[kind]
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", dtype, len(values))
	// The values begin at a multiple of 64 bytes; a line feed ends the header.
	header += strings.Repeat(" ", 63-(len(magic)+4+len(header))%64) + "\n"
	text := append([]byte(magic), 1, 0)
	text = binary.LittleEndian.AppendUint16(text, uint16(len(header)))
	text = append(text, header...)
	const some = 1 << 16 // bytes that are written at once, about
	for _, v := range values {
		switch {
		case kind == 'f':
			text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
		case kind == 'i':
			text = binary.LittleEndian.AppendUint64(text, uint64(int64(v)))
		case v != 0:
			text = append(text, 1)
		default:
			text = append(text, 0)
		}
		if len(text) >= some {
			if _, err := w.Write(text); err != nil {
				return err
			}
			text = text[:0]
		}
	}
	_, err := w.Write(text)
	return err
}
