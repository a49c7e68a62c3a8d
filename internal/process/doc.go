// Package process holds what running other people's programs takes: a command
// line split into words, process groups that end as a whole, and the end of
// what a program printed, for messages.
package process
