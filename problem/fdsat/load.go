package fdsat

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Load reads the problem DOMAIN/INSTANCE below dir and its network. It checks the problem and
// sets its inputs and outputs to those of the network.
func Load(dir, domain, instance string) (*factored.Problem, *bnn.Network, error) {
	l := loader{dir: dir, domain: domain, instance: instance, open: func(path string) (io.ReadCloser, error) { return source.Open(path) }}
	return l.load()
}

// loader reads one problem. It opens the files with open, so that a test needs no disk.
type loader struct {
	dir, domain, instance string
	open                  func(path string) (io.ReadCloser, error)
}

// path returns the file of one part of the problem: folder/part_DOMAIN_INSTANCE.txt.
func (l *loader) path(folder, part string) string {
	return filepath.Join(l.dir, folder, part+"_"+l.domain+"_"+l.instance+".txt")
}

// read opens a file and passes it to f. If optional is set, a missing file is not an error,
// and found is false.
func (l *loader) read(path string, optional bool, f func(r io.Reader) error) (found bool, err error) {
	r, err := l.open(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return false, source.Errorf(path, 0, 0, "cannot be opened: %v", source.Cause(err))
		}
		if optional {
			return false, nil
		}
		return false, source.Errorf(path, 0, 0, "there is no such file; expected a file of the FD-SAT-Plan layout")
	}
	defer r.Close() // read only: closing loses nothing
	return true, f(r)
}

func (l *loader) load() (*factored.Problem, *bnn.Network, error) {
	for _, s := range []string{l.domain, l.instance} {
		if s == "" || strings.ContainsAny(s, "/\\\x00") {
			return nil, nil, source.Errorf("", 0, 0, "%s is no part of a problem's name; expected DOMAIN/INSTANCE", source.Quote(s))
		}
	}
	p := factored.NewProblem(l.domain + "/" + l.instance)
	declared := l.path("translation", "pvariables")
	var columns []int
	if _, err := l.read(declared, false, func(r io.Reader) (err error) {
		columns, err = readVariables(p, declared, r)
		return err
	}); err != nil {
		return nil, nil, err
	}
	n, err := l.network(p)
	if err != nil {
		return nil, nil, err
	}
	known, err := l.constraints(p)
	if err != nil {
		return nil, nil, err
	}
	if !known {
		if err := allLearned(p, declared, columns); err != nil {
			return nil, nil, err
		}
	}
	if err := l.reward(p); err != nil {
		return nil, nil, err
	}
	if err := p.Check(); err != nil {
		return nil, nil, source.Errorf(declared, 0, 0, "%v", err)
	}
	return p, n, nil
}

// network reads the two files of the network, whose shape must fit p.
func (l *loader) network(p *factored.Problem) (n *bnn.Network, err error) {
	weights, norm := l.path("bnn", "bnn"), l.path("normalization", "normalization")
	_, err = l.read(weights, false, func(w io.Reader) error {
		_, err := l.read(norm, false, func(v io.Reader) (err error) {
			n, err = bnn.ReadPublished(weights, w, norm, v)
			return err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	// The sizes are on line 2. Those of the last layer follow the units, and the lines of
	// sizes, of all layers before it.
	if n.Inputs() != len(p.Inputs) {
		return nil, source.Errorf(weights, 2, 1, "the network has %d inputs, the variables give %d", n.Inputs(), len(p.Inputs))
	}
	if n.Outputs() != len(p.Outputs) {
		last := n.Layers[len(n.Layers)-1]
		return nil, source.Errorf(weights, 1+n.Hidden()+len(n.Layers), len(strconv.Itoa(last.Inputs))+2, "the network has %d outputs, the variables give %d", n.Outputs(), len(p.Outputs))
	}
	return n, nil
}

// constraints reads C, I, G and the known part of T; known reports whether that part exists.
func (l *loader) constraints(p *factored.Problem) (known bool, err error) {
	for _, part := range []struct {
		name  string
		where place
		to    *[]factored.Constraint
	}{
		{"constraints", global, &p.Global},
		{"initial", states, &p.Initial},
		{"goals", states, &p.Goal},
		{"transitions", transition, &p.Transition},
	} {
		path := l.path("translation", part.name)
		if _, err := l.read(path, part.where == transition, func(r io.Reader) error {
			cs, err := readConstraints(p, path, r, part.where)
			*part.to = append(*part.to, cs...)
			return err
		}); err != nil {
			return false, err
		}
	}
	return len(p.Transition) > 0, nil
}

// allLearned reports a state variable with no value at the next step in a problem without
// known transitions. columns contains where variables are declared.
func allLearned(p *factored.Problem, declared string, columns []int) error {
	learned := make([]bool, p.NumBits())
	for _, b := range p.Outputs {
		learned[b] = true
	}
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.State && !learned[v.First] {
			return source.Errorf(declared, 1, columns[i], "%s is not learned, and there are no known transitions; expected state_label, state_data_label or a transitions file", source.Quote(v.Name))
		}
	}
	return nil
}

func (l *loader) reward(p *factored.Problem) error {
	path := l.path("translation", "reward")
	found, err := l.read(path, true, func(r io.Reader) (err error) {
		p.Reward, err = ReadReward(p, path, r)
		return err
	})
	if err == nil && !found {
		p.Reward = DefaultReward(p)
	}
	return err
}
