package ground

import (
	"context"
	"math"
	"strconv"
)

// Tail is the probability that is left where a draw of infinitely many integers is cut; its last value has it too.
const Tail = 1e-6

// mostCounts bounds the integers of a cut draw.
const mostCounts = 400

// Quantiles returns the problem in which each draw of a real has k equally likely values, the quantiles in the middle of k parts, and each
// Poisson, Geometric and NegativeBinomial draw with constant parameters is cut at Tail. It is p itself if there are no such
// draws. Others stay as they are.
func (p *Problem) Quantiles(k int) (*Problem, error) {
	found := false
	p.Walk(func(n *Node) bool {
		found = found || n.Op == Random && (quantile(n.Name) != nil || counts(n) != nil)
		return !found
	})
	if !found {
		return p, nil
	}
	r := &rewriter{b: newBuilder(context.Background(), math.MaxInt), memo: map[*Node]*Node{}}
	r.b.guards = 1
	r.draw = func(n *Node) *Node { return r.discretised(n, k) }
	q := p.rewritten(r.node)
	q.Quantised = k
	return q, r.b.err
}

// discretised replaces a draw by one of an index, and a choice of values by it.
func (r *rewriter) discretised(n *Node, k int) *Node {
	b, pos := r.b, n.Pos
	var values []*Node
	var weights []float64
	if of := quantile(n.Name); of != nil {
		for i := range k {
			values = append(values, shorter(of(b, n, (float64(i)+0.5)/float64(k)), map[*Node]*Node{}))
			weights = append(weights, 1/float64(k))
		}
	} else if weights = counts(n); weights != nil {
		first := 0
		if n.Name == "Geometric" {
			first = 1
		}
		for i := range weights {
			values = append(values, b.number(pos, Int, float64(first+i)))
		}
	} else {
		return b.intern(*n)
	}
	names := make([]string, len(values))
	draw := Node{Op: Random, Type: Enum, Name: "UnnormDiscrete", Pos: pos}
	for i := range names {
		names[i] = "q" + strconv.Itoa(i+1)
	}
	draw.Values = names
	var branches []branch
	for i, v := range values {
		draw.Args = append(draw.Args, b.value(pos, names, i), b.number(pos, Real, weights[i]))
		branches = append(branches, branch{i, v})
	}
	return b.switchOn(pos, b.intern(draw), branches, nil)
}

// quantile returns the function of the quantiles of a distribution of reals, as the mean in determinize.go; nil for others.
func quantile(name string) func(b *builder, n *Node, p float64) *Node {
	z := map[string]func(p float64) float64{ // of the standard form, of which others are multiples and shifts
		"Normal":  func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) },
		"Uniform": func(p float64) float64 { return p },
		"Laplace": func(p float64) float64 {
			if p < 0.5 {
				return math.Log(2 * p)
			}
			return -math.Log(2 * (1 - p))
		},
		"Gumbel":      func(p float64) float64 { return -math.Log(-math.Log(p)) },
		"Cauchy":      func(p float64) float64 { return math.Tan(math.Pi * (p - 0.5)) },
		"Exponential": func(p float64) float64 { return -math.Log1p(-p) },
		"Weibull":     func(p float64) float64 { return -math.Log1p(-p) },
		"Pareto":      func(p float64) float64 { return 1 - p },
	}[name]
	if z == nil {
		return nil
	}
	return func(b *builder, n *Node, p float64) *Node {
		pos, x, y := n.Pos, n.Args[0], n.Args[len(n.Args)-1]
		num := func(v float64) *Node { return b.number(pos, Real, Short(v)) }
		switch v := z(p); name {
		case "Normal":
			return b.add(pos, x, b.mul(pos, num(v), b.call(pos, "sqrt", y)))
		case "Uniform":
			return b.add(pos, x, b.mul(pos, num(v), b.sub(pos, y, x)))
		case "Exponential":
			return b.mul(pos, num(v), x)
		case "Weibull":
			return b.mul(pos, y, b.call(pos, "pow", num(v), b.div(pos, num(1), x)))
		case "Pareto":
			return b.mul(pos, y, b.sub(pos, b.call(pos, "pow", num(v), b.neg(pos, b.div(pos, num(1), x))), num(1)))
		default:
			return b.add(pos, x, b.mul(pos, num(v), y))
		}
	}
}

// counts lists the probabilities of the integers of a draw with constant parameters, from its least one; nil for other draws, and if they are too
// many.
func counts(n *Node) (out []float64) {
	if len(n.Args) == 0 || !allConst(n.Args) || DistributionError(n.Name, values(n.Args)...) != nil {
		return nil
	}
	x, y := n.Args[0].Val, n.Args[len(n.Args)-1].Val
	var p float64
	var next func(k, p float64) float64
	switch n.Name {
	case "Poisson":
		p, next = math.Exp(-x), func(k, p float64) float64 { return p * x / (k + 1) }
	case "Geometric":
		p, next = x, func(_, p float64) float64 { return p * (1 - x) }
	case "NegativeBinomial":
		p, next = math.Pow(y, x), func(k, p float64) float64 { return p * (1 - y) * (x + k) / (k + 1) }
	default:
		return nil
	}
	left := 1.0
	for k := 0.0; k < mostCounts; k++ {
		out = append(out, p)
		if left -= p; left <= Tail {
			out[len(out)-1] += max(left, 0)
			return out
		}
		p = next(k, p)
	}
	return nil
}
