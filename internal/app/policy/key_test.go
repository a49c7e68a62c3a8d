package policy

import (
	"encoding/json"
	"testing"
)

// TestKeyOf finds states with decimals as they are written and as they are read.
func TestKeyOf(t *testing.T) {
	written := []any{json.Number("0.50"), json.Number("2.00"), true, "open", int64(7)}
	if a, b := keyOf(written), keyOf([]any{0.5, int64(2), true, "open", int64(7)}); a != b || written[0] != json.Number("0.50") {
		t.Errorf("%s and %s, %v", a, b, written)
	}
}
