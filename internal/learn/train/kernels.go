package train

import (
	"math/bits"

	"github.com/fdplan/fdplan/problem/bnn"
)

// agreements writes, for each row, how many of its inputs agree with a unit's weights. mask
// selects the inputs with a nonzero weight, and sign, which has no other bits set, is their
// signs.
func agreements(dst []uint16, rows, sign, mask []uint64, fan int) {
	switch len(sign) {
	case 1:
		s, m := sign[0], mask[0]
		rows = rows[:len(dst)]
		for b, x := range rows {
			dst[b] = uint16(fan - bits.OnesCount64((x^s)&m))
		}
	case 2:
		s, m, s2, m2 := sign[0], mask[0], sign[1], mask[1]
		for b := range dst {
			x := rows[2*b : 2*b+2 : 2*b+2]
			dst[b] = uint16(fan - bits.OnesCount64((x[0]^s)&m) - bits.OnesCount64((x[1]^s2)&m2))
		}
	default:
		w := len(sign)
		for b := range dst {
			a := fan
			for k, x := range rows[b*w : (b+1)*w] {
				a -= bits.OnesCount64((x ^ sign[k]) & mask[k])
			}
			dst[b] = uint16(a)
		}
	}
}

// signedSums writes, for each input i, the sum over rows b of g[b], negated if bit b of input
// i is not set. bits contains stride words per input, of which the first words count; g has
// 64 entries for each of them. Four rows have only sixteen signed sums, which are tabulated
// once for all inputs (Arlazarov and others 1970).
func signedSums(dst []float32, g []float32, bits []uint64, stride, words int) {
	clear(dst)
	var table [16][16]float32
	for w := range words {
		for k := range table {
			t := &table[k]
			q := g[64*w+4*k : 64*w+4*k+4 : 64*w+4*k+4]
			a, b, c, d := q[0], q[1], q[2], q[3]
			s, e := a+b, a-b
			u, v := c+d, c-d
			t[0], t[1], t[2], t[3] = -s-u, e-u, -e-u, s-u
			t[4], t[5], t[6], t[7] = -s+v, e+v, -e+v, s+v
			t[8], t[9], t[10], t[11] = -s-v, e-v, -e-v, s-v
			t[12], t[13], t[14], t[15] = -s+u, e+u, -e+u, s+u
		}
		for i := range dst {
			x := bits[i*stride+w]
			lo := ((table[0][x&15] + table[1][x>>4&15]) + (table[2][x>>8&15] + table[3][x>>12&15])) +
				((table[4][x>>16&15] + table[5][x>>20&15]) + (table[6][x>>24&15] + table[7][x>>28&15]))
			hi := ((table[8][x>>32&15] + table[9][x>>36&15]) + (table[10][x>>40&15] + table[11][x>>44&15])) +
				((table[12][x>>48&15] + table[13][x>>52&15]) + (table[14][x>>56&15] + table[15][x>>60]))
			dst[i] += lo + hi
		}
	}
}

// addRows adds to dst the rows of g listed in plus and subtracts those in minus; row j begins
// at j*stride. It processes four rows at a time, which saves loads and stores of dst.
func addRows(dst, g []float32, stride int, plus, minus []int32) {
	n := len(dst)
	for len(plus) >= 4 {
		a, b := g[int(plus[0])*stride:][:n], g[int(plus[1])*stride:][:n]
		c, d := g[int(plus[2])*stride:][:n], g[int(plus[3])*stride:][:n]
		for k := range dst {
			dst[k] += (a[k] + b[k]) + (c[k] + d[k])
		}
		plus = plus[4:]
	}
	for len(minus) >= 4 {
		a, b := g[int(minus[0])*stride:][:n], g[int(minus[1])*stride:][:n]
		c, d := g[int(minus[2])*stride:][:n], g[int(minus[3])*stride:][:n]
		for k := range dst {
			dst[k] -= (a[k] + b[k]) + (c[k] + d[k])
		}
		minus = minus[4:]
	}
	for _, j := range plus {
		a := g[int(j)*stride:][:n]
		for k := range dst {
			dst[k] += a[k]
		}
	}
	for _, j := range minus {
		a := g[int(j)*stride:][:n]
		for k := range dst {
			dst[k] -= a[k]
		}
	}
}

// toRows transposes bits in unit order, unitWords words per unit, to rows of rowWords words:
// rows 64*block and the 63 after it.
func toRows(rows, byUnit []uint64, units, unitWords, rowWords, block, n int) {
	for w := range rowWords {
		transpose(rows, rowWords, n, block, byUnit, unitWords, units, w)
	}
}

// toUnits is the inverse: bits of rows 64*block and after, in unit order.
func toUnits(byUnit, rows []uint64, units, unitWords, rowWords, block, n int) {
	for w := range rowWords {
		transpose(byUnit, unitWords, units, w, rows, rowWords, n, block)
	}
}

// transpose sets word j of the rows 64*i and after of one matrix, which has n rows of so many words, to the bits in word i of
// the rows 64*j and after of another.
func transpose(to []uint64, toWords, toRows, i int, from []uint64, fromWords, fromRows, j int) {
	var m [64]uint64
	for k := range min(64, fromRows-64*j) {
		m[k] = from[(64*j+k)*fromWords+i]
	}
	bnn.Transpose(&m)
	for k := range min(64, toRows-64*i) {
		to[(64*i+k)*toWords+j] = m[k]
	}
}
