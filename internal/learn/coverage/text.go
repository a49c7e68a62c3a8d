package coverage

import (
	"encoding/base64"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// String returns the set in the form of network files: legal ROWS, rows ROWS DATA, map ROWS
// DATA or bloom ROWS HASHES DATA, with DATA in base64. Parse reads it.
func (s *Set) String() string {
	text := fmt.Sprintf("%s %d", s.kind, s.rows)
	data := s.data
	switch s.kind {
	case legal:
		return text
	case list:
		data = s.pack()
	case bloom:
		text += fmt.Sprintf(" %d", s.hashes)
	}
	return text + " " + base64.StdEncoding.EncodeToString(data)
}

// pack concatenates the rows, without the bits that pad their keys.
func (s *Set) pack() []byte {
	out := make([]byte, (s.rows*s.inputs+7)/8)
	n := (s.inputs + 7) / 8
	for i := range s.rows {
		for j := range s.inputs {
			if s.data[i*n+j/8]&(0x80>>(j%8)) != 0 {
				at := i*s.inputs + j
				out[at/8] |= 0x80 >> (at % 8)
			}
		}
	}
	return out
}

// Parse parses the text of a set of rows of this many bits, at least 1.
func Parse(text string, inputs int) (*Set, error) {
	if inputs < 1 {
		return nil, fmt.Errorf("rows of %d bits; expected at least 1", inputs)
	}
	return parse(strings.Split(text, " "), inputs, MaxBytes)
}

// parse parses the words of a set whose data has at most so many bytes.
func parse(f []string, inputs, most int) (*Set, error) {
	const expected = "expected legal ROWS, rows ROWS DATA, map ROWS DATA or bloom ROWS HASHES DATA"
	s := &Set{kind: kind(f[0]), inputs: inputs}
	words, known := map[kind]int{legal: 2, list: 3, table: 3, bloom: 4}[s.kind]
	if !known || len(f) != words {
		return nil, fmt.Errorf("%s of %d words is not a set of rows; %s", strconv.Quote(cut(f[0])), len(f), expected)
	}
	var ok bool
	if s.rows, ok = number(f[1]); !ok {
		return nil, fmt.Errorf("%s is not a number of rows; expected 1..2147483647", strconv.Quote(cut(f[1])))
	}
	if s.kind == bloom {
		if s.hashes, ok = number(f[2]); !ok || s.hashes > 64 {
			return nil, fmt.Errorf("%s is not a number of hashes; expected 1..64", strconv.Quote(cut(f[2])))
		}
	}
	if s.kind == legal {
		return s, nil
	}
	data, err := base64.StdEncoding.Strict().DecodeString(f[words-1])
	// The decoder ignores line breaks.
	if err != nil || len(data) == 0 || len(data) > most || strings.ContainsAny(f[words-1], "\r\n") {
		return nil, fmt.Errorf("the rows are not base64 of 1..%d bytes", most)
	}
	s.data = data
	switch s.kind {
	case list:
		return s, s.unpack()
	case table:
		if inputs > 30 || len(data) != (1<<inputs+7)/8 {
			return nil, fmt.Errorf("the map has %d bytes; expected a bit for each of the 2^%d rows", len(data), inputs)
		}
		n := 0
		for _, b := range data {
			n += bits.OnesCount8(b)
		}
		if n != s.rows || inputs < 3 && data[0]<<(1<<inputs) != 0 {
			return nil, fmt.Errorf("the map has %d rows; expected %d", n, s.rows)
		}
	}
	return s, nil
}

// unpack splits concatenated rows into keys, and checks their order.
func (s *Set) unpack() error {
	packed := s.data
	if s.rows > 8*maxSupport/s.inputs || len(packed) != (s.rows*s.inputs+7)/8 {
		return fmt.Errorf("%d bytes of rows; expected %d rows of %d bits", len(packed), s.rows, s.inputs)
	}
	n := (s.inputs + 7) / 8
	s.data = make([]byte, s.rows*n)
	for i := range s.rows {
		for j := range s.inputs {
			at := i*s.inputs + j
			if packed[at/8]&(0x80>>(at%8)) != 0 {
				s.data[i*n+j/8] |= 0x80 >> (j % 8)
			}
		}
		if i > 0 && string(s.data[(i-1)*n:i*n]) >= string(s.data[i*n:(i+1)*n]) {
			return fmt.Errorf("row %d is out of order; expected increasing rows", i+1)
		}
	}
	if used := s.rows * s.inputs % 8; used > 0 && packed[len(packed)-1]<<used != 0 {
		return fmt.Errorf("something follows row %d; expected bits 0", s.rows)
	}
	return nil
}

// number reads a positive number without sign or leading zero.
func number(s string) (int, bool) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil && n > 0 && s == strconv.FormatInt(n, 10)
}

// cut shortens a word for messages.
func cut(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}
