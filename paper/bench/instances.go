package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/source"
)

// problems are the paper's nine. hidden is the shape of the paper's network (its Table 1), and
// restart the number of transitions from which the bundled networks were learned, as in
// bundled/train.sh.
var problems = []struct {
	name    string
	hidden  string
	restart int
}{
	{"navigation/3x3", "36,36", 200_000},
	{"navigation/4x4", "96,96", 200_000},
	{"navigation/5x5", "128,128", 200_000},
	{"inventory/2", "96,96", 200_000},
	{"inventory/4", "128,128", 200_000},
	{"sysadmin/4", "128,128", 200_000},
	{"sysadmin/5", "128,128,128", 600_000},
	{"cellda/x", "128,128", 200_000},
	{"cellda/y", "128,128", 200_000},
}

// first is the shortest horizon of a problem in the paper.
func first(problem string) int {
	all := bundled.Published()
	return all[slices.IndexFunc(all, func(i bundled.Instance) bool { return i.Problem == problem })].Horizon
}

// at is a problem with several horizons.
func at(problem string, horizons ...int) (out []bundled.Instance) {
	for _, h := range horizons {
		out = append(out, bundled.Instance{Problem: problem, Horizon: h})
	}
	return out
}

// QuickEncodings are the instances on which a quick bench compares all encodings.
func QuickEncodings() []bundled.Instance {
	return slices.Concat(
		at("navigation/3x3", 4, 5),
		at("navigation/4x4", 5),
		at("inventory/2", 5, 6),
		at("inventory/4", 6),
		at("sysadmin/4", 2, 3),
		at("cellda/x", 10),
		at("cellda/y", 8),
	)
}

// QuickBLP are the instances on which a quick bench runs engine blp and external solvers.
func QuickBLP() []bundled.Instance {
	return slices.Concat(
		at("navigation/3x3", 4, 5),
		at("inventory/2", 5, 6),
		at("inventory/4", 6),
		at("sysadmin/4", 2),
		at("cellda/y", 8),
	)
}

// published maps problem names to those in the published files, if they differ: there the
// inventories are numbered.
var published = map[string]string{"inventory/2": "inventory/1", "inventory/4": "inventory/2"}

// files are the published files of a bench; the zero value means the bundled problems.
type files struct {
	dir string
	// tag identifies the contents: the same files in another folder are the same runs.
	tag string
}

// Records name folders by these variables, in place of where they are on one machine: that
// of the published files, and that of the bench.
const (
	filesVariable = "$FILES"
	outVariable   = "$OUT"
)

// rewardName is the name of the file with the paper's reward of the inventories, in the
// folder of the bench: the published files count threshold_met instead of the storage cost.
const rewardName = "storage-cost.csv"

// storageCost is the paper's storage cost, the level of the stock, over its bits.
const storageCost = "quant_bit_3[$c1],-8\nquant_bit_2[$c1],-4\nquant_bit_1[$c1],-2\nquant_bit_0[$c1],-1\n"

func openFiles(dir string) (files, error) {
	if dir == "" {
		return files{}, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return files{}, err
	}
	h := sha256.New()
	for _, part := range []string{"bnn", "normalization", "translation"} {
		err := fs.WalkDir(os.DirFS(dir), part, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := source.ReadFile(filepath.Join(dir, path))
			if err == nil {
				fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
			}
			return err
		})
		if err != nil {
			return files{}, fmt.Errorf("reading the published files: %w", err)
		}
	}
	return files{dir: dir, tag: hex.EncodeToString(h.Sum(nil))[:12]}, nil
}

// name returns the name of a problem in the files.
func (f files) name(problem string) string {
	if n, ok := published[problem]; ok && f.dir != "" {
		return n
	}
	return problem
}

// has reports whether the files contain a problem.
func (f files) has(problem string) bool {
	if f.dir == "" {
		return true
	}
	_, err := os.Stat(filepath.Join(f.dir, "bnn", "bnn_"+strings.ReplaceAll(f.name(problem), "/", "_")+".txt"))
	return err == nil
}

// args name a problem on the program's command line. Two published problems are
// brought back to what the paper says: SysAdmin leaves the ages of the computers
// open, where the paper begins with 0, and the inventories have another reward.
func (f files) args(problem string) []string {
	if f.dir == "" {
		return []string{problem}
	}
	out := []string{f.name(problem), "--files", filesVariable}
	if strings.HasPrefix(problem, "inventory/") {
		out = append(out, "--reward", outVariable+"/"+rewardName)
	}
	if n, ok := strings.CutPrefix(problem, "sysadmin/"); ok {
		for c := 1; fmt.Sprint(c-1) != n; c++ {
			out = append(out, "--set-initial", fmt.Sprintf("age_bit_1[$c%d]=0", c), "--set-initial", fmt.Sprintf("age_bit_0[$c%d]=0", c))
		}
	}
	return out
}
