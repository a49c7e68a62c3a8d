package explain

import "testing"

// TestPremise finds the left side of implications.
func TestPremise(t *testing.T) {
	for property, want := range map[string]string{
		"a => b":                        "a",
		"a ^ (b => c) => d => e":        "a ^ (b => c)",
		"x <= 3 => y >= 2":              "x <= 3",
		`m == "a => b" => y`:            `m == "a => b"`,
		"robot-at(x1,y2) => ~(a <=> b)": "robot-at(x1,y2)",
		"(a => b)":                      "",
		"a <=> b => c":                  "",
		"a":                             "",
	} {
		got, ok := premiseOf(property)
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", property, got, ok)
		}
	}
}
