package extsolver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// RequireChecker skips the test if a checker of proofs, veripb or drat-trim, is not
// installed. It ignores RequireVariable, since distributions do not package the checkers.
func RequireChecker(t testing.TB, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Skipf("%s is not installed; it is not packaged, so that %s does not ask for it", tool, RequireVariable)
	}
}

// VeriPB runs veripb on a proof of a problem in OPB, and reports whether it accepts the
// proof, with its output. A version of the format that it does not support is refused as
// well.
func VeriPB(t testing.TB, opb, proof []byte, limit time.Duration) (accepted bool, output string) {
	t.Helper()
	return checkProof(t, "veripb", "a.opb", "a.pbp", opb, proof, limit)
}

// VeriPBWCNF does the same with a problem in WCNF.
func VeriPBWCNF(t testing.TB, wcnf, proof []byte, limit time.Duration) (accepted bool, output string) {
	t.Helper()
	return checkProof(t, "veripb", "a.wcnf", "a.pbp", wcnf, proof, limit, "--wcnf")
}

// DRATTrim runs drat-trim on a DRAT proof of a CNF, and reports whether it accepts the proof,
// with its output.
func DRATTrim(t testing.TB, cnf, proof []byte, limit time.Duration) (accepted bool, output string) {
	t.Helper()
	return checkProof(t, "drat-trim", "a.cnf", "a.drat", cnf, proof, limit)
}

// RequireContradiction runs veripb on a proof in files and returns the processor time that it
// took. The test fails unless veripb finds a contradiction within the limit.
func RequireContradiction(t testing.TB, opb, proof string, limit time.Duration) (user time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "veripb", "--requireUnsat", opb, proof)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Verification succeeded") {
		t.Errorf("veripb %s %s: %v %v\n%.400s", opb, proof, err, ctx.Err(), out)
	}
	if cmd.ProcessState == nil {
		return 0
	}
	return cmd.ProcessState.UserTime()
}

func checkProof(t testing.TB, tool, formulaName, proofName string, formula, proof []byte, limit time.Duration, flags ...string) (accepted bool, output string) {
	t.Helper()
	dir := t.TempDir()
	formulaFile, proofFile := filepath.Join(dir, formulaName), filepath.Join(dir, proofName)
	if err := errors.Join(os.WriteFile(formulaFile, formula, 0o600), os.WriteFile(proofFile, proof, 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, append(flags, formulaFile, proofFile)...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatal(fmt.Errorf("%s: not done after %v", tool, limit))
	case err != nil && !errors.As(err, &exit): // a refusal has an exit status of its own
		t.Fatal(fmt.Errorf("%s: %w", tool, err))
	}
	output = string(out)
	return strings.Contains(output, "Verification succeeded") || strings.Contains(output, "s VERIFIED"), output
}
