// Package verify checks certificates: files with evidence for all that package explain claims about
// one model and one property. It shares no code with the analysis, and needs only the readers of
// models and formulas. For a chain it looks at single transitions only. For another property it
// also finds the strongly connected components of the product states from where no run satisfies,
// or none violates, the property, to check their ranks.
//
// A claim is taken from the file only together with its evidence, and [Verify] returns without an
// error only if all claims are true. The numbers given as evidence are least or greatest lengths
// and so are unique: a certificate with another number is refused, even if its claims are true.
// Choices are not unique: another counterexample, or another reading of neighbourhoods, is accepted
// if the claims about it are true.
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
// Conditions: cp is 0 in the initial state, and cp(t) <= adv(cp(s), l); least(t) is 0 in the
// initial state, and elsewhere 1 plus the least least(s) over the incoming transitions with
// adv(cp(s), l) = cp(t). Proof. By induction over a run, and since adv is monotone, its progress is
// at least cp of its end. By induction on least(t), a run with progress cp(t) leads to t. Such a
// run always exists, since Dijkstra's algorithm, which computes cp, finds one that enters each of
// its states with progress cp.
//
// # ms
//
// Each state s gives next(s, m) for 1 <= m <= ms(s), the length of a shortest run from s that
// contains the last m steps in order; next(s, 0) is 0. Conditions: advS(ms(t), l) <= ms(s); and
// next(s, m) is 1 plus the least next(t, i) over the outgoing transitions, where i = m-1 if l does
// step n-m+1 and i = m if not. Proof. The last m steps that a trace contains lie in a finite run at
// its beginning; after this run the empty suffix is at most ms, and going backwards along the run,
// advS keeps the contained suffix at most ms. By induction on next(s, m), a run from s contains the
// last m steps, and any run can be continued to a trace.
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
// Along them cs never rises. Either they end in a deadlock, where cs is 0, or cs stays at some m
// from a state on; then none of the labels from there on does step n-m, and the trace from there on
// contains at most the last m steps. Going backwards along the path to that state, since advS is
// monotone, the trace contains at most the last cs steps.
//
// # Under assumptions: which runs count, and ms
//
// Under assumptions only some runs count: the fair ones that do certain labels, called rare, only
// finitely often. Each finite run can be continued to a fair run, or to one that ends in a
// deadlock: from each state some run leads to a deadlock, or to a strongly connected set that no
// transition leaves, where a run can take all transitions again and again. A state is admitted if
// some run that counts continues it. So if no label is rare, all states are admitted. Otherwise the
// certificate says for each state whether it is admitted. Conditions: a state that is not admitted
// is no deadlock, and its transitions lead only to such states; for such a state due has one
// number, see below, which shows that no run through such states counts. It follows from settle
// that some run that counts continues an admitted state. mp and cp are about all runs, as before:
// all states on a run to an admitted state are admitted. The conditions and the proof for ms are
// those above, with transitions to admitted states only.
//
// # cs under assumptions is not too large
//
// cs is 0 in a deadlock, and elsewhere the least advS(cs(t), l) over the transitions to admitted
// states. Say that s -l-> t goes on without step n-m+1 if l does not do that step and is not rare,
// and t is admitted. Suppose that a run that counts, from s with cs(s) >= m, never does step n-m+1.
// From some point on it takes, again and again, just the transitions of a strongly connected set C
// between states with cs >= m, all of which go on without step n-m+1. The numbers due show that C
// is not fair. As above, by induction on m, every run that counts then contains the last cs(s)
// steps. In a state that is not admitted, due has one number, in the same way for all transitions
// whose labels are not rare.
//
// Under full fairness, due(s, m) is one more than the least due(t, m) over the outgoing
// transitions, or 1 if some transition does not go on. A fair C has all transitions of its states.
// But the state of C with the least due(s, m) has a transition that leads to a smaller number, or
// does not go on.
//
// Otherwise each state s gives for each m a rank due(s, m) within a set of states within(s, m), or
// within none. Each set has a rank within its parent set, or within none, and tasks. A transition s
// -l-> t that goes on lies in the sets that contain both s and t. In the smallest of these, or in
// none, s and t belong to members: a member is the state itself, or a set directly inside.
// Conditions: the transition belongs to no task of the sets that it lies in; the rank of a member
// is 1 plus the greatest rank of the members that such transitions from it enter, or it is 0 for a
// state that enables a task of the set, whatever its transitions enter; and a set with a weak task
// has only this task, and only states of rank 0. Proof that C is not fair: take the smallest set
// that contains all states of C. If one of these has rank 0 in it, it enables a task that C does
// not take. If the task is strong, C is not fair; if it is weak, all states of C enable it, and C
// is not fair. If none has, ranks fall on transitions of C from member to member. So C is within
// one member: a state whose rank is greater than itself, or a smaller set, against the choice.
//
// # cs under assumptions is not too small
//
// home(s) is the first state of a set of states with the same cs as s, or none. The inner
// transitions of the set are those between its states whose labels do not do step n-cs(s) and are
// not rare. The distances from home(s) and to it by inner transitions are given, so that these
// connect the set strongly. Conditions: each task that no inner transition takes is enabled in no
// state of the set or, if it is weak, not in all; under full fairness the states have inner
// transitions only. So a run that takes all inner transitions again and again counts, and it
// contains at most the last cs(s) steps. settle(s) is 0 in a deadlock and in states with a home,
// and elsewhere 1 plus the least over the transitions that bring just cs(s): of settle(t) if cs(t)
// = cs(s), and of 0 if cs(t) is smaller. Proof that some run that counts contains at most cs(s)
// steps, and so that s is admitted, by induction on cs(s) and then on settle(s): it ends in s, it
// stays in the home, or it takes a transition that brings just cs(s). If cs is n and all states are
// admitted, nothing needs a proof.
//
// # Other properties
//
// A property that is no chain is a deterministic automaton, as the reader of the formula makes it.
// Claims are about product states s·q, and have two sides: that some run from it satisfies the
// property, and that some run violates it. The condition of the second side is the complement, and
// for a run that stops in q the automaton determines the side.
//
// Conditions: each transition of a listed product state leads to a listed one; first is 0 for the
// initial product state, and elsewhere 1 plus the least first of a product state before. So the
// listed product states are those that can be reached, and first is their distance.
//
// Some run of a side: settle is 0 in a deadlock where a run may stop on that side, and in product
// states with a home, and elsewhere 1 plus the least settle of those successors that are of the
// side, too. A home is a set of product states with a root and banned colours. Equations give the
// distances from the root and to it, by transitions between its product states without banned
// colours; so the home is strongly connected, and a run can take all these transitions again and
// again. There is such a transition, and the colours of all of them satisfy the condition. Proof by
// induction on settle.
//
// No run of a side: no successor is of that side, and no run may stop there on that side. The
// condition, multiplied out, is a disjunction of pairs of Rabin's kind ([Pairs]). For each pair the
// product state has a rank and a colour, or no colour. On transitions without colours of Fin the
// rank does not rise; where it stays the same, the colour does, too, and it is a colour of Inf that
// the transition lacks. Proof. A run that goes on forever on the side satisfies a pair. From some
// point on it takes no colour of Fin. So its rank stays the same at last, and with it the colour,
// which is missing from then on; but it is one of Inf.
//
// The checker accepts only the least ranks and the first missing colours, so that any change of
// this evidence is noticed. Homes can be chosen.
//
// # Other properties under assumptions
//
// Here a run is of a side only if it counts. A transition goes on, for a pair of the condition, if
// it has no colour of Fin and its label is not rare.
//
// Some run of a side: homes are as above, without the transitions whose labels are rare. Each task
// that none of the other transitions takes is enabled in no product state of the home or, if it is
// weak, not in all; so a run that takes all of these again and again counts. Under full fairness no
// colour is banned, and all transitions from product states of a home stay in it.
//
// No run of a side: each product state has, for each pair, a rank within a set, as for cs under
// assumptions, with the same conditions on transitions that go on. Instead of tasks a set may have
// a missing colour: one of Inf, which none of the transitions that lie in the set has; its product
// states have rank 0, and no set lies in it. Proof. Say that a run of the side satisfies the pair.
// From some point on it takes just the transitions of a strongly connected set C forever, which
// all go on and have all colours of Inf. Take the smallest set that holds all product states of C.
// If one of them has rank 0 in it, a colour of Inf is missing in C, or C neglects a task as above.
// If none has, ranks fall on transitions of C from member to member, against the choice.
//
// Under full fairness there is one number instead: 0 in a deadlock and in homes of the other side,
// and elsewhere 1 plus the least number of a successor, or 1 if the label of some transition is
// rare. Proof. C has all transitions of its product states. The least number on C is 0: otherwise a
// successor with a smaller number, or a transition that is not in C, would follow. So C is a home
// of the other side.
//
// If no run from a product state is of either side, no run that counts continues it. Transitions
// are excluded if all their copies in the product lead to such product states.
//
// # Several initial states
//
// If the initial state is artificial, before several initial ones, runs begin in its successors.
// Its transitions do no step of a chain, and lead to one state of another property's automaton, as
// the reader of the formula makes it. So a claim about all runs, or some run, from this state is
// true if it is true of its successors. The state is listed with its numbers, and its transitions
// with their classes; but they are not counted, make no neighbourhood, and add nothing to a
// distance.
//
// # Verdict, classes, neighbourhoods, counterexample
//
// The property holds iff cs is n in the initial state, which is admitted. Classes follow from the
// four numbers by Definitions 10 and 11 of SEFM 2018 (docs/semantics.md proves them exact),
// neighbourhoods and their kinds from the classes by Definition 12, and their distances are
// first(s, 0). Under assumptions the same holds with the cs of the runs that count; a transition is
// excluded if its target is not admitted. The counterexample is replayed. For a property that is no
// chain the verdict is that of the initial product state, the class of a transition follows from
// the successors of its copies in the product, and a run without a loop ends where no run satisfies
// the property any more. Under assumptions the loop of the counterexample is fair; or the run ends
// where the progress made and ms together are less than n, and some run that counts continues it.
//
// # No counterexample is shorter
//
// For a chain on all runs a certificate can claim that each violating run has at least as many
// transitions as the counterexample, say b. near lists states s with a number soon(s, j) for 0 <= j
// < n; it is b for other states. Conditions: soon is 0 in the initial state, and elsewhere the
// least of b and of 1 plus soon(r, i) for each transition r -l-> s, where i = j-1 if l does step
// j+1 and i = j if not (none if j = 0); it is b in deadlocks for j = n-1. By induction over a run
// to s with progress at most j, which is less than n, soon(s, j) is no larger than its length. So
// no run that ends is shorter.
//
// State t is before w at j if soon(t, j) < soon(w, j), or if both are the same and t has the
// smaller number. For each w and j such that a transition u -l-> w does not do step j+1, soon(u,
// j)+1 < b, and u is not before w, there is a search: states t, neither w nor before w, with their
// distances d(t) from w by transitions that do not do step j+1, as far as soon(w, j)+d(t)+1 < b.
// Conditions: d(w) is 0. If soon(w, j)+d(t)+1 < b, such a transition from t does not lead to w. It
// leads to a state before w, or to a listed one with a distance of at most d(t)+1, unless soon(w,
// j)+d(t)+2 >= b. Proof that no lasso is shorter. Its progress stops at some j < n, so no label on
// its loop C does step j+1. Let w be the state of C that is before all others. Then the lasso has
// at least soon(w, j)+|C| transitions, since soon(w, j) is no larger than the length of the stem.
// If that is less than b, there is a search for w, by the last transition of C, since soon rises by
// at most 1 along C. Along C from w all distances are listed, up to the transition that leads to w,
// which contradicts the conditions.
package verify
