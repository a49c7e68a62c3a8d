package highs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/solve/external"
)

// Version is the version of the npm package.
const Version = "1.15.3"

// Variable names the environment variable with the path of the file.
const Variable = "FDPLAN_HIGHS_WASM"

// digest is the SHA-256 of the file in the npm package.
const digest = "528be4365bea1d4188988646b244263f50320df55782e14d6af5bce7cd45c840"

// Where npm puts the file, below a folder with a package.json.
var (
	inPackage  = filepath.Join("node_modules", "highs", "build", "highs.wasm")
	inCheckout = filepath.Join("tools", "highs")
)

// cacheDir is this program's folder in the user's cache directory, empty if there is none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "fdplan")
}

// Find returns the name of the WebAssembly file. Where there is none, the error is
// an *external.MissingError whose text has the one command that brings it.
func Find() (string, error) {
	if name := os.Getenv(Variable); name != "" {
		if _, err := os.Stat(name); err != nil {
			return "", &external.MissingError{Solver: "highs", Install: fmt.Sprintf("%s: %v", Variable, err)}
		}
		return name, nil
	}
	command := ""
	var candidates []string
	if program, err := os.Executable(); err == nil { // tools/highs/bin/fdplan-highs
		candidates = append(candidates, filepath.Join(filepath.Dir(filepath.Dir(program)), inPackage))
	}
	if dir, err := os.Getwd(); err == nil {
		for {
			candidates = append(candidates, filepath.Join(dir, inCheckout, inPackage), filepath.Join(dir, inPackage))
			if _, err := os.Stat(filepath.Join(dir, inCheckout, "package-lock.json")); err == nil && command == "" {
				command = "npm ci --prefix " + filepath.Join(dir, inCheckout)
			}
			up := filepath.Dir(dir)
			if up == dir {
				break
			}
			dir = up
		}
	}
	if cache := cacheDir(); cache != "" {
		candidates = append(candidates, filepath.Join(cache, inPackage), filepath.Join(cache, "highs.wasm"))
		if command == "" {
			command = "npm install --prefix " + cache + " highs@" + Version
		}
	}
	for _, name := range candidates {
		if _, err := os.Stat(name); err == nil {
			return name, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("looking for HiGHS: %w", err)
		}
	}
	return "", &external.MissingError{Solver: "highs", Install: "bring its WebAssembly build by: " + command}
}

// read reads the file and refuses any other than the one whose names are known.
func read(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading HiGHS: %w", err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != digest {
		return nil, fmt.Errorf("%s is not the highs.wasm of the npm package highs %s: SHA-256 %x, expected %s", name, Version, sum, digest)
	}
	return text, nil
}
