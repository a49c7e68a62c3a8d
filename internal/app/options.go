package app

import (
	"strings"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/engine/registry"
)

// Binder returns what reads requests, which knows the names of engines.
func Binder() bind.Binder {
	return bind.Binder{Vars: map[string]string{
		"engines":    strings.Join(registry.Names(nil), ","),
		"explainers": strings.Join(registry.Names(registry.Explaining), ","),
		"compared":   strings.Join(registry.Single(), ", "),
	}}
}

// Bounds are the options of every use case.
type Bounds struct {
	TimeLimit bind.Duration `http:"yes" help:"Stop after this time, such as 60s or 5m, counted from the start of the process; default: none." placeholder:"TIME"`
	Memory    bind.Size     `http:"yes" help:"Bound on memory, such as 512MiB; default: half of what the machine or the control group has, at most 4GiB." placeholder:"SIZE"`
}

// Own are the bounds of a request that has them.
func (b Bounds) Own() Bounds { return b }

// Effort are the options of use cases that may take long.
type Effort struct {
	Bounds
	Threads int    `http:"yes" help:"Threads to use; 0 for one per core." default:"0"`
	Seed    uint64 `http:"yes" help:"Seed of whatever draws random numbers." default:"0"`
}
