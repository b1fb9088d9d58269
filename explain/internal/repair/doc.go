// Package repair tells what to do about a property that fails: which transitions
// must never be taken, which loops not gone round for ever, and what a correct run
// looks like that is nearly the one that went wrong.
//
// A supervisor may forbid controllable transitions of a model, and leaves at least
// one way on; it knows the past as far as the property does. What it can reach in
// spite of the others is a game on the product of model and property, after Ramadge
// and Wonham (supervisory control); what it has to do is told as a template, which
// leaves open all that need not be decided (Anand, Nayak, Schmuck: Synthesizing
// Permissive Winning Strategy Templates for Parity Games, CAV 2023).
//
// The invariant that holds inside: a run on which no transition is taken that is
// forbidden, and which stays in no loop for ever that is to be left, satisfies the
// property, and what is forbidden makes no new deadlock.
package repair
