package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// Machine describes what results depend on besides the runs: processor, memory, system, and
// the versions of program and solvers. Unknown items are omitted. It does not contain the
// machine's name or the time.
func Machine(ctx context.Context, program string, solvers []ExternalSolver) map[string]string {
	m := map[string]string{
		"system": runtime.GOOS + "/" + runtime.GOARCH,
		"cores":  strconv.Itoa(runtime.NumCPU()),
		"go":     runtime.Version(),
	}
	put := func(key, value string) {
		if value = strings.TrimSpace(value); value != "" {
			m[key] = value
		}
	}
	put("processor", field("/proc/cpuinfo", "model name"))
	put("memory", field("/proc/meminfo", "MemTotal"))
	put("kernel", line("/proc/sys/kernel/osrelease"))
	if info, ok := debug.ReadBuildInfo(); ok {
		put("fdplan", info.Main.Version)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				put("revision", s.Value)
			case "vcs.modified":
				put("modified", s.Value)
			}
		}
	}
	put("program", digest(program))
	for _, s := range append(solvers[:len(solvers):len(solvers)], ExternalSolver{registry.BLP, "highs"}) {
		e, ok := registry.Find(s.Engine)
		if !ok || e.External == nil {
			continue
		}
		known, err := external.Lookup(*e.External, s.Name)
		if err != nil {
			continue
		}
		if path, err := known.Program(); err == nil {
			put("solver "+s.Name, version(ctx, path))
		}
	}
	return m
}

// field returns the value of the first line of a file that has this name.
func field(file, name string) string {
	text, _ := os.ReadFile(file)
	for line := range bytes.Lines(text) {
		if key, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(key) == name {
			return value
		}
	}
	return ""
}

func line(file string) string {
	text, _ := os.ReadFile(file)
	return firstLine(string(text))
}

// digest returns a digest of a file's contents.
func digest(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return "sha256 " + hex.EncodeToString(h.Sum(nil))[:12]
}

// version returns the first line with a digit in a solver's output about itself.
func version(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	flag := "--version"
	if strings.HasSuffix(path, "cbc") {
		flag = "-quit" // its version is printed before everything else
	}
	out, _ := exec.CommandContext(ctx, path, flag).Output()
	for line := range bytes.Lines(out) {
		if bytes.ContainsAny(line, "0123456789") {
			return string(bytes.TrimSpace(line))
		}
	}
	return ""
}
