// Package never reads the never claims of SPIN: automata for forbidden behaviour, as spin -f and
// ltl2ba write them. [Parse] makes a property of a claim, and [FromAutomaton] makes one of a Büchi
// automaton in the HOA format, which need not be deterministic.
//
// A claim takes a step with each action of a run, if an expression holds for the action. The atoms of
// an expression are names that #define replaces by a pattern of labels, as in
//
//	#define req {REQ, "GET !1"}
//
// other names, which are patterns themselves (see package actl), and quoted labels, regular expressions
// and sets. A run violates the property if the claim can pass states whose label begins with accept
// again and again, or can reach its closing brace. A run that stops is continued by "nothing happens"
// forever, where no atom holds.
//
// The property is a deterministic automaton for the complement. If no component of the claim has both a
// cycle with an accepting state and a cycle without, the breakpoint construction of Miyano and Hayashi
// makes it (Alternating Finite Automata on ω-Words, 1984); otherwise Safra's construction does (On the
// Complexity of ω-Automata, 1988). Most claims that people write are of the first kind.
//
// The property rejects a run if and only if the claim has an accepting run on it.
package never
