// Package fdsat reads planning problems in the file layout of FD-SAT-Plan, the planner
// published with the paper. A problem is the tuple <S, A, C, T, I, G, R> of the section
// "Problem Definition", with a binarized neural network as its learned transitions (section
// "Binarized Neural Networks").
//
// A problem DOMAIN/INSTANCE is eight files below one directory:
//
//	bnn/bnn_D_I.txt                      the weights of the network
//	normalization/normalization_D_I.txt  its batch normalization
//	translation/pvariables_D_I.txt       the variables, all Boolean
//	translation/constraints_D_I.txt      C
//	translation/initial_D_I.txt          I
//	translation/goals_D_I.txt            G
//	translation/transitions_D_I.txt      the known part of T; may be absent
//	translation/reward_D_I.txt           R; may be absent
//
// Package bnn reads the first two. The variables stand on one line,
//
//	KIND: NAME,KIND: NAME,...
//
// where KIND is action, state or auxiliary. The suffix _data marks a network input, and
// _label a network output. A constraint is a line
//
//	LIT,LIT,...,OP,K
//
// which states that at least, at most or exactly K of the literals are true. OP is <=, >= or
// ==. LIT is a name, with ~ before it for its negation and, among the transitions, ' after it
// for the next step. A line of the reward is LIT,WEIGHT.
//
// A line may end in CR LF, the last may lack its line end, and empty lines may follow it.
// Everything else is refused with the place of the fault, as a *source.Error.
package fdsat
