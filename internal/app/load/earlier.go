package load

import (
	"fmt"
	"strings"
)

// Earlier says that the rows refute that state and action decide what may follow: it depends on the row before, too, where these are the same.
type Earlier struct {
	Fluents []string `json:"fluents"` // what is drawn
	Of      string   `json:"of"`      // the state or action of the row before that tells most of it
	Bits    float64  `json:"bits"`    // a row, that it tells beyond accident
	Rows    int      `json:"rows"`    // that were compared
	Lags    int      `json:"lags"`    // that a task needs for it
}

// String says it in a sentence without its end.
func (e *Earlier) String() string {
	return fmt.Sprintf("after the same states and actions, what is drawn of %s depends on %s of the row before too (%.2g bits a row), so that something is hidden from the state; init --lags %d makes states of earlier rows",
		strings.Join(e.Fluents, ", "), e.Of, e.Bits, e.Lags)
}
