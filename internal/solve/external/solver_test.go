package external

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		kind    Kind
		line    string
		dialect Dialect
		words   []string
		err     string
	}{
		{MaxSAT, "maxhs {in}", WCNF, []string{"maxhs", "{in}"}, ""},
		{MaxSAT, "maxhs  {in:wcnf-old}\t-x ", WCNFOld, []string{"maxhs", "{in}", "-x"}, ""},
		{PB, `'my solver' "a b"'c' -t={seconds} ""  {in}`, OPB, []string{"my solver", "a bc", "-t={seconds}", "", "{in}"}, ""},
		{MILP, "s {in} {out}", LP, []string{"s", "{in}", "{out}"}, ""},
		{MILP, "s --mps={in:mps} {out}", MPS, []string{"s", "--mps={in}", "{out}"}, ""},
		{MILP, "s {in}", "", nil, "no {out}"},
		{PB, "s a", "", nil, "no {in}"},
		{PB, "{in}", "", nil, "no program"},
		{PB, " ", "", nil, "is empty"},
		{PB, "s {in:lp}", "", nil, "unknown format"},
		{PB, "s '{in}", "", nil, "not closed"},
		{PB, "claps", "", nil, "expected clasp, roundingsat, exact or a command with {in}"},
		{MaxSAT, "roundingsat", "", nil, "unknown MaxSAT solver"},
		{MILP, "clasp", "", nil, "{in} and {out}"},
	} {
		s, err := Lookup(c.kind, c.line)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, expected an error with %q", c.line, err, c.err)
			}
			continue
		}
		if got := append(slices.Clone(s.Programs), s.Args...); err != nil || s.Dialect != c.dialect || !slices.Equal(got, c.words) {
			t.Errorf("%q: %q of %s, %v; expected %q of %s", c.line, got, s.Dialect, err, c.words, c.dialect)
		}
	}
}

// TestArguments checks the calls of the known solvers: all places are filled,
// and the limits are told in the solver's own words or not at all.
func TestArguments(t *testing.T) {
	want := map[string]string{
		"SAT cadical":       "-q -t 7 | -q",
		"MaxSAT maxhs":      "-printSoln -printBstSoln -no-printOptions -cpu-lim=7 F | -printSoln -printBstSoln -no-printOptions F",
		"MaxSAT rc2":        "-vv -T 7 F | -vv F",
		"MaxSAT uwrmaxsat":  "-m -v1 -bm -cpu-lim=7 F | -m -v1 -bm F",
		"MaxSAT evalmaxsat": "F | F",
		"MaxSAT open-wbo":   "-cpu-lim=7 F | F",
		"MaxSAT clasp":      "--time-limit=7 --parallel-mode=3 | --parallel-mode=3",
		"PB clasp":          "--time-limit=7 --parallel-mode=3 | --parallel-mode=3",
		"PB roundingsat":    "--print-sol=1 --time-limit=7 F | --print-sol=1 F",
		"PB exact":          "--print-sol --timeout=7 F | --print-sol F",
		"MILP cbc":          "F seconds 7 timeMode elapsed threads 3 mipStart S solve solution O | F threads 3 mipStart S solve solution O",
		"MILP glpsol":       "--lp F --tmlim 7 -o O | --lp F -o O",
		"MILP scip":         "-c set limits time 7 -c read F -c read S -c optimize -c write solution O -c quit | -c read F -c read S -c optimize -c write solution O -c quit",
		"MILP scip-cp":      "-c set emphasis cpsolver -c set limits time 7 -c read F -c read S -c optimize -c write solution O -c quit | -c set emphasis cpsolver -c read F -c read S -c optimize -c write solution O -c quit",
		"MILP cplex":        "-c read F set timelimit 7 set threads 3 read S set mip tolerances mipgap 0 mipopt write O quit | -c read F set threads 3 read S set mip tolerances mipgap 0 mipopt write O quit",
		"MILP gurobi_cl":    "MIPGap=0 TimeLimit=7 Threads=3 InputFile=S ResultFile=O F | MIPGap=0 Threads=3 InputFile=S ResultFile=O F",
		"MILP highs":        "--options_file P --time_limit 7 --read_solution_file S --solution_file O F | --options_file P --read_solution_file S --solution_file O F",
	}
	for _, s := range known() {
		p := places{"in": "F", "out": "O", "seconds": "7", "threads": "3", "start": "S", "options": "P"}
		got := strings.Join(s.arguments(p, true), " ") + " | " + strings.Join(s.arguments(p, false), " ")
		name := s.Kind.String() + " " + s.Name
		if got != want[name] {
			t.Errorf("%s: %q, expected %q", name, got, want[name])
		}
		if !slices.Contains(s.Kind.dialects(), s.Dialect) {
			t.Errorf("%s reads %s", name, s.Dialect)
		}
		if (s.start == noStart) == s.TakesStart() || (s.format == anyFormat) == (s.Kind == MILP) {
			t.Errorf("%s: formats and templates do not agree", name)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not in the table: %v", want)
	}
}

// TestStartFiles checks the files with a start solution.
func TestStartFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.lp")
	text := "Minimize\n obj: x1 + x2 + 5 one\nSubject To\n c1: x1 + x2 + x30 >= 1\nBounds\n one = 1\nBinaries\nx1 x2\nx30\nEnd\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for f, want := range map[startFormat]string{
		cbcStart:   "Stopped - objective value 0\n0 one 1 0\n1 x1 0 0\n2 x2 1 0\n3 x30 0 0\n",
		plainStart: "one 1\nx1 0\nx2 1\nx30 0\n",
		highsStart: "=obj= 0\none 1\nx1 0\nx2 1\nx30 0\n",
		cplexStart: `<?xml version="1.0"?><CPLEXSolutions><CPLEXSolution><header solutionName="start"/><variables>` + "\n" +
			`<variable name="one" value="1"/>` + "\n" + `<variable name="x1" value="0"/>` + "\n" + `<variable name="x2" value="1"/>` + "\n" +
			`<variable name="x30" value="0"/>` + "\n</variables></CPLEXSolution></CPLEXSolutions>\n",
	} {
		var b strings.Builder
		if err := f.write(&b, file, map[int32]int64{2: 1, 99: 1}); err != nil || b.String() != want {
			t.Errorf("format %d: %q, %v; expected %q", f, b.String(), err, want)
		}
	}
}

// TestDocumentation checks the table of solvers in docs/engines.md.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../../docs/engines.md")
	if err != nil {
		t.Fatal(err)
	}
	code := func(list []string) string {
		if len(list) == 0 {
			return "-"
		}
		return "`" + strings.Join(list, " ") + "`"
	}
	var table strings.Builder
	table.WriteString("| solver | kind | format | programs | time limit | threads | start solution | read from | to install |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, s := range known() {
		threads := code(s.Threads)
		if strings.Contains(s.Options, "{threads}") {
			threads = "options file"
		}
		fmt.Fprintf(&table, "| `%s` | %v | `%s` | `%s` | %s | %s | %s | %s | %s |\n", s.Name, s.Kind, s.Dialect, strings.Join(s.Programs, "`, `"),
			code(s.Time), threads, code(s.Start), s.Output, s.Install)
	}
	if !strings.Contains(string(text), table.String()) {
		t.Errorf("docs/engines.md does not have this table:\n%s", &table)
	}
}

// TestTemplate writes command lines as records keep them.
func TestTemplate(t *testing.T) {
	for _, s := range known() {
		text := s.Template()
		if !strings.HasPrefix(text, s.Programs[0]+" ") || !strings.Contains(text, "{in}") || strings.Contains(text, "{time}") {
			t.Errorf("%s: %s", s.Name, text)
		}
	}
	s, err := Command(PB, "mine --limit {seconds} {in}")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Template(); got != "mine --limit {seconds} {in}" {
		t.Error(got)
	}
}
