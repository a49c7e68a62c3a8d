package sim

// Run resets the runner and lets the policy act for the given number of steps, or for the
// problem's horizon if that is 0 or less. t, which may be nil, records the steps. An error, a
// *Violation or an evaluation error, is returned with the episode up to it; a step into a
// state that violates an invariant counts.
func (r *Runner) Run(p Policy, steps int, t *Trace) (Episode, error) {
	if err := r.Reset(); err != nil {
		return Episode{End: AtError}, err
	}
	return r.Continue(p, steps, t)
}
