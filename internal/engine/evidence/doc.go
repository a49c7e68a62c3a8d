// Package evidence writes a VeriPB proof of an answer, whichever engine gave it: the first
// of the proofs by packages backward, bound and conflict that can be had.
package evidence
