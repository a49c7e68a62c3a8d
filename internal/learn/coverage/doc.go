// Package coverage remembers which inputs a network was trained on, in a few
// kilobytes that its file can carry, so that a planner can tell where it relies on
// what the network never saw. The paper learns T from what an exploration policy
// visits (section "Learning Transition Functions"); plans go where that policy did
// not, and there the network guesses.
//
// A Set is one of
//
//   - legal: the rows were exactly the legal states and actions of the problem;
//   - rows: every distinct row, bit for bit;
//   - map: one bit for each of the 2^inputs rows that there could be;
//   - bloom: a Bloom filter (Bloom, Space/Time Trade-offs in Hash Coding with
//     Allowable Errors, 1970), for rows that the other two have no place for. It
//     never denies a row that was there and sometimes admits one that was not, so
//     that unseen rows counted with it are at least so many.
//
// Its text is what a network file keeps as metadata; docs/formats.md has the
// grammar.
package coverage
