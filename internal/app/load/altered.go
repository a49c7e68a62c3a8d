package load

import (
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Altered is what a model changes of the RDDL, and what was asked of it. Answers about it say so.
type Altered struct {
	// Question is what was asked in place of the problem's own goal and ranges; absent if nothing was.
	Question *Instead `json:"question,omitempty"`
	// Determinized is the rule by which the random RDDL became the model; absent if nothing was
	// replaced.
	Determinized string `json:"determinized,omitempty"`
	// Rounded has the steps that real fluents are rounded to; absent if none is.
	Rounded string `json:"rounded,omitempty"`
	// Quantiles is the number of equally likely values that stand for each draw of a real; absent if there is none.
	Quantiles int `json:"quantiles,omitempty"`
}

// Instead is a Question as answers have it.
type Instead struct {
	Goal  string   `json:"goal,omitempty"`
	Range []string `json:"range,omitempty"` // FLUENT=LO..HI
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
	if a.Quantiles > 0 {
		parts = append(parts, fmt.Sprintf("a draw of a real has %d equally likely values, its quantiles, and a count is cut where 0.0001 %% are left; all values are those of this model", a.Quantiles))
	}
	return strings.Join(parts, "; ")
}
