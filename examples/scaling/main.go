// Command scaling writes instances of growing size, each a folder with an RDDL
// domain and instance and a task file:
//
//	go run -C examples ./scaling -o DIR sysadmin -graph ring -n 10 -k 3 -H 6
//	fdplan plan DIR/task.toml
//
// See docs/bounds.md for the families and their optima.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// family makes the files of one instance from its own flags.
type family struct {
	name, about string
	flags       func(*flag.FlagSet, *options)
	build       func(*options) (*files, error)
}

// options are the flags of all families; each family reads its own.
type options struct {
	n, k, h, cost, size, loops, steps, seed int
	graph                                   string
	truck                                   int
	limit                                   float64
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
	for _, f := range families {
		if f.name != top.Arg(0) {
			continue
		}
		var o options
		set := flag.NewFlagSet(f.name, flag.ContinueOnError)
		set.IntVar(&o.h, "H", 0, "horizon")
		set.IntVar(&o.seed, "seed", 1, "seed of what is drawn")
		f.flags(set, &o)
		if err := set.Parse(top.Args()[1:]); err != nil {
			return err
		}
		made, err := f.build(&o)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		return made.write(*out)
	}
	return fmt.Errorf("there is no family %q; expected one of %s", top.Arg(0), names())
}

func names() string {
	s := ""
	for i, f := range families {
		if i > 0 {
			s += ", "
		}
		s += f.name
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

// taskFile is the task of an instance; ranges are lines like "age = [0, 3]".
func taskFile(goal string, horizon int, ranges ...string) string {
	s := "domain = \"domain.rddl\"\ninstance = \"instance.rddl\"\n"
	if goal != "" {
		s += fmt.Sprintf("goal = %q\n", goal)
	}
	s += fmt.Sprintf("horizon = %d\n", horizon)
	if len(ranges) > 0 {
		s += "\n[ranges]\n"
		for _, r := range ranges {
			s += r + "\n"
		}
	}
	return s
}

func draw(o *options) *rand.Rand { return rand.New(rand.NewPCG(uint64(o.seed), 0x7363616c)) }
