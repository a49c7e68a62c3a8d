package rddl

// Summary describes a checked program, for fdplan check. Its JSON form is part of that
// command's output.
type Summary struct {
	Domain       string         `json:"domain"`
	Instance     string         `json:"instance,omitempty"`
	NonFluents   string         `json:"non_fluents,omitempty"` // the block's name
	Requirements []string       `json:"requirements"`
	Types        int            `json:"types"`
	Enums        int            `json:"enums"`      // number of types that are enumerations
	Objects      map[string]int `json:"objects"`    // by type; also the values of an enumeration
	PVariables   map[string]int `json:"pvariables"` // by kind
	CPFs         int            `json:"cpfs"`       //
	Preconds     int            `json:"preconditions"`
	Invariants   int            `json:"invariants"`
	Constraints  int            `json:"constraints"`        // state-action-constraints
	Termination  int            `json:"termination"`        //
	Assigned     int            `json:"assigned"`           // non-fluents with an assigned value
	Initial      int            `json:"initial"`            // values in init-state
	Horizon      *int           `json:"horizon"`            // null: none, or pos-inf
	MaxActions   *int           `json:"max_nondef_actions"` // null: no bound
	Discount     *float64       `json:"discount"`           // null without an instance
}

// Summary counts the parts of the program.
func (p *Program) Summary() Summary {
	d := p.Domain
	s := Summary{
		Domain:       d.Name.Name,
		Requirements: []string{},
		Types:        len(d.Types),
		Objects:      map[string]int{},
		PVariables:   map[string]int{},
		CPFs:         len(d.CPFs),
		Preconds:     len(d.Preconditions),
		Invariants:   len(d.Invariants),
		Constraints:  len(d.Constraints),
		Termination:  len(p.Termination),
		Assigned:     len(p.Statics),
	}
	for _, r := range d.Requirements {
		s.Requirements = append(s.Requirements, r.Name)
	}
	for _, t := range d.Types {
		if t.Enum {
			s.Enums++
		}
		s.Objects[t.Name.Name] = len(p.Values[t.Name.Name])
	}
	for _, v := range d.PVariables {
		s.PVariables[v.Kind.String()]++
	}
	in := p.Instance
	if in == nil {
		return s
	}
	s.Instance, s.NonFluents, s.Initial = in.Name.Name, in.NonFluents.Name, len(in.Init)
	if in.Horizon != Unbounded {
		s.Horizon = &in.Horizon
	}
	if in.MaxActions != Unbounded {
		s.MaxActions = &in.MaxActions
	}
	s.Discount = &in.Discount
	return s
}
