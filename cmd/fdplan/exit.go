package main

import (
	"errors"
	"fmt"
)

// The exit statuses, one table for the program, the docs and the tests.
const (
	exitDone     = 0 // done: a plan was found, the plan is valid, the property holds, the file was written
	exitInternal = 1 // a bug, here or in an external solver whose claim was refuted
	exitUsage    = 2 // bad usage or bad input, or a required program is not installed
	exitLimit    = 3 // a limit was reached before there was an answer
	exitNo       = 4 // the answer is no: no plan exists, the plan is invalid, the property fails
)

// exitStatus is an error that only determines the exit status: the answer has been printed.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// errLimit is wrapped by errors of runs that ended before there was an answer.
var errLimit = errors.New("no answer yet")
