// Package certify implements the use case of certificates: a folder with an answer,
// the problem file of each horizon that it is about, and a proof of what is known of
// it, which the project's own checker has read. Other checkers can read the same
// files, and Check reads them again.
//
// The folder has answer.json, as `fdplan plan --json` prints it, and for each horizon
// N the files hN.opb, as `fdplan compile --format opb --encoding paper` writes it, and
// hN.pbp, a VeriPB proof.
package certify
