// Package verify checks the evidence of packages wmc and fair for formulas of computation tree
// logic. It shares no code with their algorithms, and uses only the readers of models and
// formulas. Of the evidence of wmc it checks conditions on single transitions only; of the
// evidence about fair runs, also that loops are strongly connected.
//
// A formula counts as decided in a state only after a node about it was checked there, and [Verify]
// returns without an error only if all that the file claims is true.
//
// # What is checked
//
// Nodes of wmc are checked in the order that they were made: those below a node before it, and
// frontier by frontier. So what a node needs is decided before the node is checked, and nothing can
// depend on itself. Below, a successor by a is the target of a transition whose label matches a.
//
// A node about !, &&, ||, <a> and [a] reports which of the states asked about satisfy its formula.
// For each state, the answer follows from the results for the operands in this state or in its
// successors.
//
// A node about E[f U g] or A[f U g] has visited the states V, which are divided into Q, where g
// holds, P, where f holds and g does not, and the others. It finds that the states of Q satisfy the
// formula, and that the others violate it. It can find that a state of P
//
//   - satisfies it, with a rank above 0: one more than the least (E) or the largest (A) rank of
//     its successors that satisfy it; for A, all successors must satisfy it, and there must be
//     one. States decided before have rank 0, and so have those of Q.
//   - violates it: all (E) or some (A) of its successors do, or, for A, the state is a deadlock.
//
// Proof. Ranks fall along the transitions that matter, so by induction on the rank the first is
// true. Suppose that the second were false in some state. For E there would be a run through states
// with f to a state with g. This run leaves the set of states that are found to violate the
// formula. But the last state of the run in this set is not the end of the run, and all successors
// of this state are in the set. For A, each state of the set where f holds is a deadlock, or has a
// successor in the set. So there is a run that never comes to g, or first meets a state with
// neither f nor g.
//
// With labels, E[f {a} U {b} g]: Q are the states with f and a transition by b to g; for A those
// that have transitions, and only such. Successors are those by a and hidden labels. For A, each
// transition must have such a label, unless it is one by b to a state with g.
//
// A node about E[f R g] or A[f R g] is the dual: Q are the states with f and g, and P the states
// with g alone; all others violate the formula and have rank 0. A state of P violates the formula
// if it has successors and all of them violate it (E), or if some successor violates it (A); the
// ranks are those of an Until. It satisfies the formula if some successor does (E; a deadlock does,
// too), or if all successors do (A).
//
// Where the unfolding did not end early, all of V is decided. Frontiers are checked, too: the first
// consists of the states asked about, and each other one of the targets of transitions from the new
// states of P in the previous one.
package verify
