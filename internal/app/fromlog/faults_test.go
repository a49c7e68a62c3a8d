package fromlog

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// tank is a log of a tank: a valve is opened or not, and the level rises or falls. Each row is
// made by format.
func tank(rows int, header string, format func(i int, open bool, level float64, mode string) string) string {
	var b strings.Builder
	b.WriteString(header)
	level := 20.0
	for i := range rows {
		open := i*7%11 < 5
		b.WriteString(format(i, open, level, []string{"auto", "hand"}[i%2]))
		if open {
			level = min(level+7.25, 90)
		} else {
			level = max(level-6.5, 10)
		}
	}
	return b.String()
}

// plain is the usual form of a row.
func plain(i int, open bool, level float64, mode string) string {
	return fmt.Sprintf("%d,%v,%g,%s\n", i, open, level, mode)
}

const head = "t,open,level_l,mode\n"

// celsius and fahrenheit put a change of unit into the middle of a log.
func changed(i int, open bool, level float64, mode string) string {
	if i >= 200 {
		level = level*1.8 + 32
	}
	return plain(i, open, level, mode)
}

// TestFaults imports logs with faults. Each is read right, or refused with a message that
// names the fault and its place.
func TestFaults(t *testing.T) {
	good := tank(60, head, plain)
	with := func(line int, text string) string { // replaces a line, from 1
		lines := strings.SplitAfter(good, "\n")
		lines[line-1] = text
		return strings.Join(lines, "")
	}
	for name, c := range map[string]struct {
		log         string
		missing     rawlog.Missing
		transitions int    // of a log that is read
		want        string // in the report, or in the error
	}{
		"good": {log: good, transitions: 59, want: "level_l, real"},
		"semicolon": {log: tank(60, "t;open;level_l;mode\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d;%v;%s;%s\n", i, open, strings.Replace(fmt.Sprint(level), ".", ",", 1), mode)
		}), transitions: 59, want: "level_l, real"},
		"tab": {log: strings.ReplaceAll(good, ",", "\t"), transitions: 59, want: `delimiter '\t'`},
		"T": {log: tank(60, "T,open,level_l,mode\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d,%v,%g,%s\n", 20+i*7%10, open, level, mode)
		}), transitions: 59, want: "state    T, "},
		"t and the next t": {log: tank(60, "t,open,level_l,mode,t'\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d,%v,%g,%s,%d\n", i%6, open, level, mode, (i+1)%6)
		}), transitions: 60, want: "state    t, int 0..5"},
		"BOM": {log: "\ufeff" + good, transitions: 59, want: "time     t (by its name, and it has numbers)\n"},
		"quotes": {log: tank(60, "\"t\",\"open\",\"level, \"\"l\"\"\",mode\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("\"%d\",\"%v\",\"%g\",\"%s, \"\"x\"\"\"\n", i, open, level, mode)
		}), transitions: 59, want: `level, "l" as level_l, real`},
		"open quote":      {log: with(5, "3,true,\"20,auto\n"), want: "log.csv:"},
		"NaN":             {log: with(5, "3,true,NaN,auto\n"), transitions: 57, want: "1: level_l is missing"},
		"empty":           {log: with(5, "3,true,,auto\n"), transitions: 57, want: "1: level_l is missing in the row after it"},
		"empty, previous": {log: with(5, "3,true,,auto\n"), missing: rawlog.MissingPrevious, transitions: 59, want: "59 transitions, 1 row dropped"},
		"empty, keep":     {log: with(5, "3,true,,auto\n"), missing: rawlog.MissingKeep, transitions: 59, want: "59 transitions, 1 row dropped"},
		"none, a value":   {log: strings.ReplaceAll(good, "hand", "none"), transitions: 59, want: "mode, enum: auto, none"},
		"none, no value":  {log: with(5, "3,true,None,auto\n"), transitions: 57, want: "1: level_l is missing"},
		"irregular times": {log: tank(60, head, func(i int, open bool, level float64, mode string) string {
			return plain(17*(i/4)+[]int{0, 1, 6, 8}[i%4]+5000*(i/30), open, level, mode) // steps of 1 to 9, and a gap
		}), transitions: 58, want: "level_l, real"},
		"cases": {log: tank(60, "t,open,level_l,mode,case:concept:name\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d,%v,%g,%s,P%d\n", i, open, level, mode, i/4)
		}), transitions: 45, want: "episode  case:concept:name (by its name)"},
		"blocks": {log: tank(140, "t,open,level_l,mode,permit\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d,%v,%g,%s,P%d\n", i, open, level, mode, i/4)
		}), transitions: 105, want: "episode  permit (each of its many texts stands in one block of rows)"},
		"lists": {log: tank(60, "t;open;level_l;mode;pos\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d;%v;%g;%s;[%d, %d.5  -1]\n", i, open, level, mode, i%3, i%4)
		}), transitions: 59, want: "note: column pos has lists of 3 numbers, which are the columns pos_0 to pos_2\n"},
		"lists, one broken": {log: with(9, "7,true,20,auto\n") + "60,true,\"[1\",auto\n", transitions: 59, want: "WARNING: column level_l has 1 cell that is not a number: \"[1\" in line 62. It counts as missing"},
		"units in cells": {log: tank(60, head, func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d,%v,%g kg,%s\n", i, open, level, mode)
		}) + "60,true,n.a.,auto\n61,true,#N/A,auto\n", transitions: 59, want: "WARNING: column level_l has 1 cell that is not a number: \"n.a.\" in line 62. It counts as missing"},
		"placeholder": {log: tank(60, head, func(i int, open bool, level float64, mode string) string {
			if i%20 == 7 {
				level = -999
			}
			return plain(i, open, level, mode)
		}), transitions: 59, want: "WARNING: column level_l has -999 in 3 rows, far from its other values, 10 to 28; if it stands for no value, give --range 'level_l=10..28'"},
		"run as state": {log: tank(60, "t,open,level_l,mode,run\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d,%v,%g,%s,%d\n", i, open, level, mode, i/3%2)
		}), transitions: 59, want: "state    run, bool"},
		"cost": {log: tank(60, "t,open,level_l,mode,open cost\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d,%v,%g,%s,%d\n", i, open, level, mode, map[bool]int{true: 12, false: 3}[open])
		}), transitions: 59, want: "WARNING: column open cost has the same value wherever the actions of its row are the same: it is what an action costs or leads to, and no state before it. Give --ignore 'open cost', and state"},
		"counter": {log: tank(60, "t,open,level_l,mode,lot\n", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("%d,%v,%g,%s,%d\n", i, open, level, mode, i/20*50)
		}), transitions: 59, want: "WARNING: column lot never decreases; if it numbers episodes or rows, give --episode \"lot\" or --ignore \"lot\""},
		"empty, error":               {log: with(5, "3,true,,auto\n"), missing: rawlog.MissingError, want: "log.csv:5: column level_l has no value; expected one, or --missing drop, previous or keep"},
		"unit":                       {log: tank(400, head, changed), transitions: 399, want: "WARNING: column level_l changes suddenly at line 202: its values are 10 to 28 before and 50 to 78.8 after, as from °C to °F"},
		"no unit":                    {log: tank(400, head, plain), transitions: 399, want: "level_l, real"},
		"nameless header":            {log: strings.Replace(good, "mode", "", 1), want: "log.csv:1:1: column 4 has no name in the header"},
		"text in a number":           {log: with(9, "7,true,full,auto\n"), transitions: 57, want: `WARNING: column level_l has 1 cell that is not a number: "full" in line 9. It counts as missing`},
		"text in a number, previous": {log: with(9, "7,true,full,auto\n"), missing: rawlog.MissingPrevious, transitions: 59, want: `"full" in line 9`},
		"text in a number, error":    {log: with(9, "7,true,full,auto\n"), missing: rawlog.MissingError, want: `log.csv:9: column level_l: "full", expected a number`},
		"trailing delimiters":        {log: strings.ReplaceAll(good, "\n", ",\n"), transitions: 59, want: "mode, enum: auto, hand"},
		"trailing, rows alone":       {log: head + strings.ReplaceAll(strings.TrimPrefix(good, head), "\n", ",,\n"), transitions: 59, want: "mode, enum: auto, hand"},
		"index":                      {log: tank(60, ",open,level_l,mode\n", plain), transitions: 59, want: "dropped  index (it numbers the rows)"},
		"row names": {log: tank(60, "open,level_l,mode\n", func(i int, open bool, level float64, mode string) string {
			return plain(i+1, open, level, mode)
		}), transitions: 59, want: "mode, enum: auto, hand"},
		"units":    {log: strings.Replace(good, "\n", "\ns,-,[l],\n", 1), transitions: 59, want: "note: line 2 was taken for the units of the columns"},
		"preamble": {log: "Station 5\nexported by,someone\n\n" + good, transitions: 59, want: "note: the header is in line 4"},
		"Excel": {log: "\ufeffZeit;open;Füllstand (l);mode;\r\n" + tank(60, "", func(i int, open bool, level float64, mode string) string {
			return fmt.Sprintf("31.10.2024 %02d:%02d;%v;1.0%s;%s;\r\n", 8+i/60, i%60, open, strings.Replace(fmt.Sprintf("%05.2f", level), ".", ",", 1), mode)
		}), transitions: 59, want: "time     Zeit (stamps such as 31.10.2024 08:00)"},
		"Latin-1": {log: strings.Replace(good, "level_l", "T \xb0C", 1), transitions: 59, want: "T °C as T_C, real"},
		"UTF-16":  {log: "\xff\xfet\x00,\x00", want: "the file is UTF-16; expected UTF-8"},
		"text column": {log: tank(60, head, func(i int, open bool, level float64, mode string) string {
			return plain(i, open, level, fmt.Sprintf("note %d", i))
		}), transitions: 59, want: "dropped  mode (more than 32 different texts)"},
		"ragged":            {log: with(12, "10,true,20\n"), want: "log.csv:12:1: the row has 3 fields, expected 4 as in the header"},
		"mixed line ends":   {log: strings.Replace(strings.Replace(good, "\n", "\r\n", 1), "auto\n", "auto\r\n", 9), transitions: 59, want: "mode, enum"},
		"carriage returns":  {log: strings.ReplaceAll(good, "\n", "\r"), want: "the lines end in CR alone; expected LF or CR LF"},
		"nothing":           {log: "", want: "log.csv:1:1: the file is empty"},
		"header alone":      {log: head, want: "the log has no rows"},
		"no such action":    {log: strings.Replace(good, "open", "opne", 1), want: "there is no column open in"},
		"constant action":   {log: strings.ReplaceAll(good, "true", "false"), want: "the action open cannot be used: constant, false"},
		"unknown delimiter": {log: strings.ReplaceAll(good, ",", "|"), want: "there is no column open in"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			if err := os.WriteFile("log.csv", []byte(c.log), 0o666); err != nil {
				t.Fatal(err)
			}
			res, err := Init(t.Context(), Request{Log: "log.csv", Out: "out", Missing: c.missing, Actions: []string{"open"}})
			if c.transitions == 0 {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%v, want %s", err, c.want)
				}
				if _, err := os.Stat("out"); err == nil {
					t.Error("a folder was written")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := res.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			if res.Transitions != c.transitions || !strings.Contains(b.String(), c.want) || strings.Contains(b.String(), "WARNING") != (strings.Contains(c.want, "WARNING") || strings.HasPrefix(name, "text in a number")) {
				t.Errorf("%d transitions, want %d, and %q in\n%s", res.Transitions, c.transitions, c.want, b.String())
			}
		})
	}
}

// TestNoTransition: errors for logs without states, or without a whole row, tell what to do.
func TestNoTransition(t *testing.T) {
	for name, c := range map[string]struct{ log, want string }{
		"no state":    {"case,activity,stamp\n1,file,2024-01-01 10:00:00\n1,pay,2024-01-02 10:00:00\n2,file,2024-01-03 10:00:00\n2,pay,2024-01-04 10:00:00\n", "no column is a state"},
		"empty cells": {"activity,fine,paid\nfile,30,\npay,,30\nfile,20,\npay,,20\n", "--missing previous"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("log.csv", []byte(c.log), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := Init(t.Context(), Request{Log: "log.csv", Out: "out", Actions: []string{"activity"}, Missing: rawlog.MissingDrop})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; expected %s", err, c.want)
			}
		})
	}
}
