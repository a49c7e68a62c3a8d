package bnn

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
)

// File is the content of a file in this project's own format: a network, the names of the
// bits that it reads and writes, and metadata about how it was made.
//
// The format is text, one item per line, every line ended by LF alone:
//
//	fdplan-network 1         the format and its version
//	meta KEY VALUE           any number; KEY without blanks, VALUE to the line's end or absent
//	input NAME               one per input bit, in order; NAME to the line's end
//	output NAME              one per output bit, in order
//	layer INPUTS UNITS       once per layer, first to last, then UNITS lines; with none, there is no input and no output:
//	THRESHOLD WEIGHTS        p* in 0..fan-in+1, and INPUTS characters out of + - 0
//	checksum crc32c HEX      eight lower-case digits, over all bytes before this line
//
// The lines stand in this order. Names and values are UTF-8 without control characters. A
// name may contain blanks and any symbol, and is unique among the inputs or among the
// outputs. Numbers have no sign and no leading zero. The last line may lack its line end, and
// nothing follows it. Each File therefore has exactly one encoding: two files are equal if
// and only if their contents are.
type File struct {
	Network *Network
	Inputs  []string    // the name of each input bit
	Outputs []string    // the name of each output bit
	Meta    [][2]string // keys and values, in order; a key may repeat
}

const (
	fileFormat   = "fdplan-network"
	fileVersion  = "1"
	fileChecksum = "crc32c"
)

// The order in which the lines stand, by keyword.
var fileOrder = [...]string{"meta", "input", "output", "layer", "checksum"}

// checksum returns the CRC-32C of data as the last line writes it.
func checksum(data []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}

// Check reports anything that ReadFile would not read back after WriteFile: a malformed
// network, or names or metadata that do not fit it.
func (f *File) Check() error {
	if f.Network == nil || len(f.Network.Layers)+len(f.Inputs)+len(f.Outputs) > 0 {
		if err := writable(f.Network); err != nil {
			return err
		}
	}
	if err := checkNames("input", f.Inputs, f.Network.Inputs()); err != nil {
		return err
	}
	if err := checkNames("output", f.Outputs, f.Network.Outputs()); err != nil {
		return err
	}
	for _, kv := range f.Meta {
		if kv[0] == "" || strings.Contains(kv[0], " ") || source.BadByte(kv[0]) >= 0 {
			return fmt.Errorf("%w: %s is not a key of metadata", ErrShape, source.Quote(kv[0]))
		}
		if source.BadByte(kv[1]) >= 0 {
			return fmt.Errorf("%w: the metadata %s contain a control character or are not UTF-8", ErrShape, kv[0])
		}
	}
	return nil
}

func checkNames(kind string, names []string, want int) error {
	if len(names) != want {
		return fmt.Errorf("%w: %d names of %ss for %d %ss", ErrShape, len(names), kind, want, kind)
	}
	seen := make(map[string]bool, len(names))
	for _, s := range names {
		switch {
		case s == "" || source.BadByte(s) >= 0:
			return fmt.Errorf("%w: %s is not a name of an %s", ErrShape, source.Quote(s), kind)
		case seen[s]:
			return fmt.Errorf("%w: two %ss are named %s", ErrShape, kind, source.Quote(s))
		}
		seen[s] = true
	}
	return nil
}

// WriteFile writes f after checking it.
func WriteFile(w io.Writer, f *File) error {
	if err := f.Check(); err != nil {
		return err
	}
	var body bytes.Buffer // the checksum covers all of it
	b := bufio.NewWriter(&body)
	fmt.Fprintf(b, "%s %s\n", fileFormat, fileVersion)
	for _, kv := range f.Meta {
		fmt.Fprintf(b, "meta %s", kv[0])
		if kv[1] != "" {
			fmt.Fprintf(b, " %s", kv[1])
		}
		b.WriteByte('\n')
	}
	for _, s := range f.Inputs {
		fmt.Fprintf(b, "input %s\n", s)
	}
	for _, s := range f.Outputs {
		fmt.Fprintf(b, "output %s\n", s)
	}
	for i := range f.Network.Layers {
		l := &f.Network.Layers[i]
		fmt.Fprintf(b, "layer %d %d\n", l.Inputs, l.Units())
		for j, p := range l.Thresholds {
			fmt.Fprintf(b, "%d ", p)
			writeRow(b, l.Row(j), "-0+")
		}
	}
	if err := b.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&body, "checksum %s %s\n", fileChecksum, checksum(body.Bytes()))
	_, err := w.Write(body.Bytes())
	return err
}

// fileReader reads the lines of one file.
type fileReader struct {
	name string
	data []byte
	pos  int // where the next line starts
	line int // number of the line that next returned last
	f    File
	// The names seen so far, to refuse duplicates.
	inputs, outputs map[string]bool
}

// next returns the next line without its line end.
func (r *fileReader) next() (string, bool) {
	r.line++
	if r.pos == len(r.data) {
		return "", false
	}
	rest := r.data[r.pos:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
		r.pos++
	}
	r.pos += len(rest)
	return string(rest), true
}

// errorf returns an error at a column of the present line.
func (r *fileReader) errorf(col int, format string, args ...any) error {
	return source.Errorf(r.name, r.line, col, format, args...)
}

// ReadFile reads a file of this project's own format. The name stands for it in errors, which
// are *source.Error. The File that it returns passes Check.
func ReadFile(name string, in io.Reader) (*File, error) {
	data, err := source.ReadAll(name, in)
	if err != nil {
		return nil, err
	}
	r := &fileReader{name: name, data: data, inputs: map[string]bool{}, outputs: map[string]bool{}}
	if err := r.readHead(); err != nil {
		return nil, err
	}
	r.f.Network = &Network{}
	stage := 0 // index into fileOrder
	for {
		start := r.pos
		line, ok := r.next()
		if !ok {
			return nil, r.errorf(0, "the file is cut short; expected the line checksum %s HEX at its end", fileChecksum)
		}
		// A key or name may contain any symbol, so bad bytes are looked for first.
		if i := source.BadByte(line); i >= 0 {
			return nil, r.errorf(i+1, "byte 0x%02x; expected UTF-8 without control characters", line[i])
		}
		word, rest, more := strings.Cut(line, " ")
		at := -1
		for i, w := range fileOrder {
			if w == word {
				at = i
			}
		}
		switch {
		case at < 0:
			return nil, r.errorf(1, "%s is not a line of the format; expected %s", source.Quote(line), strings.Join(fileOrder[stage:], ", "))
		case at < stage:
			return nil, r.errorf(1, "a line %s after one of %s; expected the order %s", word, fileOrder[stage], strings.Join(fileOrder[:], ", "))
		}
		stage = at
		switch word {
		case "meta":
			err = r.readMeta(rest, more)
		case "input":
			r.f.Inputs, err = r.readName(r.f.Inputs, r.inputs, word, rest)
		case "output":
			r.f.Outputs, err = r.readName(r.f.Outputs, r.outputs, word, rest)
		case "layer":
			err = r.readLayer(rest)
		case "checksum":
			if err := r.readEnd(rest, start); err != nil {
				return nil, err
			}
			return &r.f, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *fileReader) readHead() error {
	line, ok := r.next()
	if !ok {
		return r.errorf(0, "the file is empty; expected %s %s", fileFormat, fileVersion)
	}
	word, version, _ := strings.Cut(line, " ")
	switch {
	case strings.HasSuffix(line, "\r"):
		return r.errorf(len(line), "the line ends in CR LF; expected LF alone, as the checksum counts every byte")
	case word != fileFormat:
		return r.errorf(1, "%s is not the first line of a network; expected %s %s", source.Quote(line), fileFormat, fileVersion)
	case version != fileVersion:
		return r.errorf(len(word)+2, "version %s of the format; this program reads version %s", source.Quote(version), fileVersion)
	}
	return nil
}

// readMeta reads what follows the word meta; more reports whether a blank follows it.
func (r *fileReader) readMeta(rest string, more bool) error {
	const at = len("meta ") + 1
	key, value, valued := strings.Cut(rest, " ")
	switch {
	case !more || key == "":
		return r.errorf(at, "the key is missing; expected meta KEY VALUE")
	case valued && value == "":
		return r.errorf(at+len(key), "a blank with no value after it; expected meta KEY VALUE or meta KEY")
	}
	r.f.Meta = append(r.f.Meta, [2]string{key, value})
	return nil
}

func (r *fileReader) readName(names []string, seen map[string]bool, word, name string) ([]string, error) {
	col := len(word) + 2
	switch {
	case name == "":
		return nil, r.errorf(col, "the name is missing; expected %s NAME", word)
	case seen[name]:
		return nil, r.errorf(col, "two %ss are named %s", word, source.Quote(name))
	}
	seen[name] = true
	return append(names, name), nil
}

// readLayer reads a layer whose line ends in rest, and its rows.
func (r *fileReader) readLayer(rest string) error {
	n := r.f.Network
	k := len(n.Layers) + 1
	const at = len("layer ") + 1
	first, second, ok := strings.Cut(rest, " ")
	if !ok {
		return r.errorf(at, "%s is not the sizes of a layer; expected layer INPUTS UNITS", source.Quote(rest))
	}
	inputs, err := size(r.name, r.line, at, first, "inputs")
	if err != nil {
		return err
	}
	units, err := size(r.name, r.line, at+len(first)+1, second, "units")
	if err != nil {
		return err
	}
	if k == 1 && inputs != len(r.f.Inputs) {
		return r.errorf(at, "the network has %d inputs and the file names %d", inputs, len(r.f.Inputs))
	}
	if k > 1 && inputs != n.Outputs() {
		return r.errorf(at, "layer %d has %d inputs; expected %d, the units of layer %d", k, inputs, n.Outputs(), k-1)
	}
	l := Layer{Inputs: inputs}
	for j := range units {
		line, ok := r.next()
		if !ok {
			return r.errorf(0, "layer %d ends after %d of %d units; expected THRESHOLD WEIGHTS", k, j, units)
		}
		if err := r.readUnit(&l, line, k, j+1); err != nil {
			return err
		}
	}
	n.Layers = append(n.Layers, l)
	return nil
}

// readUnit reads the line of unit j of layer k.
func (r *fileReader) readUnit(l *Layer, line string, k, j int) error {
	first, row, ok := strings.Cut(line, " ")
	p, number := natural(first)
	if !ok || !number {
		return r.errorf(1, "layer %d unit %d: %s; expected THRESHOLD WEIGHTS", k, j, source.Quote(line))
	}
	col := len(first) + 2
	fanIn := 0
	for i := range min(len(row), l.Inputs) {
		var w int8
		switch row[i] {
		case '+':
			w = 1
		case '-':
			w = -1
		case '0':
		default:
			return r.errorf(col+i, "layer %d unit %d: %s is not a weight; expected + - or 0", k, j, source.Quote(row[i:i+1]))
		}
		if w != 0 {
			fanIn++
		}
		l.Weights = append(l.Weights, w)
	}
	if len(row) != l.Inputs {
		return r.errorf(col+min(len(row), l.Inputs), "layer %d unit %d has %d weights; expected %d", k, j, len(row), l.Inputs)
	}
	if p > int64(fanIn)+1 {
		return r.errorf(1, "layer %d unit %d has the threshold %d; expected 0..%d, its fan-in and one", k, j, p, fanIn+1)
	}
	l.Thresholds = append(l.Thresholds, int32(p))
	return nil
}

// readEnd checks the last line, which starts at the byte start, and the counts that are known
// only at the end.
func (r *fileReader) readEnd(rest string, start int) error {
	const at = len("checksum ") + 1
	n := r.f.Network
	if len(n.Layers) == 0 && len(r.f.Inputs)+len(r.f.Outputs) > 0 {
		return r.errorf(1, "there is no layer; expected layer INPUTS UNITS")
	}
	if n.Outputs() != len(r.f.Outputs) {
		return r.errorf(1, "the network has %d outputs and the file names %d", n.Outputs(), len(r.f.Outputs))
	}
	kind, hex, _ := strings.Cut(rest, " ")
	if kind != fileChecksum || len(hex) != 8 || strings.Trim(hex, "0123456789abcdef") != "" {
		return r.errorf(at, "%s is not a checksum; expected %s and eight lower-case hexadecimal digits", source.Quote(rest), fileChecksum)
	}
	if got := checksum(r.data[:start]); got != hex {
		return r.errorf(at+len(kind)+1, "the checksum is %s and the lines above give %s: the file was changed or damaged", hex, got)
	}
	if r.pos < len(r.data) {
		r.line++
		return r.errorf(1, "something follows the checksum; expected the end of the file")
	}
	if err := r.f.Check(); err != nil {
		return source.Errorf(r.name, 0, 0, "%v", err)
	}
	return nil
}
