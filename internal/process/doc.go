// Package process helps to run external programs: it splits a command line into words, stops
// process groups as a whole, and keeps the end of a program's output for messages.
package process
