// Package picture draws plans: the maze of navigation with the robot's path, the dungeon of
// Cellda with agent, enemy, key, door and blocks, the inventory's level against demand and
// orders, the computers' ages and reboots, and a table for every other problem. They are the
// domains of the paper's sections "Example Domain" and "Domain Descriptions"; its Figure 1 is
// such a picture.
//
// A picture shows only a plan's trace: it computes no state, so that a wrong trace looks
// wrong. Facts that a plan lacks (the walls, the key, the door, the demand) come from the
// problem, as Facts. If they are missing they are not drawn, and the picture says so.
//
// A picture is written as one SVG with all steps, as a page with a player, as an animated
// GIF, or as text. The same plan and facts always have the same bytes.
package picture
