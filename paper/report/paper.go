package report

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

// The paper's figures, each file with the table that it was copied from.
//
//go:embed paper/*.csv
var paperFiles embed.FS

// paperTable reads one of them, without its head.
func paperTable(name string) ([][]string, error) {
	f, err := paperFiles.Open("paper/" + name + ".csv")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading the paper's figures in %s: %w", name, err)
	}
	return rows[1:], nil
}

// instance is a problem with a horizon.
type instance struct {
	problem string // bundled name
	horizon int
}

// domain is the part of a problem's name before the slash.
func (i instance) domain() string {
	d, _, _ := strings.Cut(i.problem, "/")
	return d
}

// paperInstance is a row of the paper's appendix table.
type paperInstance struct {
	instance
	name                     string
	sat, blp                 string // seconds, or "3600<,75%"
	incSAT, incBLP           string
	landmarkSAT, landmarkBLP string
}

// paper is what the paper reports.
type paper struct {
	learning    [][]string // problem, name, network, test error
	instances   []paperInstance
	learned     [][]string // name, SAT, BLP
	incremental [][]string
	place       map[instance]int
}

func readPaper() (*paper, error) {
	p := &paper{place: map[instance]int{}}
	var rows [][]string
	for name, to := range map[string]*[][]string{"learning": &p.learning, "instances": &rows, "learned": &p.learned, "incremental": &p.incremental} {
		var err error
		if *to, err = paperTable(name); err != nil {
			return nil, err
		}
	}
	for _, r := range rows {
		h, err := strconv.Atoi(r[1])
		if err != nil {
			return nil, fmt.Errorf("reading the paper's figures: horizon %q", r[1])
		}
		i := instance{r[0], h}
		p.place[i] = len(p.instances)
		p.instances = append(p.instances, paperInstance{i, r[2], r[3], r[4], r[5], r[6], r[7], r[8]})
	}
	return p, nil
}

// paperLimit is the paper's time limit, in seconds.
const paperLimit = 3600

// paperSeconds returns a time of the paper's appendix; false if it was the limit.
func paperSeconds(text string) (float64, bool) {
	if strings.HasPrefix(text, "3600<") {
		return paperLimit, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// paperText returns a figure of the paper in displayed form.
func paperText(text string) string {
	text = strings.Replace(text, "3600<,", "3600<, ", 1)
	text = strings.Replace(text, "%", " %", 1)
	return strings.Replace(text, "<=", "≤", 1)
}

// named returns the bundled name of a record's problem. The files of the published inventory
// problems are numbered: 1 is the paper's N = 2, and 2 is N = 4.
func named(r *Record) string {
	if r.Files != "" {
		switch r.Problem {
		case "inventory/1":
			return "inventory/2"
		case "inventory/2":
			return "inventory/4"
		}
	}
	return r.Problem
}

// domains are the paper's, as its tables name them, in their order.
var domains = []struct{ key, name string }{
	{"navigation", "Navigation"}, {"inventory", "Inventory"}, {"sysadmin", "SysAdmin"}, {"cellda", "Cellda"},
}
