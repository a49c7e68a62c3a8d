package command

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
)

// globals are the flags of all commands.
type globals struct {
	Help    bool `short:"h" help:"Show context-sensitive help."`
	Version bool `help:"Print the version, the commit and the Go version."`
}

// flags are those of a command, the global ones first.
func (e entry) flags() []*bind.Option { return append(app.Binder().Options(globals{}), e.own()...) }

// own are the flags of a command without the global ones.
func (e entry) own() []*bind.Option {
	return slices.DeleteFunc(app.Binder().Options(e.make()), func(o *bind.Option) bool { return o.Positional })
}

// arguments are the arguments of a command that are no flags.
func (e entry) arguments() []*bind.Option {
	return slices.DeleteFunc(app.Binder().Options(e.make()), func(o *bind.Option) bool { return !o.Positional })
}

// flagValue is an option of a request as package pflag has it.
type flagValue struct {
	option  *bind.Option
	request any
	set     *pflag.FlagSet
	negated bool // --no-…
	given   bool
}

// Set implements pflag.Value. A flag is no value: the value before it was left out.
func (v *flagValue) Set(text string) error {
	v.given = true
	name, long := strings.CutPrefix(text, "--")
	letter, short := strings.CutPrefix(text, "-")
	short = short && len(letter) == 1 && !slices.Contains(expressions, v.option.Flag)
	if long && v.set.Lookup(name) != nil || short && v.set.ShorthandLookup(letter) != nil {
		return fmt.Errorf("a value is missing before %s; expected %s", text, summary(v.option))
	}
	err := v.option.Set(v.request, text)
	if on, ok := v.option.Of(v.request).(*bool); ok && v.negated {
		*on = !*on
	}
	return err
}

// String implements pflag.Value.
func (v *flagValue) String() string { return v.option.Default }

// Type implements pflag.Value.
func (v *flagValue) Type() string { return v.option.Type.String() }

// parse reads the words after the name of a command into it. It returns the options that are given; where help or the version is asked for,
// nothing is checked.
func (e entry) parse(c command, words []string) (g globals, given []*bind.Option, err error) {
	binder := app.Binder()
	if err := binder.SetDefaults(c); err != nil {
		return g, nil, fmt.Errorf("%w: %w", app.ErrInternal, err)
	}
	set := pflag.NewFlagSet(e.name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	var values []*flagValue
	add := func(request any, o *bind.Option) {
		v := &flagValue{option: o, request: request, set: set}
		f := set.VarPF(v, o.Flag, o.Short, "")
		if values = append(values, v); isBool(o) {
			f.NoOptDefVal = "true"
		}
		if o.Negatable {
			off := &flagValue{option: o, request: request, set: set, negated: true}
			set.VarPF(off, "no-"+o.Flag, "", "").NoOptDefVal = "true"
			values = append(values, off)
		}
	}
	for _, o := range binder.Options(g) {
		add(&g, o)
	}
	options := binder.Options(c)
	var arguments []*bind.Option
	for _, o := range options {
		if o.Positional {
			arguments = append(arguments, o)
			continue
		}
		add(c, o)
	}
	if err := set.Parse(alone(words, options)); err != nil {
		return g, nil, e.refusal(err)
	}
	if g.Help || g.Version {
		return g, nil, nil
	}
	given, err = assign(c, arguments, set.Args())
	for _, v := range values {
		if v.given && !slices.Contains(given, v.option) {
			given = append(given, v.option)
		}
	}
	if err == nil {
		err = complete(options, given)
	}
	return g, given, err
}

// alone gives the flags that stand alone their values.
func alone(words []string, options []*bind.Option) []string {
	var out []string
	for n := 0; n < len(words); n++ {
		word := words[n]
		i := slices.IndexFunc(options, func(o *bind.Option) bool { return "--"+o.Flag == word })
		if word == "--" {
			return append(out, words[n:]...)
		}
		if i >= 0 {
			if l, ok := reflect.Zero(options[i].Type).Interface().(bind.Loner); ok {
				value := l.Alone()
				if n+1 < len(words) && words[n+1] != "" && !strings.HasPrefix(words[n+1], "-") {
					n++
					value = words[n]
				}
				word += "=" + value
			}
		}
		out = append(out, word)
	}
	return out
}

// refusal is an error of package pflag in the words of this program.
func (e entry) refusal(err error) error {
	var invalid *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	case errors.As(err, &none):
		v := none.GetFlag().Value.(*flagValue)
		return fmt.Errorf("--%s needs a value; expected %s", v.option.Flag, summary(v.option))
	case errors.As(err, &unknown):
		return fmt.Errorf("%s has no flag -%s; see fdplan %s --help", e.name, unknown.GetSpecifiedName(), e.name)
	}
	return err
}

// assign gives the arguments that are no flags their words.
func assign(c command, arguments []*bind.Option, words []string) (given []*bind.Option, err error) {
	var missing []string
	for _, o := range arguments {
		n := min(1, len(words))
		if isList(o) {
			n = len(words)
		}
		if n == 0 && o.Required {
			missing = append(missing, summary(o))
		}
		for _, word := range words[:n] {
			if err := o.Set(c, word); err != nil {
				return nil, fmt.Errorf("%s: %w", summary(o), err)
			}
			given = append(given, o)
		}
		words = words[n:]
	}
	switch {
	case missing != nil:
		return nil, fmt.Errorf("expected %q", strings.Join(missing, " "))
	case len(words) > 0:
		return nil, fmt.Errorf("unexpected argument %s", words[0])
	}
	return given, nil
}

// complete refuses options without which others make no sense, and options that exclude each other.
func complete(options, given []*bind.Option) error {
	var missing []string
	first := map[string]*bind.Option{} // by what is given once at most
	for _, o := range options {
		isGiven, once := slices.Contains(given, o), o.Tag.Get("xor")
		switch {
		case !isGiven && o.Required && !o.Positional:
			missing = append(missing, summary(o))
		case isGiven && once != "" && first[once] != nil:
			return fmt.Errorf("--%s and --%s can't be used together", first[once].Flag, o.Flag)
		case isGiven && once != "":
			first[once] = o
		}
	}
	if missing != nil {
		slices.Sort(missing)
		return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
	}
	return nil
}

// isBool reports whether a flag has no value.
func isBool(o *bind.Option) bool { return o.Type.Kind() == reflect.Bool }

// isList reports whether an option may have several values.
func isList(o *bind.Option) bool { return o.Type == reflect.TypeFor[[]string]() }

// summary is an option as a line of usage has it.
func summary(o *bind.Option) string {
	if !o.Positional {
		if isBool(o) {
			return "--" + o.Flag
		}
		return "--" + o.Flag + "=" + placeholder(o)
	}
	text := "<" + o.Flag + ">"
	if isList(o) {
		text += " ..."
	}
	if !o.Required {
		text = "[" + text + "]"
	}
	return text
}

// placeholder stands for the value of a flag.
func placeholder(o *bind.Option) string {
	text := o.Tag.Get("placeholder")
	switch {
	case text != "":
		return text
	case o.Type.Kind() == reflect.String && o.Default != "":
		return fmt.Sprintf("%q", o.Default)
	case o.Default != "":
		return o.Default
	}
	return strings.ToUpper(o.Flag)
}
