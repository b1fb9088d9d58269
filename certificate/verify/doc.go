// Package verify checks certificates: files that hold evidence for everything that package explain
// claims about one model and one property. It shares no code with the analysis. All it needs is
// what reads models and formulas. For a chain it looks at single transitions only. For another
// property it also finds the strongly connected components of the product states from where no run
// satisfies, or none violates, the property, to check their ranks.
//
// The invariant that holds inside: a claim is only ever taken from the file together with its
// evidence, and [Verify] returns without an error only if all the claims are true. The numbers
// given as evidence are least or greatest lengths and so are unique: a certificate where one of
// them was changed is refused, even if the claims would still be true. A choice is not unique:
// another counterexample, or another reading of neighbourhoods, is accepted if what the file says
// of it is true.
//
// Below, s -l-> t is any transition from a listed state, adv and advS are progress from the left
// and from the right ([property.Chain.Advance] and [property.Chain.AdvanceSuffix]), k(1) to k(n)
// the steps of the property, and a trace is a maximal one. "Equation" means that the checker
// computes the right side from the numbers at the other ends of the transitions and compares.
//
// # Reachable states, and mp
//
// Each listed state t gives first(t, j) for 0 <= j <= mp(t), the length of a shortest run from the
// initial state to t that has made progress at least j. Conditions: every t is listed; adv(mp(s),
// l) <= mp(t); first is 0 for the initial state and j = 0; and in all other product states it is 1
// plus the least first(s, i) over the incoming transitions, where i = j-1 if l does step j and i =
// j if not. Proof. By induction over a run, its end is listed and its progress is at most mp.
// Conversely, by induction on first(t, j), there is a run to t with progress at least j: for one
// with progress at least i goes to s, and adv is monotone. With j = 0: listed states are reachable.
// With j = mp(t): mp(t) is attained, by a witness run that the equation spells out. The equation
// has one solution, as each value is larger by one than another.
//
// # cp
//
// Conditions: cp is 0 in the initial state, and cp(t) <= adv(cp(s), l); least(t)
// is 0 in the initial state, and elsewhere 1 plus the least least(s) over the
// incoming transitions with adv(cp(s), l) = cp(t). Proof. By induction over a
// run, and since adv is monotone, its progress is at least cp of its end. By
// induction on least(t), a run with progress cp(t) leads to t. That such a run
// can always be had through states each of which it enters with progress cp is
// the argument of Dijkstra's algorithm, by which cp is computed.
//
// # ms
//
// Each state s gives next(s, m) for 1 <= m <= ms(s), the length of a shortest run
// from s that contains the last m steps in order; next(s, 0) is 0. Conditions:
// advS(ms(t), l) <= ms(s); and next(s, m) is 1 plus the least next(t, i) over
// the outgoing transitions, where i = m-1 if l does step n-m+1 and i = m if not.
// Proof. The last m steps that a trace contains lie in a finite run at its
// beginning; behind this run the empty suffix is at most ms, and going backwards
// along it advS keeps what is contained at most ms. By induction on next(s, m), a run from
// s contains the last m steps, and any run can be continued to a trace.
//
// # cs
//
// Each state s gives due(s, m) for 1 <= m <= cs(s), the largest number of transitions that a trace
// can take from s up to the first one that does step n-m+1. Conditions: cs is 0 in a deadlock and
// elsewhere the least advS(cs(t), l) over the outgoing transitions; due(s, m) is 1 plus the
// greatest due(t, m) over the outgoing transitions that do not do step n-m+1 (0 if there is none).
// Proof that every trace from s contains the last m <= cs(s) steps, by induction on m and then on
// due(s, m): s is no deadlock; if the trace's first transition does step n-m+1, then cs(t) >= m-1,
// and the rest of the trace contains the steps that are left; if not, then cs(t) >= m and due(t, m)
// < due(s, m). So due is the ranking that falls on every transition until the next step is done.
// Proof that some trace from s contains no more: follow transitions with advS(cs(t), l) = cs(s).
// Along them cs never rises. It either ends at 0 in a deadlock, or stays at some m for ever from a
// state on; then none of the labels from there on does step n-m, and the trace from there on
// contains at most the last m steps. Backwards along the path to that state, advS being monotone,
// it contains at most the last cs steps.
//
// # Under assumptions: which runs count, and ms
//
// Under assumptions only some runs count: those that are fair, and do certain labels finitely
// often. Fair runs, and those that end in a deadlock, can follow upon any run: from each state a run
// leads to a deadlock, or to a strongly connected set that no transition leaves, where a run can
// take all transitions again and again. So where no label is to
// be done finitely often all states are admitted, which means that a run that counts goes on from
// them. Otherwise the certificate says so of each state. Conditions: what is not admitted is no
// deadlock, and its transitions lead to states that are not admitted either; for these due has one
// number, see below, which shows that no run among them counts. That a run which counts continues
// an admitted state follows from settle. mp and cp are about all runs, as before: all states on a
// run to an admitted state are admitted. The conditions for ms are those above, with transitions to
// admitted states only, and so is the proof.
//
// # cs under assumptions is not too large
//
// cs is 0 in a deadlock, and elsewhere the least advS(cs(t), l) over the transitions to admitted
// states. Say that s -l-> t goes on without step n-m+1 if l does not do that step, t is admitted
// and l need not be done finitely often. Suppose that a run that counts, from s with cs(s) >= m,
// never does step n-m+1. From some point on it takes just the transitions of a strongly connected
// set C for ever, between states with cs >= m, all of which go on without step n-m+1. What due
// shows is that C is not fair. As above, by induction on m, every run that counts then contains the
// last cs(s) steps. In a state that is not admitted, due has one number, in the same way for all
// transitions whose labels need not be done finitely often.
//
// Under full fairness due(s, m) is 1 plus the least due(t, m) over the outgoing transitions, 1 if
// some transition does not go on. A fair C holds all transitions from its states; but of the
// transitions from its state with the least due(s, m) one leads to a smaller number or does not go
// on.
//
// Otherwise each state s gives for m a rank due(s, m) and within(s, m), the set of states within
// which it has it, or none; each set has a rank within a parent, or none, and tasks. A transition s
// -l-> t that goes on lies in those sets that hold both s and t; in the smallest of these, or in
// none, s and t are, or lie in, parts: the state itself, or a set. Conditions: the transition
// belongs to no task of the sets that it lies in; the rank of a part is 1 plus the greatest rank of
// the parts where such transitions from it lead, or it is 0 for a state that enables a task of
// the set, which then is disregarded; and a set with a weak task has that one alone and only states
// of rank 0. Proof that C is not fair: take the smallest set that holds all its states. If one of
// these has rank 0 in it, it enables a task which C does not take. If the task is strong, C is not
// fair; if it is weak all of its states enable it, and C is not fair. If none has, ranks fall on
// transitions of C from part to part, and so C is within one part, a state with a rank greater than
// itself, or a smaller set, against the choice.
//
// # cs under assumptions is not too small
//
// home(s) is the first state of a set of states, the distances from where and to which, by
// transitions between its states that do not do step n-cs(s) nor have labels to be done finitely
// often, are given; cs is the same in all of it. So these transitions are strongly connected.
// Conditions: each task that none of them takes is enabled in no state of the set or, if it is
// weak, not in all; under full fairness no other transition leaves the states. So a run that goes
// all ways in the set counts, and it contains at most the last cs(s) steps. settle(s) is 0 in a
// deadlock and in states with a home, and elsewhere 1 plus the least over the transitions that
// bring just cs(s): of settle(t) where cs(t) = cs(s), and of 0 if cs(t) is smaller. Proof that some
// run that counts contains no more than cs(s) steps, and so that s is admitted, by induction on
// cs(s) and then on settle(s): it ends in s, it stays at home, or it goes on with a transition that
// brings just cs(s). Where cs is n and all states are admitted nothing is to be shown.
//
// # Other properties
//
// A property that is no chain is a deterministic automaton, as the reader of the formula makes it.
// Claims are about product states s·q, and there are two sides to each: whether some run from it
// satisfies the property, and whether some run violates it. The condition of the second side is the
// complement, and a run that stops in q is of one side or the other by the automaton.
//
// Conditions: each transition of a listed product state leads to a listed one; first is 0 for the
// initial product state, and elsewhere 1 plus the least first of a product state before. So the
// listed product states are those that can be reached, and first is their distance.
//
// Some run of a side: settle is 0 in a deadlock where a run may stop on that side, and in product
// states with a home, and elsewhere 1 plus the least settle of what follows and is of the side too.
// A home is a set of product states with a root and banned colours. The distances from the root and
// to it, by transitions between its product states without banned colours, are given, by equations;
// so it is strongly connected, and a run can take all these transitions again and again. There is
// such a transition, and the condition holds of the colours of all of them. Proof by induction on
// settle.
//
// No run of a side: what follows is of that side neither, and no run may stop there on that side.
// The condition, multiplied out, is a disjunction of pairs of Rabin's kind ([Pairs]): for each the
// product state has a rank and a colour, or none. On transitions without colours of Fin the rank
// does not rise, and where it stays the same the colour is the same, one of Inf, and is missing on
// the transition. Proof. A run that goes on for ever on the side satisfies a pair. From some point
// on it takes no colour of Fin, so that its rank stays the same at last, and with it the colour,
// which is missing from then on: but it is of Inf.
//
// The checker accepts only the least ranks and the first missing colours, so that a change of this
// evidence is noticed, too. Homes can be chosen.
//
// # Other properties under assumptions
//
// Here a run is of a side if it also counts. A transition goes on, for a pair of the condition, if it
// has no colour of Fin and its label need not be done finitely often.
//
// Some run of a side: homes are as above, without the transitions whose labels are to be done
// finitely often. Each task that none of the other transitions takes is enabled in no product state
// of the home or, if it is weak, not in all; so a run that takes all of these again and again
// counts. Under full fairness no colour is banned, and all transitions from product states of a
// home stay there.
//
// No run of a side: each product state has, for each pair, a rank within a set, as for cs under
// assumptions, with the same conditions on transitions that go on. Instead of tasks a set may have
// a missing colour: one of Inf, which none of the transitions that lie in the set has; its product
// states have rank 0, and no set lies in it. Proof. Say that a run of the side satisfies the pair.
// From some point on it takes just the transitions of a strongly connected set C for ever, which
// all go on and have all colours of Inf. Take the smallest set that holds all product states of C.
// If one of them has rank 0 in it, a colour of Inf is missing in C, or C neglects a task as above.
// If none has, ranks fall on transitions of C from part to part, against the choice.
//
// Under full fairness there is one number instead: 0 in a deadlock and in homes of the other side,
// and elsewhere 1 plus the least number of what follows, 1 if the label of some transition is to be
// done finitely often. Proof. C holds all transitions from its product states. Where the number is
// least on C it is not larger than 0, for a smaller one, or a transition that is not in C, would
// follow; so C is a home of the other side.
//
// If no run from a product state is of either side, no run that counts continues it. Transitions
// are excluded if all their copies in the product lead to such product states.
//
// # Several initial states
//
// If the initial state was added before several ones, runs begin behind its transitions. These do
// no step of a chain, and lead to one state of another property's automaton, as the reader of the
// formula makes it. So what is true of all runs, or of some, from the added state is true of those
// behind it. The state is listed with its numbers, and its transitions with their classes, but they
// are not counted, make no neighbourhood, and add nothing to a distance.
//
// # Verdict, classes, neighbourhoods, counterexample
//
// The property holds iff cs is n in the initial state, which is admitted. Classes follow from the
// four numbers by Definitions 10 and 11 of SEFM 2018 (docs/semantics.md proves them exact),
// neighbourhoods and their kinds from the classes by Definition 12, and their distances are
// first(s, 0). Under assumptions they do as ever, with the cs of the runs that count; a transition
// is excluded if its target is not admitted. The counterexample is replayed. For a property that is
// no chain the verdict is that of the initial product state, the class of a transition follows from
// what can follow its copies in the product, and a run without a loop ends where no run satisfies
// the property any more. Under assumptions its loop is fair, with the states and transitions that
// are on it; or it ends where the progress made and ms together are less than n, and a run that
// counts goes on.
//
// # No counterexample is shorter
//
// For a chain on all runs a certificate can say that each run which violates the property has at least
// as many transitions as the counterexample, say b. near lists states s with a number soon(s, j) for 0
// <= j < n; it is b for other states. Conditions: soon is 0 in the initial state, and elsewhere the
// least of b and of 1 plus soon(r, i) for each transition r -l-> s, where i = j-1 if l does step j+1
// and i = j if not (none if j = 0); it is b in deadlocks for j = n-1. By induction over a run to s with
// progress at most j, which is less than n, soon(s, j) is no larger than its length. So no run that ends is shorter.
//
// State t is before w at j if soon(t, j) < soon(w, j), or if both are the same and t has the smaller number. For
// each w and j such that a transition u -l-> w does not do step j+1, soon(u, j)+1 < b, and u is not
// before w, there is a search: states t, neither w nor before w, with their distances d(t) from w by
// transitions that do not do step j+1, as far as soon(w, j)+d(t)+1 < b. Conditions: d(w) is 0; such a
// transition from t leads to w only if soon(w, j)+d(t)+1 >= b; otherwise to a state before w, to a listed
// one with a distance of at most d(t)+1, or soon(w, j)+d(t)+2 >= b. Proof that no lasso is shorter. Its progress stops at
// some j < n, so no label on its loop C does step j+1. Let w be the state of C that is before all others.
// Then the lasso has at least soon(w, j)+|C| transitions, as soon(w, j) is no larger than
// where the loop begins. If that is less than b, there is a search for w, by the last transition of C, since soon rises by at
// most 1 along C; and going from w along C, all distances are there, up to the transition that leads to w, which contradicts the
// conditions.
package verify
