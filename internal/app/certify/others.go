package certify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Verdict is that of a checker of others.
type Verdict struct {
	Checker string `json:"checker"`
	// Accepted is null where the checker does not read the proof's version.
	Accepted *bool  `json:"accepted"`
	Says     string `json:"says,omitempty"` // its last line, where it does not accept
}

// askOthers has veripb read the proof too, if it is installed. Its refusal refuses
// the claim.
func (c *Claim) askOthers(ctx context.Context) error {
	tool, err := exec.LookPath("veripb")
	if err != nil || !c.Accepted {
		return nil
	}
	// Version 0.3 accepts a truncated proof unless it is told to require a
	// contradiction; version 2 checks the conclusion itself.
	help, _ := run(ctx, tool, "--help")
	args := []string{}
	if strings.Contains(help, "--requireUnsat") {
		version, err := proofVersion(ctx, c.Proof)
		if err != nil {
			return err
		}
		if version != "1.2" {
			c.Others = append(c.Others, Verdict{Checker: "veripb", Says: "this veripb reads version 1.2 only; expected a proof written with --proof-format 1.2"})
			return nil
		}
		if c.Reward != nil && c.Bound != nil && *c.Reward == *c.Bound || strings.HasPrefix(c.Shows, "unsat") {
			args = append(args, "--requireUnsat")
		}
	}
	dir, err := os.MkdirTemp("", "fdplan-certify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	opb, err := plain(ctx, c.File, filepath.Join(dir, "a.opb"))
	if err != nil {
		return err
	}
	pbp, err := plain(ctx, c.Proof, filepath.Join(dir, "a.pbp"))
	if err != nil {
		return err
	}
	out, err := run(ctx, tool, append(args, opb, pbp)...)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.hear("veripb", out, err == nil && (strings.Contains(out, "Verification succeeded") || strings.Contains(out, "s VERIFIED")))
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
