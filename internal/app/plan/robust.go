package plan

// Robust is what is known of a plan, or of all plans, for every error of quantities within bands.
type Robust struct {
	Coverage float64 `json:"coverage"` // share of the held-out errors of one step that the bands held
	Bands    []Band  `json:"bands"`
	// Tube bounds each quantity that has errors, in each state of the plan; or of the last one that was tried, where none
	// holds; absent where none was tried.
	Tube []TubeLine `json:"tube,omitempty"`
	// None tells of the proof that no plan holds; absent if there is none.
	None *NoneLine `json:"none,omitempty"`
	// Outside lists how the plan's actions leave what the log shows; absent if they do not, or if that is not known.
	Outside []string `json:"outside_log,omitempty"`
	// Says has all of this in sentences.
	Says []string `json:"says"`
}

// Band is a range of the errors of a quantity: observed less predicted.
type Band struct {
	Name   string  `json:"name"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Errors int     `json:"errors"` // that it was taken from
}

// TubeLine bounds a quantity in each state, the start first.
type TubeLine struct {
	Name string    `json:"name"`
	Low  []float64 `json:"low"`
	High []float64 `json:"high"`
}

// NoneLine tells of a proof that no plan holds: whatever the actions, one of some courses of errors breaks a rule or misses
// the goal.
type NoneLine struct {
	Steps int `json:"steps"` // of the courses
	// Anywhere reports that these are the last steps of any plan, wherever they begin; else the plans' first.
	Anywhere bool `json:"anywhere"`
	Courses  int  `json:"courses"`
	Cases    int  `json:"cases"` // combinations of regions of the functions
}

// Stated is the chance of planning again in each step, from runs of the model with drawn errors.
type Stated struct {
	Sample
	Coverage float64  `json:"coverage"` // share of the held-out errors of one step that the bands held
	Bands    []Band   `json:"bands"`
	Outside  []string `json:"outside_log,omitempty"` // how actions of such a run leave what the log shows
	Says     string   `json:"says"`
}
