// Package rddl reads the Relational Dynamic Influence Diagram Language: it
// lexes, parses, prints and type-checks lifted domains, non-fluents and
// instances, as the planning competitions of 2011, 2014 and 2018 and pyRDDLGym
// use them. Package ground fills in the objects.
//
// The language is Sanner's (Relational Dynamic Influence Diagram Language:
// Language Description, 2010); where that leaves a choice, the grammars of the
// two simulators in use decide: rddlsim's (rddl.cup) and pyRDDLGym's (parser.py),
// which share one table of precedences. What only one of them has is accepted.
//
// # For tools
//
// Parse gives the tree of one text, Join one File of several, ReadFiles both.
// Check resolves and types one domain with one instance and returns a Program of
// copies, so that one parsed domain serves many instances, also at the same time.
// Every declaration, name and expression has its Pos (line and byte column from
// 1); every expression of a Program has its ResultType and every name its
// declaration. Walk visits, FormatExpr and Print write, CheckExpr types a goal or
// the like against a Program. An error is always a *source.Error for the first
// fault. Nothing here keeps state between calls.
//
// # How expressions bind
//
// From weakest to strongest, all to the left (a => b => c is (a => b) => c):
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
// The ~ is the strongest although the tables of both grammars list a NOT below
// the comparisons: the rule itself is marked with the precedence of the minus.
//
// The quantifiers (forall exists), aggregations (sum prod min max avg argmin
// argmax), if-then-else and Discrete_{…} take everything that follows, up to the
// closing bracket or the end, whatever stands to their left and also when their
// body starts with a bracket:
//
//	sum_{?x : t} f(?x) + 1       is  sum_{?x : t} [f(?x) + 1]
//	sum_{?x : t} [f(?x)] + 1     is  sum_{?x : t} [[f(?x)] + 1]
//	[sum_{?x : t} f(?x)] + 1     adds once
//
// Both simulators read it so. File.Warnings names the places where the second
// form occurs, since it is often meant as the third. The trees were compared with
// those of pyRDDLGym's parser on 5000 random expressions.
//
// # Names
//
// A name starts with a letter, goes on with letters, digits, - and _, and ends in
// a letter or digit. So a-b is one name, and a - b, a -b and f(?x)-b are
// differences; an unknown name that would make sense as a difference is reported
// as such. A prime follows the name at once, before the parameters. @x is a
// value of an enumeration or an object; $x, rddlsim's way to write an object,
// means the same. A bare x is a fluent without parameters, an object or a value,
// whichever is declared; when two are, @x is demanded for the value. Section and
// kind names (domain, level, types, …) are words of the language only where they
// stand as such.
//
// # Types
//
// bool, int, real, enumerations and object types. A Boolean counts as 0 or 1
// wherever a number is expected, and an int as a real. Never the other way:
// a number is no condition (rddlsim lets it pass, pyRDDLGym does not), and a real
// becomes an int by round, floor or ceil only. In init-state, non-fluents and
// defaults the value must be of the declared type. / gives a real; + - * min max
// and the like give an int for ints. pow gives an int for ints with a literal
// exponent that is not negative, and a real otherwise. Enumerations and objects
// are compared with == and ~= alone, with values of their own type.
// KronDelta takes all but reals, DiracDelta numbers and Booleans.
//
// A variable of a quantifier must not be bound already. A switch without default
// needs all cases. A comparison is ==, a single = gives a value.
//
// # What may be read where
//
// See Place. Next values (x') are for state-fluents alone, in cpfs of state- and
// observ-fluents and in the reward. A state-fluent's cpf may read other next
// values; cycles are found when the problem is grounded. An intermediate fluent of
// a written level reads lower levels only; those without a level are ordered by
// what they read. Derived fluents read states and one another, and are not random;
// in return constraints may read them. Random draws have no place in conditions.
//
// # Forms
//
// Both requirements = { … }; and requirements { … };. Sections may come in any
// order and may be repeated, but for those with one value. cdfs is cpfs.
// A section ends with "};"; after the } of a block a ; may stand. Objects may be
// listed in the domain (rddlsim's RDDL 2), in the non-fluents block, in the
// instance, or equally in both of the last two. An instance may hold its
// non-fluents { … }; itself (IPPC 2018). x; and ~x; are short for x = true; and
// x = false;. The same value given twice is accepted, as published files do it;
// two different values are not. A missing default is false, 0 or the first value;
// an action-fluent must have one. horizon = terminate-when(e) and terminal = e
// (rddlsim) add a termination condition. max-nondef-actions and horizon may be
// pos-inf. Numbers may have an exponent, which neither grammar has.
//
// # Not supported, and refused with a message
//
// Structured types, subtypes, ranges of enumeration values and members (rddlsim's
// RDDL 2); matrix operations, external functions and policy blocks (pyRDDLGym).
// Random vectors (Dirichlet, Multinomial, MultivariateNormal and
// MultivariateStudent) are parsed and printed, and Check refuses them.
package rddl
