package train

import (
	"fmt"
	"math/bits"

	"github.com/fdplan/fdplan/problem/bnn"
)

// Measure counts the errors of a network on examples.
type Measure struct {
	Rows      int   // distinct
	WrongRows int   // distinct rows with at least one wrong bit
	WrongBits []int // distinct rows that are wrong in each output bit
	// The same with multiplicities.
	Total      int
	TotalRows  int
	TotalBits  []int
	OutputBits int
}

// BitError returns the share of output bits that are wrong, of rows as often as they were seen.
// It is 0 if there are no rows.
func (m *Measure) BitError() float64 {
	return share(total(m.TotalBits), m.Total*m.OutputBits)
}

// RowError returns the share of rows with at least one wrong bit, as often as they were seen.
func (m *Measure) RowError() float64 { return share(m.TotalRows, m.Total) }

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// bitsWrong is the number of wrong bits in distinct rows.
func (m *Measure) bitsWrong() int { return total(m.WrongBits) }

func total(list []int) (sum int) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// Test measures net on e. It returns an error if their bits do not fit together.
func Test(net *bnn.Network, e *Examples) (*Measure, error) {
	if err := net.Check(); err != nil {
		return nil, err
	}
	if net.Inputs() != e.Inputs || net.Outputs() != e.Outputs {
		return nil, fmt.Errorf("a network %s for rows of %d input bits and %d output bits", net.Shape(), e.Inputs, e.Outputs)
	}
	return measure(net, e, 1), nil
}

// measureBlock is the number of rows of one call of the evaluator.
const measureBlock = 1024

func measure(net *bnn.Network, e *Examples, threads int) *Measure {
	ev := bnn.NewEvaluator(net)
	wi, wo := bnn.Words(e.Inputs), bnn.Words(e.Outputs)
	parts := make([]Measure, threads)
	spread(threads, (e.Rows()+measureBlock-1)/measureBlock, func(from, to, thread int) {
		m := &parts[thread]
		m.WrongBits, m.TotalBits = make([]int, e.Outputs), make([]int, e.Outputs)
		s := ev.NewScratch()
		out := make([]uint64, measureBlock*wo)
		for i := from * measureBlock; i < min(to*measureBlock, e.Rows()); i += measureBlock {
			n := min(measureBlock, e.Rows()-i)
			ev.ForwardMany(out, e.In[i*wi:], n, s)
			for k := range n {
				wrong := false
				for w := range wo {
					for x := out[k*wo+w] ^ e.Out[(i+k)*wo+w]; x != 0; x &= x - 1 {
						j := 64*w + bits.TrailingZeros64(x)
						m.WrongBits[j]++
						m.TotalBits[j] += int(e.Count[i+k])
						wrong = true
					}
				}
				if wrong {
					m.WrongRows++
					m.TotalRows += int(e.Count[i+k])
				}
			}
		}
	})
	sum := &Measure{Rows: e.Rows(), Total: e.Total(), OutputBits: e.Outputs, WrongBits: make([]int, e.Outputs), TotalBits: make([]int, e.Outputs)}
	for i := range parts {
		sum.WrongRows += parts[i].WrongRows
		sum.TotalRows += parts[i].TotalRows
		for j := range parts[i].WrongBits {
			sum.WrongBits[j] += parts[i].WrongBits[j]
			sum.TotalBits[j] += parts[i].TotalBits[j]
		}
	}
	return sum
}
