package sim

// Listed returns the number of legal states of the parts that were enumerated, part by part.
func (sd *StateDrawer) Listed() []int {
	var out []int
	for i := range sd.d.parts {
		if pt := &sd.d.parts[i]; pt.list != nil {
			out = append(out, len(pt.list)/len(pt.vars))
		}
	}
	return out
}
