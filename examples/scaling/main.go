// Command scaling writes instances of growing size, each a folder with an RDDL
// domain and instance and a task file:
//
//	go run -C examples ./scaling -o DIR sysadmin -graph ring -n 10 -k 3 -H 6
//	fdplan plan DIR/task.toml
//
// See docs/bounds.md for the families and their optima.
package main

import (
	"embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// domains has the domain of each family.
//
//go:embed domains/*.rddl
var domains embed.FS

// family makes one instance from its own flags.
type family struct {
	name  string
	flags []option
	build func(*options) (*instance, error)
}

// option is a flag with its default.
type option struct {
	name  string
	value any // int, float64 or string
	about string
}

var families = append([]family{
	{"sysadmin", computers, sysadmin},
	{"failing", slices.Concat(computers, []option{
		{"cost", 3, "of a reboot; a computer that is down costs 4 a step"},
		{"limit", 0.9, "of age times the share of neighbours that are down, the computer itself counted as one, beyond which a computer fails; 0 to 3"},
	}), failing},
	{"inventory", []option{{"n", 10, "products"}, {"truck", 8, "cost of a step in which anything is ordered"}}, inventory},
	{"repair", []option{{"n", 10, "machines"}, {"k", 3, "crews"}, {"size", 5, "the most wear of a machine"}, {"kinds", 0, "kinds of machines; 0: each is drawn by itself"}}, repair},
	{"charge", []option{{"n", 10, "vehicles"}, {"k", 0, "power of the grid; 0: about what the trips use"}, {"size", 7, "what a battery holds"}}, charge},
	{"irrigate", []option{{"n", 4, "fields"}, {"size", 7, "what a field holds"}}, irrigate},
	{"jobs", []option{{"n", 8, "jobs"}, {"k", 2, "machines"}, {"size", 2, "the most steps that a job takes"}, {"kinds", 3, "kinds of jobs, for each of which a machine is set up"}}, jobs},
	{"lifts", []option{{"n", 6, "guests"}, {"k", 2, "lifts"}, {"size", 6, "floors"}, {"seats", 2, "seats of a lift"}}, lifts},
	{"warehouse", []option{{"n", 2, "robots"}, {"k", 3, "goods"}, {"size", 10, "places"}, {"loops", 3, "ways beside those of a tree"}}, warehouse},
	{"bikes", []option{{"n", 2, "trucks"}, {"size", 7, "stations"}}, bikes},
	{"robots", []option{{"n", 3, "robots"}, {"size", 10, "cells of a side"}, {"loops", 2, "walls that are opened after a maze without loops was drawn"}}, robots},
	{"tiles", []option{{"size", 3, "tiles of a side, 3 or 4"}, {"steps", 100, "random moves from the solved position to the first"}}, tiles},
	{"sokoban", nil, sokoban},
	{"hanoi", []option{{"n", 7, "disks"}}, hanoi},
	{"tour", []option{{"n", 12, "cities"}}, tour},
	{"sudoku", []option{{"fills", 11, "cells that are empty at first"}}, sudoku},
}, operationFamilies()...)

var computers = []option{{"n", 10, "computers"}, {"k", 3, "reboots a step at most"}, {"graph", "ring", "ring, path, star, tree (binary) or random (at most 4 neighbours)"}}

// options are the flags of all families; each family reads its own.
type options struct {
	n, k, h, cost, size, loops, steps, seed, truck int
	graph                                          string
	limit                                          float64
}

// add adds a flag to a set.
func (o *options) add(set *flag.FlagSet, f option) {
	switch v := f.value.(type) {
	case string:
		set.StringVar(&o.graph, f.name, v, f.about)
	case float64:
		set.Float64Var(&o.limit, f.name, v, f.about)
	case int:
		set.IntVar(map[string]*int{
			"n": &o.n, "k": &o.k, "fills": &o.k, "cost": &o.cost, "size": &o.size, "loops": &o.loops, "kinds": &o.loops, "seats": &o.loops, "steps": &o.steps, "truck": &o.truck,
		}[f.name], f.name, v, f.about)
	}
}

// instance is what a family makes.
type instance struct {
	kinds   []kind
	facts   []string // values of non-fluents
	initial []string // values in the first state
	most    string   // actions of a step; empty for any number
	goal    string   // RDDL expression; empty for none
	ranges  []string // lines of the task like "age = [0, 3]"
}

// kind is a type with its objects.
type kind struct {
	name    string
	objects []string
}

// files are the texts of an instance.
type files struct{ domain, instance, task string }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	top := flag.NewFlagSet("scaling", flag.ContinueOnError)
	out := top.String("o", ".", "folder to write to")
	if err := top.Parse(args); err != nil {
		return err
	}
	f := find(top.Arg(0))
	if f == nil {
		var names []string
		for _, f := range families {
			names = append(names, f.name)
		}
		return fmt.Errorf("there is no family %q; expected one of %s", top.Arg(0), strings.Join(names, ", "))
	}
	var o options
	set := flag.NewFlagSet(f.name, flag.ContinueOnError)
	set.IntVar(&o.h, "H", 0, "horizon")
	set.IntVar(&o.seed, "seed", 1, "seed of what is drawn")
	for _, x := range f.flags {
		o.add(set, x)
	}
	if err := set.Parse(top.Args()[1:]); err != nil {
		return err
	}
	made, err := f.make(&o)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return made.write(*out)
}

// find returns the family with a name; nil if there is none.
func find(name string) *family {
	if i := slices.IndexFunc(families, func(f family) bool { return f.name == name }); i >= 0 {
		return &families[i]
	}
	return nil
}

func (f *family) make(o *options) (*files, error) {
	domain, err := domains.ReadFile("domains/" + f.name + ".rddl")
	if err != nil {
		return nil, err
	}
	x, err := f.build(o)
	if err != nil {
		return nil, err
	}
	return x.files(f.name, string(domain), o.h), nil
}

// files writes an instance of a domain.
func (x *instance) files(name, domain string, horizon int) *files {
	var b strings.Builder
	fmt.Fprintf(&b, "non-fluents nf {\n\tdomain = %s;\n\tobjects {", name)
	for _, k := range x.kinds {
		fmt.Fprintf(&b, " %s : { %s };", k.name, strings.Join(k.objects, ", "))
	}
	fmt.Fprintf(&b, " };\n\tnon-fluents {\n\t\t%s\n\t};\n}\n\ninstance scaling {\n\tdomain = %s;\n\tnon-fluents = nf;\n", strings.Join(x.facts, "\n\t\t"), name)
	if len(x.initial) > 0 {
		fmt.Fprintf(&b, "\tinit-state { %s };\n", strings.Join(x.initial, " "))
	}
	most := x.most
	if most == "" {
		most = "pos-inf"
	}
	fmt.Fprintf(&b, "\tmax-nondef-actions = %s;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n", most, horizon)
	return &files{domain, b.String(), x.task(horizon)}
}

func (x *instance) task(horizon int) string {
	s := "domain = \"domain.rddl\"\ninstance = \"instance.rddl\"\n"
	if x.goal != "" {
		s += fmt.Sprintf("goal = %q\n", x.goal)
	}
	s += fmt.Sprintf("horizon = %d\n", horizon)
	if len(x.ranges) > 0 {
		s += "\n[ranges]\n" + strings.Join(x.ranges, "\n") + "\n"
	}
	return s
}

func (f *files) write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range map[string]string{"domain.rddl": f.domain, "instance.rddl": f.instance, "task.toml": f.task} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func draw(o *options) *rand.Rand { return rand.New(rand.NewPCG(uint64(o.seed), 0x7363616c)) }

// numbered are the names of n objects.
func numbered(letter string, n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%s%d", letter, i+1))
	}
	return names
}
