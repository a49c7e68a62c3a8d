// Package stdio serves one program over a pair of streams: requests come in as JSON, one
// object on a line, and answers, events and errors go out in the same way. A problem is loaded
// once and then planned for again and again, with other initial states, rules, rewards and
// horizons. The documents are those that the commands print with --json. docs/session.md
// describes the protocol.
package stdio
