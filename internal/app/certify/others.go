package certify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fdplan/fdplan/certify/veripb"
)

// Verdict is that of a checker of others.
type Verdict struct {
	Checker string `json:"checker"`
	// Accepted is null where the checker does not read the proof's version.
	Accepted *bool  `json:"accepted"`
	Says     string `json:"says,omitempty"` // its last line, where it does not accept
}

// dialect returns the flags by which veripb reads a problem file, and why it does not
// where it does not. Old is version 0.3.
type dialect func(ctx context.Context, problem string, old bool) (flags []string, unread string, err error)

// wcnfDialect is that of a WCNF.
func wcnfDialect(ctx context.Context, problem string, old bool) (flags []string, unread string, err error) {
	f, err := open(ctx, problem)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	header := false
	for in := bufio.NewScanner(f); in.Scan() && !header; {
		line := strings.TrimSpace(in.Text())
		if header = strings.HasPrefix(line, "p"); !header && line != "" && line[0] != 'c' {
			break
		}
	}
	switch {
	case old && !header:
		unread = "this veripb reads a WCNF with a header only; expected a file of compile --format wcnf-old"
	case !old && header:
		unread = "this veripb reads a WCNF without a header only; expected a file of compile --format wcnf"
	}
	return []string{"--wcnf"}, unread, nil
}

// askOthers has veripb read the proof too, if it is installed. Its refusal refuses
// the claim. A nil dialect is OPB.
func (c *Claim) askOthers(ctx context.Context, problem dialect) error {
	const tool = "veripb"
	if _, err := exec.LookPath(tool); err != nil || !c.Accepted {
		return nil
	}
	// Version 0.3 accepts a truncated proof unless it is told to require a
	// contradiction; version 2 checks the conclusion itself.
	help, _ := run(ctx, tool, "--help")
	args := []string{}
	old := strings.Contains(help, "--requireUnsat")
	if problem != nil {
		flags, unread, err := problem(ctx, c.File, old)
		if err != nil {
			return err
		}
		if unread != "" {
			c.Others = append(c.Others, Verdict{Checker: "veripb", Says: unread})
			return nil
		}
		args = flags
	}
	if old {
		version, err := proofVersion(ctx, c.Proof)
		if err != nil {
			return err
		}
		if version != "1.2" {
			c.Others = append(c.Others, Verdict{Checker: "veripb", Says: "this veripb reads version 1.2 only; expected a proof written with --proof-format 1.2"})
			return nil
		}
		if c.kind == veripb.Optimal || c.kind == veripb.Unsat {
			args = append(args, "--requireUnsat")
		}
	}
	return c.ask(ctx, tool, func(out string, err error) bool {
		return err == nil && (strings.Contains(out, "Verification succeeded") || strings.Contains(out, "s VERIFIED"))
	}, args...)
}

// ask has a program read problem and proof. Its refusal refuses the claim.
func (c *Claim) ask(ctx context.Context, tool string, verified func(out string, err error) bool, flags ...string) error {
	dir, err := os.MkdirTemp("", "fdplan-certify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	problem, err := plain(ctx, c.File, filepath.Join(dir, "a"))
	if err != nil {
		return err
	}
	proof, err := plain(ctx, c.Proof, filepath.Join(dir, "a.pbp"))
	if err != nil {
		return err
	}
	out, err := run(ctx, tool, append(flags, problem, proof)...)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.hear(tool, out, verified(out, err))
	return nil
}

// hear notes what another checker printed. Its refusal refuses the claim.
func (c *Claim) hear(checker, out string, accepted bool) {
	v := Verdict{Checker: checker, Accepted: &accepted}
	if !accepted {
		lines := strings.Split(strings.TrimSpace(out), "\n")
		v.Says = lines[len(lines)-1]
		c.refuse("%s refuses the proof: %s", checker, v.Says)
	}
	c.Others = append(c.Others, v)
}

// run returns what a program prints.
func run(ctx context.Context, tool string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// plain returns the name of a file that is not compressed, which it makes if needed.
func plain(ctx context.Context, name, made string) (string, error) {
	from, err := open(ctx, name)
	if err != nil {
		return "", err
	}
	defer from.Close()
	if !from.compressed {
		return filepath.Abs(name)
	}
	to, err := os.Create(made)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	return made, errors.Join(err, to.Close())
}

// proofVersion is the version in a proof's first line.
func proofVersion(ctx context.Context, name string) (string, error) {
	f, err := open(ctx, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var version string
	if _, err := fmt.Fscanf(f, "pseudo-Boolean proof version %s", &version); err != nil {
		return "", fmt.Errorf("%s: expected a VeriPB proof: %w", name, err)
	}
	return version, nil
}
