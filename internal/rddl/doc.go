// Package rddl reads the Relational Dynamic Influence Diagram Language. It lexes, parses,
// prints and type-checks lifted domains, non-fluents and instances, as used by the planning
// competitions of 2011, 2014 and 2018 and by pyRDDLGym. Package ground instantiates the
// objects.
//
// The language is Sanner's (Relational Dynamic Influence Diagram Language: Language
// Description, 2010). Where the description leaves a choice, the grammars of the two
// simulators in use decide: rddlsim's (rddl.cup) and pyRDDLGym's (parser.py), which share one
// table of precedences. Constructs that only one of them has are accepted.
//
// # For tools
//
// Parse returns the tree of one text, Join combines several Files into one, and ReadFiles
// does both. Check resolves and types one domain with one instance and returns a Program of
// copies, so that one parsed domain serves many instances, also concurrently. Every
// declaration, name and expression has its Pos (line and byte column from 1); every
// expression of a Program has its ResultType and every name its declaration. FormatExpr
// writes an expression as text, and CheckExpr types one such as a goal against a Program. An error is always a *source.Error for the first fault. The package
// keeps no state between calls.
//
// # Precedence
//
// From weakest to strongest, all left-associative (a => b => c is (a => b) => c):
//
//	<=>
//	=>
//	|
//	^ &                          both are conjunction
//	== ~= < <= > >=              a < b < c is (a < b) < c
//	+ -
//	* /
//	~ - +                        prefix: ~a == b is (~a) == b
//
// The ~ binds most strongly although the tables of both grammars list a NOT below the
// comparisons: the grammar rule itself is marked with the precedence of the minus.
//
// The quantifiers (forall exists), aggregations (sum prod min max avg argmin argmax),
// if-then-else and Discrete_{…} extend to the right as far as possible, up to the closing
// bracket or the end. This is independent of what is to their left, and applies also if their
// body starts with a bracket:
//
//	sum_{?x : t} f(?x) + 1       is  sum_{?x : t} [f(?x) + 1]
//	sum_{?x : t} [f(?x)] + 1     is  sum_{?x : t} [[f(?x)] + 1]
//	[sum_{?x : t} f(?x)] + 1     adds once
//
// Both simulators read it this way. File.Warnings lists the places where the second form
// occurs, since the third is often intended. The trees were compared with those of
// pyRDDLGym's parser on 5000 random expressions.
//
// # Names
//
// A name starts with a letter, continues with letters, digits, - and _, and ends in a letter
// or digit. So a-b is one name, and a - b, a -b and f(?x)-b are differences; an unknown name
// that would make sense as a difference is reported as such. A prime follows the name
// directly, before the parameters. @x is a value of an enumeration or an object; $x,
// rddlsim's notation for an object, means the same. A bare x is a fluent without parameters,
// an object or a value, whichever is declared. If both a fluent and a value are declared, the
// value must be written @x. Section and kind names (domain, level, types, …) are reserved
// only where the grammar expects them.
//
// # Types
//
// The types are bool, int, real, enumerations and object types. A Boolean counts as 0 or 1
// wherever a number is expected, and an int as a real. The reverse does not hold: a number is
// not a condition (rddlsim accepts it, pyRDDLGym does not), and a real becomes an int only by
// round, floor or ceil. In init-state, non-fluents and defaults the value must be of the
// declared type. / returns a real; + - * min max and similar operations return an int for
// ints. pow returns an int for ints with a nonnegative literal exponent, and a real
// otherwise. Enumerations and objects can only be compared with == and ~=, and only with
// values of their own type. KronDelta accepts all types but real, DiracDelta numbers and
// Booleans.
//
// A variable of a quantifier must not be bound already. A switch without default needs all
// cases. A comparison is ==, an assignment a single =.
//
// # What may be read where
//
// See Place. Next values (x') exist for state-fluents only, and may be read in cpfs of state-
// and observ-fluents and in the reward. A state-fluent's cpf may read other next values;
// grounding detects cycles. An intermediate fluent with an explicit level reads lower levels
// only; those without a level are ordered by dependency. Derived fluents read states and one
// another, and are not random; in return constraints may read them. Conditions cannot contain
// random draws.
//
// # Forms
//
// Both requirements = { … }; and requirements { … }; are accepted. Sections may come in
// any order and may be repeated, except those with one value. cdfs is a synonym of cpfs. A
// section ends with "};"; a ; is allowed after the } of a block. Objects may be listed in the
// domain (rddlsim's RDDL 2), in the non-fluents block, in the instance, or equally in both of
// the last two. An instance may contain its own non-fluents { … }; section (IPPC 2018). x;
// and ~x; are short for x = true; and x = false;. Assigning the same value twice is accepted,
// as published files do it; two different values are not. A missing default is false, 0 or
// the first value; an action-fluent must have one. horizon = terminate-when(e) and terminal =
// e (rddlsim) add a termination condition. max-nondef-actions and horizon may be pos-inf.
// Numbers may have an exponent, which neither grammar allows.
//
// # Not supported, and refused with a message
//
// Structured types, subtypes, ranges of enumeration values and members (rddlsim's RDDL 2);
// matrix operations, external functions and policy blocks (pyRDDLGym); random vectors
// (Dirichlet, Multinomial, MultivariateNormal and MultivariateStudent).
package rddl
