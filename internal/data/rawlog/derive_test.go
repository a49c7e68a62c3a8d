package rawlog

import (
	"fmt"
	"strings"
	"testing"
)

// TestDerive makes columns of stamps in one column or two, with zones, and of seconds since 1970; none of names that are taken.
func TestDerive(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{"time,x\n2024-02-29T23:30:00Z,1\n2024-03-01T00:30:00Z,2\n", "23 4 2; 0 5 3"},
		{"time,x\n2024-02-29 23:30:00,1\n,2\n2024-03-03 00:30:00,2\n", "23 4 2;   ; 0 7 3"},
		{"time,x\n2024-03-01T00:30:00+02:00,1\n2024-03-01T03:30:00+02:00,2\n", "22 4 2; 1 5 3"},
		{"date,clock,x\n2024-12-31,07:15,1\n2025-01-01,08:15,2\n", "7 2 12; 8 3 1"},
		{"timestamp,x\n1709249400,1\n1709253000,2\n", "23 4 2; 0 5 3"},
		{"x,hour,weekday,month\n1,5,6,7\n2,6,7,8\n", "5 6 7; 6 7 8"},
		{"date,x\n2024-12-31,1\n2025-01-01,2\n", "has no column of stamps that hour could be derived from; its columns are date, x"},
		{"day,x\none,1\ntwo,2\n", "has no column of stamps that hour could be derived from; its columns are day, x"},
	} {
		x, err := Open(t.Context(), write(t, "log.csv", c.log), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Derive([]string{"hour", "weekday", "month"}); err != nil {
			if !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.log, err, c.want)
			}
			continue
		}
		var rows []string
		for i := range x.Rows() {
			text := func(name string) string { return x.Columns[x.Column(name)].Text(i) }
			rows = append(rows, fmt.Sprintf("%s %s %s", text("hour"), text("weekday"), text("month")))
		}
		if got := strings.Join(rows, "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.log, got, c.want)
		}
	}
	if err := new(Table).Derive([]string{"second"}); err == nil {
		t.Error("seconds were derived")
	}
}
