// Package reward learns the reward of a step from observed rows, as a sum of weighted
// features: values of variables, conditions on single ones, and conjunctions of two or three
// conditions.
//
// Features are chosen one after the other by how well they explain what is left (orthogonal
// matching pursuit: Pati, Rezaiifar and Krishnaprasad, 1993), on a sample of the rows to which
// rows that are explained wrongly are added. Rows far from the others are set aside as wrong.
// If some decimal fractions near the weights give the rewards of the other rows exactly, these
// are the weights.
package reward
