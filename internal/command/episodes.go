package command

import (
	"context"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
)

// episodes runs several episodes and compares policies.
func (c *runCmd) episodes(ctx context.Context, a *environment, q execute.EpisodesRequest, p *load.Problem, progress *events.Planning) error {
	live := !c.JSON && (c.Out == "" || c.Out == "-")
	q.Episode = func(l execute.EpisodeLine) {
		progress.Episode(l)
		if live {
			progress.Clear()
			writeEpisode(a.out, &l)
		}
	}
	d, err := execute.Episodes(ctx, p, q)
	progress.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	err = a.answer(c.JSON, c.Out, d, func(w io.Writer) {
		if !live {
			for i := range d.Episodes {
				writeEpisode(w, &d.Episodes[i])
			}
		}
		writeEpisodes(w, d)
	})
	if err == nil && len(d.Episodes) == 0 {
		return fmt.Errorf("%w: %s", errLimit, d.Stopped)
	}
	return err
}

func writeEpisode(w io.Writer, l *execute.EpisodeLine) {
	fmt.Fprintf(w, "%4d  reward %.6g, %s, %d not as planned, %d without a plan", l.Episode, l.Reward.Reward, counted.Of(l.Steps, "step"), l.Surprises, l.Without)
	if l.Noop != nil {
		fmt.Fprintf(w, "; doing nothing %.6g, random %.6g", l.Noop.Reward, l.Random.Reward)
	}
	fmt.Fprintf(w, "; in %.3f s\n", l.Seconds)
	for _, o := range []struct {
		who string
		of  *execute.Outcome
	}{{"", &l.Reward}, {"doing nothing: ", l.Noop}, {"random: ", l.Random}} {
		if o.of != nil && o.of.Broken != "" {
			fmt.Fprintf(w, "      %sbroken: %s\n", o.who, o.of.Broken)
		}
	}
}

func writeEpisodes(w io.Writer, d *execute.EpisodesDocument) {
	fmt.Fprintf(w, "%s: %s", d.Problem, counted.Of(len(d.Episodes), "episode"))
	if d.Reached != nil {
		fmt.Fprintf(w, ", the goal was reached in %d", *d.Reached)
	}
	fmt.Fprintln(w)
	for _, l := range []struct {
		who string
		a   *execute.Average
	}{{"planning", &d.Plan}, {"doing nothing", d.Noop}, {"random actions", d.Random}} {
		if l.a == nil {
			continue
		}
		fmt.Fprintf(w, "%-16s average reward %.6g, standard error %.3g", l.who, l.a.Mean, l.a.Error)
		if l.a.Broken > 0 {
			fmt.Fprintf(w, "; a rule ended %s early", counted.Of(l.a.Broken, "episode"))
		}
		fmt.Fprintln(w)
	}
	if s := d.Server; s != nil {
		fmt.Fprintf(w, "%s, session %s", s.Name, s.Session)
		if s.Total != nil {
			fmt.Fprintf(w, ": total reward %.6g", *s.Total)
		}
		fmt.Fprintln(w)
	}
	writeStated(w, d.Robust)
	writeSentence(w, d.Note())
	app.WriteStopped(w, d.Stopped)
	fmt.Fprintf(w, "%.3f s of planning for a step on average\n", d.StepSeconds)
}
