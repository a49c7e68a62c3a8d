// Command tanks is a simulator of two tanks for fdplan (docs/simulators.md), of which one fills the other: its constants are
// fitted to a log of a pump and of the level of the lower tank, and its errors are those that the fit leaves, drawn in blocks.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

func main() {
	o := options{}
	flag.StringVar(&o.level, "level", "y", "name of the level")
	flag.StringVar(&o.pump, "pump", "u", "name of the pump")
	flag.Float64Var(&o.start, "start", 3, "level at the begin")
	flag.Uint64Var(&o.seed, "seed", 0, "seed of the errors")
	flag.Parse()
	if err := run(flag.Args(), o, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "tanks: %v\n", err)
		os.Exit(2)
	}
}

type options struct {
	level, pump string
	start       float64
	seed        uint64
}

// request is a line of the protocol.
type request struct {
	ID     int             `json:"id"`
	Call   string          `json:"call"`
	Action map[string]any  `json:"action"`
	State  json.RawMessage `json:"state"`
}

func run(args []string, o options, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("expected a CSV file whose columns are the pump, the level, and the level a sample later")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := readSeries(f)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	p := &plant{tanks: fit(s), rng: rand.New(rand.NewPCG(o.seed, 0))}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	encoder := json.NewEncoder(out)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		answer := map[string]any{"id": r.ID}
		switch r.Call {
		case "hello":
			answer["version"], answer["name"] = 1, "two tanks"
		case "reset":
			p.reset(o.start)
			answer["state"] = map[string]float64{o.level: p.lower}
		default:
			u, ok := r.Action[o.pump].(float64)
			if !ok {
				return fmt.Errorf("the action has no number %s", o.pump)
			}
			p.step(u)
			answer["state"] = map[string]float64{o.level: p.lower}
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}
