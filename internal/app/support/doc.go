// Package support tells which steps of a problem with a learned network are supported by
// the training rows, and plans with these steps alone, or as if all others were free.
//
// What the rows settle is recorded in the network's file (package coverage): as tables over
// the inputs that each output depends on, as the rows themselves, or as all legal rows. It is
// a judgement from data, not a proof: rows cannot show what they do not contain.
package support
