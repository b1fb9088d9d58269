// Package parity decides any formula of the modal mu-calculus on a model, as a parity game.
//
// A position of the game is a state with a subformula. At a conjunction or box, the player who wants
// the formula to be violated moves; at a disjunction or diamond, the other player does. Only positions
// that the asked states lead to are visited. A set of positions takes two bits for each position.
//
// Components of subformulas are solved one after another, each after the components that it leads to.
// In a component with fixpoints of one kind only, the smallest set of positions for one of the players
// is found backwards, by counting. That is linear in the model times the formula (A. Arnold, P.
// Crubille, A linear algorithm to solve fixed-point equations on transition systems, 1988). A component
// in which fixpoints alternate is solved by the recursive algorithm (W. Zielonka, Infinite games on
// finitely coloured graphs, TCS 1998), which is exponential in the alternation depth at worst.
//
// A winning strategy is known for each position. [Solution.Argue] makes an argument from the part of
// the strategy that a state needs: a run if this part is a line, otherwise sets of states with claims
// about them.
//
// A component is solved only after all positions of other components to which it leads are decided.
package parity
