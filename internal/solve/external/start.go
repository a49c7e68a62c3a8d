package external

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// extension is what the solver expects a file's name to end in.
func (f startFormat) extension() string {
	return [...]string{noStart: "", cbcStart: ".sol", plainStart: ".sol", highsStart: ".sol", cplexStart: ".mst"}[f]
}

// write writes a start solution for the columns of an LP file that package
// format has written. Solvers refuse names that are not in the file, so that it
// is asked for them.
func (f startFormat) write(w io.Writer, file string, start map[int32]int64) error {
	names, err := columns(file)
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
		value := int64(1) // of one
		if n, err := strconv.ParseInt(strings.TrimLeft(name, "xn"), 10, 32); err == nil {
			value = start[int32(n)]
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

// columns lists the columns of an LP file: those of the sections Binaries and Generals, and
// one where it is there.
func columns(file string) ([]string, error) {
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
		case line == "Binaries" || line == "Generals":
			in = true
		case line == "End":
			in = false
		case in:
			names = append(names, strings.Fields(line)...)
		}
	}
	return names, scan.Err()
}
