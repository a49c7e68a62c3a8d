// Package cluster spreads work over machines. It knows nothing of planning: a
// Runner, passed in, does the work.
//
// # Parts
//
// A server (package nats-server with JetStream, embedded by Serve, or any other
// NATS server) keeps six stores on its disk:
//
//	fdplan-units     stream    units that no worker has finished, one subject each
//	fdplan-results   bucket    results, by the unit's ID
//	fdplan-objects   bucket    contents of files, by hash
//	fdplan-attempts  bucket    units that were begun more than once
//	fdplan-aside     bucket    units that no worker can do, with the reason
//	fdplan-boards    bucket    what units of one work tell each other, for a day
//
// A Session wants results. A Worker has slots; each takes one unit at a time.
//
// # Units
//
// A Unit names its kind, its arguments, the hashes of its inputs, its limits, its
// seed and the result version of the build. The hash of all that is its ID. A
// result is stored under that ID, once: Create of a key that exists does nothing.
// So a unit may be delivered, run and stored any number of times, and wanted by
// any number of sessions. Two builds that may differ in results have different
// result versions, and then different units and different queues.
//
// # Faults
//
// A worker stores the result before it acknowledges the unit, and waits for the
// server to confirm both. Until then the unit stays in the stream. While a unit
// runs, its worker extends the lease every third of it; the units of a worker
// that is killed are delivered again when the lease ends.
//
// A session asks for the result of every unit that it waits for, not only when it
// is told of one, and publishes each unit again that has neither a result nor a
// place in the queue. The subject of a unit contains its ID and a subject keeps
// one message, so that the server refuses a unit that is already queued. A server
// whose machine lost the last writes, or its whole store, thus loses no work that
// a session still waits for; the inputs are sent again too.
//
// A unit whose process dies is tried three times, each death counted in a bucket
// of our own, since the server's count of deliveries may be wrong after a crash.
// Then it is set aside with the end of its output. A unit that is begun ten times
// without any outcome, because the workers vanish, is set aside too.
//
// # Sizes
//
// Units are at most MaxUnit bytes, results MaxResult, objects MaxObject. The
// stores are bounded and refuse what does not fit; they never drop what they have.
// Contents are cut into chunks of 256 KiB, each stored under its own hash, so that
// nothing is ever replaced and a transfer that was cut short is resumed.
package cluster
