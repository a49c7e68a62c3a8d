package fromlog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// mostEntities bounds the entities whose first values are written.
const mostEntities = 200

// parameters makes inputs of the states that have one value for each entity, and others for others: what is built into it.
func parameters(t *rawlog.Table, fluents []rawlog.Fluent, entity string) {
	if entity == "" {
		return
	}
	for i := range fluents {
		f := &fluents[i]
		if f.Use == rawlog.AsState && t.ConstantFor(f.Column, entity) {
			f.Use, f.Why = rawlog.AsInput, strings.TrimPrefix(f.Why+"; one value for each "+entity, "; ")
		}
	}
}

// writeEntities writes the entities with their first values.
func writeEntities(b *strings.Builder, x *looked, entity string) {
	if entity == "" {
		return
	}
	names := x.t.EntityValues(entity, mostEntities+1)
	if len(names) > mostEntities {
		fmt.Fprintf(b, "\n# There are more than %d entities; --entity NAME needs an [[entity]] with its name and initial values.\n", mostEntities)
		return
	}
	by := &x.t.Columns[x.t.Column(entity)]
	for _, name := range names {
		var values []string
		for i := range x.fluents {
			f := &x.fluents[i]
			if !f.IsFluent() || f.Use == rawlog.AsAction {
				continue
			}
			if text := x.t.Columns[x.t.Column(f.Column)].FirstWhere(by, name); text != "" {
				values = append(values, strconv.Quote(f.Name)+" = "+literal(f, text))
			}
		}
		fmt.Fprintf(b, "\n[[entity]]\nname = %s\ninitial = {%s}\n", strconv.Quote(strings.ReplaceAll(name, " ", "_")), strings.Join(values, ", "))
	}
}
