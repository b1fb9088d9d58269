// Package verify checks certificates: files that hold evidence for everything
// that package explain claims about one model and one property. It shares no
// code with the analysis. All it needs is what reads models and formulas; there
// are no strongly connected components here, no queues, and no searches, only
// conditions on single transitions.
//
// The invariant that holds inside: a claim is only ever taken from the file
// together with its evidence, and [Verify] returns without an error only if all
// the claims are true. The numbers given as evidence are least or greatest
// lengths and so are unique: a certificate in which any number was changed is
// refused, even if the claims would still be true.
//
// Below, s -l-> t is any transition from a listed state, adv and advS are
// progress from the left and from the right ([property.Chain.Advance] and
// [property.Chain.AdvanceSuffix]), k(1) to k(n) the steps of the property, and a
// trace is a maximal one. "Equation" means that the checker computes the right
// side from the numbers at the other ends of the transitions and compares.
//
// # Reachable states, and mp
//
// Each listed state t gives first(t, j) for 0 <= j <= mp(t), the length of a
// shortest run from the initial state to t that has made progress at least j.
// Conditions: every t is listed; adv(mp(s), l) <= mp(t); first is 0 for the
// initial state and j = 0; and in all other places it is 1 plus the least
// first(s, i) over the incoming transitions, where i = j-1 if l does step j and
// i = j if not. Proof. By induction over a run, its end is listed and its
// progress is at most mp. Conversely, by induction on first(t, j), there is a
// run to t with progress at least j: for one with progress at least i goes to s,
// and adv is monotone. With j = 0: listed states are reachable. With j = mp(t):
// mp(t) is attained, by a witness run that the equation spells out. The
// equation has one solution, as each value is larger by one than another.
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
// Each state s gives due(s, m) for 1 <= m <= cs(s), the largest number of
// transitions that a trace can take from s up to the first one that does step
// n-m+1. Conditions: cs is 0 in a deadlock and elsewhere the least
// advS(cs(t), l) over the outgoing transitions; due(s, m) is 1 plus the greatest
// due(t, m) over the outgoing transitions that do not do step n-m+1 (0 where
// there is none). Proof that every trace from s contains the last m <= cs(s)
// steps, by induction on m and then on due(s, m): s is no deadlock; if the
// trace's first transition does step n-m+1, then cs(t) >= m-1, and the rest of
// the trace contains the steps that are left; if not, then cs(t) >= m and
// due(t, m) < due(s, m). So due is the ranking that falls on every transition
// until the next step is done. Proof that some trace from s contains no more:
// follow transitions with advS(cs(t), l) = cs(s). Along them cs never rises. It
// either ends at 0 in a deadlock, or stays at some m for ever from a state on;
// then none of the labels from there on does step n-m, and the trace from there
// on contains at most the last m steps. Backwards along the way there, advS
// being monotone, it contains no more than cs tells.
//
// # Verdict, classes, neighbourhoods, counterexample
//
// The property holds iff cs is n in the initial state. Classes follow from the
// four numbers by Definitions 10 and 11 of SEFM 2018 (docs/semantics.md proves
// them exact), neighbourhoods and their kinds from the classes by Definition 12,
// and their distances are first(s, 0). The counterexample is replayed. That no
// other one is shorter is not certified: shortest cycles have no evidence that
// could be checked transition by transition.
package verify
