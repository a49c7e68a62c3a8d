package load

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Save returns the files, by their names, of the problem with its changes as a task, which names the files of the problem's own; those of a
// bundled one are beside it. A horizon of 0 is the problem's own.
func (p *Problem) Save(name string, horizon int) (map[string][]byte, error) {
	t := p.task()
	switch {
	case t == nil:
		return nil, fmt.Errorf("-o %s: %s has no RDDL and declares no fluents; expected a problem that a task file can describe", name, p.Problem.Name)
	case t.PDDL() != nil:
		return nil, fmt.Errorf("-o %s: a task file describes no problem in PDDL; expected the PDDL files with another goal", name)
	case len(p.given) > 0 || len(p.from.Entity) > 0:
		return nil, fmt.Errorf("-o %s: a task file has its own inputs and entities; expected no --given and no --entity", name)
	}
	doc, files, err := p.written(t, filepath.Dir(name))
	if err == nil && horizon > 0 {
		doc["horizon"] = horizon
	}
	if err == nil {
		err = p.writeChanges(doc, t)
	}
	if err == nil {
		files[name], err = task.Document(doc)
	}
	if err != nil {
		return nil, fmt.Errorf("-o %s: %w", name, err)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if old, err := os.ReadFile(file); err == nil && file != name && !bytes.Equal(old, files[file]) {
			return nil, fmt.Errorf("%s is another file; expected a folder without it for the files of %s", file, p.Problem.Name)
		}
	}
	return files, nil
}

// written is the document of the task file that the problem was loaded from, with the names of its files relative to a folder, and the
// files that have to be written there.
func (p *Problem) written(t *task.Task, folder string) (doc map[string]any, beside map[string][]byte, err error) {
	doc, beside = map[string]any{}, map[string][]byte{}
	read, embedded := p.from.Read, p.from.Domain == "" && !strings.HasSuffix(p.from.Name, ".toml")
	switch {
	case embedded:
		read = bundled.Read
	case read == nil:
		read = source.ReadFile
	}
	if t.File != "" {
		text, err := read(t.File)
		if err == nil {
			doc, err = task.ReadDocument(text)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for key, file := range map[string]string{"domain": t.Domain, "instance": t.Instance, "network": t.Network} {
		if file == "" {
			continue
		}
		if embedded {
			as := filepath.Join(folder, filepath.Base(file))
			if beside[as], err = read(file); err != nil {
				return nil, nil, err
			}
			doc[key] = filepath.Base(file)
			continue
		}
		if doc[key], err = relative(folder, file); err != nil {
			return nil, nil, err
		}
	}
	return doc, beside, nil
}

// relative is the name of a file from a folder, with slashes.
func relative(folder, file string) (string, error) {
	if filepath.IsAbs(file) {
		return file, nil
	}
	from, err1 := filepath.Abs(folder)
	to, err2 := filepath.Abs(file)
	rel, err3 := filepath.Rel(from, to)
	return filepath.ToSlash(rel), errors.Join(err1, err2, err3)
}

// writeChanges puts what was asked and changed into the document.
func (p *Problem) writeChanges(doc map[string]any, t *task.Task) error {
	declares := t.Declares()
	if p.from.Goal != "" {
		doc["goal"] = p.from.Goal
	}
	if len(p.from.Range) > 0 && (p.from.known() || len(t.Learned) == 0) && !declares { // else they are rules
		ranges, _ := doc["ranges"].(map[string]any)
		if ranges == nil {
			ranges = map[string]any{}
		}
		for _, text := range p.from.Range {
			name, lo, hi, err := task.CutRange(text)
			if err != nil {
				return err
			}
			ranges[name] = lo + ".." + hi
		}
		doc["ranges"] = ranges
	}
	rules := p.requires
	if declares {
		rules = append(append([]string{}, t.Rules...), p.requires...)
	}
	for _, text := range p.requires {
		if declares && (layoutConstraint.MatchString(text) || len(p.Timed) > 0) {
			return fmt.Errorf("the rules of a task without RDDL are expressions about every step; expected no --require %s", text)
		}
	}
	if len(rules) > 0 {
		doc["rules"] = rules
	}
	for _, c := range p.changes {
		if err := p.writeEdits(doc, &c.Edits, declares); err != nil {
			return err
		}
	}
	return nil
}

func (p *Problem) writeEdits(doc map[string]any, c *Edits, declares bool) error {
	if c.Initial != "" {
		return errors.New("a task file has single values; expected --set-initial in place of --initial")
	}
	if c.Reward.Given() {
		text := c.Reward.Text
		if c.Reward.File != "" {
			text = c.Reward.File
			if read, err := os.ReadFile(text); err == nil {
				text = string(read)
			}
		}
		if declares && weights.MatchString(text) {
			return errors.New("the reward of a task without RDDL is an expression; expected one in place of a file")
		}
		doc["reward"] = text
	}
	val, _ := p.World().InitialBits()
	for _, text := range c.SetInitial {
		v, ok := p.World().Find(strings.TrimSpace(text[:strings.LastIndexByte(text, '=')]))
		if !ok {
			continue // it has been read
		}
		x := v.Show(v.Value(val))
		if v.Enumeration() {
			x = fmt.Sprint(x)
		}
		if !declares {
			if doc["initial"] == nil {
				doc["initial"] = map[string]any{}
			}
			doc["initial"].(map[string]any)[v.Name] = x
			continue
		}
		for _, table := range []string{"state", "input"} {
			list, _ := doc[table].([]any)
			for _, one := range list {
				if f, ok := one.(map[string]any); ok && factored.Canonical(fmt.Sprint(f["name"])) == v.Name {
					f["initial"] = x
				}
			}
		}
	}
	return nil
}
