// Package ltl reads properties in linear temporal logic over actions, and binds them to
// models.
//
// [Parse] turns the text of a formula into a [Formula]. The operators, the tightest
// first, are
//
//	! X F G [] <>    not, next, eventually (<>), always ([])
//	U R W M          until, release, weak until, strong release; to the right
//	&&
//	||
//	->               to the right
//	<->
//
// GF, FG and []<> are each read as two operators. Operands are true, false (also TRUE and FALSE),
// deadlock, which holds when nothing happens any more, and atoms: patterns of labels as in
// Inev(…), see package actl. An atom holds at a position of a run where the transition there has
// such a label. Bare atoms consist of letters, digits, _ . * ? and parentheses directly after
// these, with their content; all other labels are quoted, and so are those that are words of the
// logic:
//
//	G (REQ -> F ACK)
//	!"CONF !1" U r1(d1)
//	GF {PUT, GET} && FG !"G"
//
// [Of] returns the formula that is equivalent to a pattern of package actl.
//
// The operators &, | and => of other tools do not exist here: a|b is a label, a multi-action of
// mCRL2.
//
// The text of a formula parses back to the same formula, and a Formula does not change once it is
// built.
package ltl
