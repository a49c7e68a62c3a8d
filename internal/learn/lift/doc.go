// Package lift learns one function for all objects of a type, and applies it to
// instances with other objects.
//
// The next values of a fluent f(?1,…,?k), for all objects ?1, …, ?k of its types, share a
// function of features. A feature is
//
//   - a bit of a fluent of these objects;
//   - the value of a non-fluent of these objects;
//   - a count: the number of objects ?k+1, … that stand in a relation with them, given
//     by a Boolean non-fluent such as CONNECTED(?1,?2), and of which given bits of fluents
//     hold. Without bits it is a degree;
//   - where these do not explain the rows, a join: the number of choices of objects for
//     which several literals hold together, found as in inductive logic programming.
//
// The rows of all objects are pooled into one table, in which a count is a row of bits
// "at least t" and one for its parity, and package structure finds the inputs and a
// decision tree. Grounding replaces each feature by the bits of an instance: degrees and
// non-fluents are constants there, a count of bits is a threshold.
//
// Where the rows have objects with different constants, such as demands, package integers looks for a formula too: the next
// value by whole numbers, among them constants that a fluent looks up, as the demand of this month. It has no wrong row, and
// serves instances with constants, or with ranges of what looks them up, that the rows do not have.
//
// Degrees, counts and values of non-fluents that no row had are unseen: a grounded output
// that has one is listed, since the tree only guesses there. So is one with a value of a
// static feature that was the same for all objects of the rows, and one for which
// features differ that were equal for all of them: no row can tell whether that matters.
//
// Say and Sanner name lifted models as future work.
package lift
