package load

import (
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Altered is what a model changes of the RDDL. Answers about it say so.
type Altered struct {
	// Determinized is the rule by which the random RDDL became the model; absent if nothing was
	// replaced.
	Determinized string `json:"determinized,omitempty"`
	// Rounded has the steps that real fluents are rounded to; absent if none is.
	Rounded string `json:"rounded,omitempty"`
}

// Note is the sentence of an answer about the model, without a full stop; "" for nothing.
func (a *Altered) Note() string {
	var parts []string
	switch a.Determinized {
	case "":
	case string(ground.Mean):
		parts = append(parts, "the model is determinised: each draw has its most likely value, a number its mean; nothing is proven of the RDDL itself")
	default:
		parts = append(parts, "the model is determinised: each draw has its most likely value; nothing is proven of the RDDL itself")
	}
	if a.Rounded != "" {
		parts = append(parts, "the next values of reals are rounded to the nearest multiples of "+a.Rounded+", halves to the even one")
	}
	return strings.Join(parts, "; ")
}
