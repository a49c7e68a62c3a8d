package external

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// extension is what the solver expects a file's name to end in.
func (f startFormat) extension() string {
	return [...]string{noStart: "", cbcStart: ".sol", plainStart: ".sol", highsStart: ".sol", cplexStart: ".mst"}[f]
}

// write writes a start solution for the columns of an LP file that package
// format has written. Solvers refuse names that are not in the file, so that it
// is asked for them.
func (f startFormat) write(w io.Writer, file string, start map[int32]bool) error {
	names, err := binaries(file)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	switch f {
	case cbcStart:
		fmt.Fprintln(out, "Stopped - objective value 0")
	case highsStart:
		fmt.Fprintln(out, "=obj= 0") // the format of MIPLIB
	case cplexStart:
		fmt.Fprintln(out, `<?xml version="1.0"?><CPLEXSolutions><CPLEXSolution><header solutionName="start"/><variables>`)
	}
	for i, name := range names {
		value := 0
		var n int32
		if _, err := fmt.Sscanf(name, "x%d", &n); err == nil && start[n] || name == "one" {
			value = 1
		}
		switch f {
		case cbcStart:
			fmt.Fprintln(out, i, name, value, 0)
		case cplexStart:
			fmt.Fprintf(out, "<variable name=%q value=\"%d\"/>\n", name, value)
		default:
			fmt.Fprintln(out, name, value)
		}
	}
	if f == cplexStart {
		fmt.Fprintln(out, "</variables></CPLEXSolution></CPLEXSolutions>")
	}
	return out.Flush()
}

// binaries lists the columns of an LP file: those of the section Binaries, and
// one where it is there.
func binaries(file string) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	in := false
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		line := scan.Text()
		switch {
		case line == " one = 1":
			names = append(names, "one")
		case line == "Binaries":
			in = true
		case line == "End":
			in = false
		case in:
			names = append(names, strings.Fields(line)...)
		}
	}
	return names, scan.Err()
}
