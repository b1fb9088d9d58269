// Package never reads the never claims of SPIN: automata for forbidden behaviour, as spin -f and
// ltl2ba write them. [Parse] turns one into a property, and [FromAutomaton] a Büchi automaton of a
// file in the HOA format, nondeterministic or not.
//
// A claim takes a step with each action of a run, by an expression that holds of it. Its atoms
// are names that #define gives a pattern of labels to, as in
//
//	#define req {REQ, "GET !1"}
//
// other names, which are patterns themselves (see package actl), and quoted labels, regular
// expressions and sets. A run must not let the claim pass a state with a label that begins with
// accept again and again, and not let it reach its closing brace. A run that stops goes on with
// "nothing happens" forever, where no atom holds.
//
// The property is a deterministic automaton for the complement. If no cycle of the claim has
// accepting states and a part without, which is so of most that people write, it is made by the
// breakpoint construction of Miyano and Hayashi (Alternating Finite Automata on ω-Words, 1984);
// else by Safra's (On the Complexity of ω-Automata, 1988).
//
// The invariant that holds inside: the property rejects a run if and only if the claim has an
// accepting run on it.
package never
