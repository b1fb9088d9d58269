// Package buchi holds explicit Büchi automata, reads and writes them in the Hanoi Omega-Automata
// format (HOA v1), and finds short counterexamples in them.
//
// A counterexample is a [Lasso]: a path from the initial state into a loop that passes an accepting
// state. The algorithms are those of three papers, each as published, except where its text is
// wrong or leaves a case open. The comment of the function names every such place, and a test shows
// it.
//
//   - [SPIN04]: P. Gastin, P. Moro, M. Zeitoun, Minimization of counterexamples
//     in SPIN, SPIN 2004 (hal-00306314), and its revised version, [SPIN04r]:
//     colourDFS finds a first counterexample in linear time; contrex finds ever
//     shorter ones, in exponential time in the worst case.
//   - [MIN07]: P. Gastin, P. Moro, Minimal counterexample generation for SPIN:
//     priority finds a shortest counterexample in polynomial time; tracer builds
//     its path from two key states.
//
// The algorithms see an automaton through the interface [Graph], without labels, as in the papers.
// An [Automaton] is one implementation; another one is a product that is computed during the
// search. "Shortest" always refers to the automaton that is searched: another automaton for the
// same language may have a shorter counterexample.
//
// The papers count lengths in two ways. [SPIN04] takes the number of states of the path, counting
// the state that closes the loop twice ([Lasso.Length]); [MIN07] takes the number of transitions,
// one less ([Lasso.Transitions]). Bounds and statistics here are in states, everywhere.
//
// An automaton never changes once built, its states are dense numbers from 0, every target is below
// NumStates, and no function recurses. Where the papers have recursion, the code keeps a stack of
// its own, so that only memory limits the depth.
package buchi
