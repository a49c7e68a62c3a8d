package fromlog

import (
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// advance makes states of what is derived from stamps, where each row leaves no doubt what the next one has: hours that go on by whole
// ones, and days of the week with them. A plan goes through the day then; as inputs they would be held.
func (x *looked) advance(derived []string) {
	if len(derived) == 0 {
		return
	}
	hours := rawlog.Hours(x.t, x.reading)
	if hours == 0 || hours != math.Trunc(hours) {
		return
	}
	for i := range x.fluents {
		f := &x.fluents[i]
		if f.Use != rawlog.AsInput || !slices.Contains(derived, f.Column) {
			continue
		}
		if f.Column == "hour" || f.Column == "weekday" && (math.Mod(hours, 24) == 0 || slices.Contains(derived, "hour")) {
			f.Use, f.Why = rawlog.AsState, fmt.Sprintf("it goes on by %g h from row to row", hours)
		}
	}
}
