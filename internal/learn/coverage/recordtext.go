package coverage

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// maxRecord bounds the data of a record with all rows, before base64 encoding.
	maxRecord = 2 << 20
	// maxUnpacked bounds what the data of a record take in memory.
	maxUnpacked = 256 << 20
	// compressible is how many times smaller than its keys a record may become.
	compressible = 8
)

// The first words of the text of a record: it has all rows, or those of disputed inputs.
const (
	wordWhole    = "whole"
	wordDisputed = "disputed"
)

// Fit returns the record if its text has at most a few MiB, else with one place for each
// outcome and, if that is not enough either, that of the disputed inputs alone, whatever their
// number; see Disputed.
func (r *Record) Fit(forward func(out, in []uint64)) *Record { return r.fit(forward, maxRecord) }

func (r *Record) fit(forward func(out, in []uint64), most int) *Record {
	for _, places := range []int{mostPlaces, 1} {
		if c := r.cut(places); len(r.in)+len(r.out) <= compressible*most && len(c.pack()) <= most {
			return c
		}
	}
	d := r.Disputed(forward)
	if len(d.pack()) > most {
		return d.cut(1)
	}
	return d
}

// cut returns the record with at most so many places for each outcome.
func (r *Record) cut(places int) *Record {
	c := *r
	c.outcomes = make([]seenAs, r.Len())
	for i, o := range r.outcomes {
		o.places = o.places[:min(places, len(o.places))]
		c.outcomes[i] = o
	}
	return &c
}

// String returns the record in the form of network files: whole ROWS OUTCOMES DATA, or disputed
// ROWS OUTCOMES DATA. The names of bits and files are not in it. ParseRecord reads it.
func (r *Record) String() string {
	word := wordDisputed
	if r.Whole {
		word = wordWhole
	}
	return fmt.Sprintf("%s %d %d %s", word, r.Rows, r.Len(), base64.StdEncoding.EncodeToString(r.pack()))
}

// pack returns the outcomes as compressed columns: the keys of inputs, those of outputs, the
// counts, and the numbers of places and these, each with its file and how far its line is from
// the one before.
func (r *Record) pack() []byte {
	data := append(bytes.Clone(r.in), r.out...)
	for i := range r.outcomes {
		data = binary.AppendUvarint(data, uint64(r.outcomes[i].count))
	}
	last := int64(0)
	for i := range r.outcomes {
		data = binary.AppendUvarint(data, uint64(len(r.outcomes[i].places)))
		for _, p := range r.outcomes[i].places {
			data = binary.AppendUvarint(data, uint64(p.File))
			data = binary.AppendVarint(data, int64(p.Line)-last)
			last = int64(p.Line)
		}
	}
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression) // the level is valid
	_, _ = w.Write(data)                                  // a buffer takes all
	_ = w.Close()
	return b.Bytes()
}

// ParseRecord parses the text of a record of rows with these bits, from so many files.
func ParseRecord(text string, inputs, outputs int, moreInputs, moreOutputs, files []string) (*Record, error) {
	const expected = "expected whole ROWS OUTCOMES DATA or disputed ROWS OUTCOMES DATA"
	f := strings.Split(text, " ")
	if len(f) != 4 || f[0] != wordWhole && f[0] != wordDisputed {
		return nil, fmt.Errorf("%s of %d words is not a record of rows; %s", strconv.Quote(cut(f[0])), len(f), expected)
	}
	r := &Record{Inputs: inputs, Outputs: outputs, MoreInputs: moreInputs, MoreOutputs: moreOutputs, Files: files, Whole: f[0] == wordWhole}
	var ok bool
	if r.Rows, ok = number(f[1]); !ok {
		return nil, fmt.Errorf("%s is not a number of rows; expected 1..2147483647", strconv.Quote(cut(f[1])))
	}
	n, ok := number(f[2])
	if ok = ok || !r.Whole && f[2] == "0"; !ok || n > r.Rows {
		return nil, fmt.Errorf("%s is not a number of outcomes; expected 1..%d", strconv.Quote(cut(f[2])), r.Rows)
	}
	data, err := base64.StdEncoding.Strict().DecodeString(f[3])
	if err != nil || strings.ContainsAny(f[3], "\r\n") {
		return nil, errors.New("the rows are not base64")
	}
	unpacked := bufio.NewReader(io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxUnpacked))
	if err := r.unpack(unpacked, n); err != nil {
		return nil, err
	}
	if _, err := unpacked.ReadByte(); err != io.EOF {
		return nil, errors.New("something follows the rows; expected nothing")
	}
	return r, nil
}

// unpack reads so many outcomes.
func (r *Record) unpack(b *bufio.Reader, n int) (err error) {
	short := func(err error) error {
		return fmt.Errorf("the rows end early or are broken: %w; expected %d outcomes", err, n)
	}
	if r.in, err = read(b, n*r.inBytes()); err != nil {
		return short(err)
	}
	if r.out, err = read(b, n*r.outBytes()); err != nil {
		return short(err)
	}
	if err := r.checkKeys(n); err != nil {
		return err
	}
	r.outcomes = make([]seenAs, n)
	sum := 0
	for i := range r.outcomes {
		count, err := binary.ReadUvarint(b)
		if err != nil {
			return short(err)
		}
		if count < 1 || count > uint64(r.Rows-sum) {
			return fmt.Errorf("outcome %d was seen %d times; expected 1..%d", i+1, count, r.Rows-sum)
		}
		sum += int(count)
		r.outcomes[i].count = int32(count)
	}
	if r.Whole && sum != r.Rows {
		return fmt.Errorf("the outcomes were seen %d times; expected %d", sum, r.Rows)
	}
	return r.readPlaces(b, short)
}

// readPlaces reads where the outcomes were seen.
func (r *Record) readPlaces(b *bufio.Reader, short func(error) error) error {
	last := int64(0)
	for i := range r.outcomes {
		o := &r.outcomes[i]
		n, err := binary.ReadUvarint(b)
		if err != nil {
			return short(err)
		}
		if n > mostPlaces || n > uint64(o.count) {
			return fmt.Errorf("outcome %d has %d lines; expected at most %d", i+1, n, min(mostPlaces, o.count))
		}
		for range n {
			file, err := binary.ReadUvarint(b)
			if err != nil {
				return short(err)
			}
			step, err := binary.ReadVarint(b)
			if err != nil {
				return short(err)
			}
			if last += step; file >= uint64(len(r.Files)) || last < 1 || last > 1<<31-1 {
				return fmt.Errorf("outcome %d was seen in line %d of file %d; expected a line of one of %d files", i+1, last, file+1, len(r.Files))
			}
			o.places = append(o.places, Place{int32(file), int32(last)})
		}
	}
	return nil
}

// checkKeys checks the order of the keys, and that padding is 0.
func (r *Record) checkKeys(n int) error {
	k, m := r.inBytes(), r.outBytes()
	for i := range n {
		in, out := r.in[i*k:(i+1)*k], r.out[i*m:(i+1)*m]
		if padded(in, r.Inputs, len(r.MoreInputs)) || padded(out, r.Outputs, len(r.MoreOutputs)) {
			return fmt.Errorf("outcome %d has a bit that no row has; expected 0", i+1)
		}
		if i == 0 {
			continue
		}
		c := bytes.Compare(r.in[(i-1)*k:i*k], in)
		if c == 0 {
			c = bytes.Compare(r.out[(i-1)*m:i*m], out)
		}
		if c >= 0 {
			return fmt.Errorf("outcome %d is out of order; expected increasing ones", i+1)
		}
	}
	return nil
}

// padded reports whether a key of two parts has padding other than 0.
func padded(key []byte, first, second int) bool {
	at := 0
	for _, bits := range [2]int{first, second} {
		at += bytesOf(bits)
		if bits%8 != 0 && key[at-1]<<(bits%8) != 0 {
			return true
		}
	}
	return false
}

// read reads so many bytes, which it takes memory for as they arrive.
func read(b *bufio.Reader, n int) ([]byte, error) {
	var all bytes.Buffer
	if _, err := io.CopyN(&all, b, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return all.Bytes(), nil
}
