package bound

// least leaves out ways that are in others.
func least(list []way) (out []way) {
	if len(list) < 2 {
		return list
	}
	marks := make([]uint64, len(list)) // a bit for each fact, of which several share one
	for i := range list {
		for _, f := range list[i].needs {
			k := 2 * f.Place
			if f.On {
				k++
			}
			marks[i] |= 1 << (k % 64)
		}
	}
	for i, w := range list {
		covered := false
		for d := 0; d < len(list) && !covered; d++ {
			covered = d != i && marks[d]&^marks[i] == 0 && (d < i || len(list[d].needs) < len(w.needs)) && within(list[d].needs, w.needs)
		}
		if !covered {
			out = append(out, w)
		}
	}
	return out
}

// within reports whether all facts of d are among those of c; both ascend.
func within(d, c []Fact) bool {
	if len(d) > len(c) {
		return false
	}
	for _, f := range d {
		for len(c) > 0 && c[0].Place < f.Place {
			c = c[1:]
		}
		if len(c) == 0 || c[0] != f {
			return false
		}
	}
	return true
}

// merge joins facts; it is false where they contradict each other.
func merge(a, b []Fact) (out []Fact, can bool) {
	out = make([]Fact, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Place < b[0].Place:
			out, a = append(out, a[0]), a[1:]
		case a[0].Place > b[0].Place:
			out, b = append(out, b[0]), b[1:]
		case a[0].On != b[0].On:
			return nil, false
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...), true
}
