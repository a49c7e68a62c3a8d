// Command competition measures planners on instances of the planning competitions, each in a session of fdplan's own
// server (docs/simulators.md), and prints a table of average rewards:
//
//	go run -C examples ./competition -o out -prost PROST/prost.py FOLDER...
//
// A folder has a domain and its instances, as RDDL files. A session that has ended is a line of out/journal.jsonl, and is not
// played again: the program can be stopped at any time, and the same command goes on.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/source"
)

// settings are what all sessions share.
type settings struct {
	fdplan, prost string // programs
	rounds, steps int
	step          time.Duration // for a step
	exact         time.Duration // for dynamic programming
	seed          uint64
}

// cell is one session: an instance and a planner.
type cell struct {
	name             string // folder/instance
	domain, instance string // files
	asked            string // the name of the instance
	planner          string
}

func main() {
	var s settings
	var out, instances, planners string
	var total time.Duration
	flag.StringVar(&s.fdplan, "fdplan", "fdplan", "the program fdplan")
	flag.StringVar(&s.prost, "prost", "", "the program prost.py of PROST; without it, PROST is left out")
	flag.StringVar(&out, "o", "competition", "folder of the journal")
	flag.StringVar(&instances, "instances", "1,5", "numbers of the instances, with which the names of their files end")
	flag.StringVar(&planners, "planners", "exact,policy,prost,most-likely,noop,random", "planners")
	flag.IntVar(&s.rounds, "rounds", 30, "rounds of a session")
	flag.IntVar(&s.steps, "steps", 40, "steps of a round")
	flag.DurationVar(&s.step, "time", time.Second, "time for a step")
	flag.DurationVar(&s.exact, "exact-time", 10*time.Minute, "time for the exact value of the best policy")
	flag.Uint64Var(&s.seed, "seed", 1, "seed of the first round")
	flag.DurationVar(&total, "total-time", 0, "begin no session after this time; 0 is no bound")
	flag.Parse()
	for _, name := range []*string{&s.fdplan, &s.prost} { // they are started in folders of their own
		if strings.ContainsRune(*name, filepath.Separator) {
			if path, err := filepath.Abs(*name); err == nil {
				*name = path
			}
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, s, flag.Args(), strings.Split(instances, ","), strings.Split(planners, ","), out, total); err != nil {
		fmt.Fprintln(os.Stderr, "competition:", err)
		os.Exit(1)
	}
}

// measure plays the sessions that the journal lacks, and prints the table of all.
func measure(ctx context.Context, s settings, folders, instances, planners []string, out string, total time.Duration) error {
	cells, err := list(folders, instances, planners)
	if err != nil {
		return err
	}
	j, err := journal.Open(out)
	if err != nil {
		return err
	}
	defer j.Close()
	began := time.Now()
	for i, c := range cells {
		last := j.Last(s.id(c))
		done := last != nil && last.Status != failed && (last.Status != unknown || last.TimeLimit >= s.exact.Seconds())
		late := total > 0 && time.Since(began) > total
		if done || late || ctx.Err() != nil || c.planner == "prost" && s.prost == "" {
			continue
		}
		fmt.Fprintf(os.Stderr, "%d of %d: %s\n", i+1, len(cells), s.id(c))
		r := s.play(ctx, c)
		if ctx.Err() != nil {
			break
		}
		if r.Status == failed {
			fmt.Fprintf(os.Stderr, "      %s\n", r.Error)
		}
		if err := j.Append(r); err != nil {
			return err
		}
	}
	fmt.Print(s.table(j, cells, planners))
	return nil
}

// id is what a session depends on. The exact value depends on the steps alone.
func (s settings) id(c cell) string {
	if c.planner == exact {
		return fmt.Sprintf("%s planner=%s steps=%d", c.name, c.planner, s.steps)
	}
	return fmt.Sprintf("%s planner=%s rounds=%d steps=%d time=%v seed=%d", c.name, c.planner, s.rounds, s.steps, s.step, s.seed)
}

var lastNumber = regexp.MustCompile(`(\d+)\D*$`)

// list finds the instances in folders, and makes a cell of each and each planner.
func list(folders, instances, planners []string) (cells []cell, err error) {
	if len(folders) == 0 {
		return nil, errors.New("no folder; expected folders with a domain and its instances, as RDDL files")
	}
	wanted := map[int]bool{}
	for _, text := range instances {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("-instances: %q is not a number", text)
		}
		wanted[n] = true
	}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.rddl"))
		if err != nil {
			return nil, err
		}
		domains := map[string]string{}
		var found []cell
		for _, file := range files {
			f, err := rddl.ReadFiles(source.ReadFile, file)
			if err != nil {
				return nil, err
			}
			for _, d := range f.Domains {
				domains[d.Name.Name] = file
			}
			number := lastNumber.FindString(strings.TrimSuffix(filepath.Base(file), ".rddl"))
			n, _ := strconv.Atoi(number)
			for _, i := range f.Instances {
				if wanted[n] {
					found = append(found, cell{name: filepath.Base(folder) + "/" + i.Name.Name, domain: i.Domain.Name, instance: file, asked: i.Name.Name})
				}
			}
		}
		for _, c := range found {
			if c.domain = domains[c.domain]; c.domain == "" {
				return nil, fmt.Errorf("%s: its domain is in no file of the folder", c.instance)
			}
			for _, c.planner = range planners {
				cells = append(cells, c)
			}
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no instance %s; expected RDDL files whose names end with the number", folder, strings.Join(instances, " or "))
		}
	}
	return cells, nil
}

// table has a row for each instance and a column for each planner: average rewards and standard errors.
func (s settings) table(j *journal.Journal, cells []cell, planners []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| instance | %s |\n|%s\n", strings.Join(planners, " | "), strings.Repeat(" --- |", len(planners)+1))
	for i, c := range cells {
		if i%len(planners) == 0 {
			fmt.Fprintf(&b, "| %s |", c.name)
		}
		text := "-"
		if r := j.Last(s.id(c)); r != nil && r.Reward != nil {
			if text = fmt.Sprintf("%.1f", *r.Reward); c.planner != exact {
				d := spreadOf(r)
				if text += fmt.Sprintf(" ± %.1f", d.Error); d.Broken > 0 {
					text += fmt.Sprintf(" (%d broken)", d.Broken)
				}
			}
		}
		fmt.Fprintf(&b, " %s |", text)
		if i%len(planners) == len(planners)-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
