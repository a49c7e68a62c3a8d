package nearest

import "testing"

// TestHint asks for near names, and for names that are too far from all.
func TestHint(t *testing.T) {
	known := []string{"load_kg", "floor", "door", "moor", "robot-at(x14,y20)"}
	for name, want := range map[string]string{
		"load_kgs": "load_kg", "laod_kg": "load_kg", "Floor": "floor", "flor": "floor", "door": "moor", "dor": "door", "dooor": "door", "odor": "door", "robot-at(x14,y2)": "robot-at(x14,y20)",
		"load": "load_kg", "robot-at": "robot-at(x14,y20)", "x": "", "": "", "temperature": "", "kg": "",
	} {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got := Hint(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
