package load

import (
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/task"
)

// RuleText returns the rule that a constraint comes from as the user wrote it, by the origin
// of the constraint: the RDDL of an invariant or precondition with its objects filled in, the
// goal, a rule of the task file, or a required condition. It is "" if there is no such text.
func (p *Problem) RuleText(origin string) string {
	words := strings.Fields(origin)
	if len(words) == 0 {
		return ""
	}
	at := func(kind string, n int) (i int, ok bool) {
		k := len(words) - 2
		if k < 0 || words[k] != kind {
			return 0, false
		}
		_, err := fmt.Sscanf(words[k+1]+"\n", "%d\n", &i)
		return i - 1, err == nil && i >= 1 && i <= n
	}
	if i, ok := at("require", len(p.requires)); ok {
		return p.requires[i]
	}
	t := p.task()
	if t == nil {
		return ""
	}
	if i, ok := at("rule", len(t.Rules)); ok {
		return t.Rules[i]
	}
	if words[len(words)-1] == "goal" {
		return t.Goal
	}
	if p.Truth == nil || p.Truth.Compiled == nil {
		return ""
	}
	g := p.Truth.Compiled.Ground
	for kind, parts := range map[string][]ground.Condition{"invariant": g.Invariants, "precondition": g.Preconditions} {
		if i, ok := at(kind, len(parts)); ok {
			return parts[i].Text
		}
	}
	if i, ok := at("termination", len(g.Termination)); ok {
		return "~(" + g.Termination[i].Text + ")"
	}
	if origin == "max-nondef-actions" {
		return fmt.Sprintf("max-nondef-actions = %d", g.MaxActions)
	}
	return ""
}

// task returns the task that p was loaded from; nil for the FD-SAT-Plan layout.
func (p *Problem) task() *task.Task {
	if p.Declared != nil || p.Truth == nil {
		return p.Declared
	}
	return p.Truth.Task
}
