package train

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/npy"
	"github.com/fdplan/fdplan/internal/source"
)

// Limits on foreign files: bytes of one array, layers, and the magnitude of a number, so that
// products of a few of them do not overflow.
const (
	maxArray     = 1 << 28
	maxLayers    = 1000
	maxMagnitude = 1e30
	minEpsilon   = 1e-30
)

// ReadNPZ reads a network that was trained elsewhere: an NPZ file with, for each layer k = 1,
// 2, …
//
//	layerk.weight  units x inputs, in C or Fortran order
//	layerk.mean    of batch normalization, one per unit; likewise
//	layerk.var
//	layerk.gamma   default 1
//	layerk.beta    default 0
//	layerk.bias    of the weighted sums; default 0
//	eps            one number, which was added to variances
//
// as floating-point numbers of 16, 32 or 64 bits or as integers. The nonzero weights of a
// unit must all have the same magnitude, which becomes its scale. The name stands for the
// file in errors, which are *source.Error.
func ReadNPZ(name string, data []byte) (f *Float, err error) {
	a, err := openArrays(data)
	if err == nil {
		f, err = a.network()
	}
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "%v", err)
	}
	return f, nil
}

// arrays are the members of an NPZ file.
type arrays struct {
	members map[string]*zip.File
	used    map[string]bool
}

// array is a member: shape is nil for a single number.
type array struct {
	shape  []int
	values []float64 // in C order
}

func openArrays(data []byte) (*arrays, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("no NPZ file: %v", err)
	}
	a := &arrays{members: map[string]*zip.File{}, used: map[string]bool{}}
	for _, m := range z.File {
		name, ok := strings.CutSuffix(m.Name, ".npy")
		if !ok {
			return nil, fmt.Errorf("the member %q is not an array, expected names that end in .npy", m.Name)
		}
		if a.members[name] != nil {
			return nil, fmt.Errorf("there are two arrays %q", name)
		}
		a.members[name] = m
	}
	return a, nil
}

// network assembles the arrays.
func (a *arrays) network() (*Float, error) {
	eps, err := a.read("eps")
	if err != nil {
		return nil, err
	}
	switch {
	case eps == nil:
		return nil, fmt.Errorf("there is no array eps, expected one number: what batch normalization adds to variances")
	case len(eps.values) != 1:
		return nil, fmt.Errorf("the array eps has the shape %v, expected one number", eps.shape)
	case !(eps.values[0] >= 0):
		return nil, fmt.Errorf("eps is %v, expected 0 or more", eps.values[0])
	}
	f := &Float{}
	for k := 1; k <= maxLayers; k++ {
		l, err := a.layer(fmt.Sprintf("layer%d.", k), eps.values[0])
		if err != nil {
			return nil, err
		}
		if l == nil {
			break
		}
		if k > 1 {
			if units := len(f.Layers[k-2].Gamma); units != l.Inputs {
				return nil, fmt.Errorf("layer%d.weight has %d inputs, expected %d, the units of the layer before; a weight has the shape (units, inputs)", k, l.Inputs, units)
			}
		}
		f.Layers = append(f.Layers, *l)
	}
	if len(f.Layers) == 0 {
		return nil, fmt.Errorf("there is no array layer1.weight, expected one of shape (units, inputs)")
	}
	for _, name := range slices.Sorted(maps.Keys(a.members)) {
		if !a.used[name] {
			return nil, fmt.Errorf("the array %q has no place, expected eps and layerN.weight, .mean, .var, .gamma, .beta or .bias, N from 1 to %d", name, len(f.Layers))
		}
	}
	return f, nil
}

// layer reads one layer; it returns nil if there is none.
func (a *arrays) layer(prefix string, eps float64) (*FloatLayer, error) {
	w, err := a.read(prefix + "weight")
	if w == nil || err != nil {
		return nil, err
	}
	if len(w.shape) != 2 || w.shape[0] < 1 || w.shape[1] < 1 || max(w.shape[0], w.shape[1]) > maxFanIn {
		return nil, fmt.Errorf("%sweight has the shape %v, expected (units, inputs), each 1..%d", prefix, w.shape, maxFanIn)
	}
	units, inputs := w.shape[0], w.shape[1]
	l := &FloatLayer{Inputs: inputs, Epsilon: eps, Weights: make([]int8, units*inputs)}
	for j := range units {
		scale, err := signs(l.Weights[j*inputs:(j+1)*inputs], w.values[j*inputs:(j+1)*inputs])
		if err != nil {
			return nil, fmt.Errorf("%sweight: unit %d: %v", prefix, j+1, err)
		}
		l.Scale = append(l.Scale, scale)
	}
	var bias []float64
	for _, p := range []struct {
		name     string
		to       *[]float64
		missing  float64
		optional bool
	}{{"mean", &l.Mean, 0, false}, {"var", &l.Var, 0, false}, {"gamma", &l.Gamma, 1, true}, {"beta", &l.Beta, 0, true}, {"bias", &bias, 0, true}} {
		x, err := a.read(prefix + p.name)
		switch {
		case err != nil:
			return nil, err
		case x == nil && !p.optional:
			return nil, fmt.Errorf("there is no array %s%s, expected one number a unit", prefix, p.name)
		case x == nil:
			*p.to = slices.Repeat([]float64{p.missing}, units)
		case len(x.values) != units || len(x.shape) != 1:
			return nil, fmt.Errorf("%s%s has the shape %v, expected (%d), one number a unit", prefix, p.name, x.shape, units)
		default:
			*p.to = x.values
		}
	}
	for j := range units {
		if !(l.Var[j] >= 0 && l.Var[j]+eps >= minEpsilon) {
			return nil, fmt.Errorf("%svar: unit %d has the variance %v and eps is %v, expected a sum above 0", prefix, j+1, l.Var[j], eps)
		}
		l.Mean[j] -= bias[j]
	}
	return l, nil
}

// signs splits a unit's weights into -1, 0 and +1 and a scale.
func signs(to []int8, from []float64) (scale float64, err error) {
	first := -1
	for i, w := range from {
		if w == 0 {
			continue
		}
		if first < 0 {
			first, scale = i, math.Abs(w)
		}
		if math.Abs(w) != scale {
			return 0, fmt.Errorf("weights %d and %d are %v and %v, expected -1, 0 and 1, or one scale a unit times these; save the weights as they count, not the latent ones",
				first+1, i+1, from[first], w)
		}
		if to[i] = 1; w < 0 {
			to[i] = -1
		}
	}
	if first < 0 {
		return 1, nil
	}
	if scale < minEpsilon {
		return 0, fmt.Errorf("weight %d is %v, expected 0 or a magnitude of %v at least", first+1, from[first], minEpsilon)
	}
	return scale, nil
}

// read returns the array of that name, or nil if there is none.
func (a *arrays) read(name string) (*array, error) {
	m := a.members[name]
	if m == nil {
		return nil, nil
	}
	a.used[name] = true
	r, err := m.Open()
	if err != nil {
		return nil, fmt.Errorf("the array %s: %v", name, err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxArray+1))
	if err != nil {
		return nil, fmt.Errorf("the array %s: %v", name, err)
	}
	if len(text) > maxArray {
		return nil, fmt.Errorf("the array %s has more than %d bytes", name, maxArray)
	}
	x, err := parseArray(text)
	if err != nil {
		return nil, fmt.Errorf("the array %s: %v", name, err)
	}
	for _, v := range x.values {
		if !(math.Abs(v) <= maxMagnitude) {
			return nil, fmt.Errorf("the array %s holds %v, expected finite numbers of magnitude %v at most", name, v, maxMagnitude)
		}
	}
	return x, nil
}

// parseArray reads an NPY file.
func parseArray(text []byte) (*array, error) {
	a, err := npy.Parse(text)
	if err != nil {
		return nil, err
	}
	if a.Kind() == 'b' {
		return nil, fmt.Errorf("values of type %q, expected floating-point numbers or integers", a.Type)
	}
	return &array{shape: a.Shape, values: a.Values()}, nil
}
