// Package inspect implements the use cases that look at inputs: checking RDDL files, and
// showing and listing problems.
package inspect

import (
	"context"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Checked is the result of `fdplan check` for RDDL files.
type Checked struct {
	Schema   int           `json:"schema"`
	Programs []ProgramLine `json:"programs"`
	Warnings []string      `json:"warnings"`
}

// ProgramLine is a checked domain, alone or with one instance.
type ProgramLine struct {
	rddl.Summary
	Ground *GroundLine `json:"ground"` // null without an instance
}

// GroundLine is the size of a grounded instance.
type GroundLine struct {
	States        int  `json:"states"`
	Actions       int  `json:"actions"`
	Intermediate  int  `json:"intermediate"`
	Observations  int  `json:"observations"`
	Preconditions int  `json:"preconditions"`
	Invariants    int  `json:"invariants"`
	Termination   int  `json:"termination"`
	Deterministic bool `json:"deterministic"`
}

// CheckRDDL parses, type-checks and grounds everything in the files, which are treated as
// one: domains, and instances that may be in a separate file.
func CheckRDDL(ctx context.Context, names []string) (*Checked, error) {
	joined, err := rddl.ReadFiles(load.ReadFile, names...)
	if err != nil {
		return nil, err
	}
	programs, err := rddl.CheckAll(joined)
	if err != nil {
		return nil, err
	}
	out := &Checked{Schema: app.Schema, Warnings: []string{}}
	for _, w := range joined.Warnings {
		out.Warnings = append(out.Warnings, w.Error())
	}
	for _, p := range programs {
		for _, w := range p.Warnings {
			out.Warnings = append(out.Warnings, w.Error())
		}
		line := ProgramLine{Summary: p.Summary()}
		if p.Instance != nil {
			g, err := ground.Ground(ctx, p)
			if err != nil {
				return nil, err
			}
			line.Ground = groundLine(g)
		}
		out.Programs = append(out.Programs, line)
	}
	return out, nil
}

func groundLine(g *ground.Problem) *GroundLine {
	l := &GroundLine{Preconditions: len(g.Preconditions), Invariants: len(g.Invariants), Termination: len(g.Termination)}
	for i := range g.Fluents {
		switch g.Fluents[i].Kind {
		case ground.State:
			l.States++
		case ground.Action:
			l.Actions++
		case ground.Interm:
			l.Intermediate++
		case ground.Observ:
			l.Observations++
		}
	}
	l.Deterministic, _ = g.Deterministic()
	return l
}
