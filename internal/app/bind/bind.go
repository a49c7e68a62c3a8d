// Package bind reads requests. A request is a struct whose fields are the options of a use
// case, each declared once. The command line takes them as flags, JSON documents as fields, and
// descriptions of interfaces are generated from them. The tags of a field are
//
//	name:"blp-help"     the flag; without, the field's name in kebab case
//	json:"help_of_blp"  the name in JSON; without, the flag with underscores; "-" for none
//	also:"initial"      a second name in JSON
//	help:"…"            what it is for; ${enum} stands for the values
//	enum:"a,b"          the values; ${engines} stands for those of Vars
//	default:"10m"       the value if it is absent, as the command line has it
//	min:"1" max:"100"   the range of a number
//	http:"yes"          programs of others may set it over HTTP
//	name:"-"            the field is no option
//	arg:""              an argument of the command line and no flag, required without optional:""
//	short:"o"           a letter for the flag
//	placeholder:"FILE"  what the help has for the value
//	required:""         there is no default
//	negatable:""        --no-… is a flag, too
//	sep:"none"          a word of the command line is one value of a list; without, it is split at commas
//	xor:"what"          one option of those with the same text at most
//	type:"existingdir"  existingfile, existingdir, or rate, a number that may be a percentage
package bind

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Option is a field of a request.
type Option struct {
	Flag       string // without the dashes
	Name       string // in JSON; "" for none
	Also       string // in JSON too; "" for none
	Help       string
	Enum       []string // nil for any value
	Default    string
	Positional bool // an argument of the command line and no flag
	Required   bool
	Negatable  bool
	Short      string // a letter, "" for none
	HTTP       bool   // programs of others may set it
	Type       reflect.Type
	Tag        reflect.StructTag

	index    []int
	min, max string
	list     bool // several values are one word of the command line, with commas
}

// Of returns a pointer to the option's field of a request, which is a pointer to a struct.
func (o *Option) Of(request any) any {
	return reflect.ValueOf(request).Elem().FieldByIndex(o.index).Addr().Interface()
}

// Binder reads requests. Its Vars are the values that tags refer to.
type Binder struct{ Vars map[string]string }

// Options lists the options of a request, which is a struct or a pointer to one.
func (b Binder) Options(request any) []*Option {
	t := reflect.TypeOf(request)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return b.options(t, nil)
}

func (b Binder) options(t reflect.Type, at []int) []*Option {
	var out []*Option
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		switch {
		case f.Tag.Get("name") == "-":
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			out = append(out, b.options(f.Type, index)...)
		case f.IsExported():
			out = append(out, b.option(f, index))
		}
	}
	return out
}

// option reads the tags of a field.
func (b Binder) option(f reflect.StructField, index []int) *Option {
	o := &Option{
		Flag: f.Tag.Get("name"), Name: f.Tag.Get("json"), Also: f.Tag.Get("also"), Help: f.Tag.Get("help"), Default: f.Tag.Get("default"),
		Type: f.Type, Tag: f.Tag, index: index, Short: f.Tag.Get("short"), min: f.Tag.Get("min"), max: f.Tag.Get("max"), HTTP: f.Tag.Get("http") != "",
	}
	_, o.Positional = f.Tag.Lookup("arg")
	_, o.Required = f.Tag.Lookup("required")
	_, o.Negatable = f.Tag.Lookup("negatable")
	_, optional := f.Tag.Lookup("optional")
	o.Required = o.Required || o.Positional && !optional
	o.list = f.Tag.Get("sep") != "none"
	if o.Flag == "" {
		o.Flag = FlagName(f.Name)
	}
	switch o.Name {
	case "":
		o.Name = strings.ReplaceAll(o.Flag, "-", "_")
	case "-":
		o.Name = ""
	}
	if text := b.expand(f.Tag.Get("enum")); text != "" {
		o.Enum = strings.Split(text, ",")
	}
	if o.Help = b.expand(o.Help); strings.Contains(o.Help, "${enum}") {
		o.Help = strings.ReplaceAll(o.Help, "${enum}", strings.Join(o.values(), ", "))
	}
	return o
}

// values are those that can be written.
func (o *Option) values() []string {
	return slices.DeleteFunc(slices.Clone(o.Enum), func(s string) bool { return s == "" })
}

// expand replaces the names of variables by their values.
func (b Binder) expand(text string) string {
	if strings.Contains(text, "${") {
		for name, value := range b.Vars {
			text = strings.ReplaceAll(text, "${"+name+"}", value)
		}
	}
	return text
}

// FlagName is the flag of a field without the tag name.
func FlagName(field string) string {
	var out strings.Builder
	letters := []rune(field)
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			out.WriteByte('-')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// SetDefaults sets each option of a request to its default.
func (b Binder) SetDefaults(request any) error {
	v := reflect.ValueOf(request).Elem()
	for _, o := range b.Options(request) {
		if o.Default == "" {
			continue
		}
		if err := SetText(v.FieldByIndex(o.index), o.Default); err != nil {
			return fmt.Errorf("the default of %s: %w", o.Flag, err)
		}
	}
	return nil
}

// Set reads a value of the command line into the option's field of a request; a list gets further values.
func (o *Option) Set(request any, text string) error {
	v := reflect.ValueOf(o.Of(request)).Elem()
	switch o.Tag.Get("type") {
	case "rate":
		number, percent := strings.CutSuffix(text, "%")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return fmt.Errorf("%.40q is neither a number such as 0.05 nor a percentage such as 5%%", text)
		}
		if percent {
			x /= 100
		}
		v.SetFloat(x)
		return nil
	case "existingdir", "existingfile":
		wanted, info, err := o.Tag.Get("type") == "existingdir", fs.FileInfo(nil), error(nil)
		if text, err = filepath.Abs(text); err == nil {
			info, err = os.Stat(text)
		}
		switch {
		case err != nil:
			return err
		case info.IsDir() && !wanted:
			return fmt.Errorf("%q is a folder; expected a file", text)
		case !info.IsDir() && wanted:
			return fmt.Errorf("%q is no folder", text)
		}
	}
	if list, ok := v.Addr().Interface().(*[]string); ok && o.list && !o.Positional {
		*list = append(*list, strings.Split(text, ",")...)
		return nil
	}
	return SetText(v, text)
}

// SetText sets a value as the command line has it; a list gets a further value.
func SetText(v reflect.Value, text string) (err error) {
	if u, ok := v.Addr().Interface().(interface{ UnmarshalText([]byte) error }); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch {
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, reflect.ValueOf(text)))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return SetText(v.Elem(), text)
	case v.Kind() == reflect.Bool:
		var yes bool
		if yes, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%.40q is neither true nor false", text)
		}
		v.SetBool(yes)
	case v.CanInt():
		var n int64
		if n, err = strconv.ParseInt(text, 0, v.Type().Bits()); err != nil {
			return fmt.Errorf("%.40q is not an integer of %d bits", text, v.Type().Bits())
		}
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		if n, err = strconv.ParseUint(text, 0, v.Type().Bits()); err != nil {
			return fmt.Errorf("%.40q is not an integer of %d bits from 0 on", text, v.Type().Bits())
		}
		v.SetUint(n)
	default:
		var x float64
		if x, err = strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("%.40q is not a number", text)
		}
		v.SetFloat(x)
	}
	return nil
}

// Style is how somebody writes the names of options.
type Style int

// The styles.
const (
	Flags Style = iota // --set-initial
	JSON               // set_initial
)

// called is what a style calls an option.
func (s Style) called(o *Option) string {
	switch {
	case s == JSON:
		return o.Name
	case o.Positional:
		return o.Flag
	}
	return "--" + o.Flag
}

// Check refuses values of options that are not among theirs. Errors have the names of a style.
func (b Binder) Check(request any, s Style) error {
	v := reflect.Indirect(reflect.ValueOf(request))
	for _, o := range b.Options(request) {
		if err := o.check(reflect.Indirect(v.FieldByIndex(o.index)), s); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a value that is not one of the option's.
func (o *Option) check(v reflect.Value, s Style) error {
	switch {
	case !v.IsValid(): // a nil pointer
		return nil
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String && o.Enum != nil:
		for i := range v.Len() {
			if err := o.check(v.Index(i), s); err != nil {
				return err
			}
		}
		return nil
	case v.Kind() == reflect.String && o.Enum != nil && (!o.Required || v.Len() > 0) && !slices.Contains(o.Enum, v.String()):
		return fmt.Errorf("%s is %.40q; expected one of %s", s.called(o), v.String(), strings.Join(o.values(), ", "))
	case o.min == "" && o.max == "":
		return nil
	}
	x, expected := 0.0, "a number"
	switch {
	case v.CanInt():
		x = float64(v.Int())
	case v.CanUint():
		x = float64(v.Uint())
	case v.CanFloat():
		x = v.Float()
	}
	switch {
	case o.max == "":
		expected = "at least " + o.min
	case o.min == "":
		expected = "at most " + o.max
	default:
		expected = o.min + ".." + o.max
	}
	if o.min != "" && !(x >= number(o.min)) || o.max != "" && !(x <= number(o.max)) {
		return fmt.Errorf("%s is %v; expected %s", s.called(o), v.Interface(), expected)
	}
	return nil
}

// number is a number of a tag; a test reads all of them.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("the tag " + text)
	}
	return x
}
