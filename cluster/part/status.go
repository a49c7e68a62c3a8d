package part

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/command"
)

// Status prints the state of the cluster.
func (Part) Status(ctx context.Context, h *command.Host, c *command.Status) error {
	client, err := dial(ctx, h, &c.Connect, "status")
	if err != nil {
		return err
	}
	defer client.Close()
	for {
		s, err := client.Status(ctx, time.Duration(c.Wait))
		if err != nil {
			if c.Watch && ctx.Err() != nil {
				return nil
			}
			return err
		}
		switch {
		case c.Metrics:
			return writeMetrics(h.Out, s)
		case !c.Watch:
			if c.JSON {
				return app.WriteJSON(h.Out, clusterAnswer{app.Schema, s})
			}
			return writeCluster(h.Out, s)
		}
		fmt.Fprint(h.Out, "\x1b[H\x1b[J")
		if err := writeCluster(h.Out, s); err != nil {
			return err
		}
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			return nil
		}
	}
}

// clusterAnswer is the state as JSON.
type clusterAnswer struct {
	Schema int `json:"schema"`
	*cluster.Status
}

// writeCluster writes the state as tables.
func writeCluster(w io.Writer, s *cluster.Status) error {
	var b strings.Builder
	slots, busy := 0, int64(0)
	for _, x := range s.Workers {
		slots, busy = slots+x.Slots, busy+x.Busy
	}
	fmt.Fprintf(&b, "%d workers, %d of %d slots busy; %d units waiting, %d running, %d done, %d failed; %.1f a second\n", len(s.Workers), busy, slots, s.Waiting, s.Running, s.Done, s.Failed, s.Rate)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(s.Workers) > 0 {
		fmt.Fprintln(t, "\nworker\tversion\tslots\tbusy\tdone\tdeaths\tagain\tlost\ta second")
	}
	for _, x := range s.Workers {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\n", x.Name, x.Version, x.Slots, x.Busy, x.Done, x.Deaths, x.Redelivered, x.Lost, x.Rate)
	}
	if len(s.Queues) > 0 {
		fmt.Fprintln(t, "\nqueue\twaiting\trunning")
	}
	for _, q := range s.Queues {
		fmt.Fprintf(t, "%s\t%d\t%d\n", q.Version, q.Waiting, q.Running)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(s.Aside) > 0 {
		fmt.Fprintln(&b, "\nset aside")
	}
	for _, x := range s.Aside {
		fmt.Fprintf(&b, "%.12s  %s: %s\n", x.Unit, x.Kind, x.Reason)
		for line := range strings.Lines(x.Output) {
			fmt.Fprintf(&b, "    %s\n", strings.TrimRight(line, "\n"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeMetrics writes the state in the text format of Prometheus.
func writeMetrics(w io.Writer, s *cluster.Status) error {
	var b strings.Builder
	metric := func(name, kind, help string) { fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	one := func(name, kind, help string, v float64) {
		metric(name, kind, help)
		fmt.Fprintf(&b, "%s %g\n", name, v)
	}
	one("fdplan_workers", "gauge", "Workers that answer.", float64(len(s.Workers)))
	one("fdplan_units_done", "gauge", "Results in the store.", float64(s.Done))
	one("fdplan_units_aside", "gauge", "Units that are set aside.", float64(s.Failed))
	one("fdplan_results_per_second", "gauge", "Results of the last minute, by second.", s.Rate)
	one("fdplan_results_bytes", "gauge", "Bytes of results on the server's disk.", float64(s.Results))
	one("fdplan_objects_bytes", "gauge", "Bytes of files on the server's disk.", float64(s.Objects))
	metric("fdplan_units", "gauge", "Units in the queue.")
	for _, q := range s.Queues {
		fmt.Fprintf(&b, "fdplan_units{version=%q,state=\"waiting\"} %d\nfdplan_units{version=%q,state=\"running\"} %d\n", q.Version, q.Waiting, q.Version, q.Running)
	}
	for _, m := range []struct {
		name, kind, help string
		value            func(*cluster.WorkerStatus) int64
	}{
		{"fdplan_worker_slots", "gauge", "Slots of a worker.", func(x *cluster.WorkerStatus) int64 { return int64(x.Slots) }},
		{"fdplan_worker_busy", "gauge", "Units in progress.", func(x *cluster.WorkerStatus) int64 { return x.Busy }},
		{"fdplan_worker_done_total", "counter", "Results stored.", func(x *cluster.WorkerStatus) int64 { return x.Done }},
		{"fdplan_worker_deaths_total", "counter", "Processes of units that died.", func(x *cluster.WorkerStatus) int64 { return x.Deaths }},
		{"fdplan_worker_redelivered_total", "counter", "Units that another worker had begun.", func(x *cluster.WorkerStatus) int64 { return x.Redelivered }},
		{"fdplan_worker_lost_total", "counter", "Times that the connection was lost.", func(x *cluster.WorkerStatus) int64 { return x.Lost }},
	} {
		metric(m.name, m.kind, m.help)
		for i := range s.Workers {
			fmt.Fprintf(&b, "%s{worker=%q} %d\n", m.name, s.Workers[i].Name, m.value(&s.Workers[i]))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
