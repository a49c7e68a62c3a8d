package policy

// Copy is a follower of the same run so far.
func Copy(f *Follower) *Follower {
	g := *f
	return &g
}
