package veripb

// lit is a literal: twice the variable's number, plus 1 for its negation. Variables are
// numbered from 0 in the order of their first occurrence.
type lit int32

func (l lit) not() lit      { return l ^ 1 }
func (l lit) variable() int { return int(l >> 1) }
func (l lit) negated() bool { return l&1 != 0 }

// names numbers the variables. Names of the form x12 with few digits, which
// are nearly all, are looked up in a table.
type names struct {
	numbered []int32 // x12 at 12: the variable's number plus 1, 0 for an unused name
	others   map[string]int32
	all      []string
}

// maxNumbered bounds the table.
const maxNumbered = 1 << 22

// plain returns the number in a name like x12, without leading zeros.
func plain(name []byte) (int, bool) {
	if len(name) < 2 || len(name) > 8 || name[0] != 'x' || name[1] == '0' && len(name) > 2 {
		return 0, false
	}
	n := 0
	for _, c := range name[1:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, n < maxNumbered
}

// lookup returns the number of a variable and assigns one if the name is new.
func (t *names) lookup(name []byte) int32 {
	if n, ok := plain(name); ok {
		if n >= len(t.numbered) {
			t.numbered = append(t.numbered, make([]int32, n+1-len(t.numbered))...)
		}
		if t.numbered[n] == 0 {
			t.all = append(t.all, string(name))
			t.numbered[n] = int32(len(t.all))
		}
		return t.numbered[n] - 1
	}
	v, ok := t.others[string(name)]
	if !ok {
		if t.others == nil {
			t.others = map[string]int32{}
		}
		v = int32(len(t.all))
		t.all = append(t.all, string(name))
		t.others[string(name)] = v
	}
	return v
}

// isName reports whether a word can name a variable: a letter or underscore and at least one
// more character.
func isName(word []byte) bool {
	if len(word) < 2 {
		return false
	}
	c := word[0]
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// literal parses a variable's name with an optional ~ before it.
func (t *names) literal(word []byte) (lit, bool) {
	sign := lit(0)
	if len(word) > 0 && word[0] == '~' {
		word, sign = word[1:], 1
	}
	if !isName(word) {
		return 0, false
	}
	return lit(t.lookup(word))<<1 | sign, true
}

// text formats a literal as files do.
func (t *names) text(l lit) string {
	if l.negated() {
		return "~" + t.all[l.variable()]
	}
	return t.all[l.variable()]
}
