// Package rollout plans by simulation alone, in whatever time there is. It takes a sequence
// of joint actions through deterministic RDDL, replaces those that are illegal on the way,
// and improves the best sequence by local search. It proves nothing; it finds something
// where an engine that proves does not finish.
package rollout
