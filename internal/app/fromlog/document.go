package fromlog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/bins"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// chooseBins gives every quantity its edges: those that the user gave by column or name, else
// those that the log suggests.
func chooseBins(ctx context.Context, t *rawlog.Table, fluents []rawlog.Fluent, r rawlog.Reading, s rawlog.Spec) error {
	for _, list := range []struct {
		flag, form string
		names      []string
	}{{"--bins", "COLUMN or COLUMN=EDGE,EDGE,…", s.Binned}, {"--decimals", "COLUMN=DIGITS", slices.Sorted(maps.Keys(s.Decimals))}} {
		for _, name := range list.names {
			i := slices.IndexFunc(fluents, func(f rawlog.Fluent) bool { return f.IsFluent() && (f.Column == name || f.Name == name) })
			switch {
			case i < 0:
				return fmt.Errorf("%s %s: there is no such state, input or action; expected %s", list.flag, name, list.form)
			case fluents[i].Kind != rawlog.Real && fluents[i].Kind != rawlog.Int:
				return fmt.Errorf("%s %s: the column has no numbers", list.flag, name)
			}
			if fluents[i].Kind == rawlog.Int && !(list.flag == "--decimals" && s.Decimals[name] == 0) {
				fluents[i].Kind, fluents[i].Why = rawlog.Real, ""
			}
		}
	}
	for name := range s.Ranges {
		if !slices.ContainsFunc(fluents, func(f rawlog.Fluent) bool {
			return (f.Column == name || f.Name == name) && f.IsFluent()
		}) {
			return fmt.Errorf("--range %s: there is no such state or action; expected COLUMN=LO..HI[ by STEP]", name)
		}
		if _, twice := s.Bins[name]; twice {
			return fmt.Errorf("--range %s: --bins gives its range too; expected one of them", name)
		}
	}
	for name, edges := range s.Bins {
		i := slices.IndexFunc(fluents, func(f rawlog.Fluent) bool { return f.Column == name || f.Name == name })
		switch {
		case i < 0 || !fluents[i].IsFluent():
			return fmt.Errorf("--bins %s: there is no such state or action; expected COLUMN=EDGE,EDGE,…", name)
		case fluents[i].Kind != rawlog.Real && fluents[i].Kind != rawlog.Int:
			return fmt.Errorf("--bins %s: the column has no numbers", name)
		}
		if err := (bins.Bins{Edges: edges}).Check(); err != nil {
			return fmt.Errorf("--bins %s: %w", name, err)
		}
		fluents[i].Kind, fluents[i].Edges, fluents[i].How = rawlog.Real, edges, "given"
		fluents[i].Why = ""
	}
	return rawlog.Quantify(ctx, t, fluents, r, &s)
}

// document writes the task file.
func document(x *looked, r Request) (string, error) {
	t, fluents := x.t, x.fluents
	var b strings.Builder
	fmt.Fprintf(&b, "# Inferred from %s, %s. Change what is wrong and run fdplan train again.\n\n", r.Log, counted.Of(t.Rows(), "row"))
	fmt.Fprintf(&b, "network = \"network.bnn\"  # written by: fdplan train %s --task THIS -o network.bnn\n", dataFileOf(r.Missing, fluents))
	if r.Goal != "" {
		fmt.Fprintf(&b, "goal = %s  # holds after the last step\n", strconv.Quote(r.Goal))
	} else {
		fmt.Fprintf(&b, "# goal = %s  # holds after the last step\n", strconv.Quote(example(fluents, rawlog.AsState)))
	}
	writeReward(&b, r.Reward, fluents)
	writeRules(&b, fluents, r.Rules, x.end.conditions)
	b.WriteString("# horizon = 10  # number of steps of a plan\n")
	initial := map[string]string{}
	lags := lagsOf(fluents, r.Lags)
	for _, text := range r.Initial {
		name, value, ok := strings.Cut(text, "=")
		if !ok || lags[name] == nil && !slices.ContainsFunc(fluents, func(f rawlog.Fluent) bool { return f.IsFluent() && f.Use != rawlog.AsAction && f.Name == name }) {
			return "", fmt.Errorf("--initial %s: expected STATE=VALUE with one of the states", text)
		}
		initial[name] = value
	}
	for i := range fluents {
		f := &fluents[i]
		if !f.IsFluent() {
			continue
		}
		fmt.Fprintf(&b, "\n[[%s]]\n", f.Use)
		fmt.Fprintf(&b, "name = %s\n", strconv.Quote(f.Name))
		writeType(&b, f)
		if f.Use == rawlog.AsAction {
			writeDefault(&b, f)
		} else {
			value, ok := initial[f.Name]
			switch {
			case ok:
			case f.Column == x.shape.Terminal: // an episode has not ended where it begins
				value = "false"
			default:
				value = t.Columns[t.Column(f.Column)].First()
			}
			fmt.Fprintf(&b, "initial = %s\n", literal(f, value))
		}
	}
	if err := writeLags(&b, x, r.Lags, initial); err != nil {
		return "", err
	}
	writeEntities(&b, x, r.Entity)
	writeLog(&b, x, r)
	return b.String(), nil
}

// lagName names the state that is a fluent's value some rows before: level_1, and value_1(c0) of value(c0).
func lagName(name string, by int) string {
	base, args, _ := strings.Cut(name, "(")
	return base + "_" + strconv.Itoa(by) + name[len(base):len(name)-len(args)] + args
}

// lagsOf lists the lags of states and actions by their names, with their fluents.
func lagsOf(fluents []rawlog.Fluent, lags int) map[string]*rawlog.Fluent {
	out := map[string]*rawlog.Fluent{}
	for i := range fluents {
		for by := 1; by <= lags && fluents[i].IsFluent(); by++ {
			out[lagName(fluents[i].Name, by)] = &fluents[i]
		}
	}
	return out
}

// writeLags writes the states that are values of rows before.
func writeLags(b *strings.Builder, x *looked, lags int, initial map[string]string) error {
	for i := range x.fluents {
		f := &x.fluents[i]
		for by := 1; by <= lags && f.IsFluent(); by++ {
			name := lagName(f.Name, by)
			if slices.ContainsFunc(x.fluents, func(o rawlog.Fluent) bool { return o.Name == name }) {
				return fmt.Errorf("--lags %d: column %s has the name of a lag of %s; expected --rename %s=NAME, or fewer lags", lags, name, f.Name, name)
			}
			fmt.Fprintf(b, "\n[[state]]\nname = %s\nlag = {of = %s, by = %d}  # its value %s before\n", strconv.Quote(name), strconv.Quote(f.Name), by, counted.Of(by, "row"))
			value, ok := initial[name]
			if !ok && f.Use == rawlog.AsAction && f.Default == "" {
				value = x.t.Columns[x.t.Column(f.Column)].First()
			}
			if value != "" {
				fmt.Fprintf(b, "initial = %s\n", literal(f, value))
			}
		}
	}
	return nil
}

// writeRules writes the rules, or what the user may write there, and the final states.
func writeRules(b *strings.Builder, fluents []rawlog.Fluent, rules, final []string) {
	if len(rules) > 0 {
		fmt.Fprintf(b, "rules = %s  # hold at every step\n", texts(rules))
	} else {
		fmt.Fprintf(b, "# rules = [%s]  # hold at every step\n", strconv.Quote(example(fluents, rawlog.AsState)+" => "+example(fluents, rawlog.AsAction)))
	}
	if len(final) > 0 {
		fmt.Fprintf(b, "final = %s  # no step begins in such a state: in the log they end an episode\n", texts(final))
	}
}

// writeReward writes the reward of a step, or what the user may write there.
func writeReward(b *strings.Builder, given string, fluents []rawlog.Fluent) {
	if given != "" {
		fmt.Fprintf(b, "reward = %s  # of a step\n", strconv.Quote(given))
		return
	}
	var learned []string
	for i := range fluents {
		if fluents[i].Use == rawlog.AsReward {
			learned = append(learned, strings.Map(printable, fluents[i].Column))
		}
	}
	if len(learned) > 0 {
		fmt.Fprintf(b, "# The reward of a step is learned from the column %s; a sum here would replace it:\n", strings.Join(learned, " and "))
	}
	fmt.Fprintf(b, "# reward = %s  # of a step\n", strconv.Quote("-("+example(fluents, rawlog.AsAction)+") - 2*("+example(fluents, rawlog.AsState)+")"))
}

// example is a condition on the first fluent of a use.
func example(fluents []rawlog.Fluent, use rawlog.Use) string {
	i := slices.IndexFunc(fluents, func(f rawlog.Fluent) bool { return f.Use == use })
	if i < 0 {
		return "true"
	}
	switch f := &fluents[i]; f.Kind {
	case rawlog.Int:
		return fmt.Sprintf("%s == %.0f", f.Name, f.Hi)
	case rawlog.Enum:
		return fmt.Sprintf("%s == %s", f.Name, valueName(f.Values[0]))
	case rawlog.Real:
		if f.Fixed() {
			return fmt.Sprintf("%s >= %s", f.Name, f.Step.Text(f.Lo+(f.Hi-f.Lo)*3/4))
		}
		return fmt.Sprintf("%s >= %v", f.Name, f.Edges[len(f.Edges)-2])
	default:
		return f.Name
	}
}

// valueName writes a value of an enumeration as in expressions.
func valueName(v string) string {
	word := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, v)
	if word == v {
		return "@" + v
	}
	return `"` + v + `"`
}

func writeType(b *strings.Builder, f *rawlog.Fluent) {
	switch f.Kind {
	case rawlog.Int:
		fmt.Fprintf(b, "range = [%.0f, %.0f]\n", f.Lo, f.Hi)
	case rawlog.Enum:
		fmt.Fprintf(b, "values = %s\n", texts(f.Values))
	case rawlog.Real:
		if f.Fixed() {
			fmt.Fprintf(b, "range = %q  # %s\n", f.Step.Text(f.Lo)+".."+f.Step.Text(f.Hi)+" by "+f.Step.String(), f.How)
		} else {
			writeEdges(b, f)
		}
		if f.Unit != "" {
			fmt.Fprintf(b, "unit = %s\n", strconv.Quote(f.Unit))
		}
	}
}

// writeEdges writes the bins of a quantity.
func writeEdges(b *strings.Builder, f *rawlog.Fluent) {
	var edges []string
	for _, e := range f.Edges {
		edges = append(edges, strconv.FormatFloat(e, 'g', -1, 64))
	}
	fmt.Fprintf(b, "edges = [%s]  # of the bins; %s; the log has %v to %v\n", strings.Join(edges, ", "), f.How, f.Lo, f.Hi)
}

// literal writes a value in TOML.
func literal(f *rawlog.Fluent, text string) string {
	switch f.Kind {
	case rawlog.Bool:
		b, _ := rawlog.Truth(text)
		return strconv.FormatBool(b)
	case rawlog.Enum:
		return strconv.Quote(text)
	}
	return text
}

// writeTable writes a table of entries in a line; nothing without entries.
func writeTable(b *strings.Builder, key string, entries []string, comment string) {
	if len(entries) > 0 {
		fmt.Fprintf(b, "%s = {%s}  # %s\n", key, strings.Join(entries, ", "), comment)
	}
}

// texts is a list of texts.
func texts(list []string) string {
	var out []string
	for _, x := range list {
		out = append(out, strconv.Quote(x))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// printable replaces what a comment cannot have.
func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// writeLog writes how train reads the log itself.
func writeLog(b *strings.Builder, x *looked, r Request) {
	fluents, reading := x.fluents, x.reading
	b.WriteString("\n[log]  # how fdplan train reads a log such as the one above\n")
	if r.Delimiter != "" {
		fmt.Fprintf(b, "delimiter = %s\n", strconv.Quote(strings.ReplaceAll(r.Delimiter, `\t`, "\t")))
	}
	if r.Missing != "" {
		fmt.Fprintf(b, "missing = %s\n", strconv.Quote(string(r.Missing)))
	}
	if len(r.Derive) > 0 {
		fmt.Fprintf(b, "derive = %s  # inputs that are made of the stamps of time\n", texts(r.Derive))
	}
	var next []string
	for _, base := range slices.Sorted(maps.Keys(reading.Next)) {
		next = append(next, fmt.Sprintf("%s = %s", strconv.Quote(base), strconv.Quote(reading.Next[base])))
	}
	writeTable(b, "next", next, "columns of next states")
	var counts []string
	for _, column := range slices.Sorted(maps.Keys(x.weights)) {
		counts = append(counts, fmt.Sprintf("%s = %v", strconv.Quote(column), x.weights[column]))
	}
	writeTable(b, "reward", counts, "columns that it counts, with their weights")
	var unused []string
	for _, u := range x.unused {
		unused = append(unused, fmt.Sprintf("%s = {of = %s, uses = %s, none = %s}", strconv.Quote(u.Column), strconv.Quote(u.Of), texts(u.Uses), strconv.Quote(u.None)))
	}
	writeTable(b, "unused", unused, "what is empty where another column does not use it")
	if len(reading.Ends) > 0 {
		fmt.Fprintf(b, "ends = %s  # columns that are true where an episode ends\n", texts(reading.Ends))
	}
	var renamed []string
	for i := range fluents {
		f := &fluents[i]
		if f.Use == rawlog.AsEntity || f.Column == r.Entity { // which may be an input beside
			fmt.Fprintf(b, "entity = %s  # whose rows follow each other\n", strconv.Quote(f.Column))
		}
		switch f.Use {
		case rawlog.AsNext, rawlog.AsEnd, rawlog.AsReward, rawlog.AsEntity:
		case rawlog.AsEpisode:
			fmt.Fprintf(b, "episode = %s\n", strconv.Quote(f.Column))
		case rawlog.AsTime:
			fmt.Fprintf(b, "time = %s\n", strconv.Quote(f.Column))
			if r.Gap > 0 {
				fmt.Fprintf(b, "gap = %v  # an episode ends if the next row comes later\n", r.Gap)
			}
		case rawlog.Dropped:
			fmt.Fprintf(b, "# column %s is not used: %s\n", strings.Map(printable, f.Column), strings.Map(printable, f.Why))
		default:
			if f.Name != f.Column {
				renamed = append(renamed, fmt.Sprintf("%s = %s", strconv.Quote(f.Name), strconv.Quote(f.Column)))
			}
		}
	}
	writeTable(b, "columns", renamed, "of fluents with another name")
}
