// Package quantity learns the next values of quantities: numbers that move a little each step, such as a level or
// a temperature. The next value is a linear function of this and earlier values, of actions and inputs, or a model tree: a
// tree of conditions with linear leaves (Quinlan, "Learning with Continuous Classes", 1992). A leaf is drawn towards the
// function of the node above it. How many earlier values, which delay of an action and how many leaves is decided by
// the errors one and ten steps ahead on blocks of time that were not learned from.
//
// Rows in which a quantity is exactly at a bound, such as a tank that is full, say only that it would be there or
// beyond (Tobin, "Estimation of Relationships for Limited Dependent Variables", 1958): where they are many, the function is
// clamped, and their targets are what it gives beyond the bound, until that no longer changes much.
//
// The error is a band that held the given share of the errors in those blocks (Vovk, Gammerman and Shafer, "Algorithmic
// Learning in a Random World", 2005), and the errors themselves.
package quantity
