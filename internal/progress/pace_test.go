package progress

import (
	"testing"
	"time"
)

// TestMeter has a clock of its own.
func TestMeter(t *testing.T) {
	now := time.Unix(1000, 0)
	p := Meter{Now: func() time.Time { return now }}
	for _, c := range []struct {
		pass  time.Duration
		done  int
		want  time.Duration
		known bool
	}{
		{5 * time.Second, 100, 0, false}, // the work was taken up here
		{2 * time.Second, 102, 98 * time.Second, true},
		{8 * time.Second, 104, 240 * time.Second, true}, // 2.5 s each so far
		{0, 200, 0, true},
		{0, 250, 0, true},
		{0, 1, 0, false}, // anew
	} {
		now = now.Add(c.pass)
		if left, known := p.Left(c.done, 200); left != c.want || known != c.known {
			t.Errorf("%d done: %v %v, want %v", c.done, left, known, c.want)
		}
	}
}

// TestPace: classes have means of their own, and what is known of none is guessed.
func TestPace(t *testing.T) {
	p := Pace{Parallel: 2, Guess: func(class string, mean time.Duration) time.Duration {
		if class != "c" {
			t.Errorf("a guess of class %s", class)
		}
		return 3 * mean
	}}
	p.Expect("a", 3)
	p.Expect("b", 1)
	p.Expect("c", 2)
	if left, known := p.Left(); known || left != 0 {
		t.Errorf("%v before anything is done", left)
	}
	p.Finished("a", 2, 4*time.Second)
	p.Finished("b", 1, 8*time.Second)
	// The mean is 4 s: one of a at 2 s, two of c at 12 s, two at a time.
	if left, known := p.Left(); !known || left != 13*time.Second {
		t.Errorf("%v %v", left, known)
	}
	p.Finished("c", 5, 5*time.Second) // more than were expected
	if left, _ := p.Left(); left != time.Second {
		t.Errorf("%v", left)
	}
}
