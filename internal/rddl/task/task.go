package task

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	toml "github.com/pelletier/go-toml/v2"

	"github.com/fdplan/fdplan/internal/data/bins"
	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Task is the content of a task file. File names can be opened directly: relative ones have
// been joined to the task file's folder.
type Task struct {
	File     string // the task file; empty if there is none
	Domain   string
	Instance string // empty if the domain's file contains the instance

	Goal     string // an RDDL expression over the state; empty for none
	Horizon  int    // of plans; 0 for the instance's own
	Learned  []string
	Inputs   []string // what the network reads, in order; nil for all actions, then all states
	Ranges   map[string]translate.Range
	Bins     map[string]bins.Bins // by fluent: the quantity that an integer's values are levels of
	Network  string               // the network's file; empty for none
	BitNames map[string][]string  // by fluent: names of its bits in foreign files, most significant first

	Rules   []string // conditions that always hold, beside those of RDDL; see package expr
	Reward  string   // a sum, in place of that of RDDL; see expr.SetReward
	Initial []string // NAME=VALUE, in place of the values in RDDL

	// Of a task without RDDL, which declares its fluents itself: see Declares.
	States, Actions []Fluent // inputs are among the states
	Final           []string // conditions of states in which no step begins
	Entities        []Entity
	Log             Log

	// Levels makes goals compare the numbers of bins instead of quantities.
	Levels bool

	where   positions
	chances []chanceTable
	inputs  int // how many of the states, the last ones

	unknown []string // see Unknown
	pddl    *inPDDL  // nil for RDDL
}

// ReadFile reads a file by its name, as source.ReadFile does.
type ReadFile func(name string) ([]byte, error)

// file is the document in TOML.
type file struct {
	Domain   *string              `toml:"domain"`
	Instance *string              `toml:"instance"`
	Goal     *string              `toml:"goal"`
	Horizon  *int                 `toml:"horizon"`
	Learned  []string             `toml:"learned"`
	Inputs   []string             `toml:"inputs"`
	Network  *string              `toml:"network"`
	Ranges   map[string]any       `toml:"ranges"`
	Bins     map[string]binsTable `toml:"discretize"`
	Files    map[string]any       `toml:"files"`
	State    []fluentTable        `toml:"state"`
	Action   []fluentTable        `toml:"action"`
	Input    []fluentTable        `toml:"input"`
	Entity   []Entity             `toml:"entity"`
	Rules    []string             `toml:"rules"`
	Final    []string             `toml:"final"`
	Reward   *string              `toml:"reward"`
	Log      Log                  `toml:"log"`
	Initial  map[string]any       `toml:"initial"`
	Chance   []chanceTable        `toml:"chance"`
}

type binsTable struct {
	Lo    *float64  `toml:"lo"`
	Hi    *float64  `toml:"hi"`
	Bits  *int      `toml:"bits"`
	Edges []float64 `toml:"edges"`
	Unit  string    `toml:"unit"`
}

// binsForm is the form of an entry of [discretize], for messages.
const binsForm = "{lo = NUMBER, hi = NUMBER, bits = N} or {edges = [NUMBER, …]}, with unit = \"UNIT\" if it has one"

// read returns the bins of an entry.
func (b *binsTable) read() (bins.Bins, error) {
	var out bins.Bins
	var err error
	switch uniform := b.Lo != nil && b.Hi != nil && b.Bits != nil; {
	case b.Edges != nil && (b.Lo != nil || b.Hi != nil || b.Bits != nil), b.Edges == nil && !uniform:
		return out, fmt.Errorf("expected %s", binsForm)
	case uniform:
		out, err = bins.Uniform(*b.Lo, *b.Hi, *b.Bits)
	default:
		out = bins.Bins{Edges: b.Edges}
		err = out.Check()
	}
	out.Unit = b.Unit
	return out, err
}

// keys are the keys of the document, for messages.
const keys = "domain, instance, goal, horizon, learned, inputs, network, rules, reward, [ranges], [discretize], [files], [initial] or, without a domain, final, [[state]], [[action]], [[input]], [[entity]] and [log]"

// keysOf returns the table of the document that a key stands in, as it is written, and the keys that it has; none of a table with any keys.
func keysOf(key []string) (table string, names []string) {
	t := reflect.TypeFor[file]()
	for i := 0; i < len(key)-1; i++ {
		f, ok := fieldOf(t, key[i])
		if !ok {
			return "", nil
		}
		table = "[" + strings.Join(key[:i+1], ".") + "]"
		switch t = f.Type; t.Kind() {
		case reflect.Slice:
			t, table = t.Elem(), "["+table+"]"
		case reflect.Map:
			t = t.Elem()
			i++
		}
		if t.Kind() != reflect.Struct {
			return "", nil
		}
	}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("toml"); name != "" {
			names = append(names, name)
		}
	}
	return table, names
}

func fieldOf(t reflect.Type, key string) (f reflect.StructField, ok bool) {
	return t.FieldByNameFunc(func(name string) bool {
		f, _ := t.FieldByName(name)
		return f.Tag.Get("toml") == key
	})
}

// Load reads the named task file with source.ReadFile, or with another function.
func Load(name string, read ReadFile) (*Task, error) {
	if read == nil {
		read = source.ReadFile
	}
	text, err := read(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// Parse reads the text of the task file called name. Errors are *source.Error.
func Parse(name string, text []byte) (*Task, error) {
	var f file
	d := toml.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, positioned(name, err)
	}
	t := &Task{File: name, Learned: f.Learned, Inputs: f.Inputs, where: findPositions(text)}
	for _, one := range []struct {
		key  string
		to   *string
		from *string
	}{{"domain", &t.Domain, f.Domain}, {"instance", &t.Instance, f.Instance}, {"network", &t.Network, f.Network}} {
		switch {
		case one.from == nil:
		case *one.from == "":
			return nil, t.errorAt([]string{one.key}, "%s names no file; expected a file, relative to this one", one.key)
		default:
			*one.to = join(name, *one.from)
		}
	}
	if f.Goal != nil {
		if t.Goal = *f.Goal; strings.TrimSpace(t.Goal) == "" {
			return nil, t.errorAt([]string{"goal"}, "the goal is empty; expected an RDDL expression over the state, or no goal")
		}
	}
	if f.Horizon != nil {
		if t.Horizon = *f.Horizon; t.Horizon < 1 {
			return nil, t.errorAt([]string{"horizon"}, "the horizon is %d; expected at least 1", t.Horizon)
		}
	}
	if err := t.setDeclared(&f); err != nil {
		return nil, err
	}
	if err := t.setChance(f.Chance); err != nil {
		return nil, err
	}
	if err := t.checkLearned(); err != nil {
		return nil, err
	}
	if err := t.setRanges(f.Ranges); err != nil {
		return nil, err
	}
	if err := t.setBins(f.Bins); err != nil {
		return nil, err
	}
	if err := t.setBitNames(f.Files); err != nil {
		return nil, err
	}
	return t, nil
}

// ReadDocument reads a task file as the document that it is, to be changed.
func ReadDocument(text []byte) (map[string]any, error) {
	var doc map[string]any
	err := toml.Unmarshal(text, &doc)
	return doc, err
}

// checkLearned refuses lists that repeat a name, and entries that are meaningless without a
// learned fluent.
func (t *Task) checkLearned() error {
	for _, list := range []struct {
		key   string
		names []string
	}{{"learned", t.Learned}, {"inputs", t.Inputs}} {
		listed := map[string]bool{}
		for _, n := range list.names {
			if listed[n] {
				return t.errorAt([]string{list.key}, "%s lists %s twice; expected each name once", list.key, n)
			}
			listed[n] = true
		}
	}
	const expected = "expected learned = [\"FLUENT\", …]"
	if t.Network != "" && len(t.Learned) == 0 {
		return t.errorAt([]string{"network"}, "there is a network but no learned fluent; %s", expected)
	}
	if t.Inputs != nil && len(t.Learned) == 0 {
		return t.errorAt([]string{"inputs"}, "there are inputs but no learned fluent; %s", expected)
	}
	return nil
}

func (t *Task) setRanges(from map[string]any) error {
	t.Ranges = map[string]translate.Range{}
	for _, name := range sorted(from) {
		r, err := readRange(from[name], nil)
		if err != nil {
			return t.errorAt([]string{"ranges", name}, "this is not a range for %s; %v", name, err)
		}
		t.Ranges[name] = r
	}
	return nil
}

// setBins reads how quantities become levels, and sets the ranges of the levels.
func (t *Task) setBins(from map[string]binsTable) error {
	if len(from) > 0 {
		t.Bins = map[string]bins.Bins{}
	}
	for _, name := range sorted(from) {
		b := from[name]
		var err error
		if t.Bins[name], err = b.read(); err != nil {
			return t.binsError(name, "%s cannot be discretised: %v", name, err)
		}
		if _, twice := t.Ranges[name]; twice {
			return t.binsError(name, "%s has a range already; expected either, since N bins are the range 0..N-1", name)
		}
		t.Ranges[name] = translate.Range{Hi: int64(t.Bins[name].Levels() - 1)}
	}
	return nil
}

// binsError returns an error about a discretisation, which may be written as a table or
// inline.
func (t *Task) binsError(name, format string, args ...any) error {
	const table = "discretize"
	for _, key := range [][]string{{table, name}, {table, name, "bits"}, {table, name, "lo"}, {table, name, "hi"}, {table, name, "edges"}, {table, name, "unit"}} {
		if t.at(key...).line > 0 {
			return t.errorAt(key, format, args...)
		}
	}
	return t.errorAt([]string{table}, format, args...)
}

func (t *Task) setBitNames(from map[string]any) error {
	t.BitNames = map[string][]string{}
	used := map[string]string{}
	for _, name := range sorted(from) {
		var bits []string
		ok := true
		switch v := from[name].(type) {
		case string:
			bits = []string{v}
		case []any:
			for _, x := range v {
				s, isString := x.(string)
				ok = ok && isString
				bits = append(bits, s)
			}
		default:
			ok = false
		}
		if !ok || len(bits) == 0 || slices.Contains(bits, "") {
			return t.errorAt([]string{"files", name}, "these are not names for the bits of %s; expected a string, or an array of one string for each bit", name)
		}
		for _, b := range bits {
			if before, ok := used[b]; ok {
				return t.errorAt([]string{"files", name}, "%s is the name of a bit of %s already; expected one that is free", b, before)
			}
			used[b] = name
		}
		t.BitNames[name] = bits
	}
	return nil
}

// join makes a name in a task file relative to the working directory. Task files use slashes
// on every system.
func join(taskFile, name string) string {
	if filepath.IsAbs(name) || path.IsAbs(name) {
		return name
	}
	if strings.Contains(taskFile, "\\") {
		return filepath.Join(filepath.Dir(taskFile), filepath.FromSlash(name))
	}
	return path.Join(path.Dir(taskFile), name)
}

// positioned converts an error of the TOML reader to a *source.Error.
func positioned(name string, err error) error {
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) && len(missing.Errors) > 0 {
		first := &missing.Errors[0]
		for i := range missing.Errors {
			r0, c0 := first.Position()
			if r, c := missing.Errors[i].Position(); r < r0 || r == r0 && c < c0 {
				first = &missing.Errors[i]
			}
		}
		row, col := first.Position()
		if key := first.Key(); len(key) > 1 && key[0] == "discretize" {
			return source.Errorf(name, row, col, "there is no key %s in [discretize]; expected %s", key[len(key)-1], binsForm)
		}
		key := first.Key()
		table, names := keysOf(key)
		hint := nearest.Hint(key[len(key)-1], names)
		if table != "" {
			return source.Errorf(name, row, col, "there is no key %s in %s; expected %s%s", key[len(key)-1], table, strings.Join(names, ", "), hint)
		}
		return source.Errorf(name, row, col, "there is no key %s; expected %s%s", strings.Join(key, "."), keys, hint)
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, col := decode.Position()
		return source.Errorf(name, row, col, "%s", strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return source.Errorf(name, 0, 0, "%s", strings.TrimPrefix(err.Error(), "toml: "))
}

// otherRange matches LO-HI, LO:HI and LO,HI.
var otherRange = regexp.MustCompile(`^\s*(-?[0-9.]+)\s*[-:,]\s*(-?[0-9.]+)\s*$`)

// ParseRange parses FLUENT=LO..HI or FLUENT=LO..HI by STEP, as on the command line.
func ParseRange(text string) (name string, r translate.Range, err error) {
	name, lo, hi, err := CutRange(text)
	if err == nil {
		r.Lo, r.Hi, r.View, err = factored.ParseRange(lo + ".." + hi)
	}
	return name, r, err
}

// CutRange returns the fluent, the lower end, and the upper end with the step of a range.
func CutRange(text string) (name, lo, hi string, err error) {
	i := strings.LastIndexByte(text, '=')
	lo, hi, ok := strings.Cut(text[i+1:], "..")
	if m := otherRange.FindStringSubmatch(text[i+1:]); !ok && m != nil {
		lo, hi, ok = m[1], m[2], true
	}
	if i <= 0 || !ok {
		return "", "", "", fmt.Errorf("%q is not a range; expected FLUENT=LO..HI such as age=0..3", text)
	}
	return strings.TrimSpace(text[:i]), strings.TrimSpace(lo), strings.TrimSpace(hi), nil
}

// readRange reads a range in TOML: [LO, HI] of integers, of numbers with decimals digits after
// the point, or a text as factored.ParseRange reads it.
func readRange(x any, decimals *int) (r translate.Range, err error) {
	const form = "expected [LO, HI] with LO <= HI, or \"LO..HI by STEP\""
	if text, ok := x.(string); ok && decimals == nil {
		r.Lo, r.Hi, r.View, err = factored.ParseRange(text)
		return r, err
	}
	list, ok := x.([]any)
	if !ok || len(list) != 2 {
		return r, errors.New(form)
	}
	var ends [2]string
	for i, end := range list {
		switch end := end.(type) {
		case int64:
			ends[i] = strconv.FormatInt(end, 10)
		case float64:
			ends[i] = strconv.FormatFloat(end, 'f', -1, 64)
			if decimals == nil {
				return r, fmt.Errorf("%s is no integer; %s, or decimals = N beside it", ends[i], form)
			}
		default:
			return r, errors.New(form)
		}
	}
	if decimals != nil {
		r.Lo, r.Hi, r.View, err = factored.DecimalRange(ends[0], ends[1], *decimals)
		return r, err
	}
	r.Lo, r.Hi = list[0].(int64), list[1].(int64)
	if r.Lo > r.Hi {
		return r, errors.New(form)
	}
	return r, nil
}
