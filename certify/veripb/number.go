package veripb

import (
	"math/big"
	"math/bits"
)

// num is an integer of any size. The representation is unique: big is nil exactly if the
// value fits small.
type num struct {
	small int64
	big   *big.Int // never changed once it is in a num
}

var one = num{small: 1}

func number(n int64) num { return num{small: n} }

// fromBig takes ownership of b.
func fromBig(b *big.Int) num {
	if b.IsInt64() {
		return num{small: b.Int64()}
	}
	return num{big: b}
}

// value returns a as a big integer that the caller may change.
func (a num) value() *big.Int {
	if a.big != nil {
		return new(big.Int).Set(a.big)
	}
	return big.NewInt(a.small)
}

func (a num) String() string { return a.value().String() }

func (a num) sign() int {
	switch {
	case a.big != nil:
		return a.big.Sign()
	case a.small > 0:
		return 1
	case a.small < 0:
		return -1
	}
	return 0
}

func (a num) add(b num) num {
	if a.big == nil && b.big == nil {
		// The addition overflowed if both operands have the sign that the sum lacks.
		if s := a.small + b.small; (a.small^s)&(b.small^s) >= 0 {
			return num{small: s}
		}
	}
	return fromBig(a.value().Add(a.value(), b.value()))
}

func (a num) neg() num {
	if a.big == nil && a.small != -a.small || a == (num{}) {
		return num{small: -a.small}
	}
	return fromBig(a.value().Neg(a.value()))
}

func (a num) sub(b num) num { return a.add(b.neg()) }

func (a num) abs() num {
	if a.sign() < 0 {
		return a.neg()
	}
	return a
}

func (a num) mul(b num) num {
	if a.big == nil && b.big == nil {
		hi, lo := bits.Mul64(magnitude(a.small), magnitude(b.small))
		if hi == 0 && lo < 1<<63 {
			if (a.small < 0) != (b.small < 0) {
				return num{small: -int64(lo)}
			}
			return num{small: int64(lo)}
		}
	}
	return fromBig(a.value().Mul(a.value(), b.value()))
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// ceilDiv is a/b rounded up; b is positive.
func (a num) ceilDiv(b num) num {
	if a.big == nil && b.big == nil {
		q := a.small / b.small
		if a.small > 0 && a.small%b.small != 0 {
			q++
		}
		return num{small: q}
	}
	q, r := new(big.Int).DivMod(a.value(), b.value(), new(big.Int)) // r >= 0
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return fromBig(q)
}

func (a num) cmp(b num) int {
	if a.big == nil && b.big == nil {
		switch {
		case a.small < b.small:
			return -1
		case a.small > b.small:
			return 1
		}
		return 0
	}
	return a.value().Cmp(b.value())
}

func (a num) less(b num) bool { return a.cmp(b) < 0 }

func smaller(a, b num) num {
	if b.less(a) {
		return b
	}
	return a
}

// maxDigits bounds the length of a number in a file: parsing takes quadratic time.
const maxDigits = 10000

// parseNumber parses a decimal integer with an optional sign.
func parseNumber(text []byte) (num, bool) {
	digits := text
	if len(digits) > 0 && (digits[0] == '+' || digits[0] == '-') {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > maxDigits {
		return num{}, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return num{}, false
		}
		if len(digits) <= 18 {
			n = 10*n + int64(c-'0')
		}
	}
	if len(digits) <= 18 {
		if text[0] == '-' {
			n = -n
		}
		return num{small: n}, true
	}
	b, ok := new(big.Int).SetString(string(text), 10)
	if !ok {
		return num{}, false
	}
	return fromBig(b), true
}
