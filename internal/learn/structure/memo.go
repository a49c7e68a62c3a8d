package structure

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/fdplan/fdplan/problem/bnn"
)

// Found is a finished piece of work.
type Found struct {
	Output *Output `json:"output,omitempty"`
}

// remembered does work, or takes it from the memo. The key covers the rows that the work
// depends on and the arguments that determine it, so that other data and settings find nothing.
func (l *learner) remembered(t *Table, rows []int32, out int, work func() *Found, args ...any) *Found {
	if l.o.Memo == nil {
		return work()
	}
	key := t.key(rows, out, fmt.Sprint(append(args, l.o.Seed, l.noise)...))
	if f, ok := l.o.Memo.Load(key); ok {
		return f
	}
	f := work()
	if l.ctx.Err() == nil {
		l.o.Memo.Store(key, f)
	}
	return f
}

// key is a hash of what rows say of an output.
func (t *Table) key(rows []int32, out int, args string) string {
	h := sha256.New()
	fmt.Fprintln(h, t.Inputs, t.Outputs, out, len(rows), args, t.Groups, t.Signed, t.Sets)
	if t.Own != nil {
		fmt.Fprintln(h, t.Own(out))
	}
	if t.Rank != nil {
		for b := range t.Inputs {
			fmt.Fprint(h, t.Rank(out, b), " ")
		}
	}
	wi, wo := bnn.Words(t.Inputs), bnn.Words(t.Outputs)
	var buf []byte
	for _, r := range rows {
		buf = buf[:0]
		for _, w := range t.Input(int(r)) {
			buf = binary.LittleEndian.AppendUint64(buf, w)
		}
		if t.inKnown != nil {
			for _, w := range t.inKnown[int(r)*wi : (int(r)+1)*wi] {
				buf = binary.LittleEndian.AppendUint64(buf, w)
			}
		}
		buf = append(buf, byte(t.out[int(r)*wo+out/64]>>(out%64)&1))
		h.Write(buf)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}
