// Package dataset reads and writes transitions: the states, actions and next
// states that a network is trained on (paper, section "Learning Transition
// Functions").
//
// A data set has one column a fluent: each state fluent under its name, each
// action fluent under its name, and each state fluent again with a prime, the
// state after the step, as RDDL writes it:
//
//	running(c1)  age(c1)  reboot(c1)  running(c1)'  age(c1)'
//
// Columns stand in that order: states, actions, next states.
//
//   - Parquet: Booleans as BOOLEAN, integers as INT32, or INT64 where the range
//     needs it or is not known, reals as DOUBLE, enumerations and objects as
//     strings. The file's key-value metadata holds the schema below under
//     "fdplan.schema".
//   - NPZ: an array a column (bool, int64, float64; an enumeration is the int64
//     index in its values), and the schema in the member schema.json.
//   - CSV: a header, Booleans as true and false. Names with commas are quoted. It
//     has no place for a schema: Read infers types, ReadAs takes them.
//
// The schema is JSON: {"version":1,"problem":…,"columns":[{"name":…,
// "role":"state"|"action"|"next","type":"bool"|"int"|"real"|"enum","lo":…,"hi":…,
// "values":[…]}]}; lo and hi only where a range is known, values for enum.
//
// A log from elsewhere is a CSV in either of two forms, told apart by the header:
// triplets, as above in any order of columns, or sequences: the columns step,
// and episode where there are several, then states and actions without next
// states. In a sequence the next state is that of the row with the next step of
// the same episode; a gap in the steps or a new episode ends the run, and the last
// row of a run gives no transition, so that its actions may be empty. A column
// reward is passed over. Steps must increase within an episode and its rows must
// stand together. A column that belongs to no fluent is an error, and so is a
// fluent without a column.
//
// Columns of a real quantity can be read as levels, integers that number bins of
// equal width; see Schema.Discretize.
//
// Files are written under a temporary name and renamed; the same rows give the
// same bytes.
package dataset
