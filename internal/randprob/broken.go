package randprob

import (
	"bytes"
	"math/rand/v2"
)

// BreakLine returns a text with one of its lines changed, not the first: left out, exchanged with
// another, twice, with another digit, or with all after it left out.
func BreakLine(rng *rand.Rand, lines [][]byte) []byte {
	out := make([][]byte, len(lines))
	copy(out, lines)
	i := 1 + rng.IntN(len(lines)-1)
	switch rng.IntN(5) {
	case 0: // missing
		out = append(out[:i], out[i+1:]...)
	case 1: // exchanged
		j := 1 + rng.IntN(len(lines)-1)
		out[i], out[j] = out[j], out[i]
	case 2: // truncated
		out = out[:i]
	case 3: // twice
		out[i] = append(bytes.Clone(out[i]), out[i]...)
	default: // a digit
		line := bytes.Clone(out[i])
		for range 20 {
			if at := rng.IntN(len(line) + 1); at < len(line) && line[at] >= '0' && line[at] <= '9' {
				line[at] = byte('0' + rng.IntN(10))
				break
			}
		}
		out[i] = line
	}
	return bytes.Join(out, nil)
}
