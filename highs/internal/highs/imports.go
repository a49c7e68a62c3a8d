package highs

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Errors that end the code inside: what emscripten's runtime would throw.
var (
	errInterrupted = errors.New("interrupted")
	errAborted     = errors.New("HiGHS aborted")
	errThrown      = errors.New("HiGHS threw an exception, which this build cannot catch")
	errExited      = errors.New("HiGHS called exit")
)

// WASI's and Linux's error numbers, as emscripten wants them.
const (
	badFile     = 8  // WASI EBADF
	invalid     = 28 // WASI EINVAL
	noEntry     = 44 // WASI ENOENT
	notTerminal = 59 // WASI ENOTTY
	pageSize    = 1 << 16
	modelFD     = 3
)

// host is the world as the code inside sees it: a clock, a log on standard
// output, and one file, the model.
type host struct {
	started   time.Time
	modelName string
	model     []byte
	at        int64 // the position in model
	maxMemory uint64
	refused   bool // to have more memory
	log       func([]byte)
	stop      func() bool // tells at each reading of the clock whether to end the computation
}

// importModule is the shortened name of the module that the file imports from.
const importModule = "a"

// instantiate makes the host module with the 20 functions that the file imports.
func (h *host) instantiate(ctx context.Context, r wazero.Runtime) error {
	const i, l, d = api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF64
	b := r.NewHostModuleBuilder(importModule)
	function := func(name string, params, results []api.ValueType, f func(m api.Module, stack []uint64)) {
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, stack []uint64) {
			f(m, stack)
		}), params, results).Export(name)
	}
	types := func(t ...api.ValueType) []api.ValueType { return t }
	end := func(err error) func(api.Module, []uint64) {
		return func(api.Module, []uint64) { panic(err) }
	}
	fail := func(errno int32) func(api.Module, []uint64) {
		return func(_ api.Module, s []uint64) { s[0] = api.EncodeI32(errno) }
	}
	function("a", types(i, i, i), nil, end(errThrown)) // __cxa_throw
	function("b", types(i), nil, end(errExited))       // exit
	function("c", nil, types(d), func(_ api.Module, s []uint64) {
		s[0] = api.EncodeF64(float64(h.now()) / 1e6) // emscripten_get_now, milliseconds
	})
	function("d", types(i), types(i), func(_ api.Module, s []uint64) { // fd_close
		s[0] = 0
	})
	function("e", types(i, i, i), types(i), func(_ api.Module, s []uint64) { // __syscall_fcntl64
		s[0] = 0
	})
	function("f", types(i, i, i, i), types(i), h.write)
	function("g", types(i, i, i, i), types(i), h.read)
	function("h", types(i, i, i), types(i), fail(-notTerminal)) // __syscall_ioctl
	function("i", types(i, i, i, i), types(i), h.open)
	function("j", nil, types(d), func(_ api.Module, s []uint64) {
		s[0] = api.EncodeF64(float64(h.started.UnixNano()+h.now()) / 1e6) // emscripten_date_now
	})
	function("k", nil, nil, end(errAborted))                              // abort
	function("l", types(i, d), types(i), fail(0))                         // setitimer: nothing here ticks
	function("m", types(i, i, i, i), nil, func(api.Module, []uint64) {})  // tzset: UTC
	function("n", types(i, i), types(i), fail(0))                         // environ_get: there is none
	function("o", types(i, i), types(i), func(m api.Module, s []uint64) { // environ_sizes_get
		m.Memory().WriteUint32Le(api.DecodeU32(s[0]), 0)
		m.Memory().WriteUint32Le(api.DecodeU32(s[1]), 0)
		s[0] = 0
	})
	function("p", types(i, l, i), types(i), func(m api.Module, s []uint64) { // clock_time_get
		now := h.now()
		if api.DecodeU32(s[0]) == 0 { // real time
			now += h.started.UnixNano()
		}
		m.Memory().WriteUint64Le(api.DecodeU32(s[2]), uint64(now))
		s[0] = 0
	})
	function("q", types(i), types(i), h.grow)
	function("r", types(i), nil, end(errExited))           // proc_exit
	function("s", nil, nil, func(api.Module, []uint64) {}) // runtime_keepalive_clear
	function("t", types(i, l, i, i), types(i), h.seek)     // fd_seek
	_, err := b.Instantiate(ctx)
	return err
}

// now is the time since the start in nanoseconds. HiGHS looks at the clock in
// all its loops, so that this is where it can be stopped.
func (h *host) now() int64 {
	if h.stop() {
		panic(errInterrupted)
	}
	return int64(time.Since(h.started))
}

// vectors lists the buffers of a scattered read or write.
func vectors(m api.Module, at, n uint32) [][]byte {
	var list [][]byte
	for k := range n {
		p, _ := m.Memory().ReadUint32Le(at + 8*k)
		size, _ := m.Memory().ReadUint32Le(at + 8*k + 4)
		if buffer, ok := m.Memory().Read(p, size); ok {
			list = append(list, buffer)
		}
	}
	return list
}

func (h *host) write(m api.Module, s []uint64) {
	var n uint32
	for _, buffer := range vectors(m, api.DecodeU32(s[1]), api.DecodeU32(s[2])) {
		h.log(buffer)
		n += uint32(len(buffer))
	}
	m.Memory().WriteUint32Le(api.DecodeU32(s[3]), n)
	s[0] = 0
}

func (h *host) read(m api.Module, s []uint64) {
	if api.DecodeI32(s[0]) != modelFD {
		s[0] = badFile
		return
	}
	var n int
	for _, buffer := range vectors(m, api.DecodeU32(s[1]), api.DecodeU32(s[2])) {
		k := copy(buffer, h.model[h.at:])
		h.at += int64(k)
		n += k
	}
	m.Memory().WriteUint32Le(api.DecodeU32(s[3]), uint32(n))
	s[0] = 0
}

func (h *host) open(m api.Module, s []uint64) {
	name := text(m, api.DecodeU32(s[1]))
	if name != h.modelName {
		s[0] = api.EncodeI32(-noEntry)
		return
	}
	h.at = 0
	s[0] = modelFD
}

func (h *host) seek(m api.Module, s []uint64) {
	if api.DecodeI32(s[0]) != modelFD {
		s[0] = badFile
		return
	}
	at := int64(s[1])
	switch api.DecodeI32(s[2]) {
	case io.SeekCurrent:
		at += h.at
	case io.SeekEnd:
		at += int64(len(h.model))
	}
	if at < 0 || at > int64(len(h.model)) {
		s[0] = invalid
		return
	}
	h.at = at
	m.Memory().WriteUint64Le(api.DecodeU32(s[3]), uint64(at))
	s[0] = 0
}

// grow makes the memory larger, by a fifth at least, so that it is not done for
// every small allocation.
func (h *host) grow(m api.Module, s []uint64) {
	size, wanted := uint64(m.Memory().Size()), uint64(api.DecodeU32(s[0]))
	s[0] = 0
	if wanted > h.maxMemory {
		h.refused = true
		return
	}
	goal := min(max(wanted, size+size/5), h.maxMemory)
	for _, g := range []uint64{goal, wanted} {
		if _, ok := m.Memory().Grow(uint32((g - size + pageSize - 1) / pageSize)); ok {
			s[0] = 1
			return
		}
	}
	h.refused = true
}

// text reads a string that ends in 0.
func text(m api.Module, at uint32) string {
	var b []byte
	for {
		c, ok := m.Memory().ReadByte(at)
		if !ok || c == 0 {
			return string(b)
		}
		b = append(b, c)
		at++
	}
}

// doubles reads n numbers.
func doubles(m api.Module, at, n uint32) []float64 {
	raw, ok := m.Memory().Read(at, 8*n)
	if !ok {
		return nil
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return list
}
