package picture

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tankPlan is a plan document with a quantity and an earlier value of it, and with errors.
const tankPlan = `{"schema":1,"problem":"tank","status":"feasible","plan":[{"pump":3.5},{"pump":3.0}],
"trace":[{"level":4.00,"level_1":4.00,"on":true},{"level":3.75,"level_1":4.00,"on":false},{"level":4.25,"level_1":3.75,"on":true}],
"robust":{"coverage":0.99,"tube":[{"name":"level","low":[4,3.5,%s],"high":[4,4,5]}]}}`

// TestCurves draws a quantity with limits and errors: each state has a point, the higher the more.
func TestCurves(t *testing.T) {
	facts := Facts{Limits: map[string]Limits{"level": {Goal: &Range{4, math.Inf(1)}, Rule: &Range{math.Inf(-1), 4.5}}}}
	for tube, band := range map[string]bool{"3": true, "3,3": false} {
		p, err := Read("plan.json", fmt.Appendf(nil, tankPlan, tube))
		if err != nil {
			t.Fatal(err)
		}
		drawn := written(t, func(w io.Writer) error { return pictureOf(t, p, facts).SVG(w) })
		for text, want := range map[string]bool{
			"the goal: level &gt;= 4": true, "a rule: level &lt;= 4.5": true, "where errors within the bands may lead level": band, "level_1 4": false, "start: on": false,
		} {
			if strings.Contains(drawn, text) != want {
				t.Errorf("tube %s: the drawing has %q: %v", tube, text, !want)
			}
		}
		var ys []float64
		for _, m := range regexp.MustCompile(`translate\([0-9.]+[ ,]([0-9.]+)\)[^>]*><title>(?:start|after step [12]): level `).FindAllStringSubmatch(drawn, -1) {
			y, _ := strconv.ParseFloat(m[1], 64)
			ys = append(ys, y)
		}
		if len(ys) != 3 || !(ys[1] > ys[0] && ys[0] > ys[2]) {
			t.Errorf("the points of 4, 3.75 and 4.25 are at the heights %v", ys)
		}
	}
}

// TestWithoutCurves has integers, and texts that are no numbers, in the table alone.
func TestWithoutCurves(t *testing.T) {
	for _, values := range []string{"3 4", `"1.5 or more" "2.5 or more"`} {
		at := strings.Split(strings.ReplaceAll(values, `" "`, `"|"`), "|")
		if len(at) == 1 {
			at = strings.Fields(values)
		}
		p, err := Read("p", fmt.Appendf(nil, `{"schema":1,"plan":[{"go":true}],"trace":[{"x":%s},{"x":%s}]}`, at[0], at[1]))
		if err != nil {
			t.Fatal(err)
		}
		if drawn := written(t, func(w io.Writer) error { return pictureOf(t, p, Facts{}).SVG(w) }); strings.Contains(drawn, "A curve for each") {
			t.Errorf("%s are drawn as a curve", values)
		}
	}
}
