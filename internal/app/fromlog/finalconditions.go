package fromlog

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// names lists the states.
func (p *part) names() string {
	var parts []string
	for _, k := range p.list[:min(len(p.list), maxNamed)] {
		var values []string
		for i, f := range p.fluents {
			values = append(values, f.Name+"="+p.columns[i].Text(p.example[k]))
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", strings.Join(values, " "), counted.Of(p.counts[k], "row")))
	}
	if more := len(p.list) - maxNamed; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// conditions are conditions for the states that begin no step and that no other one leads to; nil if there are too many, or quantities
// among the fluents.
func (p *part) conditions() []string {
	if bound := p.bound(); bound != "" {
		return []string{bound}
	}
	var out []string
	for _, k := range p.list {
		if p.other[k] {
			continue
		}
		if len(out) == maxFinal {
			return nil
		}
		var parts []string
		for i, f := range p.fluents {
			if f.Kind == rawlog.Real {
				return nil
			}
			parts = append(parts, equals(f, p.columns[i].Text(p.example[k])))
		}
		if !slices.Contains(parts, "") {
			out = append(out, strings.Join(parts, " ^ "))
		}
	}
	return out
}

// bound is a condition for several ends of one integer that are above all others of its values, or below them; else it is empty.
func (p *part) bound() string {
	if len(p.fluents) != 1 || p.fluents[0].Kind != rawlog.Int || len(p.list) < 2 {
		return ""
	}
	least, most, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, k := range p.list {
		if x, ok := p.columns[0].Number(p.example[k]); ok && !p.other[k] {
			least, most = min(least, x), max(most, x)
		}
	}
	for i := range p.from {
		x, ok := p.starts[0].Number(int(p.from[i]))
		if ok {
			low, high = min(low, x), max(high, x)
		}
		if y, ok := p.columns[0].Number(int(p.to[i])); ok && p.other[p.after[i]] {
			low, high = min(low, y), max(high, y)
		}
	}
	switch name := p.fluents[0].Name; {
	case least > high && most > least:
		return fmt.Sprintf("%s >= %v", name, least)
	case most < low && most > least:
		return fmt.Sprintf("%s <= %v", name, most)
	}
	return ""
}

// equals is the condition that a fluent has a value; empty if it cannot.
func equals(f *rawlog.Fluent, text string) string {
	switch f.Kind {
	case rawlog.Bool:
		switch b, ok := rawlog.Truth(text); {
		case !ok:
			return ""
		case b:
			return f.Name
		}
		return "~" + f.Name
	case rawlog.Enum:
		if !slices.Contains(f.Values, text) {
			return ""
		}
		return f.Name + " == " + valueName(text)
	}
	if x, err := strconv.ParseFloat(text, 64); err != nil || x < f.Lo || x > f.Hi {
		return ""
	}
	return f.Name + " == " + text
}
