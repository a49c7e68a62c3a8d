package instance

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/literal"
	"github.com/fdplan/fdplan/internal/source"
)

// Format is a file format; see the package comment.
type Format uint8

// The formats.
const (
	CNF Format = iota
	WCNF
	WCNFOld
	OPB
)

func (f Format) String() string { return [...]string{"cnf", "wcnf", "wcnf-old", "opb"}[f] }

// Limits bound what a file may take.
type Limits struct {
	// Memory in bytes for the instance, and for solving it at variableMemory a variable; 0 means
	// no bound.
	Memory int64
}

// variableMemory is the least that solvers spend on a variable, in bytes:
// values, reasons, activities, two lists of watches. A file of one line can
// announce 2^30 variables; better to refuse it than to be killed.
const variableMemory = 64

// ReadFile reads a file in the format of its extension: .cnf, .wcnf or .opb, with
// .gz after it where it is compressed.
//
// Errors: *source.Error for what is wrong with the file, the context's own when it
// ends before.
func ReadFile(ctx context.Context, name string, l Limits) (*Instance, error) {
	base, packed := strings.CutSuffix(name, ".gz")
	format, err := formatOf(name, base)
	if err != nil {
		return nil, err
	}
	f, err := source.Open(name)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "cannot be read: %v", source.Cause(err))
	}
	defer f.Close()
	if !packed {
		return Read(ctx, name, f, format, l)
	}
	z, err := gzip.NewReader(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "cannot be unpacked: %v", source.Cause(err))
	}
	return Read(ctx, name, z, format, l)
}

// formatOf returns the format of a name, without its .gz.
func formatOf(name, base string) (Format, error) {
	switch {
	case strings.HasSuffix(base, ".cnf"):
		return CNF, nil
	case strings.HasSuffix(base, ".wcnf"):
		return WCNF, nil
	case strings.HasSuffix(base, ".opb"):
		return OPB, nil
	case strings.HasSuffix(base, ".wbo"):
		return 0, source.Errorf(name, 0, 0, "soft linear constraints (WBO) are not supported; expected a name that ends in .cnf, .wcnf or .opb")
	case strings.HasSuffix(base, ".xz"), strings.HasSuffix(base, ".bz2"), strings.HasSuffix(base, ".zst"), strings.HasSuffix(base, ".lzma"):
		return 0, source.Errorf(name, 0, 0, "this compression is not read; expected the file unpacked, or packed with gzip")
	}
	return 0, source.Errorf(name, 0, 0, "the name does not say the format; expected it to end in .cnf, .wcnf or .opb, and .gz after it where it is packed")
}

// Read reads an instance from r. With WCNF or WCNFOld it finds out which of the two
// it is; the result's Format says. The name is for errors, which are those of
// ReadFile.
func Read(ctx context.Context, name string, r io.Reader, f Format, l Limits) (*Instance, error) {
	b := &builder{in: &Instance{Format: f}}
	s := newScanner(ctx, name, r, func() error {
		if need := b.memory(); l.Memory > 0 && need > l.Memory {
			return source.Errorf(name, 0, 0, "needs more than the %d MiB of memory that are allowed", l.Memory>>20)
		}
		return nil
	})
	var err error
	switch f {
	case CNF:
		err = (&dimacs{scanner: s, builder: b}).cnf()
	case WCNF, WCNFOld:
		err = (&dimacs{scanner: s, builder: b}).wcnf()
	case OPB:
		err = (&opb{scanner: s, builder: b}).read()
	default:
		err = fmt.Errorf("%s: unknown format %d", name, f)
	}
	if err == nil {
		err = s.err
	}
	if err == nil {
		err = s.grown()
	}
	if err != nil {
		return nil, err
	}
	return b.in, nil
}

// builder holds an instance while it is read.
type builder struct {
	in    *Instance
	lits  arena[literal.Lit]
	terms arena[Term]
}

// memory counts the bytes of the instance so far.
func (b *builder) memory() int64 {
	n := cap(b.in.Clauses.lits)*4 + cap(b.in.Clauses.ends)*8 + cap(b.in.Linear)*40 + cap(b.in.Soft)*32 + b.lits.total*4 + b.terms.total*16
	return int64(n) + int64(b.in.NumVars)*variableMemory
}

// use notes that a variable occurs.
func (b *builder) use(v int32) { b.in.NumVars = max(b.in.NumVars, v) }

// arena gives slices out of larger blocks, filled element by element.
type arena[T any] struct {
	block []T
	start int // of the slice being filled
	total int // elements of all blocks
}

func (a *arena[T]) push(x T) {
	if len(a.block) == cap(a.block) {
		open := a.block[a.start:]
		block := make([]T, len(open), max(2*len(open), min(a.total, 1<<16), 64))
		copy(block, open)
		a.block, a.start, a.total = block, 0, a.total+cap(block)
	}
	a.block = append(a.block, x)
}

// take ends the slice and returns it.
func (a *arena[T]) take() []T {
	x := a.block[a.start:len(a.block):len(a.block)]
	a.start = len(a.block)
	return x
}
