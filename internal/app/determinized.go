package app

// DeterminizedNote is the sentence of an answer about a model that was determinised by a rule
// of package ground; "" for "".
func DeterminizedNote(rule string) string {
	switch rule {
	case "":
		return ""
	case "mean":
		return "the model is determinised: each draw has its most likely value, a number its mean; nothing is proven of the RDDL itself"
	}
	return "the model is determinised: each draw has its most likely value; nothing is proven of the RDDL itself"
}
