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
// Let Q be the quotient of a model M in which no hidden label does a step of the
// property. The block of a state s is [s]; a transition of Q stands for the
// transitions of M between its blocks with its label, and the hidden self-loop of a
// divergent block for the hidden transitions within it.
//
// (1) The maximal traces of s and of [s] are the same but for hidden labels. So
// Q has the verdict of M, and [s] the max and common suffix of s.
//
// Proof. A run of M becomes one of Q by leaving out the hidden transitions within
// blocks. If it ends in a deadlock, its last block has no transition at all: from
// a state of it, only hidden transitions within the block are possible, and these
// end, as the block is not divergent. If it ends with hidden transitions within one
// block for ever, these run round a cycle (M is finite), the block is divergent,
// and Q has its loop. Conversely, each state of a block comes by hidden transitions
// within it to one with any given transition of the block, so that every run of
// Q from [s] is followed from s; a deadlock of Q is a block whose states can do
// finitely many hidden transitions and then nothing, and in a divergent block every
// state can go on for ever. ∎
//
// (2) Block b is reached in Q with exactly the progresses with which its states
// are reached in M. So its max prefix is the largest of theirs, and its common
// prefix the smallest. This holds by the same two translations, from the
// initial state on.
//
// (3) A transition of Q is correct iff all transitions for which it stands are,
// and incorrect iff all of them are.
//
// Proof. Let it go from b by l to c. It is correct iff adv(cp(b), l) + cs(c) ≥ n.
// By (2) this implies the same for each transition that it stands for. Conversely,
// some state of b has the prefix cp(b), and comes by hidden transitions within b,
// which make no progress, to the source of such a transition, whose common prefix is
// therefore cp(b) as well. For incorrect ones likewise with max prefixes. ∎
//
// So what is decided in Q is decided in M. What [ForProperty] does not keep is that
// something is decided: a block may be reached with several histories, and a
// transition that is correct after one and incorrect after the other is neutral in Q.
// Q can lack correct transitions, incorrect ones and neighbourhoods that M has.
//
// [ForClasses] merges less: only states of which both are certain to satisfy the
// property (cp + cs = n), or both certain not to (mp + ms < n), or both of one max
// and one common prefix. All of the above holds for it, and moreover:
//
// (4) Every transition of M has the class of the one of Q that stands for it.
//
// Proof. The class depends on the label, on cp and mp of the source, and on cs and
// ms of the target, the same within a block by (1). In blocks of one max and one
// common prefix, these are those of the block by (2); from certain states all
// transitions are correct, from the others all are incorrect, and by (3) so are those
// of Q. ∎
//
// (5) Where a block is a neighbourhood of Q, in either reading, some state of it is
// one of M.
//
// Proof. Were the hidden transitions within block b decided, its states would be
// certain one way or the other, and all that enters b be decided. So where
// something neutral enters b, they are neutral. Let r be a state of b with a decided
// transition that leaves b, which exists. If all that enters b is neutral, so is all
// that enters r. If something neutral enters b, a transition of M enters some state
// of b with that class, from where hidden transitions, neutral ones, lead to some r.
// If nothing enters b, it holds the initial state and no cycle: if there is no
// neutral transition within b, the initial state is a neighbourhood itself, for
// nothing enters it; otherwise all that enters r is neutral. ∎
//
// The converse fails, since other transitions may enter the other states of the
// block. The length of a shortest counterexample is not kept either: that of Q
// leaves hidden transitions out.
//
// # Other properties
//
// All of this holds for every property with sets of states of the property in the place
// of prefixes, if "does a step" is read as "is not silent" ([product.Silent]): a property
// is closed under stuttering by silent labels, so that runs that are the same but for
// these are both accepted or both not, as long as both go on by others, or end, or go on
// by silent ones only. (1) says that they do so together. Silent labels do not change the
// state of the property, so that (2) and (3) hold for the set of states with which a block
// is reached; and the class of a transition depends on its label, on that set for its
// source, and on what can follow its target, which (1) keeps.
//
// The tests hold all this against a brute-force oracle on thousands of models.
//
// # Invariant
//
// The invariant that holds inside: a block is never finer than the result. States
// that are equivalent are in one block at all times, and a block is cut only where
// some of its states can come to a transition that others cannot come to.
//
// Blocks are cut by sketches of the transitions that states come to as long as each pass
// over the model cuts many, which takes a few passes for most models; then by the algorithm
// of Jansen, Groote, Keiren and Wijs, which bounds the cost for all.
package quotient
