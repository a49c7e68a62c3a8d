// Package dataset reads and writes transitions: the states, actions and next states on which
// a network is trained (paper, section "Learning Transition Functions").
//
// A data set has one column per fluent: each state fluent under its name, each action fluent
// under its name, and each state fluent again with a prime, the state after the step, as in
// RDDL:
//
//	running(c1)  age(c1)  reboot(c1)  running(c1)'  age(c1)'
//
// Columns have that order: states, actions, next states.
//
//   - Parquet: Booleans as BOOLEAN, integers as INT32, or INT64 if the range
//     needs it or is unknown, reals as DOUBLE, enumerations and objects as
//     strings. The file's key-value metadata contains the schema below under
//     "fdplan.schema".
//   - NPZ: one array per column (bool, int64, float64; an enumeration is the
//     int64 index in its values), and the schema in the member schema.json.
//   - CSV: a header, Booleans as true and false. Names with commas are quoted.
//     It cannot contain a schema: ReadAs is given it.
//
// A data set in parts is a JSON file whose name ends in .manifest, see Manifest, with
// Parquet files beside it.
//
// A last column reward has the rewards of steps, see Data; it is not in the schema.
//
// The schema is JSON: {"version":1,"problem":…,"columns":[{"name":…,
// "role":"state"|"action"|"next","type":"bool"|"int"|"real"|"enum","lo":…,"hi":…,
// "values":[…]}]}; lo and hi are present only if a range is known, values for enum.
//
// A log from another source is a CSV in one of two forms, distinguished by the header:
// triplets, as above with columns in any order, or sequences: the column step, the column
// episode if there are several, then states and actions without next states. In a sequence
// the next state is that of the row with the next step of the same episode. A gap in the
// steps or a new episode ends the run. The last row of a run is not a transition, so its
// actions may be empty. Steps must increase within an episode,
// and its rows must be consecutive. A column that belongs to no fluent is an error, and so is
// a fluent without a column.
//
// Columns of a real quantity can be read as levels, integers that number bins of equal width;
// see Schema.Discretize.
//
// Files are written under a temporary name and renamed; the same rows always have the same
// bytes.
package dataset
