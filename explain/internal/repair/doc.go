// Package repair finds out how to make a violated property true: which transitions must never be
// taken, which loops must not be repeated for ever, and which correct run differs least from the
// counterexample.
//
// A supervisor may forbid controllable transitions of a model, and leaves at least one transition
// in every state; it remembers the past as far as the property does. Which product states it can
// enforce, whatever happens without its control, is a game on the product of model and property,
// after Ramadge and Wonham (supervisory control). The strategy is a template, which leaves open
// everything that need not be decided (Anand, Nayak, Schmuck: Synthesizing Permissive Winning
// Strategy Templates for Parity Games, CAV 2023).
//
// The invariant that holds inside: a run that takes no forbidden transition, and stays for ever in
// no component that must be left, satisfies the property; and forbidding makes no new deadlock.
package repair
