package main

// row is an instance of docs/bounds.md.
type row struct {
	args   string
	reward int64 // the best
	open   bool  // the reward is only the best that is known: no proof is expected within a minute
}

// rows are the instances that docs/bounds.md lists as measured.
var rows = []row{
	{args: "sysadmin -n 10 -k 3 -graph ring -H 6", reward: -14},
	{args: "sysadmin -n 10 -k 3 -graph ring -H 12", reward: -30},
	{args: "sysadmin -n 10 -k 3 -graph ring -H 40", reward: -100},
	{args: "sysadmin -n 20 -k 6 -graph tree -H 6", reward: -22},
	{args: "sysadmin -n 20 -k 6 -graph tree -H 12", reward: -46},
	{args: "sysadmin -n 20 -k 6 -graph tree -H 40", reward: -150},
	{args: "sysadmin -n 16 -k 6 -graph ring -H 40", reward: -160},
	{args: "sysadmin -n 13 -k 4 -graph ring -H 15", reward: -48},
	{args: "sysadmin -n 24 -k 8 -graph path -H 20", reward: -122},
	{args: "sysadmin -n 50 -k 15 -graph tree -H 40", reward: -345},
	{args: "failing -n 20 -k 20 -graph random -cost 10 -H 12", reward: -58},
	{args: "failing -n 30 -k 30 -graph random -cost 10 -H 12", reward: -116},
	{args: "failing -n 20 -k 20 -graph random -cost 10 -limit 0.5 -H 12", reward: -500},
	{args: "failing -n 30 -k 30 -graph random -cost 10 -limit 0.5 -H 12", reward: -760},
	{args: "failing -n 20 -k 5 -graph random -cost 10 -limit 0.5 -H 12", reward: -550, open: true},
	{args: "failing -n 30 -k 7 -graph random -cost 10 -limit 0.5 -H 12", reward: -836, open: true},
	{args: "inventory -n 10 -H 20", reward: -599},
	{args: "robots -n 2 -H 30", reward: -26},
	{args: "robots -n 3 -H 30", reward: -29},
	{args: "robots -n 4 -H 30", reward: -29},
	{args: "robots -n 4 -seed 7 -H 30", reward: -37},
	{args: "robots -n 5 -seed 1 -H 30", reward: -59},
	{args: "robots -n 5 -seed 2 -H 30", reward: -52},
	{args: "tiles -steps 0 -H 31", reward: -31},
	{args: "tiles -size 4 -steps 100 -seed 3 -H 60", reward: -42},
	{args: "tiles -size 4 -steps 120 -seed 9 -H 60", reward: -48},
	{args: "tiles -size 4 -steps 120 -seed 3 -H 60", reward: -48},
	{args: "tiles -size 4 -steps 200 -seed 5 -H 60", reward: -48},
	{args: "tiles -size 4 -steps 120 -seed 18 -H 60", reward: -54},
	{args: "sokoban -H 40", reward: -20},
	{args: "hanoi -n 7 -H 127", reward: -127},
	{args: "tour -n 12", reward: -350},
	{args: "sudoku -fills 11", reward: 0},
	{args: "repair -n 4 -k 2 -size 3 -H 12", reward: 292},
	{args: "repair -n 10 -k 3 -H 16", reward: 1557},
	{args: "repair -n 50 -k 10 -kinds 3 -H 20", reward: 5360},
	{args: "repair -n 24 -k 6 -H 24", reward: 4074},
	{args: "charge -n 3 -H 12", reward: 166},
	{args: "charge -n 8 -H 24", reward: 688},
	{args: "charge -n 22 -H 36", reward: 2046},
	{args: "irrigate -n 2 -H 12", reward: 99},
	{args: "irrigate -n 4 -H 18", reward: 287},
	{args: "irrigate -n 11 -H 30", reward: 446, open: true},
	{args: "jobs -n 4 -k 2 -H 12", reward: -35},
	{args: "jobs -n 10 -k 2 -H 16", reward: -138},
	{args: "jobs -n 24 -k 4 -H 24", reward: -287, open: true},
	{args: "lifts -n 3 -k 1 -size 4 -H 12", reward: -22},
	{args: "lifts -n 7 -k 2 -H 20", reward: -62},
	{args: "lifts -n 16 -k 3 -size 8 -H 24", reward: -187},
	{args: "warehouse -n 1 -k 2 -size 6 -H 12", reward: -19},
	{args: "warehouse -n 2 -k 4 -size 12 -H 20", reward: -55},
	{args: "warehouse -n 4 -k 9 -size 24 -H 30", reward: -259, open: true},
}
