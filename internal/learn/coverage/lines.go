package coverage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxSupport bounds the data of a set of cells or combinations, before base64 encoding.
const maxSupport = 1 << 20

// none and all are the texts of no cells, and of the only cell of no inputs.
const (
	none = "none"
	all  = "all"
)

// Lines are the texts of the support, a line for the unseen combinations, one for the classes,
// one a table and one an exception: unseen SET, class VARIABLES K/FIT…, OUTPUT INPUTS ON OFF and
// except OUTPUTS CUBES, with the sets as Set.String gives them. A set without room keeps
// its first cells; unseen combinations without room are an error.
func (s *Support) Lines() ([]string, error) {
	w := width(2 * s.Inputs)
	unseen := make([]uint64, len(s.Unseen))
	for i, p := range s.Unseen {
		unseen[i] = uint64(p[0])<<(2*w) | uint64(p[1])<<w | uint64(p[2])
	}
	if len(unseen) > room(3*w) || 3*w > 64 {
		return nil, fmt.Errorf("%d combinations of the values of %d inputs are in no row; there is room for %d", len(unseen), s.Inputs, room(3*w))
	}
	lines := []string{"unseen " + cellsText(3*w, unseen)}
	if s.Classes != nil {
		lines = append(lines, s.classLine())
	}
	for o, tables := range s.Tables {
		for i := range tables {
			t := &tables[i]
			lines = append(lines, fmt.Sprintf("%d %s %s %s", o, inputsText(t.Inputs), cellsText(len(t.Inputs), t.On), cellsText(len(t.Inputs), t.Off)))
		}
	}
	for i := range s.Except {
		lines = append(lines, s.Except[i].line())
	}
	return lines, nil
}

// width is the number of bits of numbers below n.
func width(n int) int { return len(strconv.FormatInt(int64(max(1, n-1)), 2)) }

// room is how many cells a list has room for.
func room(inputs int) int { return 8 * maxSupport / max(1, inputs) }

func inputsText(inputs []int) string {
	if len(inputs) == 0 {
		return "-"
	}
	parts := make([]string, len(inputs))
	for i, b := range inputs {
		parts[i] = strconv.Itoa(b)
	}
	return strings.Join(parts, ",")
}

// cellsText is the text of cells of so many inputs.
func cellsText(inputs int, cells []uint64) string {
	switch {
	case len(cells) == 0:
		return none
	case inputs == 0:
		return all
	}
	return exact(inputs, cells[:min(len(cells), room(inputs))]).String()
}

// exact is the set of rows of at most 64 bits, a map if that is smaller than a list.
func exact(inputs int, cells []uint64) *Set {
	s := &Set{kind: list, inputs: inputs, rows: len(cells)}
	if inputs < 20 && 1<<inputs < inputs*len(cells) {
		s.kind = table
		s.data = make([]byte, (1<<inputs+7)/8)
		for i := range cells {
			for _, at := range s.places(s.key(cells[i : i+1])) {
				s.data[at/8] |= 0x80 >> (at % 8)
			}
		}
		return s
	}
	s.list(cells)
	return s
}

// ParseSupport parses the lines of a support of rows with so many bits; on an error,
// line is the number of the faulty one, from 0.
func ParseSupport(lines []string, inputs, outputs int) (s *Support, line int, err error) {
	s = &Support{Inputs: inputs, Outputs: outputs, Tables: make([][]Table, outputs)}
	for i, text := range lines {
		f := strings.Split(text, " ")
		switch {
		case i == 0:
			err = s.parseUnseen(f)
		case f[0] == classWord:
			err = s.parseClasses(f[1:])
		case f[0] == exceptWord:
			err = s.parseException(f[1:])
		default:
			err = s.parseTable(f)
		}
		if err != nil {
			return nil, i, err
		}
	}
	if len(lines) == 0 {
		return nil, 0, fmt.Errorf("there are no lines of support; expected unseen SET")
	}
	return s, 0, nil
}

func (s *Support) parseUnseen(f []string) error {
	w := width(2 * s.Inputs)
	if f[0] != "unseen" {
		return fmt.Errorf("%s is not the first line of support; expected unseen SET", strconv.Quote(cut(f[0])))
	}
	unseen, rest, err := parseCells(f[1:], 3*w)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("something follows the combinations; expected nothing")
	}
	for _, p := range unseen {
		mask := uint64(1)<<w - 1
		a, b, c := Literal(p>>(2*w)), Literal(p>>w&mask), Literal(p&mask)
		if a > b || b > c || c >= 2*s.Inputs {
			return fmt.Errorf("%d, %d and %d are not a combination of literals; expected increasing ones of the %d there are", a, b, c, 2*s.Inputs)
		}
		s.Unseen = append(s.Unseen, [3]Literal{a, b, c})
	}
	return nil
}

func (s *Support) parseTable(f []string) error {
	o, err := strconv.Atoi(f[0])
	if err != nil || o < 0 || o >= s.Outputs || strconv.Itoa(o) != f[0] {
		return fmt.Errorf("%s is not an output; expected 0..%d", strconv.Quote(cut(f[0])), s.Outputs-1)
	}
	if len(f) < 2 {
		return fmt.Errorf("a table ends early; expected OUTPUT INPUTS ON OFF")
	}
	var t Table
	if f[1] != "-" {
		for _, part := range strings.Split(f[1], ",") {
			b, err := strconv.Atoi(part)
			n := len(t.Inputs)
			if err != nil || strconv.Itoa(b) != part || b >= s.Inputs || b < 0 || n > 0 && b <= t.Inputs[n-1] || n == 64 {
				return fmt.Errorf("%s are not the inputs of a table; expected at most 64 of 0..%d in increasing order", strconv.Quote(cut(f[1])), s.Inputs-1)
			}
			t.Inputs = append(t.Inputs, b)
		}
	}
	rest := f[2:]
	if t.On, rest, err = parseCells(rest, len(t.Inputs)); err != nil {
		return err
	}
	if t.Off, rest, err = parseCells(rest, len(t.Inputs)); err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("something follows the table; expected OUTPUT INPUTS ON OFF")
	}
	for _, c := range t.On {
		if _, both := slices.BinarySearch(t.Off, c); both {
			return fmt.Errorf("cell %d is both on and off; expected one of them", c)
		}
	}
	s.Tables[o] = append(s.Tables[o], t)
	return nil
}

// parseCells parses cells of so many inputs, and returns the words after them.
func parseCells(f []string, inputs int) (cells []uint64, rest []string, err error) {
	switch {
	case len(f) > 0 && f[0] == none:
		return nil, f[1:], nil
	case len(f) > 0 && f[0] == all && inputs == 0:
		return []uint64{0}, f[1:], nil
	case len(f) < 3 || inputs == 0 || kind(f[0]) != list && kind(f[0]) != table:
		return nil, nil, fmt.Errorf("a set of cells is missing; expected none, rows ROWS DATA or map ROWS DATA")
	}
	s, err := parse(f[:3], inputs, maxSupport)
	if err != nil {
		return nil, nil, err
	}
	return s.Cells(), f[3:], nil
}
