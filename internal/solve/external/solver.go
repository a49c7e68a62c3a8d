package external

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/process"
)

// Kind is what a solver decides.
type Kind uint8

// The kinds of solvers.
const (
	SAT    Kind = iota // DIMACS CNF
	MaxSAT             // weighted partial MaxSAT over WCNF
	PB                 // pseudo-Boolean optimisation over OPB
	MILP               // mixed integer linear programs over LP or MPS
)

func (k Kind) String() string { return [...]string{"SAT", "MaxSAT", "PB", "MILP"}[k] }

// Dialect is a file format, under the name that package format gives it.
type Dialect string

// The dialects.
const (
	CNF     Dialect = "cnf"
	WCNF    Dialect = "wcnf"     // of the MaxSAT Evaluations since 2022
	WCNFOld Dialect = "wcnf-old" // with p wcnf
	OPB     Dialect = "opb"
	LP      Dialect = "lp"
	MPS     Dialect = "mps"
)

// dialects are those of a kind, the usual one first.
func (k Kind) dialects() []Dialect {
	return [...][]Dialect{SAT: {CNF}, MaxSAT: {WCNF, WCNFOld}, PB: {OPB}, MILP: {LP, MPS}}[k]
}

// extension is what solvers expect a file's name to end in.
func (d Dialect) extension() string {
	if d == WCNFOld {
		return "wcnf"
	}
	return string(d)
}

// Solver tells how a solver is called and how its answer is read. Known ones
// come from Lookup and Solvers, others from Command.
//
// Args, Time, Threads, Start and Options are templates. Places are {in} (the
// file), {out} (the solution file), {seconds} (the time limit, rounded up to
// whole seconds), {threads}, {start} (a file with a start solution) and {options}
// (a file with Options). In Args, elements that are {time}, {threads} and {start}
// stand for the lists of that name where there is something to say, and for nothing
// otherwise.
type Solver struct {
	Name     string
	Kind     Kind
	Dialect  Dialect
	Programs []string // names of the executable, the first that is found is run
	Install  string   // the package to install, or where the solver is to be had
	Args     []string
	Time     []string // tells the time limit; empty where the solver cannot be told
	Threads  []string // tells the number of threads; empty where it has one
	Start    []string // hands over a start solution; empty where that is not supported
	Options  string   // contents of the options file
	Stdin    bool     // the file comes on standard input
	Output   string   // for people: how the answer is read
	format   milpFormat
	start    startFormat
}

// MissingError is a solver that is not installed.
type MissingError struct {
	Solver  string
	Install string // the package to install, or where the solver is to be had
}

func (e *MissingError) Error() string {
	if e.Install == "" {
		return e.Solver + " is not installed: no such program on the PATH"
	}
	return fmt.Sprintf("%s is not installed (%s)", e.Solver, e.Install)
}

// Solvers lists the known solvers of a kind.
func Solvers(k Kind) []Solver {
	var list []Solver
	for _, s := range known() {
		if s.Kind == k {
			list = append(list, s)
		}
	}
	return list
}

// Lookup finds the solver that a user means by spec: the name of a known one of
// this kind, or a command line that has the place {in}. It does not look whether
// the solver is installed.
func Lookup(k Kind, spec string) (Solver, error) {
	if strings.ContainsAny(spec, "{ ") {
		return Command(k, spec)
	}
	var names []string
	for _, s := range Solvers(k) {
		if s.Name == spec {
			return s, nil
		}
		names = append(names, s.Name)
	}
	places := "{in}"
	if k == MILP {
		places = "{in} and {out}"
	}
	return Solver{}, fmt.Errorf("unknown %v solver %q, expected %s or a command with %s", k, spec, strings.Join(names, ", "), places)
}

// Program finds the solver's executable on the PATH, or returns a
// *MissingError what to install.
func (s *Solver) Program() (string, error) {
	for _, name := range s.Programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
		if strings.HasPrefix(name, "fdplan-") {
			if path, found := ours(name); found {
				return path, nil
			}
		}
	}
	return "", &MissingError{Solver: s.Name, Install: s.Install}
}

// ours finds a program of this project: where the variable of its name says, as FDPLAN_HIGHS, beside
// the running program, or in tools/highs/bin of the working directory and the folders above it.
func ours(name string) (string, bool) {
	folders := []string{}
	if self, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(self))
	}
	if dir, err := os.Getwd(); err == nil {
		for up := ""; up != dir; up, dir = dir, filepath.Dir(dir) {
			folders = append(folders, filepath.Join(dir, "tools", strings.TrimPrefix(name, "fdplan-"), "bin"))
		}
	}
	paths := []string{os.Getenv(Variable(name))}
	for _, dir := range folders {
		paths = append(paths, filepath.Join(dir, name))
	}
	for _, path := range paths {
		if path == "" {
			continue
		}
		if found, err := exec.LookPath(path); err == nil {
			return found, true
		}
	}
	return "", false
}

// Variable is the environment variable that says where a program of this project is.
func Variable(program string) string {
	return strings.ToUpper(strings.ReplaceAll(program, "-", "_"))
}

// TakesStart reports whether a start solution can be handed over.
func (s *Solver) TakesStart() bool { return len(s.Start) > 0 }

// places are what stands for the places of a template in one call.
type places map[string]string

// expand fills the places of a template.
func (p places) expand(template string) string {
	for name, value := range p {
		template = strings.ReplaceAll(template, "{"+name+"}", value)
	}
	return template
}

// arguments makes the solver's argument list. timed reports whether there is a time
// limit to tell.
func (s *Solver) arguments(p places, timed bool) []string {
	var args []string
	add := func(list []string) {
		for _, a := range list {
			args = append(args, p.expand(a))
		}
	}
	for _, a := range s.Args {
		switch {
		case a == "{time}" && timed:
			add(s.Time)
		case a == "{start}" && p["start"] != "":
			add(s.Start)
		case a == "{threads}":
			add(s.Threads)
		case a != "{time}" && a != "{start}":
			add([]string{a})
		}
	}
	return args
}

// Command makes a solver of a user's command line. Words are split at blanks,
// quotes keep them together as in a shell. It has the place {in} once or more,
// with MILP also {out}, where the solver writes its solution in the format of
// CBC, GLPK, SCIP, CPLEX, Gurobi or HiGHS; {seconds} and {threads} may stand
// for the limits. {in:DIALECT} asks for another format than the usual one,
// wcnf-old instead of wcnf or mps instead of lp.
func Command(k Kind, line string) (Solver, error) {
	words, err := process.Split(line)
	if err != nil {
		return Solver{}, fmt.Errorf("the command %q: %w", line, err)
	}
	s := Solver{Kind: k, Dialect: k.dialects()[0], Output: "found out", format: anyFormat}
	hasIn, hasOut := false, false
	for i, w := range words {
		for _, d := range k.dialects() {
			place := "{in:" + string(d) + "}"
			if strings.Contains(w, place) {
				s.Dialect = d
				w = strings.ReplaceAll(w, place, "{in}")
			}
		}
		if strings.Contains(w, "{in:") {
			return Solver{}, fmt.Errorf("the command %q: unknown format in %s, expected one of %v", line, w, k.dialects())
		}
		hasIn = hasIn || strings.Contains(w, "{in}")
		hasOut = hasOut || strings.Contains(w, "{out}")
		words[i] = w
	}
	switch {
	case len(words) == 0 || strings.Contains(words[0], "{"):
		return Solver{}, fmt.Errorf("the command %q names no program", line)
	case !hasIn:
		return Solver{}, fmt.Errorf("the command %q has no {in}, expected where the file's name goes", line)
	case k == MILP && !hasOut:
		return Solver{}, fmt.Errorf("the command %q has no {out}, expected where the name of the solution file goes", line)
	}
	s.Name, s.Programs, s.Args = words[0], words[:1], slices.Clip(words[1:])
	return s, nil
}

// Template returns the solver's command line with its places unfilled, as in
// "clasp --time-limit={seconds} {in}". A start
// solution, which depends on the problem, is left out.
func (s *Solver) Template() string {
	words := []string{s.Name}
	if len(s.Programs) > 0 {
		words[0] = s.Programs[0]
	}
	for _, a := range s.Args {
		switch a {
		case "{time}":
			words = append(words, s.Time...)
		case "{threads}":
			words = append(words, s.Threads...)
		case "{start}":
		default:
			words = append(words, a)
		}
	}
	if s.Stdin {
		words = append(words, "<", "{in}")
	}
	return strings.Join(words, " ")
}
