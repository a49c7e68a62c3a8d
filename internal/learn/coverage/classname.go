package coverage

// Class names the functions that agree with all rows and have the supported values.
func (s *Support) Class() string { return "the functions found, and others of as few inputs" }
