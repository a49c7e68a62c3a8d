package fromlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// idle are the names of values that plainly say that nothing is done. A name such as stop or
// off may well be an action.
var idle = []string{"wait", "none", "noop", "no-op", "no_op", "no op", "nop", "idle", "nothing", "do nothing", "do_nothing", "stay"}

// chooseDefaults decides which value of an action does nothing, so that plans omit it: the
// given one, as ACTION=VALUE, else one that is named so, else false. Of the only action, false
// and true may as well be two actions if the log has 0 and 1.
func chooseDefaults(fluents []rawlog.Fluent, given []string) error {
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		i := slices.IndexFunc(fluents, func(f rawlog.Fluent) bool {
			return f.Use == rawlog.AsAction && (f.Name == name || f.Column == name)
		})
		switch {
		case !ok || i < 0:
			return fmt.Errorf("--default %s: expected ACTION=VALUE with one of the actions, %s", text, strings.Join(actionsOf(fluents), ", "))
		case !isValue(&fluents[i], value):
			return fmt.Errorf("--default %s: %q is not a value of %s", text, value, name)
		}
		fluents[i].Default = value
	}
	only := len(actionsOf(fluents)) == 1
	for i := range fluents {
		f := &fluents[i]
		if f.Use != rawlog.AsAction || f.Default != "" {
			continue
		}
		for _, v := range f.Values {
			if f.Default == "" && slices.Contains(idle, strings.ToLower(v)) {
				f.Default = v
			}
		}
		f.Listed = f.Kind == rawlog.Bool && f.Digits && only
	}
	return nil
}

func actionsOf(fluents []rawlog.Fluent) []string {
	var out []string
	for i := range fluents {
		if fluents[i].Use == rawlog.AsAction {
			out = append(out, fluents[i].Name)
		}
	}
	return out
}

// isValue reports whether a text is a value of a fluent.
func isValue(f *rawlog.Fluent, text string) bool {
	switch f.Kind {
	case rawlog.Bool:
		_, ok := rawlog.Truth(text)
		return ok
	case rawlog.Enum:
		return slices.Contains(f.Values, text)
	}
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && x >= f.Lo && x <= f.Hi
}

// writeDefault writes the value that plans leave out.
func writeDefault(b *strings.Builder, f *rawlog.Fluent) {
	switch {
	case f.Default != "":
		fmt.Fprintf(b, "default = %s  # does nothing: a plan does not list it\n", literal(f, f.Default))
	case f.Listed:
		b.WriteString("listed = true  # plans list it in every step; without this line, false does nothing\n")
	case f.Kind != rawlog.Bool:
		fmt.Fprintf(b, "# default = %s  # if it does nothing: a plan would not list it\n", literal(f, first(f)))
	}
}

// first is the first value of an action.
func first(f *rawlog.Fluent) string {
	if f.Kind == rawlog.Enum {
		return f.Values[0]
	}
	return strconv.FormatFloat(f.Lo, 'g', 15, 64)
}

// nothing says which value of an action does nothing.
func nothing(f *rawlog.Fluent) string {
	switch {
	case f.Default != "":
		return f.Default + " does nothing"
	case f.Kind == rawlog.Bool && !f.Listed:
		return "false does nothing"
	}
	return fmt.Sprintf("no value is known to do nothing; else --default %s=VALUE", f.Name)
}
