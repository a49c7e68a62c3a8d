package spread

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// ResultVersion names the builds that give the same results as this one: those of
// the same commit, or release, for the same processor. A build with changes that no
// commit has is known by the content of the program alone.
func ResultVersion(info *debug.BuildInfo, program string) (string, error) {
	if info != nil {
		commit, modified := "", false
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
		if commit != "" && !modified {
			return "c-" + commit[:min(len(commit), 16)] + "-" + runtime.GOARCH, nil
		}
		if v := info.Main.Version; commit == "" && info.Main.Sum != "" && strings.HasPrefix(v, "v") {
			return strings.NewReplacer(".", "-", "+", "-").Replace(v) + "-" + runtime.GOARCH, nil
		}
	}
	f, err := os.Open(program)
	if err != nil {
		return "", fmt.Errorf("finding the version of this program: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("finding the version of this program: %w", err)
	}
	return "p-" + hex.EncodeToString(sum.Sum(nil))[:16] + "-" + runtime.GOARCH, nil
}
