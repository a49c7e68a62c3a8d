package request

// Jobs are the names of the use cases that a server runs as jobs.
func Jobs() []string {
	return []string{"plan", "explain", "validate", "verify", "run", "learn", "train", "test", "bench"}
}

// Job returns a pointer to a new request of such a use case; nil for another name.
func Job(name string) any {
	switch name {
	case "plan":
		return new(Plan)
	case "explain":
		return new(Explain)
	case "validate":
		return new(Validate)
	case "verify":
		return new(Verify)
	case "run":
		return new(Execution)
	case "learn":
		return new(Learn)
	case "train":
		return new(Train)
	case "test":
		return new(Test)
	case "bench":
		return new(Bench)
	}
	return nil
}
