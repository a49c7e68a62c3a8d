// Package evidence writes a VeriPB proof of an answer, whichever engine gave it. Of
// the proofs that can be had (packages backward, bound and conflict) it writes the
// smallest.
package evidence
