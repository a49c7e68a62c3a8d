package main

import (
	"flag"
	"fmt"
	"strings"
)

func failingFlags(s *flag.FlagSet, o *options) {
	sysadminFlags(s, o)
	s.IntVar(&o.cost, "cost", 3, "of a reboot; a computer that is down costs 4 a step")
	s.Float64Var(&o.limit, "limit", 0.9, "of age times the share of neighbours that are down, the computer itself counted as one, beyond which a computer fails; 0 to 3")
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
	if o.limit < 0 || o.limit > 3 {
		return nil, fmt.Errorf("the limit is %v; expected 0 to 3", o.limit)
	}
	domain := strings.Replace(failingDomain(o.cost), "default = 0.9", fmt.Sprintf("default = %v", o.limit), 1)
	return &files{domain, sysadminInstance(o, edges), taskFile("", o.h, "age = [0, 3]")}, nil
}
