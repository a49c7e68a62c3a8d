package cluster

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Bounds on what the stores accept, in bytes unless stated.
const (
	MaxUnit   = 256 << 10
	MaxResult = 512 << 10
	MaxObject = 16 << 30
	MaxFiles  = 1000 // inputs of a unit, and files of a result
)

// Hash is a SHA-256 in hexadecimal digits.
type Hash string

// HashOf returns the hash of a text.
func HashOf(text []byte) Hash {
	sum := sha256.Sum256(text)
	return Hash(hex.EncodeToString(sum[:]))
}

// isHash reports whether a text has the form of a Hash.
func isHash(text string) bool { return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == "" }

// Unit is a piece of work.
type Unit struct {
	// Version is the result version of the build that may run it: letters, digits
	// and dashes.
	Version string          `json:"version"`
	Kind    string          `json:"kind"`
	Args    json.RawMessage `json:"args"`
	Inputs  map[string]Hash `json:"inputs,omitempty"` // by the name of the file
	Time    time.Duration   `json:"time"`             // after which its process is killed; 0 for never
	Memory  int64           `json:"memory"`           // bytes of its processes; 0 for any
	Seed    uint64          `json:"seed"`
}

// Result is the outcome of a unit.
type Result struct {
	Unit   Hash            `json:"unit"`
	Kind   string          `json:"kind"`
	Output json.RawMessage `json:"output"`
	Files  map[string]Hash `json:"files,omitempty"`
	// What depends on the run.
	Worker  string  `json:"worker"`
	Seconds float64 `json:"seconds"`
	// Digest is the hash of all that does not, which binds the parts to each other.
	Digest Hash `json:"digest"`

	revision uint64 // of what is stored
}

// sum is what Digest has to be.
func (r *Result) sum() (Hash, error) {
	text, err := marshal(Result{Unit: r.Unit, Kind: r.Kind, Output: r.Output, Files: r.Files})
	return HashOf(text), err
}

// check reports why a result is not that of a unit.
func (r *Result) check(u *Unit, id Hash) error {
	sum, err := r.sum()
	switch {
	case err != nil:
		return err
	case r.Unit != id || r.Kind != u.Kind:
		return fmt.Errorf("it is of unit %.12s (%.40q); expected %.12s (%s)", r.Unit, r.Kind, id, u.Kind)
	case r.Digest != sum:
		return fmt.Errorf("its parts do not belong together: their digest is %.12s; expected %.12s", sum, r.Digest)
	}
	return checkFiles(r.Files)
}

// Aside is a unit that no worker can do.
type Aside struct {
	Unit   Unit   `json:"unit"`
	Reason string `json:"reason"`
	Output string `json:"output,omitempty"` // the end of what its process printed
	Worker string `json:"worker"`           // the last one
	// Died reports that processes of the unit died, or vanished with their machines: a smaller
	// unit may not.
	Died bool `json:"died,omitempty"`
}

// AsideError is the error of a unit that was set aside.
type AsideError struct {
	ID Hash
	Aside
}

// Error returns the reason, with the last line of the output.
func (e *AsideError) Error() string {
	text := fmt.Sprintf("unit %.12s (%s) was set aside: %s", e.ID, e.Unit.Kind, e.Reason)
	if e.Output != "" {
		lines := strings.Split(strings.TrimSpace(e.Output), "\n")
		text += ": " + lines[len(lines)-1]
	}
	return text
}

// encode returns a unit in its stored form, which determines its ID.
func (u *Unit) encode() ([]byte, Hash, error) {
	if err := u.check(); err != nil {
		return nil, "", err
	}
	text, err := marshal(u)
	if err != nil {
		return nil, "", fmt.Errorf("writing a unit: %w", err)
	}
	if len(text) > MaxUnit {
		return nil, "", fmt.Errorf("a unit of %d bytes; expected at most %d", len(text), MaxUnit)
	}
	return text, HashOf(text), nil
}

// ID returns the unit's hash.
func (u *Unit) ID() (Hash, error) {
	_, id, err := u.encode()
	return id, err
}

// decodeUnit reads a unit and checks that its hash is id.
func decodeUnit(text []byte, id Hash) (*Unit, error) {
	if len(text) > MaxUnit {
		return nil, fmt.Errorf("it has %d bytes; expected at most %d", len(text), MaxUnit)
	}
	u := &Unit{}
	if err := json.Unmarshal(text, u); err != nil {
		return nil, fmt.Errorf("it is not a unit: %w", err)
	}
	_, own, err := u.encode()
	if err != nil {
		return nil, err
	}
	if own != id {
		return nil, fmt.Errorf("its hash is %.12s; expected %.12s", own, id)
	}
	return u, nil
}

// Letters of what can be part of a subject.
const (
	small   = "abcdefghijklmnopqrstuvwxyz-"
	letters = small + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// isName reports whether a text consists of at most 100 of the letters, and at least one.
func isName(text, letters string) bool {
	return text != "" && len(text) <= 100 && strings.Trim(text, letters) == ""
}

// check reports what is wrong with a unit.
func (u *Unit) check() error {
	switch {
	case !isName(u.Version, letters):
		return fmt.Errorf("the result version %.40q; expected letters, digits and dashes", u.Version)
	case !isName(u.Kind, small):
		return fmt.Errorf("the kind %.40q; expected letters and dashes", u.Kind)
	case !json.Valid(u.Args):
		return errors.New("its arguments are not JSON")
	case u.Time < 0 || u.Memory < 0:
		return fmt.Errorf("limits %v and %d bytes; expected 0 or more", u.Time, u.Memory)
	}
	return checkFiles(u.Inputs)
}

// checkFiles reports what is wrong with the names and hashes of files.
func checkFiles(files map[string]Hash) error {
	if len(files) > MaxFiles {
		return fmt.Errorf("%d files; expected at most %d", len(files), MaxFiles)
	}
	for name, h := range files {
		if err := checkName(name); err != nil {
			return err
		}
		if !isHash(string(h)) {
			return fmt.Errorf("file %s has the hash %.80q; expected 64 hexadecimal digits", name, h)
		}
	}
	return nil
}

// checkName refuses names that lead out of a unit's folder.
func checkName(name string) error {
	if !filepath.IsLocal(name) || name == "." || len(name) > 200 || strings.ContainsAny(name, "\\:\x00") {
		return fmt.Errorf("the file name %.200q; expected one below the folder of the unit", name)
	}
	return nil
}

// marshal writes JSON in which texts keep their bytes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
