// Package limit holds what bounds a whole run from outside: how much memory
// there is, how much of it the process holds, and a watch that tells when that
// is too much.
package limit
