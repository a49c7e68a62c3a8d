package report

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// expand reads what ranges writes, as places in the listing.
func expand(t *testing.T, text string) []int {
	t.Helper()
	var out []int
	for _, part := range strings.Split(text, ", ") {
		a, b, ok := strings.Cut(part, "-")
		if !ok {
			b = a
		}
		lo, err := strconv.Atoi(a)
		hi, err2 := strconv.Atoi(b)
		if err != nil || err2 != nil || lo < 1 || hi < lo {
			t.Fatalf("%q are not records", text)
		}
		for k := lo; k <= hi; k++ {
			out = append(out, k-1)
		}
	}
	return out
}

// numbers lists all numbers in a record, fractions in percent too, and sizes over
// their bound.
func numbers(t *testing.T, r *Record) []float64 {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var all any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	out := []float64{0} // fields that are 0 may be left out
	var collect func(any)
	collect = func(v any) {
		switch x := v.(type) {
		case float64:
			out = append(out, x, 100*x)
		case map[string]any:
			for _, v := range x {
				collect(v)
			}
		case []any:
			for _, v := range x {
				collect(v)
			}
		}
	}
	collect(all)
	if b := order2(r.Stats["n"], r.Stats["k"]); b > 0 {
		out = append(out, float64(r.Stats["clauses"])/b)
	}
	return out
}

var number = regexp.MustCompile(`\d[\d,]*(\.\d+)?`)

// TestTraceable: each cell of ours on the page names its records by their IDs, each
// number in it is one of the record's, and sums are sums of what they name; the
// points of diagrams name theirs.
func TestTraceable(t *testing.T) {
	r, got := files(t, sample(t))
	page := parse(t, got["report.html"])
	ids := map[string]bool{}
	cells, points := 0, 0
	used := map[int]bool{}      // by tables
	rows := map[string]string{} // by their anchor
	page.walk(func(e *element, above []*element) {
		if e.name == "tr" && e.attr["id"] != "" {
			rows[e.attr["id"]] = e.text
		}
	})
	for k := range r.Records {
		ids[r.Records[k].ID] = true
		if !strings.Contains(rows[fmt.Sprintf("r%d", k+1)], r.Records[k].ID) {
			t.Errorf("%s is not in the listing", r.Records[k].ID)
		}
	}
	page.walk(func(e *element, above []*element) {
		if e.name == "title" && len(above) > 1 && above[len(above)-1].name == "g" {
			points++
			last := e.text[strings.LastIndex(e.text, "\n")+1:]
			if !ids[last] && last != "the paper's appendix" {
				t.Errorf("the point %q names no record", e.text)
			}
		}
		listing := slices.ContainsFunc(above, func(x *element) bool { return x.attr["id"] == "records" })
		if e.name != "td" || listing {
			return
		}
		kind, _, _ := strings.Cut(e.attr["class"], " ")
		if kind != "ours" {
			if !slices.Contains([]string{"paper", "absent", "none"}, kind) || e.attr["data-records"] != "" || kind != "paper" && number.MatchString(e.text) {
				t.Errorf("the cell %q is of the class %q", e.text, e.attr["class"])
			}
			return
		}
		cells++
		at := expand(t, e.attr["data-records"])
		if len(e.inner) != 1 {
			t.Fatalf("the cell %q has %d elements", e.text, len(e.inner))
		}
		lines := strings.Split(e.inner[0].attr["title"], "\n")
		for _, k := range at {
			used[k] = true
			if len(at) <= maxNamed && !slices.Contains(lines, r.Records[k].ID) {
				t.Errorf("the cell %q does not name %s", e.text, r.Records[k].ID)
			}
		}
		if len(at) > maxNamed && !slices.Contains(lines, "records "+e.attr["data-records"]) {
			t.Errorf("the cell %q does not name its records", e.text)
		}
		if href := e.inner[0].attr["href"]; !slices.ContainsFunc(at, func(k int) bool { return href == fmt.Sprintf("#r%d", k+1) }) {
			t.Errorf("the cell %q leads to %q", e.text, href)
		}
		if strings.Contains(e.attr["class"], "word") {
			return
		}
		if strings.HasPrefix(lines[0], "mean and 95 % interval of ") {
			checkInterval(t, r, e.text, at)
			return
		}
		if strings.HasPrefix(lines[0], "median of ") {
			checkMedian(t, r, e.text, at)
			return
		}
		if len(at) > 1 || strings.Contains(e.text, "/27") || strings.Contains(e.text, " of ") && !strings.Contains(lines[0], "train") {
			checkSum(t, r, e.text, at)
			return
		}
		values := numbers(t, &r.Records[at[0]])
		for _, text := range number.FindAllString(e.text, -1) {
			text = strings.ReplaceAll(text, ",", "")
			text = strings.TrimSuffix(text, ",")
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			_, digits, _ := strings.Cut(text, ".")
			close := 0.5000001 * math.Pow10(-len(digits))
			if !slices.ContainsFunc(values, func(v float64) bool { return math.Abs(v-x) <= close }) {
				t.Errorf("%s in the cell %q is not in %s", text, e.text, r.Records[at[0]].ID)
			}
		}
	})
	for k := range r.Records {
		drawn := slices.ContainsFunc(r.items(), func(i Item) bool { return i.Figure != nil && slices.Contains(i.Figure.Records, k) })
		if !used[k] && !drawn && r.Records[k].Kind != journal.KindMachine {
			t.Errorf("%s is used nowhere", r.Records[k].ID)
		}
		if want := fmt.Sprintf("%d", r.Records[k].Line); r.Records[k].Line < 1 || !strings.Contains(rows[fmt.Sprintf("r%d", k+1)], want) {
			t.Errorf("%s is listed without its line %s", r.Records[k].ID, want)
		}
	}
	if cells < 100 || points < 60 {
		t.Errorf("%d cells of ours and %d points were looked at", cells, points)
	}
}

// checkSum computes a mean, or the numbers of coverage and proofs, anew.
func checkSum(t *testing.T, r *Report, text string, at []int) {
	t.Helper()
	sum, par2, plans, optimal := 0.0, 0.0, 0, 0
	var share string
	var mean float64
	of := 0
	if n, err := fmt.Sscanf(text, "%s %f s on %d", &share, &mean, &of); err == nil && n == 3 && of > len(at) {
		t.Errorf("the cell %q is of %d runs", text, len(at))
	}
	for i, k := range at {
		rec := &r.Records[k]
		if i < of {
			mean -= rec.Seconds / float64(of)
		}
		if rec.Status == "feasible" || rec.Status == "unknown" {
			sum += rec.TimeLimit
			par2 += 2 * rec.TimeLimit
		} else {
			sum += rec.Seconds
			par2 += rec.Seconds
		}
		if rec.Status == "feasible" || rec.Status == "optimal" {
			plans++
		}
		if rec.Status == "optimal" {
			optimal++
		}
	}
	first, _, _ := strings.Cut(text, ",")
	switch {
	case first == fmt.Sprintf("%d/%d", optimal, len(at)) && len(at) < 27 && (of > 0 || first == text):
		if math.Abs(mean) > 0.006 {
			t.Errorf("the cell %q has another mean, by %g s", text, mean)
		}
	case first == fmt.Sprintf("%d/27", plans), first == fmt.Sprintf("%d/27", optimal):
		if missing := fmt.Sprintf(", %d not run", 27-len(at)); len(at) < 27 && !strings.HasSuffix(text, missing) {
			t.Errorf("the cell %q is of %d runs", text, len(at))
		}
	case strings.HasPrefix(text, seconds(sum/float64(len(at)))), strings.HasPrefix(text, seconds(par2/float64(len(at)))):
	default:
		t.Errorf("the cell %q is neither the mean nor a number of %d runs", text, len(at))
	}
}

// checkInterval computes a mean and its interval anew, by the 0.975 quantile of Student's
// distribution.
func checkInterval(t *testing.T, r *Report, text string, at []int) {
	t.Helper()
	quantile := map[int]float64{2: 12.706, 3: 4.303, 5: 2.776}[len(at)]
	var got []string
	for _, of := range []func(*Record) float64{
		func(r *Record) float64 { return 100 * r.TestError }, func(r *Record) float64 { return 100 * r.TestRowError },
		func(r *Record) float64 { return 100 * r.LegalError }, func(r *Record) float64 { return 100 * r.LegalRowError }, func(r *Record) float64 { return r.Seconds },
	} {
		sum, squares := 0.0, 0.0
		for _, k := range at {
			x := of(&r.Records[k])
			sum, squares = sum+x, squares+x*x
		}
		n := float64(len(at))
		variance := (squares - sum*sum/n) / (n - 1)
		got = append(got, fmt.Sprintf("%.3f ± %.3f", sum/n, quantile*math.Sqrt(max(variance, 0)/n)), fmt.Sprintf("%s ± %s", seconds(sum/n), seconds(quantile*math.Sqrt(max(variance, 0)/n))))
	}
	if !slices.Contains(got, text) {
		t.Errorf("the cell %q is none of %q", text, got)
	}
}

// checkMedian compares a cell with the median time of its runs.
func checkMedian(t *testing.T, r *Report, text string, at []int) {
	t.Helper()
	var times []float64
	for _, k := range at {
		times = append(times, r.Records[k].Seconds)
	}
	slices.Sort(times)
	if want := seconds(times[len(times)/2]); text != want {
		t.Errorf("the cell %q is not the median %s of %v", text, want, times)
	}
}
