package main

import (
	"flag"
	"fmt"
	"strings"
)

func failingFlags(s *flag.FlagSet, o *options) {
	sysadminFlags(s, o)
	s.IntVar(&o.cost, "cost", 3, "of a reboot; a computer that is down costs 4 a step")
}

// failingDomain is that of sysadmin, but a computer that fails only costs.
func failingDomain(cost int) string {
	s := strings.Replace(sysadminDomain, "// All computers must run. A", "// A", 1)
	s = strings.Replace(s, "	reward = -(sum_{?c : computer} reboot(?c));\n	state-invariants { forall_{?c : computer} running(?c); };\n",
		fmt.Sprintf("	reward = -(sum_{?c : computer} [%d * reboot(?c) + 4 * ~running'(?c)]);\n", cost), 1)
	return s
}

func failing(o *options) (*files, error) {
	edges, err := graph(o)
	if err != nil {
		return nil, err
	}
	return &files{failingDomain(o.cost), sysadminInstance(o, edges), taskFile("", o.h, "age = [0, 3]")}, nil
}
