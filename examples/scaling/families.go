package main

var families = []family{
	{"sysadmin", "all computers must run; the fewest reboots", sysadminFlags, sysadmin},
	{"failing", "computers may fail; what is down costs, and so do reboots", failingFlags, failing},
	{"inventory", "products with periodic demand share a truck and a store", inventoryFlags, inventory},
	{"repair", "machines wear; repairs take crews and parts of one store", repairFlags, repair},
	{"charge", "vehicles with batteries share a grid", chargeFlags, charge},
	{"irrigate", "fields along a ditch, water passes on", irrigateFlags, irrigate},
	{"jobs", "jobs on machines that are set up for their kinds", jobsFlags, jobs},
	{"lifts", "lifts take guests to their floors", liftsFlags, lifts},
	{"warehouse", "robots carry goods to desks along ways", warehouseFlags, warehouse},
	{"robots", "robots in one maze must not collide", robotsFlags, robots},
	{"tiles", "the sliding puzzle", tilesFlags, tiles},
	{"sokoban", "three boxes are pushed to their places", sokobanFlags, sokoban},
	{"hanoi", "the towers of Hanoi", hanoiFlags, hanoi},
	{"tour", "the cheapest tour through all cities", tourFlags, tour},
	{"sudoku", "fill a Latin square of 4x4 with boxes", sudokuFlags, sudoku},
}
