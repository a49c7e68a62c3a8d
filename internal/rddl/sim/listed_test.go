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

// DrawCounted is Draw by counting the legal states, without trying others first.
func (sd *StateDrawer) DrawCounted(r *Runner) error {
	r.load(r.s.initialState)
	for i := range sd.d.parts {
		if err := r.drawCounted(&sd.d.parts[i], sd.d.before); err != nil {
			return err
		}
	}
	return nil
}
