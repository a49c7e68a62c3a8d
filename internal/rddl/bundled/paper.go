package bundled

// Instance is a bundled problem with a horizon.
type Instance struct {
	Problem string
	Horizon int
}

// shortest has the paper's problems with their shortest horizons, in the order of its appendix table.
var shortest = []Instance{
	{"navigation/3x3", 4}, {"navigation/4x4", 5}, {"navigation/5x5", 8}, {"inventory/2", 5}, {"inventory/4", 6},
	{"sysadmin/4", 2}, {"sysadmin/5", 2}, {"cellda/x", 10}, {"cellda/y", 8},
}

// Published returns the paper's 27 instances, in the order of its appendix table: each problem was
// planned for its shortest horizon and the next two.
func Published() []Instance {
	var out []Instance
	for _, s := range shortest {
		for h := range 3 {
			out = append(out, Instance{s.Problem, s.Horizon + h})
		}
	}
	return out
}
