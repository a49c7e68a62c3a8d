package bound

// lost is what a node pays for the part of rules that nobody can use any more: tables take off the price of
// all that there is. Without it a beam prefers nodes that let crews idle.
type lost struct {
	none  bool
	rules []int32 // that the group at hand may use, and that have a price
	price []int64 // by rule
	reach []int64 // by place in rules: the limit less what the groups after this one can use
	more  []int64 // the same with this group
	left  []int64 // by rule: what is certainly left of it if the group uses nothing
}

// at prepares for the group at a position.
func (l *lost) at(b *beam, t, k int) {
	f, o := b.f, b.o
	for _, r := range l.rules {
		l.price[r] = 0
	}
	l.rules, l.reach, l.more = l.rules[:0], l.reach[:0], l.more[:0]
	if l.none {
		return
	}
	for _, r := range o.rules[o.group[k]] {
		e := o.relOf[r]
		price := b.t.Price[t-1][e]
		if price == 0 || f.rels[e].equal || f.s.invariant[r] {
			continue
		}
		limit := f.rels[e].limit
		l.rules, l.reach, l.more = append(l.rules, r), append(l.reach, limit-o.restMax[k+1][r]), append(l.more, limit-o.restMax[k][r])
		l.price[r] = price
	}
}

// before is what a node loses if the group at hand uses nothing.
func (l *lost) before(b *beam) (sum int64) {
	for i, r := range l.rules {
		s := b.sums[r]
		l.left[r] = l.reach[i] - s
		sum += l.price[r] * (max(0, l.reach[i]-s) - max(0, l.more[i]-s))
	}
	return sum
}

// after is what of that a move saves.
func (l *lost) after(uses rulesOf) (sum int64) {
	for _, u := range uses {
		if p := l.price[u.rel]; p != 0 {
			sum += p * (max(0, l.left[u.rel]-u.coef) - max(0, l.left[u.rel]))
		}
	}
	return sum
}
