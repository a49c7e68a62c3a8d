// Package picture draws plans: the maze of navigation with the robot's path,
// the dungeon of Cellda with agent, enemy, key, door and blocks, the inventory's
// level against demand and orders, the computers' ages and reboots, and a table
// for every other problem. They are the domains of the paper's sections "Example
// Domain" and "Domain Descriptions"; its Figure 1 is such a picture.
//
// A picture shows a plan's trace and nothing else: no state is computed here, so
// that a wrong trace looks wrong. What a plan does not tell (where the walls
// are, the key, the door, the demand) is asked of the problem, as Facts; without
// them it is left out, and the picture says so.
//
// A picture is written as one SVG with all steps, as a page with a player, as an
// animated GIF, or as text. The same plan and facts give the same bytes.
package picture
