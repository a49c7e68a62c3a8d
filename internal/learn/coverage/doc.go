// Package coverage records which inputs a network was trained on, in a few kilobytes that fit
// in its file, so that a planner can tell where it relies on inputs that the network never
// saw. The paper learns T from the transitions that an exploration policy visits (section
// "Learning Transition Functions"); plans may visit others, where the network guesses.
//
// A Set is one of
//
//   - legal: the rows were exactly the legal states and actions of the problem;
//   - rows: every distinct row, bit for bit;
//   - map: one bit for each of the 2^inputs possible rows;
//   - bloom: a Bloom filter (Bloom, Space/Time Trade-offs in Hash Coding with
//     Allowable Errors, 1970), for rows that do not fit the other two. It never
//     rejects a row that was seen and sometimes admits one that was not, so the
//     number of unseen rows counted with it is a lower bound.
//
// A network file keeps its text as metadata; docs/formats.md has the grammar.
package coverage
