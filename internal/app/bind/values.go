package bind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Horizon is a number of steps, or a range of which the best is wanted. The zero value is none.
type Horizon struct{ Min, Max int }

// Steps is the horizon of so many steps.
func Steps(n int) Horizon { return Horizon{n, n} }

// UnmarshalText reads "4" or "4..10".
func (h *Horizon) UnmarshalText(text []byte) error {
	from, to, isRange := strings.Cut(string(text), "..")
	for _, other := range []string{"-", ":", ","} { // as other programs write ranges
		if !isRange {
			from, to, isRange = strings.Cut(string(text), other)
		}
	}
	if !isRange {
		to = from
	}
	var err1, err2 error
	h.Min, err1 = strconv.Atoi(from)
	h.Max, err2 = strconv.Atoi(to)
	if err1 != nil || err2 != nil {
		h.Min = 0
	}
	return h.check(strconv.Quote(string(text)), "4..10")
}

// check refuses what is no horizon.
func (h *Horizon) check(text, example string) error {
	if h.Min < 1 || h.Max < h.Min || h.Max > 1_000_000 {
		return fmt.Errorf("%.40s is not a horizon; expected a number from 1 to 1000000, or a range such as %s", text, example)
	}
	return nil
}

// UnmarshalJSON reads 4, "4..10" or [4, 10].
func (h *Horizon) UnmarshalJSON(text []byte) error {
	var word string
	var pair []int
	switch {
	case json.Unmarshal(text, &word) == nil:
		return h.UnmarshalText([]byte(word))
	case json.Unmarshal(text, &h.Min) == nil:
		h.Max = h.Min
	case json.Unmarshal(text, &pair) == nil && len(pair) == 2:
		h.Min, h.Max = pair[0], pair[1]
	}
	return h.check(string(text), `"4..10" or [4, 10]`)
}

// MarshalJSON writes a number, or a range as a text.
func (h Horizon) MarshalJSON() ([]byte, error) {
	if h.Min == h.Max {
		return json.Marshal(h.Min)
	}
	return json.Marshal(h.String())
}

// String is the horizon as the command line has it.
func (h Horizon) String() string {
	if h.Min == h.Max {
		return strconv.Itoa(h.Min)
	}
	return fmt.Sprintf("%d..%d", h.Min, h.Max)
}

// One is one number of steps, 0 for none.
type One int

// UnmarshalText reads a number.
func (n *One) UnmarshalText(text []byte) error {
	var h Horizon
	if err := h.UnmarshalText(text); err != nil || h.Min != h.Max {
		return fmt.Errorf("%.40q is not a horizon here; expected a number from 1 to 1000000", text)
	}
	*n = One(h.Min)
	return nil
}

// UnmarshalJSON reads a number, or a text of one.
func (n *One) UnmarshalJSON(text []byte) error { return n.UnmarshalText(bytes.Trim(text, `"`)) }

// Duration is a time, 0 for none.
type Duration time.Duration

// UnmarshalText reads a time such as 60s.
func (d *Duration) UnmarshalText(text []byte) error {
	word := string(text)
	if _, err := strconv.ParseFloat(word, 64); err == nil {
		word += "s" // as other programs write times
	}
	x, err := time.ParseDuration(word)
	if err != nil || x < 0 {
		return fmt.Errorf("%.40q is not a time; expected a number with a unit, such as 60s or 5m", text)
	}
	*d = Duration(x)
	return nil
}

// maxSeconds keeps a number of seconds within a time.Duration.
const maxSeconds = 1e9

// UnmarshalJSON reads "60s", or a number of seconds.
func (d *Duration) UnmarshalJSON(text []byte) error {
	var seconds float64
	var word string
	switch {
	case json.Unmarshal(text, &word) == nil:
		return d.UnmarshalText([]byte(word))
	case json.Unmarshal(text, &seconds) != nil || !(seconds >= 0) || seconds > maxSeconds:
		return fmt.Errorf("%.40s is not a time; expected a number of seconds from 0 to %v, or a text such as \"60s\"", text, maxSeconds)
	}
	*d = Duration(seconds * float64(time.Second))
	return nil
}

// MarshalJSON writes a text such as "60s".
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// String is the time as the command line has it.
func (d Duration) String() string { return time.Duration(d).String() }

// Size is a number of bytes, 0 for none.
type Size int64

var units = []struct {
	suffix string
	factor float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"G", 1 << 30}, {"M", 1 << 20}, {"g", 1 << 30}, {"m", 1 << 20}, {"gb", 1e9}, {"mb", 1e6}, {"B", 1}}

// UnmarshalText reads a number with a unit.
func (s *Size) UnmarshalText(text []byte) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(string(text), u.suffix)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(x*u.factor >= 1<<20) || x*u.factor > math.MaxInt64/2 {
			break
		}
		*s = Size(x * u.factor)
		return nil
	}
	return fmt.Errorf("%.40q is not a size; expected at least 1MiB, such as 512MiB or 4GiB", text)
}

// UnmarshalJSON reads a number of bytes, or a text such as "4GiB".
func (s *Size) UnmarshalJSON(text []byte) error {
	var bytes int64
	var word string
	switch {
	case json.Unmarshal(text, &word) == nil:
		return s.UnmarshalText([]byte(word))
	case json.Unmarshal(text, &bytes) != nil || bytes != 0 && bytes < 1<<20 || bytes > math.MaxInt64/2:
		return fmt.Errorf("%.40s is not a size; expected at least %d bytes, or a text such as \"4GiB\"", text, 1<<20)
	}
	*s = Size(bytes)
	return nil
}

// String is the size as the command line has it.
func (s Size) String() string { return strconv.FormatInt(int64(s), 10) + "B" }

// Widths are those of layers.
type Widths []int

// UnmarshalText reads numbers with commas between.
func (w *Widths) UnmarshalText(text []byte) error {
	*w = nil
	for _, part := range strings.Split(string(text), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a list of layer widths; expected numbers such as 128,128", text)
		}
		*w = append(*w, n)
	}
	return nil
}

// UnmarshalJSON reads a list of numbers.
func (w *Widths) UnmarshalJSON(text []byte) error {
	var list []int
	if json.Unmarshal(text, &list) != nil || slices.ContainsFunc(list, func(n int) bool { return n < 1 }) {
		return fmt.Errorf("%.40s is not a list of layer widths; expected numbers such as [128, 128]", text)
	}
	*w = list
	return nil
}

// Folder is a folder to write to, "" for none.
type Folder string

// DefaultFolder is where a certificate goes that is given no folder.
const DefaultFolder Folder = "certificate"

// A Loner is a value whose flag may stand alone.
type Loner interface {
	// Alone is the value that the flag then has.
	Alone() string
}

// Alone implements Loner.
func (Folder) Alone() string { return string(DefaultFolder) }

// UnmarshalJSON reads a name, or true for the default.
func (f *Folder) UnmarshalJSON(text []byte) error {
	name, ok := textOrTrue(text, string(DefaultFolder))
	if !ok {
		return fmt.Errorf("%.40s is not a folder; expected a name, or true for %s", text, DefaultFolder)
	}
	*f = Folder(name)
	return nil
}

// textOrTrue reads a text, or true for a default; false is "".
func textOrTrue(text []byte, usual string) (word string, ok bool) {
	var wanted bool
	if json.Unmarshal(text, &word) == nil {
		return word, true
	}
	if ok = json.Unmarshal(text, &wanted) == nil; wanted {
		word = usual
	}
	return word, ok
}

// Share is a percentage between 0 and 100, such as 99%; "" for none.
type Share string

// DefaultShare is the share where one is asked for without a number.
const DefaultShare Share = "99%"

// Alone implements Loner.
func (Share) Alone() string { return string(DefaultShare) }

// UnmarshalText reads 99%.
func (s *Share) UnmarshalText(text []byte) error {
	*s = Share(text)
	if v := s.Value(); *s != "" && !(v > 0 && v < 1) {
		return fmt.Errorf("%.40q is not a share; expected a percentage such as 99%%", text)
	}
	return nil
}

// UnmarshalJSON reads "99%", or true for the default.
func (s *Share) UnmarshalJSON(text []byte) error {
	share, ok := textOrTrue(text, string(DefaultShare))
	if !ok {
		return fmt.Errorf("%.40s is not a share; expected a percentage such as \"99%%\", or true for %s", text, DefaultShare)
	}
	return s.UnmarshalText([]byte(share))
}

// Value returns the share as a number; 0 for none, and for what is none.
func (s Share) Value() float64 {
	number, ok := strings.CutSuffix(strings.TrimSpace(string(s)), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !ok || err != nil {
		return 0
	}
	return v / 100
}

// Settings are values of variables: NAME=VALUE.
type Settings []string

// UnmarshalText adds one.
func (s *Settings) UnmarshalText(text []byte) error {
	*s = append(*s, string(text))
	return nil
}

// UnmarshalJSON reads a list of NAME=VALUE, or an object of values by names.
func (s *Settings) UnmarshalJSON(text []byte) error {
	var list []string
	if json.Unmarshal(text, &list) == nil {
		*s = list
		return nil
	}
	values, err := byName(text)
	if err != nil {
		return err
	}
	*s = nil
	for _, x := range values {
		*s = append(*s, x[0]+"="+x[1])
	}
	return nil
}

// byName reads an object, whose values may be texts or lists of numbers, as pairs in the order of their names.
func byName(text []byte) ([][2]string, error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil, fmt.Errorf("%.40s; expected an object of values by name, or a list or text as the command line has it", text)
	}
	var out [][2]string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := string(object[name])
		var list []json.Number
		if word := ""; json.Unmarshal(object[name], &word) == nil {
			value = word
		} else if json.Unmarshal(object[name], &list) == nil {
			value = strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
		}
		out = append(out, [2]string{name, value})
	}
	return out, nil
}

// Lines are lines of a text: the command line names a file of them, a document has them itself.
type Lines struct{ File, Text string }

// Given reports whether there is either.
func (l Lines) Given() bool { return l.File != "" || l.Text != "" }

// UnmarshalText takes the name of a file.
func (l *Lines) UnmarshalText(text []byte) error {
	*l = Lines{File: string(text)}
	return nil
}

// UnmarshalJSON reads the lines, or an object that stands for lines NAME,VALUE.
func (l *Lines) UnmarshalJSON(text []byte) error {
	*l = Lines{}
	if json.Unmarshal(text, &l.Text) == nil {
		return nil
	}
	values, err := byName(text)
	for _, x := range values {
		l.Text += x[0] + "," + x[1] + "\n"
	}
	return err
}

// String is the name of the file, or what stands for the text.
func (l Lines) String() string {
	if l.File == "" {
		return "-"
	}
	return l.File
}

// Plan is a plan: the command line names its file, a document has it itself.
type Plan struct {
	File string // - for standard input
	Text []byte // nil for that of the file
}

// UnmarshalText takes the name of a file.
func (p *Plan) UnmarshalText(text []byte) error {
	*p = Plan{File: string(text)}
	return nil
}

// UnmarshalJSON takes an answer of plan, or a list of its steps.
func (p *Plan) UnmarshalJSON(text []byte) error {
	switch {
	case len(text) > 0 && text[0] == '[':
		text = slices.Concat([]byte(`{"schema":1,"plan":`), text, []byte(`}`))
	case len(text) == 0 || text[0] != '{':
		return fmt.Errorf("%.40s is not a plan; expected an answer of plan, or a list of steps", text)
	}
	*p = Plan{File: "plan", Text: slices.Clone(text)}
	return nil
}

// String is the name of the file.
func (p Plan) String() string { return p.File }

// Policy is a policy to follow: that of a file or a document, or one that is made now.
type Policy struct {
	Given bool
	Plan  // File is "" for one that is made now
}

// Alone implements Loner.
func (Policy) Alone() string { return "" }

// UnmarshalText takes the name of a file, or nothing.
func (p *Policy) UnmarshalText(text []byte) error {
	p.Given = true
	return p.Plan.UnmarshalText(text)
}

// UnmarshalJSON takes an answer of plan --policy, or true.
func (p *Policy) UnmarshalJSON(text []byte) error {
	if *p = (Policy{}); json.Unmarshal(text, &p.Given) == nil {
		return nil
	}
	if len(text) == 0 || text[0] != '{' {
		return fmt.Errorf("%.40s is not a policy; expected the document of one, or true for one that is made now", text)
	}
	*p = Policy{true, Plan{File: "policy", Text: slices.Clone(text)}}
	return nil
}

// Given is what is assumed of inputs: NAME=VALUE, NAME=VALUE,VALUE,… by step, or NAME=LO..HI. On the command line it may also
// name files of values by step.
type Given []string

// UnmarshalText adds one.
func (g *Given) UnmarshalText(text []byte) error {
	*g = append(*g, string(text))
	return nil
}

// UnmarshalJSON reads a list of texts, or an object of values by names. Files cannot be named.
func (g *Given) UnmarshalJSON(text []byte) error {
	var s Settings
	if err := s.UnmarshalJSON(text); err != nil {
		return err
	}
	for _, x := range s {
		if !strings.Contains(x, "=") {
			return fmt.Errorf("%.40q; expected NAME=VALUE, NAME=VALUE,VALUE,… or NAME=LO..HI", x)
		}
	}
	*g = Given(s)
	return nil
}
