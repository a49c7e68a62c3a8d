// Package rawlog reads logs as devices write them: tables with one row per time step or per
// transition, in CSV with any delimiter, Parquet or JSON lines. It infers what the columns
// are, chooses bins for quantities, and forms the transitions that a data set consists of.
package rawlog
