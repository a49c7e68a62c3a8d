package fromlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/bins"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// chooseBins gives every quantity its edges: those that the user gave by column or name, else
// those that the log suggests.
func chooseBins(t *rawlog.Table, fluents []rawlog.Fluent, r rawlog.Reading, given map[string][]float64) error {
	for name, edges := range given {
		i := slices.IndexFunc(fluents, func(f rawlog.Fluent) bool { return f.Column == name || f.Name == name })
		switch {
		case i < 0 || fluents[i].Use != rawlog.AsState && fluents[i].Use != rawlog.AsAction:
			return fmt.Errorf("--bins %s: there is no such state or action; expected COLUMN=EDGE,EDGE,…", name)
		case fluents[i].Kind != rawlog.Real && fluents[i].Kind != rawlog.Int:
			return fmt.Errorf("--bins %s: the column has no numbers", name)
		}
		if err := (bins.Bins{Edges: edges}).Check(); err != nil {
			return fmt.Errorf("--bins %s: %w", name, err)
		}
		fluents[i].Kind, fluents[i].Edges, fluents[i].How = rawlog.Real, edges, "given"
	}
	return rawlog.SuggestBins(t, fluents, r)
}

// document writes the task file.
func document(t *rawlog.Table, fluents []rawlog.Fluent, r Request) (string, error) {
	var b strings.Builder
	rewards := slices.ContainsFunc(fluents, func(f rawlog.Fluent) bool { return f.Use == rawlog.AsReward })
	fmt.Fprintf(&b, "# Inferred from %s, %s. Change what is wrong and run fdplan train again.\n\n", r.Log, counted.Of(t.Rows(), "row"))
	fmt.Fprintf(&b, "network = \"network.bnn\"  # written by: fdplan train %s --task THIS -o network.bnn\n", dataFileOf(r.Missing))
	if r.Goal != "" {
		fmt.Fprintf(&b, "goal = %s  # holds after the last step\n", strconv.Quote(r.Goal))
	} else {
		fmt.Fprintf(&b, "# goal = %s  # holds after the last step\n", strconv.Quote(example(fluents, rawlog.AsState)))
	}
	writeReward(&b, r.Reward, rewards, fluents)
	if len(r.Rules) > 0 {
		var rules []string
		for _, x := range r.Rules {
			rules = append(rules, strconv.Quote(x))
		}
		fmt.Fprintf(&b, "rules = [%s]  # hold at every step\n", strings.Join(rules, ", "))
	} else {
		fmt.Fprintf(&b, "# rules = [%s]  # hold at every step\n", strconv.Quote(example(fluents, rawlog.AsState)+" => "+example(fluents, rawlog.AsAction)))
	}
	b.WriteString("# horizon = 10  # number of steps of a plan\n")
	initial := map[string]string{}
	for _, text := range r.Initial {
		name, value, ok := strings.Cut(text, "=")
		if !ok || !slices.ContainsFunc(fluents, func(f rawlog.Fluent) bool { return f.Use == rawlog.AsState && f.Name == name }) {
			return "", fmt.Errorf("--initial %s: expected STATE=VALUE with one of the states", text)
		}
		initial[name] = value
	}
	for i := range fluents {
		f := &fluents[i]
		switch f.Use {
		case rawlog.AsState:
			b.WriteString("\n[[state]]\n")
		case rawlog.AsAction:
			b.WriteString("\n[[action]]\n")
		default:
			continue
		}
		fmt.Fprintf(&b, "name = %s\n", strconv.Quote(f.Name))
		writeType(&b, f)
		if f.Use == rawlog.AsAction {
			writeDefault(&b, f)
		}
		if f.Use == rawlog.AsState {
			value, ok := initial[f.Name]
			if !ok {
				value = t.Columns[t.Column(f.Column)].First()
			}
			fmt.Fprintf(&b, "initial = %s\n", literal(f, value))
		}
	}
	writeLog(&b, fluents, r)
	return b.String(), nil
}

// writeReward writes the reward of a step, or what the user may write there.
func writeReward(b *strings.Builder, given string, learned bool, fluents []rawlog.Fluent) {
	if given != "" {
		fmt.Fprintf(b, "reward = %s  # of a step\n", strconv.Quote(given))
		return
	}
	if learned {
		b.WriteString("# The reward of a step is learned from the column reward; a sum here would replace it:\n")
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
		return fmt.Sprintf("%s == %v", f.Name, f.Hi)
	case rawlog.Enum:
		return fmt.Sprintf("%s == %s", f.Name, valueName(f.Values[0]))
	case rawlog.Real:
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
		fmt.Fprintf(b, "range = [%v, %v]\n", f.Lo, f.Hi)
	case rawlog.Enum:
		var values []string
		for _, v := range f.Values {
			values = append(values, strconv.Quote(v))
		}
		fmt.Fprintf(b, "values = [%s]\n", strings.Join(values, ", "))
	case rawlog.Real:
		var edges []string
		for _, e := range f.Edges {
			edges = append(edges, strconv.FormatFloat(e, 'g', -1, 64))
		}
		fmt.Fprintf(b, "edges = [%s]  # of the bins; %s; the log has %v to %v\n", strings.Join(edges, ", "), f.How, f.Lo, f.Hi)
		if f.Unit != "" {
			fmt.Fprintf(b, "unit = %s\n", strconv.Quote(f.Unit))
		}
	}
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

// writeLog writes how train reads the log itself.
func writeLog(b *strings.Builder, fluents []rawlog.Fluent, r Request) {
	b.WriteString("\n[log]  # how fdplan train reads a log such as the one above\n")
	if r.Delimiter != 0 {
		fmt.Fprintf(b, "delimiter = %s\n", strconv.Quote(string(r.Delimiter)))
	}
	if r.Missing != "" {
		fmt.Fprintf(b, "missing = %s\n", strconv.Quote(string(r.Missing)))
	}
	var renamed []string
	for i := range fluents {
		f := &fluents[i]
		switch f.Use {
		case rawlog.AsEpisode:
			fmt.Fprintf(b, "episode = %s\n", strconv.Quote(f.Column))
		case rawlog.AsTime:
			fmt.Fprintf(b, "time = %s\n", strconv.Quote(f.Column))
			if r.Gap > 0 {
				fmt.Fprintf(b, "gap = %v  # an episode ends if the next row comes later\n", r.Gap)
			}
		case rawlog.Dropped:
			fmt.Fprintf(b, "# column %s is not used: %s\n", f.Column, f.Why)
		default:
			if f.Name != f.Column {
				renamed = append(renamed, fmt.Sprintf("%s = %s", strconv.Quote(f.Name), strconv.Quote(f.Column)))
			}
		}
	}
	if len(renamed) > 0 {
		fmt.Fprintf(b, "columns = {%s}  # of fluents with another name\n", strings.Join(renamed, ", "))
	}
}
