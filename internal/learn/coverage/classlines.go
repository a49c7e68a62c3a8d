package coverage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The first words of the lines of classes and exceptions.
const (
	classWord  = "class"
	exceptWord = "except"
)

// classLine is the line of the classes: class VARIABLES and K/FIT or, where rows are in error,
// K/FIT/RATE for each output.
func (s *Support) classLine() string {
	parts := []string{classWord, strconv.Itoa(s.Variables)}
	for _, c := range s.Classes {
		part := fmt.Sprintf("%d/%d", c.K, c.Fit)
		if c.Rate > 0 {
			part += "/" + strconv.FormatFloat(c.Rate, 'g', -1, 64)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

func (s *Support) parseClasses(f []string) error {
	if s.Classes != nil || len(f) != 1+s.Outputs {
		return fmt.Errorf("%d words follow class; expected one such line, with the number of variables and K/FIT for each of the %d outputs", len(f), s.Outputs)
	}
	var ok bool
	if s.Variables, ok = natural(f[0], s.Inputs); !ok {
		return fmt.Errorf("%s is not a number of variables; expected 0..%d", strconv.Quote(cut(f[0])), s.Inputs)
	}
	for _, part := range f[1:] {
		a, b, _ := strings.Cut(part, "/")
		b, rate, noisy := strings.Cut(b, "/")
		k, ok := natural(a, s.Variables)
		fit, fits := natural(b, s.Variables)
		if !ok || !fits || fit > k {
			return fmt.Errorf("%s is not a class; expected K/FIT with FIT up to K and K up to %d", strconv.Quote(cut(part)), s.Variables)
		}
		c := Class{K: k, Fit: fit}
		if noisy {
			x, err := strconv.ParseFloat(rate, 64)
			if err != nil || !(x > 0 && x < 1) || strconv.FormatFloat(x, 'g', -1, 64) != rate {
				return fmt.Errorf("%s is not a class; expected K/FIT/RATE with a rate between 0 and 1", strconv.Quote(cut(part)))
			}
			c.Rate = x
		}
		s.Classes = append(s.Classes, c)
	}
	return nil
}

// natural reads a number from 0 to most without needless digits.
func natural(text string, most int) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n <= most && strconv.Itoa(n) == text
}

// line is the line of an exception: except OUTPUTS CUBES, the outputs with commas between, the
// literals of a cube with points, and the cubes with commas; a cube without literals is "-".
func (e *Exception) line() string {
	parts := make([]string, len(e.Cubes))
	for i, c := range e.Cubes {
		if parts[i] = numbers(c, "."); len(c) == 0 {
			parts[i] = "-"
		}
	}
	return exceptWord + " " + numbers(e.Outputs, ",") + " " + strings.Join(parts, ",")
}

func numbers(list []int, sep string) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, sep)
}

func (s *Support) parseException(f []string) error {
	if len(f) != 2 {
		return fmt.Errorf("%d words follow except; expected OUTPUTS CUBES", len(f))
	}
	var e Exception
	var ok bool
	if e.Outputs, ok = increasing(f[0], ",", s.Outputs); !ok {
		return fmt.Errorf("%s are not outputs; expected some of 0..%d in increasing order", strconv.Quote(cut(f[0])), s.Outputs-1)
	}
	for _, text := range strings.Split(f[1], ",") {
		var cube []Literal
		if text != "-" {
			if cube, ok = increasing(text, ".", 2*s.Inputs); !ok {
				return fmt.Errorf("%s is not a cube; expected some literals of 0..%d in increasing order", strconv.Quote(cut(text)), 2*s.Inputs-1)
			}
		}
		e.Cubes = append(e.Cubes, cube)
	}
	s.Except = append(s.Except, e)
	return nil
}

// increasing reads different numbers below most in increasing order.
func increasing(text, sep string, most int) (list []int, ok bool) {
	for _, part := range strings.Split(text, sep) {
		n, ok := natural(part, most-1)
		if !ok || len(list) > 0 && n <= list[len(list)-1] {
			return nil, false
		}
		list = append(list, n)
	}
	return slices.Clip(list), true
}
