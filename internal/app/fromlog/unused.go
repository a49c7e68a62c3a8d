package fromlog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// setUnused gives what an action has no value for where it is of no use, such as the speed of a machine that is repaired, a value that stands for
// none: rows without one would be dropped.
func (x *looked) setUnused(actions []string) {
	x.unused = rawlog.FindUnused(x.t, actions)
	for _, u := range x.unused {
		x.t.SetUnused(u)
		x.t.Notes = append(x.t.Notes, fmt.Sprintf("%s is empty where %s is not %s: it has the value %s there, and rules say so", u.Column, u.Of, strings.Join(u.Uses, " or "), u.None))
	}
}

// ruleUnused adds the rules that say where an action has the value that stands for none, which does nothing.
func (x *looked) ruleUnused(r *Request) {
	for _, u := range x.unused {
		f, of := x.fluentOf(u.Column), x.fluentOf(u.Of)
		none := equals(f, u.None)
		var uses []string
		for _, v := range u.Uses {
			uses = append(uses, equals(of, v))
		}
		if none == "" || slices.Contains(uses, "") {
			continue
		}
		used := strings.Join(uses, " | ")
		r.Rules = append(r.Rules, fmt.Sprintf("~(%s) => %s", used, none))
		if u.Apart {
			r.Rules = append(r.Rules, fmt.Sprintf("(%s) => ~(%s)", used, none))
		}
		if f.Default == "" {
			f.Default = u.None
		}
	}
}

// fluentOf returns the fluent of a column, which may be dropped.
func (x *looked) fluentOf(column string) *rawlog.Fluent {
	return &x.fluents[slices.IndexFunc(x.fluents, func(f rawlog.Fluent) bool { return f.Column == column })]
}
