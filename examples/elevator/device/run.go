package device

import (
	"flag"
	"io"
)

// Run is the program: with the flag -log it writes a log of so many rows, without it it is the
// device behind the lines of docs/simulators.md.
func Run(args []string, in io.Reader, out io.Writer) error {
	f := flag.NewFlagSet("elevator", flag.ContinueOnError)
	rows := f.Int("log", 0, "write a log of so many rows to standard output")
	seed := f.Uint64("seed", 1, "seed")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *rows > 0 {
		return Log(out, *rows, *seed)
	}
	return Serve(in, out, *seed)
}
