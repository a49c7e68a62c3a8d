package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/source"
)

// Manifest lists the files of a data set in parts, in the order of their rows. It is
// the JSON file that names the data set.
type Manifest struct {
	Schema int    `json:"schema"` // 1
	Rows   int    `json:"rows"`
	Parts  []Part `json:"parts"`
}

// Part is one file of a data set in parts.
type Part struct {
	File string `json:"file"` // beside the manifest; Parquet
	Rows int    `json:"rows"`
	Hash string `json:"sha256"`
}

// manifestExt ends the names of manifests.
const manifestExt = ".manifest"

// IsManifest reports whether a file's name is that of a manifest.
func IsManifest(name string) bool { return strings.EqualFold(filepath.Ext(name), manifestExt) }

// PartName returns the name of part i of the data set with a manifest.
func PartName(manifest string, i int) string {
	return fmt.Sprintf("%s-%05d%s", manifest[:len(manifest)-len(manifestExt)], i, Parquet)
}

// WriteManifest writes the manifest of a data set whose parts have the given numbers
// of rows and are in the files of PartName.
func WriteManifest(name string, rows []int) error {
	m := Manifest{Schema: 1, Parts: []Part{}}
	for i, n := range rows {
		part := PartName(name, i)
		hash, err := hashOf(part)
		if err != nil {
			return err
		}
		m.Rows += n
		m.Parts = append(m.Parts, Part{filepath.Base(part), n, hash})
	}
	return atomicfile.Write(name, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(m)
	})
}

// ReadManifest reads a manifest. The parts it names are files beside it.
func ReadManifest(name string) (*Manifest, error) {
	text, err := source.ReadFile(name)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "cannot be opened: %v", source.Cause(err))
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, source.Errorf(name, 0, 0, "not a manifest: %v; expected a JSON object", err)
	}
	if m.Schema != 1 {
		return nil, source.Errorf(name, 0, 0, "a manifest of schema %d; expected 1", m.Schema)
	}
	sum := 0
	for i, p := range m.Parts {
		if p.File != filepath.Base(p.File) || !filepath.IsLocal(p.File) || !strings.HasSuffix(p.File, string(Parquet)) {
			return nil, source.Errorf(name, 0, 0, "part %d is the file %q; expected a Parquet file beside the manifest", i+1, p.File)
		}
		if p.Rows < 0 || p.Rows > math.MaxInt-sum {
			return nil, source.Errorf(name, 0, 0, "part %d has %d rows; expected 0 or more", i+1, p.Rows)
		}
		sum += p.Rows
	}
	if sum != m.Rows || len(m.Parts) == 0 {
		return nil, source.Errorf(name, 0, 0, "%d parts with %d rows; expected at least one part, and %d rows", len(m.Parts), sum, m.Rows)
	}
	return &m, nil
}

// readParts reads a data set in parts.
func readParts(name string) (*Data, error) {
	m, err := ReadManifest(name)
	if err != nil {
		return nil, err
	}
	all := &Data{}
	for i, p := range m.Parts {
		file := filepath.Join(filepath.Dir(name), p.File)
		hash, err := hashOf(file)
		if err != nil {
			return nil, err
		}
		if hash != p.Hash {
			return nil, source.Errorf(file, 0, 0, "the content is not what %s says: its SHA-256 is %.12s, expected %.12s", name, hash, p.Hash)
		}
		d, err := Read(file)
		switch {
		case err != nil:
			return nil, err
		case d.Rows != p.Rows:
			return nil, source.Errorf(file, 0, 0, "%d rows; expected %d, as %s says", d.Rows, p.Rows, name)
		case i == 0:
			if err := RoomFor(m.Rows, len(d.Schema.Columns)); err != nil {
				return nil, source.Errorf(name, 0, 0, "%v", err)
			}
			all.Schema = d.Schema
		case !reflect.DeepEqual(d.Schema, all.Schema):
			return nil, source.Errorf(file, 0, 0, "its columns differ from those of %s", m.Parts[0].File)
		}
		if (d.Rewards == nil) != (all.Rewards == nil) && i > 0 {
			return nil, source.Errorf(file, 0, 0, "the column reward is in some parts only")
		}
		all.Rewards = append(all.Rewards, d.Rewards...)
		_ = d.Each(func(_ int, row []float64) error { all.Add(row); return nil })
	}
	return all, nil
}

// hashOf returns the SHA-256 of a file.
func hashOf(name string) (string, error) {
	f, err := source.OpenRegular(name)
	if err != nil {
		if os.IsNotExist(err) {
			return "", source.Errorf(name, 0, 0, "the part does not exist")
		}
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", name, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
