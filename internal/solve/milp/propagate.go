package milp

// narrow narrows the bounds of a variable, and notes which rows are to be looked at.
func (s *Search) narrow(v int32, low, high int64) {
	s.narrowQuietly(v, low, high)
	if int(v) >= s.lp.n {
		s.enqueue(v - int32(s.lp.n))
		return
	}
	for _, e := range s.lp.columns[v] {
		s.enqueue(e.at)
	}
}

func (s *Search) enqueue(row int32) {
	if !s.queued[row] {
		s.queued[row] = true
		s.queue = append(s.queue, row)
	}
}

// undo takes narrowed bounds back.
func (s *Search) undo(trail int) {
	for len(s.trail) > trail {
		c := s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-1]
		s.low[c.v], s.high[c.v] = c.low, c.high
		s.lp.setBounds(c.v, c.low, c.high)
	}
	s.forget()
}

func (s *Search) forget() {
	for _, r := range s.queue {
		s.queued[r] = false
	}
	s.queue = s.queue[:0]
}

// propagate narrows bounds as rows say; false where one cannot be kept.
func (s *Search) propagate() bool {
	for len(s.queue) > 0 {
		i := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.queued[i] = false
		if !s.propagateRow(int(i)) {
			s.forget()
			return false
		}
	}
	return true
}

// propagateRow narrows the bounds of a row's columns and activity; false where it cannot be kept.
func (s *Search) propagateRow(i int) bool {
	r := &s.p.Rows[i]
	v := int32(s.lp.n + i)
	low, high := activity(r.Terms, s.low, s.high)
	s.lp.work += int64(len(r.Terms))
	if low > s.high[v] || high < s.low[v] {
		return false
	}
	if low > s.low[v] || high < s.high[v] {
		s.narrowQuietly(v, max(low, s.low[v]), min(high, s.high[v]))
	}
	above, below := s.high[v]-low, high-s.low[v] // how much terms may exceed their least, and fall short of their most
	for _, t := range r.Terms {
		c := t.Column
		l, h := s.low[c], s.high[c]
		if l == h {
			continue
		}
		k := max(t.Coef, -t.Coef)
		up, down := above/k, below/k
		if up >= h-l && down >= h-l {
			continue
		}
		nl, nh := l, h
		if t.Coef > 0 {
			nh, nl = min(h, l+up), max(l, h-down)
		} else {
			nl, nh = max(l, h-up), min(h, l+down)
		}
		if nl > nh {
			return false
		}
		s.narrow(c, nl, nh)
	}
	return true
}

// narrowQuietly narrows bounds, and notes what they were.
func (s *Search) narrowQuietly(v int32, low, high int64) {
	s.trail = append(s.trail, change{v, s.low[v], s.high[v]})
	s.low[v], s.high[v] = low, high
	s.lp.setBounds(v, low, high)
}
