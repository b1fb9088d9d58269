// Package quotient makes small models of large ones: labels that do not matter are hidden, and
// states that are equivalent then are merged.
//
// States are merged if they are divergence-preserving branching bisimilar (R. J. van Glabbeek, B.
// Luttik, N. Trčka: Branching Bisimilarity with Explicit Divergence, Fundamenta Informaticae 93,
// 2009). This is the coarsest equivalence such that for all related states s and t: (a) if s goes
// by l to s', then l is hidden and s' is related to t, or hidden transitions lead from t, through
// states related to s, to a state that goes by l to a state related to s'; (b) if s can go on for
// ever by hidden transitions through states related to it, so can t. Plain branching bisimilarity
// lacks (b): it would merge a state that can do hidden transitions for ever with one that must go
// on, and so would not preserve inevitability.
//
// # What is kept
//
// Let Q be the quotient of a model M in which no hidden label does a step of the property. The
// block of a state s is [s]. A transition of Q stands for the transitions of M with its label
// between its blocks; the hidden self-loop of a divergent block stands for the hidden transitions
// within the block.
//
// (1) Up to hidden labels, the maximal traces of s and of [s] are the same. So Q has the verdict of
// M, and [s] the max and common suffix of s.
//
// Proof. Without its hidden transitions within blocks, a run of M is a run of Q. If it ends in a
// deadlock, its last block has no transition: from a state of the block only hidden transitions
// within it are possible, and these end, since the block is not divergent. If it ends with hidden
// transitions within one block for ever, these go round a cycle (M is finite), so the block is
// divergent, and Q has its loop. Conversely, hidden transitions within a block lead from each of
// its states to one with any given transition of the block, so that a run from s can follow each
// run of Q from [s]. A deadlock of Q is a block whose states can do finitely many hidden
// transitions and nothing else; in a divergent block every state can go on for ever. ∎
//
// (2) The runs of Q reach block b with the same progresses as the runs of M reach its states. So
// the max prefix of b is the largest of theirs, and its common prefix the smallest. This holds by
// the same two translations, from the initial state on.
//
// (3) A transition of Q is correct iff all transitions that it stands for are, and incorrect iff
// all of them are.
//
// Proof. Let it go from b by l to c. It is correct iff adv(cp(b), l) + cs(c) ≥ n. By (2) this
// implies the same for each transition that it stands for. Conversely, some state of b has the
// prefix cp(b). Hidden transitions within b, which make no progress, lead from it to the source of
// such a transition, whose common prefix is therefore cp(b), too. For incorrect transitions the
// proof is the same, with max prefixes. ∎
//
// So a transition that is decided in Q (correct or incorrect) stands for decided ones of M. The
// converse fails for [ForProperty]: runs may reach a block with several histories, and a transition
// that is correct after one and incorrect after another is neutral in Q. Q can lack correct
// transitions, incorrect ones and neighbourhoods of M.
//
// [ForClasses] merges less: two states only if both are certain to satisfy the property (cp + cs =
// n), if both are certain not to (mp + ms < n), or if they have the same max and common prefix. All
// of the above holds for it, and moreover:
//
// (4) Every transition of M has the class of the transition of Q that stands for it.
//
// Proof. The class depends on the label, on cp and mp of the source, and on cs and ms of the
// target, which by (1) are the same within a block. In a block of states with the same prefixes,
// these are the prefixes of the block by (2). From states that are certain to satisfy the property
// all transitions are correct, from states that are certain not to all are incorrect, and by (3) so
// are those of Q. ∎
//
// (5) If a block is a neighbourhood of Q, in either reading, some state of it is a neighbourhood of
// M.
//
// Proof. If the hidden transitions within block b were decided, its states would be certain one way
// or the other, and all transitions into b decided. So if some transition into b is neutral, the
// hidden ones within b are neutral. Let r be a state of b with a decided transition that leaves b;
// there is one. If all transitions into b are neutral, so are all into r. If some transition into b
// is neutral, a neutral transition of M enters some state of b, and hidden, neutral transitions
// lead from there to some r. If no transition enters b, it has the initial state and no cycle: if
// there is no neutral transition within b, the initial state is a neighbourhood itself, since no
// transition enters it; otherwise all transitions into r are neutral. ∎
//
// The converse fails, since other transitions may enter the other states of the block. The length
// of a shortest counterexample is not kept either: a counterexample of Q lacks hidden transitions.
//
// # Other properties
//
// All of this holds for every property, with sets of property states for prefixes, and "is not
// silent" ([product.Silent]) for "does a step". A property is closed under stuttering by silent
// labels: of two runs that are the same up to silent labels it accepts both or neither, as long as
// both go on by other labels, both end, or both go on by silent labels only. By (1), both do.
// Silent labels do not change the property state, so (2) and (3) hold for the set of property
// states with which runs reach a block. The class of a transition depends on its label, on that set
// for its source, and on what can follow its target, which (1) keeps.
//
// The tests hold all this against a brute-force oracle on thousands of models.
//
// # Invariant
//
// The invariant that holds inside: a block is never finer than the result. Equivalent states are in
// one block at all times, and a block is cut only if some of its states can reach a transition that
// others cannot reach.
//
// Blocks are cut by sketches of the transitions that states reach, as long as each pass over the
// model cuts many blocks, which takes a few passes for most models; then by the algorithm of
// Jansen, Groote, Keiren and Wijs, which bounds the cost for all.
package quotient
