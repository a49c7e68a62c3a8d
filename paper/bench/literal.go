package bench

import (
	"cmp"
	"strings"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// literalPlanners are the paper's two planners as it describes them: with its own encoding,
// and with its program unchanged.
var literalPlanners = []struct {
	name, engine, encoding, help string
	flags                        []string
}{
	{"FD-SAT-Plan+", registry.MaxSAT, "paper", "", []string{"--encoding", "paper"}},
	{"FD-BLP-Plan+", registry.BLP, "", "none", []string{"--blp-help", "none"}},
}

// literal lists the paper's planners on every instance, with the embedded solver
// and, but for the networks that the bench trains, with each external solver of
// their kind: on the learned problem (Table 2),
// and with Algorithm 1, which excludes whole plans and keeps nothing that was learned (Table 3).
func (l *lister) literal() error {
	l.repeated(func() {
		for _, p := range literalPlanners {
			if !l.with(p.engine) {
				continue
			}
			solvers := []string{""}
			for _, s := range l.c.Solvers {
				if s.Engine == p.engine && s.Name != l.c.Instead[p.engine] && !l.trained() {
					solvers = append(solvers, s.Name)
				}
			}
			for _, s := range solvers {
				r := l.record(journal.KindPlan, "literal", l.c.TimeLimit)
				r.Planner, r.Engine, r.Encoding, r.Help, r.Solver = p.name, p.engine, p.encoding, p.help, s
				flags := p.flags
				if s != "" {
					flags = append(flags[:len(flags):len(flags)], "--solver", s)
				}
				l.literally(r, flags)
			}
		}
	})
	return nil
}

// literally lists the runs of one planner with one solver.
func (l *lister) literally(r journal.Record, flags []string) {
	instances := l.instances(QuickBLP())
	for _, i := range instances {
		l.jobs = append(l.jobs, l.planned(r, i, flags...))
	}
	r.Landmarks, r.Restart = "plan", true
	for _, i := range instances {
		if l.simulated(i.Problem) {
			l.jobs = append(l.jobs, l.planned(r, i, append(flags[:len(flags):len(flags)], "--incremental", "--simulator", "rddl", "--landmarks", "plan", "--restart")...))
		}
	}
}

// simulated reports whether the RDDL of a problem is a simulator for its network.
// No connections between computers explain the published SysAdmin networks: the
// best fit has 80 to 93 % of the bits right, so that landmarks against any RDDL
// mean nothing.
func (l *lister) simulated(problem string) bool {
	return !l.published() || !strings.HasPrefix(problem, "sysadmin/")
}

// version returns the version of the solver of a run that is not part of this program: what
// an external one says of itself, or that of HiGHS. It is empty if unknown, or if there is
// no such solver.
func (l *lister) version(r *journal.Record) string {
	if r.Solver == "" && r.Engine == registry.BLP {
		return cmp.Or(l.c.Machine["solver highs"], "HiGHS")
	}
	return l.c.Machine["solver "+r.Solver]
}

// command returns the command line of a run's external solver, with its places unfilled.
func command(r *journal.Record) string {
	e, ok := registry.Find(r.Engine)
	if !ok || e.External == nil || r.Solver == "" {
		return ""
	}
	s, err := external.Lookup(*e.External, r.Solver)
	if err != nil {
		return ""
	}
	return s.Template()
}
