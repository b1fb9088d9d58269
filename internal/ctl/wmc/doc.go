// Package wmc checks formulas of computation tree logic locally, and keeps evidence for
// what it finds: the algorithm WMC of N. Shankar and M. Sorea, Counterexample-Driven Model
// Checking (2003), completed from EG, AG and AF to the whole logic, to models with
// deadlocks and to labels of transitions; see docs/ctl.md.
//
// A question is a formula with a set of states, and its answer divides the set into good and bad
// states. For an operator about runs, the needed states are first unfolded from this set, with
// questions for the operands about each frontier; then one fixpoint is computed on the visited
// states. No other part of the model is read. A formula is decided in a state only once: if a later
// question contains both, the earlier answer is a leaf. So all this takes time linear in the size
// of the formula times that of the part of the model that was visited.
//
// In short, ask(f, I) returns the states of I in which f holds. For runs it unfolds what it needs
// from the frontiers F, and then computes one fixpoint Z on what was visited, V:
//
//	f U g:  F := I; repeat: G2 = ask(g, F); G1 = ask(f, F∖G2); Q ∪= G2; P ∪= G1; V ∪= F; F := post(P∩F)∖V
//	        E: least Z = Q ∪ {s∈P: some successor ∈ Z}
//	        A: least Z = Q ∪ {s∈P: there is a successor, and all ∈ Z}
//	f R g:  F := I; repeat: G2 = ask(g, F); G1 = ask(f, G2); Q ∪= G1; P ∪= G2∖G1; V ∪= F; F := post(P∩F)∖V
//	        E: greatest Z = Q ∪ {s∈P: deadlock, or some successor ∈ Z}
//	        A: greatest Z = Q ∪ {s∈P: all successors ∈ Z}
//	f {a} U {b} g:  G1 = ask(f, F); G = ask(g, post_b(G1)); Q: those of G1 with a transition by b into G
//	        (A: with transitions, and only such); P the rest of G1; F := post_a(P∩F)∖V
//	        E: least Z = Q ∪ {s∈P: some successor by a ∈ Z}
//	        A: least Z = Q ∪ {s∈P: each transition is one by b into G, or by a into Z}
//	!f: I∖ask(f, I).  f && g: ask(g, ask(f, I)).  f || g: also ask(g, I∖ask(f, I)).
//	<a> f: with G = ask(f, post_a(I)), those with a transition by a into G; [a] f: those with no other.
//
// In f {a} U {b} g, the set a includes the hidden labels. !f is the dual formula with the same
// sets: states that satisfy one formula violate the other. If one finite run decides the whole
// formula, or a subformula that is below the operators !, &&, ||, <a> and [a] only, the unfolding
// ends there.
//
// [Check] works on any implementation of [Sets]. [Explicit] implements it by sets of states of an
// lts.LTS, and the module symbolic by binary decision diagrams.
//
// Each [Node] can be checked by itself, by conditions on single transitions and the answers of the
// nodes below and before it. Package internal/ctl/wmc/verify does that.
package wmc
