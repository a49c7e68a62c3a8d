package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
)

// dutySpellings are ways in which crews work at jobs: the fluents, what is next, what is done of a job, and when a crew may begin there.
var dutySpellings = []struct{ name, fluents, cpfs, done, legal string }{
	{"until it is done", "on(crew, job) : { state-fluent, bool, default = false };",
		"on'(?c, ?j) = if (start(?c, ?j)) then true else if (exists_{?k : job} [start(?c, ?k)]) then false else on(?c, ?j) ^ (todo(?j) > 0);",
		"on(?c, ?j)", "forall_{?c : crew, ?j : job} [start(?c, ?j) => (todo(?j) > 0)];"},
	{"until nothing is left", "on(crew, job) : { state-fluent, bool, default = false };",
		"on'(?c, ?j) = start(?c, ?j) | (on(?c, ?j) ^ ~(exists_{?k : job} [start(?c, ?k)]) ^ ~(todo(?j) - (sum_{?d : crew} [on(?d, ?j)]) <= 0));",
		"on(?c, ?j)", "forall_{?c : crew} [(exists_{?j : job} [start(?c, ?j)]) => ~(exists_{?j : job} [on(?c, ?j)])];"},
	{"cases", "on(crew, job) : { state-fluent, bool, default = false }; tired(crew) : { state-fluent, bool, default = false };",
		"on'(?c, ?j) = start(?c, ?j) | (on(?c, ?j) ^ ~(exists_{?k : job} [start(?c, ?k)]) ^ (todo(?j) == 1 | todo(?j) == 3)); tired'(?c) = exists_{?j : job} [on(?c, ?j) ^ (todo(?j) == 2)];",
		"(on(?c, ?j) ^ ~tired(?c))", ""},
	{"on duty", "since(crew) : { state-fluent, int, default = 0 }; begin(crew) : { action-fluent, bool, default = false };",
		"since'(?c) = if (since(?c) == 0) then begin(?c) else if (since(?c) >= 3) then 0 else since(?c) + 1;",
		"start(?c, ?j)", "forall_{?c : crew, ?j : job} [start(?c, ?j) => (since(?c) >= 1 ^ since(?c) <= 2)]; forall_{?c : crew} [begin(?c) => since(?c) == 0];"},
}

// dutyDomain draws crews of which each works at one job at a time.
func dutyDomain(r *rand.Rand) (name string, made *files) {
	s := dutySpellings[r.IntN(len(dutySpellings))]
	todo := []string{"max[0, todo(?j) - (sum_{?c : crew} [RATE(?c, ?j) * DONE])]", "min[3, COMES(?j) + max[0, todo(?j) - (sum_{?c : crew} [RATE(?c, ?j) * DONE])]]",
		"if (exists_{?c : crew} [DONE]) then max[0, todo(?j) - 1] else todo(?j)"}[r.IntN(3)]
	reward := []string{"- (sum_{?j : job} [FINE(?j) * todo(?j)])", "- (sum_{?j : job} [FINE(?j) * (todo(?j) > 0)])", "(sum_{?c : crew, ?j : job} [FINE(?j) * (DONE ^ (todo(?j) > 0))])"}[r.IntN(3)]
	fill := strings.NewReplacer("DONE", s.done).Replace
	most := 1 + r.IntN(3)/2
	out, fit, legal := "", "", s.legal
	switch r.IntN(4) { // what all starts of a crew need
	case 0:
		out, legal = "out(crew) : { action-fluent, bool, default = false };", legal+" forall_{?c : crew, ?j : job} [start(?c, ?j) => out(?c)];"
		reward += " - 2 * (sum_{?c : crew} [out(?c)])"
	case 1:
		out, legal = "out : { action-fluent, bool, default = false };", legal+" forall_{?c : crew, ?j : job} [start(?c, ?j) => out];"
		reward += " - 2 * out"
	case 2:
		out, legal = "fit(crew) : { state-fluent, bool, default = true };", legal+" forall_{?c : crew, ?j : job} [start(?c, ?j) => fit(?c)];"
		fit = "fit'(?c) = ~(exists_{?j : job} [start(?c, ?j)]) | ~fit(?c);"
		reward += " + (sum_{?c : crew} [fit(?c)])"
	}
	domain := fmt.Sprintf(`domain duties {
	types { crew : object; job : object; };
	pvariables {
		RATE(crew, job) : { non-fluent, int, default = 1 };
		FINE(job)  : { non-fluent, int, default = 1 };
		COMES(job) : { non-fluent, int, default = 0 };
		todo(job)  : { state-fluent, int, default = 2 };
		start(crew, job) : { action-fluent, bool, default = false };
		%s %s
	};
	cpfs {
		todo'(?j) = %s;
		%s %s
	};
	reward = %s - (sum_{?c : crew, ?j : job} [start(?c, ?j)]);
	action-preconditions { forall_{?c : crew} [(sum_{?j : job} [start(?c, ?j)]) <= %d]; %s };
}
`, s.fluents, out, fill(todo), s.cpfs, fit, fill(reward), most, legal)
	crews, jobs := numbered("c", 1+r.IntN(2)), numbered("j", 3+r.IntN(2))
	var nf, initial []string
	for _, j := range jobs {
		for _, c := range crews {
			nf = append(nf, fmt.Sprintf("RATE(%s, %s) = %d;", c, j, 1+r.IntN(2)))
		}
		nf = append(nf, fmt.Sprintf("FINE(%s) = %d; COMES(%s) = %d;", j, 1+r.IntN(5), j, r.IntN(3)/2))
		initial = append(initial, fmt.Sprintf("todo(%s) = %d;", j, r.IntN(4)))
	}
	x := &instance{kinds: []kind{{"crew", crews}, {"job", jobs}}, facts: nf, initial: initial, ranges: []string{"todo = [0, 3]"}}
	if strings.Contains(s.fluents, "since") {
		x.ranges = append(x.ranges, "since = [0, 3]")
	}
	return s.name, x.files("duties", domain, 2+r.IntN(4))
}

// TestDuties compares the bounds and plans of random problems with crews that work at one job at a time, spelled in several ways, with a search
// through all states, and certifies the answers.
func TestDuties(t *testing.T) {
	checkSpellings(t, 0x64757479, dutyDomain, len(dutySpellings), func(name string, x *bound.Summary) bool {
		return name == "on duty" && len(x.Groups) > 0 || slices.ContainsFunc(x.Groups, func(g bound.GroupSummary) bool {
			return strings.Count(strings.Join(g.Variables, " "), "on(") >= 3
		})
	})
}

// TestCrews: each crew is one group, though what is left of many jobs decides whether it stays there.
func TestCrews(t *testing.T) {
	what, h := load(t, "crews -n 8 -H 20")
	s, err := bound.Start(t.Context(), what, h, engine.Limits{Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := bound.Summarize(t.Context(), s)
	for _, g := range x.Groups {
		if of := strings.Split(strings.Join(g.Variables, " "), "on("); len(of) > 1 && (len(of) < 4 || strings.Contains(of[0], "todo")) {
			t.Errorf("a group is made of %v", g.Variables)
		}
	}
	if !slices.ContainsFunc(x.Rules, func(r bound.RuleSummary) bool { return strings.Contains(r.Text, ", where it matters to on(c") }) {
		t.Error("no rule says in which case a job is")
	}
}
