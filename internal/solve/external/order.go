package external

import (
	"bufio"
	"fmt"
	"io"
)

// orderExtension is what the solver expects the name of a file with branching
// priorities to end in.
func (f milpFormat) orderExtension() string {
	if f == cbcFormat {
		return ".csv"
	}
	return ".ord"
}

// writeOrder writes branching priorities for columns of an LP file that package
// format has written: for CBC as a table in which 1 comes first, for CPLEX and
// Gurobi in their ORD files, in which the highest number does.
func (f milpFormat) writeOrder(w io.Writer, file string, order []int32) error {
	names, err := binaries(file)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, n := range names {
		there[n] = true
	}
	out := bufio.NewWriter(w)
	switch f {
	case cbcFormat:
		fmt.Fprintln(out, "name,priority")
	case cplexFormat:
		fmt.Fprintln(out, "NAME")
	}
	for i, v := range order {
		name := fmt.Sprintf("x%d", v)
		switch {
		case !there[name]:
		case f == cbcFormat:
			fmt.Fprintf(out, "%s,%d\n", name, i+1)
		case f == cplexFormat:
			fmt.Fprintf(out, "    %s %d\n", name, len(order)-i)
		default:
			fmt.Fprintln(out, name, len(order)-i)
		}
	}
	if f == cplexFormat {
		fmt.Fprintln(out, "ENDATA")
	}
	return out.Flush()
}
