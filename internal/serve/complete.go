package serve

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// maxCompletions bounds the completions of one text.
const maxCompletions = 200

// maxValues bounds the integers that are offered as values of a variable.
const maxValues = 32

// completionList are the texts that may replace a part of a text, in UTF-16 units.
type completionList struct {
	From  int          `json:"from"`
	To    int          `json:"to"`
	Items []completion `json:"items"`
}

// completion is one of them.
type completion struct {
	Text   string `json:"text"`
	Kind   string `json:"kind"` // state, action, auxiliary, value or operator
	Detail string `json:"detail"`
}

// comparisons are the operators that a value follows, the longest first.
var comparisons = []string{"<=", ">=", "==", "~=", "!=", "<", ">"}

// complete returns what may stand at the byte at of a text.
func complete(p *factored.Problem, text string, at int, use string) *completionList {
	end := at
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	start := wordStart(text, at)
	out := &completionList{Items: []completion{}}
	defer func() { out.From, out.To = unitOffset(text, start), unitOffset(text, end) }()

	before := strings.TrimRight(text[:start], " \t")
	if v := compared(p, before, use); v != nil {
		out.values(v, text[start:at], use)
		return out
	}
	if from, found := named(p, text, at, use); found != nil {
		start = from
		if strings.Contains(text[from:at], "(") { // the rest of the arguments is replaced too
			if closing := strings.IndexByte(text[end:], ')'); closing >= 0 && !strings.ContainsAny(text[end:end+closing], "( ") {
				end += closing + 1
			}
		}
		out.Items = found
		return out
	}
	if start == at && before != "" && endsOperand(before) {
		out.operators(use)
	}
	return out
}

// wordStart is where the word that ends at a byte begins, with the @ of a value.
func wordStart(text string, at int) int {
	for at > 0 && isWordByte(text[at-1]) {
		at--
	}
	if at > 0 && text[at-1] == '@' && (at == 1 || !isWordByte(text[at-2]) && text[at-2] != ')') {
		at--
	}
	return at
}

// compared returns the variable that a value is expected of after a text; nil for none.
func compared(p *factored.Problem, before, use string) *factored.Variable {
	operators := comparisons
	if use == useInitial {
		operators = []string{"="}
	}
	for _, op := range operators {
		rest, ok := strings.CutSuffix(before, op)
		if !ok || op == "=" && strings.HasSuffix(rest, "=") {
			continue
		}
		rest = strings.TrimRight(strings.TrimRight(rest, " \t"), "'")
		var found *factored.Variable
		for i := range p.Variables {
			v := &p.Variables[i]
			if strings.HasSuffix(rest, v.Name) && (found == nil || len(v.Name) > len(found.Name)) && starts(rest, len(rest)-len(v.Name)) {
				found = v
			}
		}
		return found
	}
	return nil
}

// starts reports whether a name can begin at a byte of a text.
func starts(text string, at int) bool { return at == 0 || !isWordByte(text[at-1]) && text[at-1] != '@' }

// values offers the values of a variable that begin with a text.
func (l *completionList) values(v *factored.Variable, typed, use string) {
	for x := v.Lo; x <= v.Hi && x-v.Lo < maxCompletions; x++ {
		text := ""
		switch {
		case v.Quantity(): // any number may be written
			continue
		case v.Enumeration():
			text = v.View.Names[x-v.Lo]
			if use != useInitial {
				text = "@" + text
			}
		case v.Bool:
			text = strconv.FormatBool(x == 1)
		case v.Hi-v.Lo < maxValues:
			text = fmt.Sprint(v.Show(x))
		default:
			continue
		}
		if strings.HasPrefix(strings.TrimPrefix(text, "@"), strings.TrimPrefix(typed, "@")) {
			l.Items = append(l.Items, completion{text, "value", v.Name})
		}
	}
	if v.Quantity() {
		for _, e := range v.View.Edges {
			if text := strconv.FormatFloat(e, 'g', -1, 64); strings.HasPrefix(text, typed) {
				l.Items = append(l.Items, completion{text, "value", strings.TrimSpace("edge of a bin, " + v.View.Unit)})
			}
		}
	}
}

// named returns the variables that may stand at a byte of a text, and where their name begins:
// as far back as it is the beginning of a name.
func named(p *factored.Problem, text string, at int, use string) (from int, found []completion) {
	const farthest = 200
	for from := max(0, at-farthest); from <= at; from++ {
		typed := text[from:at]
		if !starts(text, from) || typed != "" && (strings.ContainsAny(typed[:1], " \t(),") || typed[0] >= '0' && typed[0] <= '9') {
			continue
		}
		blank := typed != strings.TrimRight(typed, " \t") && !strings.Contains(typed, "(")
		if blank || typed == "" && endsOperand(strings.TrimRight(text[:at], " \t")) {
			continue
		}
		if items := matching(p, typed, use); len(items) > 0 {
			return from, items
		}
	}
	return at, nil
}

// matching lists the variables whose names begin with a text, then those that contain it.
func matching(p *factored.Problem, typed, use string) []completion {
	var first, others []completion
	typed = strings.ToLower(strings.Join(strings.Fields(typed), ""))
	for i := range p.Variables {
		v := &p.Variables[i]
		switch {
		case v.Clock > 0, use == useRange && (v.Bool || v.Enumeration() || v.Kind == factored.Auxiliary), v.Kind != factored.State && (use == useGoal || use == useInitial), len(first) == maxCompletions:
			continue
		}
		c := completion{v.Name, v.Kind.String(), v.Meaning}
		if c.Detail == "" && !v.Bool {
			c.Detail = v.RangeText()
		}
		switch name := strings.ToLower(strings.Join(strings.Fields(v.Name), "")); {
		case strings.HasPrefix(name, typed):
			first = append(first, c)
		case len(typed) > 1 && strings.Contains(name, typed):
			others = append(others, c)
		}
	}
	return append(first, others...)[:min(maxCompletions, len(first)+len(others))]
}

// endsOperand reports whether a text ends with a name, a number or a closing parenthesis.
func endsOperand(text string) bool {
	return text != "" && (isWordByte(text[len(text)-1]) || strings.IndexByte(")'\"]", text[len(text)-1]) >= 0)
}

// operators offers what may follow an operand.
func (l *completionList) operators(use string) {
	logical := [][2]string{{"=>", "implies"}, {"^", "and"}, {"|", "or"}, {"<=>", "if and only if"}}
	arithmetic := [][2]string{{"==", "equals"}, {"~=", "differs from"}, {"<=", "at most"}, {">=", "at least"}, {"<", "less than"}, {">", "more than"}, {"+", "plus"}, {"-", "minus"}, {"*", "times"}}
	all := append(logical, arithmetic...)
	switch use {
	case useReward:
		all = [][2]string{{"+", "plus"}, {"-", "minus"}, {"*", "times"}}
	case useInitial, useRange:
		all = [][2]string{{"=", "the value"}}
	}
	for _, o := range all {
		l.Items = append(l.Items, completion{o[0], "operator", o[1]})
	}
}
