package bnn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
)

// The published layout (the FD-SAT-Plan repository) keeps a network in two text files. The
// weights are
//
//	bnn
//	INPUTS,UNITS        once per layer, then UNITS rows of INPUTS characters:
//	01-1                0 is the weight -1, 1 is +1, any other character is 0
//
// and the folded batch normalization is one line per layer,
//
//	normalization
//	NU,NU,NU
//
// where unit j of fan-in n is active if and only if at least p* = ceil(n/2 + NU/2) inputs
// agree (paper, section "Binarized Neural Networks").
const (
	weightsTitle = "bnn"
	normTitle    = "normalization"
)

// maxUnits bounds the sizes that a layer may declare, so that products of sizes stay far
// inside 64 bits and fan-ins inside the type of the thresholds.
const maxUnits = 1 << 20

// ReadPublished reads a network in the FD-SAT-Plan layout, its weights and its batch
// normalization. The names stand for the files in errors, which are *source.Error. A line may
// end in CR LF, the last line may lack its line end, and empty lines may follow it; no other
// variation is accepted. A threshold outside 0..fan-in+1 is moved to the nearer end of that
// range, which does not change the unit.
//
// A character that is neither 0 nor 1 is the weight 0. A comma is refused all the same: it
// shows that a layer's sizes stand where a row should.
func ReadPublished(weightsName string, weights io.Reader, normName string, norm io.Reader) (*Network, error) {
	n, err := readWeights(weightsName, weights)
	if err != nil {
		return nil, err
	}
	if err := readNormalization(normName, norm, n); err != nil {
		return nil, err
	}
	if err := n.Check(); err != nil {
		return nil, source.Errorf(weightsName, 0, 0, "%v", err)
	}
	return n, nil
}

// publishedLines returns the lines after the title. Line i of the result is line i+2 of the
// file.
func publishedLines(name, title string, r io.Reader) ([]string, error) {
	lines, err := source.ReadLines(name, r)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, source.Errorf(name, 1, 0, "the file is empty; expected the title %q", title)
	}
	if lines[0] != title {
		return nil, source.Errorf(name, 1, 1, "the title is %s; expected %q", source.Quote(lines[0]), title)
	}
	return lines[1:], nil
}

// readWeights returns a network whose thresholds are all 0.
func readWeights(name string, r io.Reader) (*Network, error) {
	lines, err := publishedLines(name, weightsTitle, r)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, source.Errorf(name, 2, 0, "there is no layer; expected its sizes, INPUTS,UNITS")
	}
	n := &Network{}
	for i := 0; i < len(lines); {
		inputs, units, err := layerSizes(name, i+2, lines[i], len(n.Layers)+1)
		if err != nil {
			return nil, err
		}
		if k := len(n.Layers); k > 0 && n.Outputs() != inputs {
			return nil, source.Errorf(name, i+2, 1, "layer %d has %d inputs; expected %d, the units of layer %d", k+1, inputs, n.Outputs(), k)
		}
		i++
		l := Layer{Inputs: inputs}
		for j := range units {
			if i == len(lines) {
				return nil, source.Errorf(name, i+2, 0, "layer %d ends after %d of %d units; expected a row of %d weights", len(n.Layers)+1, j, units, inputs)
			}
			if l.Weights, err = appendRow(l.Weights, name, i+2, lines[i], inputs, fmt.Sprintf("layer %d unit %d of %d", len(n.Layers)+1, j+1, units)); err != nil {
				return nil, err
			}
			l.Thresholds = append(l.Thresholds, 0)
			i++
		}
		n.Layers = append(n.Layers, l)
	}
	return n, nil
}

// layerSizes reads the line INPUTS,UNITS before layer k.
func layerSizes(name string, no int, line string, k int) (inputs, units int, err error) {
	first, second, ok := strings.Cut(line, ",")
	if !ok {
		if k > 1 {
			return 0, 0, source.Errorf(name, no, 1, "%s follows the last unit of layer %d; expected the sizes of layer %d, INPUTS,UNITS, or the end of the file", source.Quote(line), k-1, k)
		}
		return 0, 0, source.Errorf(name, no, 1, "%s is not the sizes of a layer; expected INPUTS,UNITS", source.Quote(line))
	}
	if inputs, err = size(name, no, 1, first, "inputs"); err != nil {
		return 0, 0, err
	}
	units, err = size(name, no, len(first)+2, second, "units")
	return inputs, units, err
}

// size reads a number of inputs or units, written without sign and without
// leading zeros.
func size(name string, no, col int, s, of string) (int, error) {
	v, ok := natural(s)
	if !ok || v < 1 || v > maxUnits {
		return 0, source.Errorf(name, no, col, "%s is not a number of %s; expected 1..%d", source.Quote(s), of, maxUnits)
	}
	return int(v), nil
}

// natural reads digits without a leading zero, at most 18 of them.
func natural(s string) (int64, bool) {
	if s == "" || len(s) > 18 || s[0] == '0' && s != "0" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// appendRow reads the weights of one unit; what names the unit in errors.
func appendRow(weights []int8, name string, no int, line string, inputs int, what string) ([]int8, error) {
	for i := range min(len(line), inputs+1) {
		switch c := line[i]; {
		case c == ',':
			return nil, source.Errorf(name, no, 1, "%s stands where the row of %s should; expected %d characters without a comma", source.Quote(line), what, inputs)
		case c < ' ' || c > '~':
			return nil, source.Errorf(name, no, i+1, "byte 0x%02x in the row of %s; expected 0, 1 or another printable ASCII character", c, what)
		case i == inputs: // reported below
		case c == '0':
			weights = append(weights, -1)
		case c == '1':
			weights = append(weights, 1)
		default:
			weights = append(weights, 0)
		}
	}
	if len(line) != inputs {
		return nil, source.Errorf(name, no, min(len(line), inputs)+1, "the row of %s has %d weights; expected %d", what, len(line), inputs)
	}
	return weights, nil
}

// readNormalization sets the thresholds of n.
func readNormalization(name string, r io.Reader, n *Network) error {
	lines, err := publishedLines(name, normTitle, r)
	if err != nil {
		return err
	}
	for k := range n.Layers {
		if k == len(lines) {
			return source.Errorf(name, k+2, 0, "the numbers end after layer %d of %d; expected %d more", k, len(n.Layers), n.Layers[k].Units())
		}
		if err := setThresholds(name, k+2, lines[k], &n.Layers[k], k+1); err != nil {
			return err
		}
	}
	if k := len(n.Layers); len(lines) > k {
		return source.Errorf(name, k+2, 1, "more numbers after those of the last layer; expected %d lines of them, one per layer", k)
	}
	return nil
}

// setThresholds reads the line of layer k.
func setThresholds(name string, no int, line string, l *Layer, k int) error {
	count := strings.Count(line, ",") + 1
	col, rest := 1, line
	for j := range l.Units() {
		field, tail, more := strings.Cut(rest, ",")
		nu, err := finite(field)
		if err != nil {
			return source.Errorf(name, no, col, "layer %d unit %d: %v; expected a decimal number", k, j+1, err)
		}
		l.Thresholds[j] = threshold(l.FanIn(j), nu)
		col += len(field) + 1
		if !more && j+1 < l.Units() {
			return source.Errorf(name, no, len(line)+1, "layer %d has %d numbers; expected %d, one per unit", k, count, l.Units())
		}
		rest = tail
	}
	if count > l.Units() {
		return source.Errorf(name, no, col, "layer %d has %d numbers; expected %d, one per unit", k, count, l.Units())
	}
	return nil
}

// finite reads a finite decimal number.
func finite(s string) (float64, error) {
	if s == "" {
		return 0, errors.New("a number is missing")
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		// This includes numbers too large for a float64.
		return 0, fmt.Errorf("%s is not finite", source.Quote(s))
	case err != nil || strings.Trim(s, "0123456789+-.eE") != "": // hexadecimal and 1_000 are Go syntax, not part of the layout
		return 0, fmt.Errorf("%s is not a number", source.Quote(s))
	}
	return v, nil
}

// threshold is ceil(n/2 + nu/2), limited to 0..n+1. As n is an integer, this equals ceil((n +
// ceil(nu)) / 2), which needs no rounding.
func threshold(n int, nu float64) int32 {
	c := math.Ceil(nu)
	switch {
	case c <= float64(-n):
		return 0
	case c > float64(n):
		return int32(n + 1)
	}
	return int32((n + int(c) + 1) >> 1)
}

// WritePublished writes n in the FD-SAT-Plan layout, with '-' for the weight 0. The number of
// a unit is 2p - fan-in, where p is its threshold: the largest number that reads back as p.
func WritePublished(weights, norm io.Writer, n *Network) error {
	if err := writable(n); err != nil {
		return err
	}
	w, v := bufio.NewWriter(weights), bufio.NewWriter(norm)
	fmt.Fprintln(w, weightsTitle)
	fmt.Fprintln(v, normTitle)
	for i := range n.Layers {
		l := &n.Layers[i]
		fmt.Fprintf(w, "%d,%d\n", l.Inputs, l.Units())
		for j, p := range l.Thresholds {
			writeRow(w, l.Row(j), "0-1")
			if j > 0 {
				v.WriteByte(',')
			}
			fmt.Fprint(v, 2*int(p)-l.FanIn(j))
		}
		v.WriteByte('\n')
	}
	// The writers keep their first error, and Flush returns it.
	if err := w.Flush(); err != nil {
		return err
	}
	return v.Flush()
}

// writable reports a network that no reader would accept.
func writable(n *Network) error {
	if n == nil {
		return fmt.Errorf("%w: there is none", ErrShape)
	}
	if err := n.Check(); err != nil {
		return err
	}
	for i := range n.Layers {
		if l := &n.Layers[i]; l.Inputs > maxUnits || l.Units() > maxUnits {
			return fmt.Errorf("%w: layer %d has %d inputs and %d units; a file holds at most %d of each", ErrShape, i+1, l.Inputs, l.Units(), maxUnits)
		}
	}
	return nil
}

// writeRow writes one unit's weights; signs are the characters for -1, 0, +1.
func writeRow(w *bufio.Writer, row []int8, signs string) {
	for _, x := range row {
		w.WriteByte(signs[x+1])
	}
	w.WriteByte('\n')
}
