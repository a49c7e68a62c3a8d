// Package rddlsim speaks the protocol of RDDLSim (github.com/ssanner/rddlsim, PROTOCOL.txt), by
// which the planning competitions of 2011 to 2018 judged planners: a Client acts in what a server
// simulates, and a Server simulates RDDL for a client.
//
// A session has rounds, and a round has turns. In each turn the server shows the state and the
// reward of the step before, and the client answers with a joint action. A message is an XML
// element, followed by a zero byte, over TCP:
//
//	client: session-request               server: session-init
//	  client: round-request               server: round-init, turn
//	    client: actions                   server: turn, or round-end after the last step
//	                                      server: session-end
//
// The state after the last step of a round is not shown.
package rddlsim
