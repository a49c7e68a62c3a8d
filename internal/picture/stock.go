package picture

import (
	"fmt"
	"math"
	"strings"
)

// stock is the view of inventory control: for each item the level after every step, the
// demand of the next step, and whether it is ordered.
type stock struct {
	h     *history
	items []string
	lines []stockLine
	top   int64 // of the scale
	from  string
}

type stockLine struct {
	level  []int64
	demand []float64 // NaN if unknown
	order  []bool    // of the step that leaves the state
	met    []bool
}

func newStock(h *history, f *Facts) view {
	if !h.only("quant", "threshold_met", "month") {
		return nil
	}
	s := &stock{h: h, items: h.arguments("quant", 0, f.objects("item")), top: 5}
	count := 2 * len(s.items)
	if _, ok := h.index["month"]; ok {
		count++
	}
	if len(s.items) == 0 || count != len(h.vars) {
		return nil
	}
	for _, item := range s.items {
		if _, ok := h.index["threshold_met("+item+")"]; !ok {
			return nil
		}
		var l stockLine
		for k := range h.states {
			q, _ := h.at(k, "quant("+item+")")
			met, _ := h.at(k, "threshold_met("+item+")")
			d, ok := s.demand(item, k, f)
			if !ok {
				d = math.NaN()
			} else {
				s.from = f.From
			}
			if q < 0 || q > 10_000 || d > 10_000 || d < 0 {
				return nil // too large for a scale; a table is used instead
			}
			s.top = max(s.top, q)
			if ok {
				s.top = max(s.top, int64(math.Ceil(d)))
			}
			l.level, l.met, l.demand = append(l.level, q), append(l.met, met != 0), append(l.demand, d)
			l.order = append(l.order, h.did(k, "resupply("+item+")"))
		}
		s.lines = append(s.lines, l)
	}
	return s
}

// demand returns the demand for an item in the step that leaves state k: the RDDL's sum over
// the phases whose index equals the month.
func (s *stock) demand(item string, k int, f *Facts) (sum float64, ok bool) {
	month, _ := s.h.at(k, "month")
	for _, p := range f.objects("phase") {
		index, ok1 := f.constant("INDEX", p)
		d, ok2 := f.constant("DEMAND", item, p)
		if ok1 && ok2 {
			ok = true
			if index == float64(month) {
				sum += d
			}
		}
	}
	return sum, ok
}

const (
	stockLeft   = 40.0
	stockColumn = 56.0
	stockHeight = 150.0
	stockTop    = 26.0
	stockBelow  = 44.0
)

func (s *stock) size() (w, h float64) {
	return stockLeft + stockColumn*float64(len(s.h.states)), (stockTop + stockHeight + stockBelow) * float64(len(s.items))
}

// column returns the left side of state k's column.
func column(k int) float64 { return stockLeft + stockColumn*float64(k) }

func (s *stock) base() []element {
	var out []element
	for i, item := range s.items {
		y := (stockTop + stockHeight + stockBelow) * float64(i)
		out = append(out, s.chart(item, &s.lines[i], y+stockTop)...)
	}
	return out
}

func (s *stock) chart(item string, l *stockLine, top float64) []element {
	bottom := top + stockHeight
	height := func(v float64) float64 { return stockHeight * v / float64(s.top) }
	w, _ := s.size()
	title := label(stockLeft, top-12, 12, start, ink, "level of "+shorten(item, 40))
	title.bold = true
	out := []element{title}
	step := max(1, (s.top+4)/5)
	for v := int64(0); v <= s.top; v += step {
		y := bottom - height(float64(v))
		out = append(out, stroke(edge, 1, point{stockLeft, y}, point{w, y}), label(stockLeft-7, y+4, 11, end, faint, fmt.Sprint(v)))
	}
	for k := range l.level {
		x := column(k)
		h := height(float64(l.level[k]))
		known := !math.IsNaN(l.demand[k]) && k < s.h.H()
		bar := as("level", fmt.Sprintf("%s: level %d", moment(k), l.level[k]), x, 0, rect(8, bottom-h, 20, h, 2, level))
		bar.parts = append(bar.parts, label(18, bottom-h-4, 11, middle, ink, fmt.Sprint(l.level[k])))
		out = append(out, bar)
		if known {
			h := height(l.demand[k])
			out = append(out, as("demand", fmt.Sprintf("demand of step %d: %g", k+1, l.demand[k]), x, 0, rect(31, bottom-h, 16, h, 2, none).outlined(demand, 2)))
		}
		if !l.met[k] {
			out = append(out, as("unmet", moment(k)+": threshold not met", x+18, bottom-h-24,
				stroke(alarm, 4, point{-6, -6}, point{6, 6}), stroke(alarm, 4, point{-6, 6}, point{6, -6})))
		}
		name := fmt.Sprint(k)
		if k == 0 {
			name = "start"
		}
		out = append(out, label(x+27, bottom+16, 11, middle, faint, name))
		if l.order[k] {
			out = append(out, as("order", fmt.Sprintf("step %d orders", k+1), x+stockColumn, bottom+30,
				area(order, point{-7, 5}, point{7, 5}, point{0, -6}), label(11, 5, 11, start, order, "order")))
		}
	}
	return append(out, stroke(faint, 1.5, point{stockLeft, bottom}, point{w, bottom}))
}

// moment returns the name of state k.
func moment(k int) string {
	if k == 0 {
		return "start"
	}
	return fmt.Sprintf("after step %d", k)
}

func (s *stock) frame(k int) []element {
	_, h := s.size()
	return []element{as("now", "", column(k), 0, rect(1, 2, stockColumn-2, h-4, 6, none).outlined(now, 3))}
}

func (s *stock) whole() *scene { return nil }

func (s *stock) describe(k int) string {
	var parts []string
	for i, item := range s.items {
		l := &s.lines[i]
		p := fmt.Sprintf("%s level %d", item, l.level[k])
		if !l.met[k] {
			p += ", threshold not met"
		}
		if k < s.h.H() {
			if !math.IsNaN(l.demand[k]) {
				p += fmt.Sprintf(", next demand %g", l.demand[k])
			}
			if l.order[k] {
				p += ", orders"
			}
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, "; ")
}

func (s *stock) legend() string {
	return "Full bars are levels after each step, outlines the demand of the next step, triangles its order, crosses a threshold that is not met."
}

func (s *stock) source() string {
	return sourceOf("The demand is", "The demand is that of", s.from)
}

func (s *stock) text(b *strings.Builder, width int) {
	for i, item := range s.items {
		l := &s.lines[i]
		fmt.Fprintf(b, "  %s\n  step  demand  order  level\n", item)
		for k := range l.level {
			asked, ordered := "", ""
			if k > 0 {
				if d := l.demand[k-1]; !math.IsNaN(d) {
					asked = fmt.Sprintf("%g", d)
				}
				if l.order[k-1] {
					ordered = "yes"
				}
			}
			bar := strings.Repeat("#", int(min(l.level[k], int64(width-40))))
			note := ""
			if !l.met[k] {
				note = "  threshold not met"
			}
			line := fmt.Sprintf("  %4d  %6s  %5s  %5d  %s%s", k, asked, ordered, l.level[k], bar, note)
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	b.WriteString("Demand and order are of the step, the level after it.\n")
}
