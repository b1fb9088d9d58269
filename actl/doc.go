// Package actl holds the properties that are written by patterns: inevitability, as a
// sequence of steps each of which is a pattern of labels, and the others of Dwyer,
// Avrunin, Corbett: Patterns in Property Specifications for Finite-State Verification
// (ICSE 1999), see [property.Specification].
//
// [Parse] turns the text of a formula into a [Formula]:
//
//	Inev(PUT, GET)        PUT happens, and later GET; also written as
//	                      A[true_{true} U_{PUT} A[true_{true} U_{GET} true]]
//	Response(REQ; ACK)    after every REQ, strictly later, ACK
//	Never(A, B)           no A is followed by B, strictly later
//	Precedes(A, B; C)     no C before A and, strictly later, B
//	Always({A, B})        every action is A or B
//	AtMost(2; A)          A happens twice at most
//	DeadlockFree          no run ends
//
// All of them take a scope after the last semicolon, as in Never(A; after X until Y): before X,
// after X, between X and Y, after X until Y. A scope lies strictly between the actions that
// delimit it. Every X begins a scope; in "after X" only the first X does. A scope that an action
// ends exists only if the action happens, except with until. DeadlockFree(after X) has its scope
// in parentheses.
//
// The second way of writing inevitability is the action-based logic ACTL of De Nicola and Vaandrager, and the
// first abbreviates it as in Definition 3 of Barbon, Leroy, Salaün:
// Counterexample Simplification for Liveness Property Violation (SEFM 2018).
// A step is a label pattern, or a set of them of which any one will do:
//
//	PUT             the label PUT, or the gate or action PUT with any offers or arguments
//	r1(d1)          this label; blanks after its commas do not matter
//	"PUT !1"        exactly this label; in it \" is a quote and \\ a backslash
//	/^RACK[01]$/    a regular expression of Go (RE2), in it \/ is a slash
//	SDT*            a glob: * is any text, ? any one character, of the whole label
//	{PUT, GET}      a set
//	{}              nothing: a step that never happens
//
// A rate or a probability that ends a label of CADP's stochastic models may be left out: PUT !1, "PUT !1" and
// /^PUT !1$/ match PUT !1; rate 2.0 and PUT !1; prob 0.5, too.
//
// A multi-action of mCRL2 is written with its parts in any order, and blanks between them or after
// commas do not matter: "b(1, 2)|a" is the label a|b(1,2), too. With [WithParts], a pattern also
// matches a multi-action if it matches one of the parts.
//
// A multi-action of mCRL2 such as a(1)|b(2) is a label of its own: the bare name a does not mean
// it. Within the subscripts of ACTL the operators of that logic have their meaning: or, | and \/
// separate the members of a set as a comma does, true is any label and false none, and negations
// and conjunctions are refused. Labels that look like operators stand in a second pair of braces:
// U_{{a|b}}.
//
// A Formula knows no model. [Formula.Bind] finds, in the alphabet of a model, the labels that each
// step means, and returns a [property.Property], the input of every analysis. Both can be written
// in ACTL, in MCL of CADP, and in the mu-calculus of mCRL2.
//
// A Formula has at most [property.MaxSteps] steps, and no step contains a pattern twice. A Formula
// does not change once it is built, so that it may be shared between goroutines.
//
// The package knows nothing of states and transitions.
package actl
