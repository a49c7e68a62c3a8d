package expr_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/problem/expr"
)

// TestLong compiles long expressions in a time that grows with their length, not its square.
func TestLong(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("level + ", 2000) + "level <= 5", strings.Repeat("flow + ", 2000) + "level <= 5",
		strings.Repeat("on(c1,c2) | ", 3000) + "level <= 5", strings.Repeat("(on(c1,c2) => level*temp <= 1) ^ ", 300) + "level <= 5",
	} {
		p := testProblem(t)
		start := time.Now()
		e, err := expr.Parse(p, text, expr.Options{Next: true})
		if err == nil {
			err = e.Require(p, false, "require")
		}
		if d := time.Since(start); err != nil || d > 5*time.Second {
			t.Errorf("%.30s…: %v, %v", text, d, err)
		} else {
			t.Log(d)
		}
	}
}
