package rawlog

import (
	"hash/fnv"
	"io"
	"math"
	"slices"
)

// blockRows is the number of rows of a block, except of the last one.
const blockRows = 1 << 15

// maxCodes is the most different values of a column that have a code. The values after them
// are kept as they are; of further texts, only a hash is kept.
const maxCodes = 1 << 16

// block has some rows of a column, in one of its lists: the codes of cells, in one byte if
// they fit, or cells, or times in nanoseconds since 1970.
type block struct {
	narrow []uint8
	codes  []uint16
	cells  []uint64 // the cells of the rows or, beside near, those that near counts
	near   []uint8  // of each row, its place in cells
	times  []int64
}

// cell returns the cell of a row of a block that has cells.
func (b *block) cell(k int) uint64 {
	if b.near != nil {
		return b.cells[b.near[k]]
	}
	return b.cells[k]
}

// Times that are none.
const (
	noTime      = math.MinInt64 // a missing cell
	unknownTime = noTime + 1    // a text of another form
)

// cells is a column of cells. A cell is the bits of a number, or among those of NaN: missing,
// the index of a text, or the hash of a text.
type cells struct {
	blocks []block
	rows   int
	values []uint64 // by code
	codes  map[uint64]uint16
}

// The cells that are no numbers.
const (
	missing   = 0x7ff8_0000_0000_0000
	firstText = missing + 1
	hashed    = 0x7ffc_0000_0000_0000 // and more
)

// hashOf returns the cell of a text that is not kept.
func hashOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text) // a hash does not fail
	return hashed | h.Sum64()>>14
}

// at returns cell i. Times are as texts of which the hash is kept.
func (c *cells) at(i int) uint64 {
	b, k := &c.blocks[i/blockRows], i%blockRows
	switch {
	case b.narrow != nil:
		return c.values[b.narrow[k]]
	case b.codes != nil:
		return c.values[b.codes[k]]
	case b.cells != nil:
		return b.cell(k)
	case b.times[k] == noTime:
		return missing
	}
	return hashed | uint64(b.times[k])*0x9e37_79b9_7f4a_7c15>>14
}

// code returns the code of a cell, which it is given if it has none; false if there are too
// many.
func (c *cells) code(cell uint64) (uint16, bool) {
	if k, ok := c.codes[cell]; ok {
		return k, true
	}
	if len(c.values) == maxCodes {
		return 0, false
	}
	if c.codes == nil {
		c.codes = map[uint64]uint16{}
	}
	k := uint16(len(c.values))
	c.codes[cell] = k
	c.values = append(c.values, cell)
	return k, true
}

// add appends a cell.
func (c *cells) add(cell uint64) {
	if c.rows%blockRows == 0 {
		c.blocks = append(c.blocks, block{})
		if len(c.values) == maxCodes {
			c.blocks[len(c.blocks)-1] = block{cells: []uint64{}, near: []uint8{}}
			c.codes = nil // no block is added to by code any more
		}
	}
	b := &c.blocks[len(c.blocks)-1]
	c.rows++
	k := c.prepare(b, cell)
	switch {
	case b.near != nil:
		b.addNear(cell)
	case b.cells != nil:
		b.cells = append(b.cells, cell)
	case b.codes != nil || k > math.MaxUint8:
		b.codes = append(b.codes, k)
	default:
		b.narrow = append(b.narrow, uint8(k))
	}
}

// addNear appends a cell to a block that counts its cells, which are few and often repeat those of the rows before, as the
// numbers of episodes do. With more of them the block has the cells of all rows.
func (b *block) addNear(cell uint64) {
	for i := len(b.cells) - 1; i >= max(0, len(b.cells)-mostNear); i-- {
		if b.cells[i] == cell {
			b.near = append(b.near, uint8(i))
			return
		}
	}
	if len(b.cells) <= math.MaxUint8 {
		b.near, b.cells = append(b.near, uint8(len(b.cells))), append(b.cells, cell)
		return
	}
	b.spread()
	b.cells = append(b.cells, cell)
}

// mostNear is how many of the last different cells of a block are compared with one that is added.
const mostNear = 4

// spread gives a block the cells of all rows.
func (b *block) spread() {
	if b.near == nil {
		return
	}
	cells := make([]uint64, len(b.near), blockRows)
	for i := range cells {
		cells[i] = b.cell(i)
	}
	b.cells, b.near = cells, nil
}

// prepare makes room in a block for a cell, and returns the code that stands for it unless the
// block has cells.
func (c *cells) prepare(b *block, cell uint64) uint16 {
	if b.cells != nil {
		return 0
	}
	k, ok := c.code(cell)
	switch {
	case !ok:
		*b = block{cells: c.decoded(b)}
	case b.narrow != nil && k > math.MaxUint8:
		b.widen()
	}
	return k
}

// widen gives the codes of a block two bytes.
func (b *block) widen() {
	b.codes = make([]uint16, len(b.narrow), blockRows)
	for i, k := range b.narrow {
		b.codes[i] = uint16(k)
	}
	b.narrow = nil
}

// decoded returns the cells of a block of codes, with room for those of a whole block.
func (c *cells) decoded(b *block) []uint64 {
	out := make([]uint64, 0, blockRows)
	for _, k := range b.narrow {
		out = append(out, c.values[k])
	}
	for _, k := range b.codes {
		out = append(out, c.values[k])
	}
	return out
}

// repeat replaces cell i by another one.
func (c *cells) repeat(i, other int) {
	b, at := &c.blocks[i/blockRows], i%blockRows
	if b.times != nil {
		b.times[at] = c.time(other)
		return
	}
	cell := c.at(other)
	k := c.prepare(b, cell)
	b.spread()
	switch {
	case b.cells != nil:
		b.cells[at] = cell
	case b.codes != nil:
		b.codes[at] = k
	default:
		b.narrow[at] = uint8(k)
	}
}

// toTimes replaces the cells by the times that time gives for them.
func (c *cells) toTimes(time func(cell uint64) int64) {
	times := make([]int64, len(c.values)) // by code
	for k, cell := range c.values {
		times[k] = time(cell)
	}
	for i := range c.blocks {
		b := &c.blocks[i]
		list := make([]int64, 0, len(b.narrow)+len(b.codes))
		for _, k := range b.narrow {
			list = append(list, times[k])
		}
		for _, k := range b.codes {
			list = append(list, times[k])
		}
		*b = block{times: list}
	}
	c.values, c.codes = nil, nil
}

// addTime appends a time to a column of times.
func (c *cells) addTime(t int64) {
	if c.rows%blockRows == 0 {
		c.blocks = append(c.blocks, block{times: []int64{}})
	}
	b := &c.blocks[len(c.blocks)-1]
	b.times = append(b.times, t)
	c.rows++
}

// time returns the time in row i of a column of times.
func (c *cells) time(i int) int64 { return c.blocks[i/blockRows].times[i%blockRows] }

// lines are the lines of rows in a file. They are kept where the difference between a row's
// line and its number changes.
type lines struct {
	from, shift []int32 // the rows from from[k] on have their number plus shift[k]
	rows        int
}

func (l *lines) add(line int) {
	shift := int32(line - l.rows)
	if n := len(l.shift); n == 0 || l.shift[n-1] != shift {
		l.from, l.shift = append(l.from, int32(l.rows)), append(l.shift, shift)
	}
	l.rows++
}

func (l *lines) at(row int) int {
	k, found := slices.BinarySearch(l.from, int32(row))
	if !found {
		k--
	}
	return row + int(l.shift[k])
}
