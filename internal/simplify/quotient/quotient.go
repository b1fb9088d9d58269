// Package quotient makes small models of large ones: labels that do not matter are hidden, and
// states that are equivalent then are merged.
//
// States are merged if they are divergence-preserving branching bisimilar (R. J. van Glabbeek, B.
// Luttik, N. Trčka: Branching Bisimilarity with Explicit Divergence, Fundamenta Informaticae 93,
// 2009). This is the coarsest equivalence such that for all related states s and t: (a) if s goes
// by l to s', then l is hidden and s' is related to t, or hidden transitions lead from t, through
// states related to s, to a state that goes by l to a state related to s'; (b) if hidden
// transitions can continue forever from s, through states related to s, so they can from t. Plain
// branching bisimilarity lacks (b): it would merge a state that can do hidden transitions forever with
// a state that cannot, and so would not preserve inevitability.
//
// # What is kept
//
// The notation (n, adv, mp, cp, ms, cs, both readings of "neighbourhood") is that of
// docs/semantics.md.
//
// Let Q be the quotient of a model M in which no hidden label does a step of the property. The
// block of a state s is [s]. A transition of Q represents the transitions of M with its label
// between its blocks; the hidden self-loop of a divergent block represents the hidden transitions
// within the block.
//
// (1) Up to hidden labels, the maximal traces of s and of [s] are the same. So Q has the verdict of
// M, and [s] the max and common suffix of s.
//
// Proof. Without its hidden transitions within blocks, a run of M is a run of Q. If it ends in a
// deadlock, its last block has no transition: from a state of the block only hidden transitions
// within it are possible, and these end, since the block is not divergent. If it ends with hidden
// transitions within one block forever, these go round a cycle (M is finite), so the block is
// divergent, and Q has its loop. Conversely, hidden transitions within a block lead from each of
// its states to one with any given transition of the block, so that a run from s can follow each
// run of Q from [s]. A deadlock of Q is a block whose states can do finitely many hidden
// transitions and nothing else; in a divergent block every state can go on forever. ∎
//
// (2) The runs of Q reach block b with the same progresses as the runs of M reach its states. So
// the max prefix of b is the largest of theirs, and its common prefix the smallest. This holds by
// the same two translations, from the initial state on.
//
// (3) A transition of Q is correct iff all transitions that it represents are, and incorrect iff
// all of them are.
//
// Proof. A transition of Q from b by l to c is correct iff adv(cp(b), l) + cs(c) ≥ n. By (2) the same
// then holds for each transition that it represents. Conversely, some state of b has the
// prefix cp(b). Hidden transitions within b, which make no progress, lead from it to the source of
// such a transition, whose common prefix is therefore cp(b), too. For incorrect transitions the
// proof is the same, with max prefixes. ∎
//
// So a transition that is decided in Q (correct or incorrect) represents decided ones of M. The
// converse fails for [ForProperty]: runs may reach a block with several histories, and a transition
// that is correct after one and incorrect after another is neutral in Q. Q can lack correct
// transitions, incorrect ones and neighbourhoods of M.
//
// [ForClasses] merges less: two states only if both are certain to satisfy the property (cp + cs =
// n), if both are certain not to (mp + ms < n), or if they have the same max and common prefix. All
// of the above holds for it, and moreover:
//
// (4) Every transition of M has the class of the transition of Q that represents it.
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
// both continue with other labels, both end, or both continue with silent labels only. By (1), a run of
// M and the corresponding run of Q agree in this.
// Silent labels do not change the property state, so (2) and (3) hold for the set of property
// states with which runs reach a block. The class of a transition depends on its label, on that set
// for its source, and on what can follow its target, which (1) keeps.
//
// The tests check all this against a brute-force oracle on thousands of models.
//
// # Invariant
//
// While blocks are cut, no block is finer than the result: equivalent states stay in one block, and a
// block is cut only if some of its states can reach a transition that others cannot reach.
//
// Blocks are cut by sketches of the transitions that states reach, as long as each pass over the
// model cuts many blocks, which takes a few passes for most models; then by the algorithm of
// Jansen, Groote, Keiren and Wijs, which bounds the cost for all.
package quotient

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Quotient is a model whose equivalent states are merged into blocks, the states of a smaller
// model.
type Quotient struct {
	system *lts.LTS
	model  *lts.LTS
	names  *renaming
	// property is the property of [ForProperty] or [ForClasses]; nil otherwise.
	property *property.Property

	// block[s] is the block of state s of the model, or noBlock if s is unreachable.
	block []lts.State
	// The model states of block b are states[first[b]:first[b+1]].
	states    []lts.State
	first     []uint32
	divergent []bool
	// represented[i] is the number of transitions of the model that the transition with row index i
	// represents.
	represented []uint32
}

const noBlock lts.State = lts.MaxStates

// New returns the quotient of m after hiding. It is the reachable part of m, where all labels for
// which hides returns true are one internal label, and states are merged if they are
// divergence-preserving branching bisimilar. It is the smallest such model.
//
// Labels that only lead to initial states are never hidden, so that the artificial state before
// several initial states is a block of its own, see [lts.LTS.Begin].
//
// Labels that are not hidden keep their texts and their order. The hidden labels become the last
// label, with the text "i" or, if a visible label has that text, another text (see [Quotient.Tau]).
//
// It fails if ctx is done, and above about four thousand million states and transitions. Cost O((S
// + T) log S) time for every model. Temporary memory, with the garbage collector's share: about 30
// bytes a transition if a few passes over the model separate the states, up to 350 if each pass
// separates one state, as in a path.
func New(ctx context.Context, m *lts.LTS, hides func(lts.Label) bool) (_ *Quotient, err error) {
	defer abort.Caught(&err)
	return divide(ctx, m, hide(m.Alphabet(), hides, nil), nil, 0), nil
}

// divide returns the quotient of m under a renaming. If keyOf is not nil, only states with the same
// key are merged. It fails with [ErrManyBlocks] if the number of blocks exceeds most,
// unless most is 0.
func divide(
	ctx context.Context,
	m *lts.LTS,
	names *renaming,
	keyOf func(lts.State) uint32,
	most int,
) *Quotient {
	g := contract(ctx, m, names, keyOf)
	q := &Quotient{model: m, names: names}
	q.number(ctx, g, refine(ctx, g, most))
	// The transitions of a block are sorted by label, and then by target.
	var b lts.Builder
	b.Over(lts.RepeatingAlphabet(q.names.texts, q.names.begins...))
	var arrows []arrow
	for block := range lts.State(len(q.divergent)) {
		abort.IfDone(ctx, block)
		arrows = q.appendArrows(arrows[:0], block)
		slices.Sort(arrows)
		for i, a := range arrows {
			if i > 0 && a == arrows[i-1] {
				q.represented[len(q.represented)-1]++
				continue
			}
			b.Add(block, a.label(), a.target())
			q.represented = append(q.represented, 1)
		}
	}
	q.system = abort.Must(b.Build(q.block[q.model.Initial()], len(q.divergent)))
	return q
}

// arrow is a transition that leaves a block, as one number: the label in the upper half, and the
// target's block in the lower.
type arrow uint64

func arrowOf(l lts.Label, target lts.State) arrow { return arrow(l)<<32 | arrow(target) }

func (a arrow) label() lts.Label  { return lts.Label(a >> 32) }
func (a arrow) target() lts.State { return lts.State(uint32(a)) }

// appendArrows appends the transitions of the model that leave a block, and the hidden ones within the
// block if it is divergent.
func (q *Quotient) appendArrows(arrows []arrow, block lts.State) []arrow {
	for _, s := range q.States(block) {
		labels, targets := q.model.Out(s)
		for i, t := range targets {
			l := labels.At(i)
			to := q.block[t]
			isInert := q.names.hidden(l) && to == block
			if !isInert || q.divergent[block] {
				arrows = append(arrows, arrowOf(q.names.to[l], to))
			}
		}
	}
	return arrows
}

// number numbers the blocks by their smallest states, and lists the states of each.
func (q *Quotient) number(ctx context.Context, g *contracted, blocks []uint32) {
	abort.On(resources.Ask(ctx, 8*int64(q.model.NumStates())+4*int64(len(blocks))))
	sizes := q.numberBlocks(g, blocks)
	q.first = make([]uint32, len(sizes)+1)
	for b, size := range sizes {
		q.first[b+1] = q.first[b] + size
	}
	q.states = make([]lts.State, q.first[len(sizes)])
	next := slices.Clone(q.first)
	for s, b := range q.block {
		if b != noBlock {
			q.states[next[b]] = lts.State(s)
			next[b]++
		}
	}
	abort.On(ctx.Err())
}

// numberBlocks numbers the blocks by their smallest states, finds the block of each state, and returns
// the number of states of each block.
func (q *Quotient) numberBlocks(g *contracted, blocks []uint32) (sizes []uint32) {
	q.block = make([]lts.State, q.model.NumStates())
	number := slices.Repeat([]lts.State{noBlock}, len(blocks)) // there are at most as many blocks as nodes
	reach := q.model.Reachable()
	for s := range q.block {
		q.block[s] = noBlock
		if !reach.Has(lts.State(s)) {
			continue
		}
		v := g.nodeOf[s]
		b := &number[blocks[v]]
		if *b == noBlock {
			*b = lts.State(len(sizes))
			sizes = append(sizes, 0)
			q.divergent = append(q.divergent, false)
		}
		q.block[s] = *b
		q.divergent[*b] = q.divergent[*b] || g.divergent[v]
		sizes[*b]++
	}
	return sizes
}

// LTS returns the quotient as a model. Its states are the blocks, numbered in the order of their
// smallest states. No two transitions are equal, and those of a block are sorted by label, and then
// by target. A divergent block has a hidden self-loop, and no other block has one.
func (q *Quotient) LTS() *lts.LTS { return q.system }

// Model returns the model whose quotient q is.
func (q *Quotient) Model() *lts.LTS { return q.model }

// Block returns the block of a state of the model, which is a state of the quotient; false if the
// state is unreachable or does not exist. Cost O(1).
func (q *Quotient) Block(s lts.State) (lts.State, bool) {
	if int(s) >= len(q.block) || q.block[s] == noBlock {
		return 0, false
	}
	return q.block[s], true
}

// States returns the states of the model that are merged into block b, in
// ascending order. The slice must not be changed. Cost O(1).
func (q *Quotient) States(b lts.State) []lts.State {
	return q.states[q.first[b]:q.first[b+1]:q.first[b+1]]
}

// NumMerged returns the number of states of the model that are merged into block
// b, at least 1. Cost O(1).
func (q *Quotient) NumMerged(b lts.State) int { return int(q.first[b+1] - q.first[b]) }

// IsDivergent reports whether a run may stay in block b forever, by hidden
// transitions. Cost O(1).
func (q *Quotient) IsDivergent(b lts.State) bool { return q.divergent[b] }

// Represented returns the number of transitions of the model that a transition of the quotient
// represents, by its row index (see [lts.LTS.Row]). The loop of a divergent block represents the
// hidden transitions within the block. Hidden transitions within other blocks are not represented.
// Cost O(1).
func (q *Quotient) Represented(row int) int { return int(q.represented[row]) }

// Label returns the label of the quotient for a label of the model. Cost O(1).
func (q *Quotient) Label(l lts.Label) lts.Label { return q.names.to[l] }

// Tau returns the label of hidden transitions in the quotient, the last one of its alphabet; false
// if no label of the model is hidden. Cost O(1).
func (q *Quotient) Tau() (lts.Label, bool) { return q.names.tau, q.names.hides }

// Property returns the property of the quotient, bound to its labels; nil if [New] made the
// quotient. The steps of a chain keep their patterns if these match the same labels in the
// quotient; otherwise they list labels of it, in quotes.
func (q *Quotient) Property() *property.Property { return q.property }

// Options are the settings of a quotient for a property.
type Options struct {
	// MergeLabels makes one label of all labels that do exactly the same steps. The verdict and the
	// classes do not depend on which of these labels occurs. The text of the new label is the
	// pattern of these steps. Labels that do no step are hidden with and without this option. A
	// property without steps merges the labels that it does not distinguish; the text is then that
	// of the first of them, with their number.
	MergeLabels bool
	// MaxBlocks is the largest number of blocks; 0 for no limit. If there are more blocks, the
	// computation ends with [ErrManyBlocks].
	MaxBlocks int
}

// ForProperty returns the quotient of m after hiding labels that p ignores. For a chain these are
// the labels that do no step, for other properties see [product.Silent]. p must be bound to m. The
// quotient keeps the verdict; the class of a transition in it covers all histories of all merged
// states (see the package comment). It fails as [New] does. Cost as for New and, for a property
// that is no chain, [product.Silent].
func ForProperty(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	o Options,
) (_ *Quotient, err error) {
	defer abort.Caught(&err)
	return forProperty(ctx, m, p, nil, o), nil
}

// errFair reports that a quotient was requested under fairness assumptions, which merging states
// does not preserve.
var errFair = errors.New("there is no quotient under fairness: it hides actions that runs may have to be fair to")

// OfClassification returns a smaller model with the same meaning for the property, and the classes and
// neighbourhoods of this model. It merges states that the property cannot distinguish, which keeps
// classes and neighbourhoods.
//
// It fails with [ErrManyBlocks] if more than maxBlocks states remain, with another error under fairness,
// or if ctx is done. Cost: that of [ForClasses], and that of [fate.Of] for the quotient.
func OfClassification(
	ctx context.Context,
	c *neighbourhood.Classification,
	maxBlocks int,
) (*Quotient, *neighbourhood.Classification, error) {
	ofModel := c.Fates()
	if ofModel.Fairness() != nil {
		return nil, nil, errFair
	}
	q, err := ForClasses(ctx, ofModel, Options{MergeLabels: true, MaxBlocks: maxBlocks})
	if err != nil {
		return nil, nil, err
	}
	fates, err := fate.Of(ctx, q.LTS(), q.Property(), fate.Options{})
	if err != nil {
		return nil, nil, err
	}
	classes, err := neighbourhood.Classify(ctx, fates, c.Reading())
	if err != nil {
		return nil, nil, err
	}
	return q, classes, nil
}

// ForClasses returns the quotient of the model of f, which must be without fairness, after hiding
// the same labels as [ForProperty]. It merges two states only in one of three cases: both are
// certain to satisfy the property; both are certain to violate it; or runs reach both with the same
// property states (for a chain, with the same max and common prefix). Then every transition of the
// model has the class of the transition of the quotient that represents it. It fails as [New] does.
// Cost as for New and ForProperty.
func ForClasses(ctx context.Context, f *fate.Map, o Options) (_ *Quotient, err error) {
	defer abort.Caught(&err)
	return forProperty(ctx, f.LTS(), f.Property(), f, o), nil
}

// forProperty computes the quotient of m for the property; it keeps classes if f is not nil.
func forProperty(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	f *fate.Map,
	o Options,
) *Quotient {
	silent := abort.Must(product.Silent(ctx, p))
	var patterns []property.Step
	for i := range p.Steps() {
		patterns = append(patterns, p.Step(i+1))
	}
	names := hide(m.Alphabet(), func(l lts.Label) bool { return silent[l] }, patterns)
	if o.MergeLabels {
		alike := columns(p)
		if p.Steps() > 0 {
			alike = matches(patterns, m.Alphabet().Len())
		}
		names.merge(abort.Must(m.Happening(ctx)), alike, patterns)
	}
	var keyOf func(lts.State) uint32
	if f != nil {
		keyOf = histories(f)
		if o.MaxBlocks > 0 {
			checkTail(ctx, f.Components(), names, keyOf, o.MaxBlocks)
		}
	}
	q := divide(ctx, m, names, keyOf, o.MaxBlocks)
	// All labels of the model that become one label of the quotient are alike for the property, so any
	// of them may represent it.
	representative := make([]lts.Label, q.system.Alphabet().Len())
	for l, to := range q.names.to {
		representative[to] = lts.Label(l)
	}
	q.property = abort.Must(p.Relabel(q.system.Alphabet(), func(l lts.Label) lts.Label {
		return representative[l]
	}))
	return q
}

// matches returns for each label of an alphabet the patterns that it matches, as one text.
func matches(patterns []property.Step, labels int) []string {
	lists := make([][]string, labels)
	seen := make(map[string]bool)
	for _, step := range patterns {
		text := step.Pattern.String()
		if seen[text] {
			continue
		}
		seen[text] = true
		for _, l := range step.Labels {
			lists[l] = append(lists[l], text)
		}
	}
	texts := make([]string, labels)
	for l, list := range lists {
		texts[l] = strings.Join(list, conjunction)
	}
	return texts
}

// histories returns a function that maps each state to a number for the histories of the runs that
// reach it. [ForClasses] merges only states with the same number.
func histories(f *fate.Map) func(lts.State) uint32 {
	e, isChain := f.Enriched()
	if !isChain {
		return numberArrivals(f)
	}
	n := e.Property().Len()
	return func(s lts.State) uint32 {
		// The runs to s have done the common prefix at least, and the max prefix at most. The runs from s
		// do the common suffix at least, and the max suffix at most.
		least := e.CP(s)
		largest := e.MP(s)
		switch {
		case least+e.CS(s) >= n: // all runs satisfy the property
			return certain
		case largest+e.MS(s) < n: // all runs violate the property
			return fated
		default:
			// Each prefix fits in 16 bits, since it has at most actl.MaxSteps steps.
			return uint32(least)<<16 | uint32(largest)
		}
	}
}

// numberArrivals is [histories] for a property that is no chain: the histories of a state are the set of
// property states with which runs reach it. Each set has a number.
func numberArrivals(f *fate.Map) func(lts.State) uint32 {
	numberOf := map[string]uint32{} // by the encoding of the set
	var arrivals []property.Q
	var encoding []byte
	return func(s lts.State) uint32 {
		_, satisfy, violate := f.Histories(s)
		switch {
		case violate == 0:
			return certain
		case satisfy == 0:
			return fated
		}
		arrivals = slices.AppendSeq(arrivals[:0], f.Arrivals(s))
		slices.Sort(arrivals)
		encoding = encoding[:0]
		for _, q := range arrivals {
			encoding = binary.AppendUvarint(encoding, uint64(q))
		}
		number, isKnown := numberOf[string(encoding)]
		if !isKnown {
			number = uint32(len(numberOf))
			numberOf[string(encoding)] = number
		}
		return number
	}
}

// No history has one of these numbers. For a chain, the number of a history has the common prefix
// in its upper half, which is at most the max prefix in its lower half; here the upper half is the
// larger one. For other properties, the numbers of histories are small: they are the indices of
// sets of property states.
const (
	certain = math.MaxUint32 - 1 - iota
	fated
	aboveTail // the root of a tail; no state of the model has this number
)

// ErrManyBlocks reports that a quotient has more blocks than its limit.
var ErrManyBlocks = errors.New("quotient: more blocks than asked for")

// tailFactor is the least number of states of a tail, as a multiple of the limit on blocks. If a
// quotient has such a limit, the blocks of the tail of the model are computed before those of the
// whole model.
const tailFactor = 2

// checkTail fails with [ErrManyBlocks] if the number of blocks of the deepest components of c
// exceeds most. The equivalence of states depends only on what can follow them. So a set of states
// that no transition leaves has the same blocks alone as in the whole model: the end of a long
// chain is enough to show that the chain has too many blocks. Cost O(B log B) for B states of the
// tail and their transitions. It does nothing unless the tail is small compared with the model.
func checkTail(
	ctx context.Context,
	c *scc.Components,
	names *renaming,
	keyOf func(lts.State) uint32,
	most int,
) {
	m := c.LTS()
	enough := tailFactor * most
	if m.Reachable().NumStates() < 2*enough {
		return
	}
	states := tail(c, enough)
	if states == nil {
		return
	}
	unchanged := &renaming{texts: names.texts, tau: names.tau, hides: names.hides}
	for l := range lts.Label(len(names.texts)) {
		unchanged.to = append(unchanged.to, l)
	}
	g := contract(ctx, tailModel(m, states, names), unchanged, func(s lts.State) uint32 {
		if s == tailRoot {
			return aboveTail
		}
		return keyOf(states[s-1])
	})
	refine(ctx, g, most+1) // one more, since the root is a block of its own
}

// tailRoot is the initial state of a model of a tail, with a transition to each state of the tail.
const tailRoot = lts.State(0)

// tailModel returns a model of the tail of m with these states, over the labels of the quotient. State
// states[i] of m is state i+1 of the tail. The labels of the transitions from the root do not matter.
func tailModel(m *lts.LTS, states []lts.State, names *renaming) *lts.LTS {
	number := make(map[lts.State]lts.State, len(states))
	for i, s := range states {
		number[s] = lts.State(i + 1)
	}
	const anyLabel = lts.Label(0)
	var b lts.Builder
	b.Over(lts.RepeatingAlphabet(names.texts))
	for _, s := range states {
		b.Add(tailRoot, anyLabel, number[s])
	}
	for _, s := range states {
		for l, to := range m.From(s) {
			b.Add(number[s], names.to[l], number[to])
		}
	}
	return abort.Must(b.Build(tailRoot, len(states)+1))
}

// tail returns the states of the deepest components. It takes as few components as have the
// required number of states together. It returns nil if they have more than twice as many states,
// or more than ten times as many transitions, or if the model has too few states.
func tail(c *scc.Components, enough int) []lts.State {
	var states []lts.State
	transitions := 0
	for i := c.Len() - 1; i >= 0 && len(states) < enough; i-- {
		deepest := c.States(scc.Component(i))
		if len(states)+len(deepest) > 2*enough {
			return nil
		}
		states = append(states, deepest...)
		for _, s := range deepest {
			_, targets := c.LTS().Out(s)
			transitions += len(targets)
		}
		if transitions > 10*enough {
			return nil
		}
	}
	if len(states) < enough {
		return nil
	}
	return states
}

// none means no arc, no group or no block.
const none = math.MaxUint32

// contracted is the reachable part of a model in which every strongly connected component of hidden
// transitions is one node. Its arcs lie in rows sorted by source; in each row, the hidden arcs come
// first. There are no hidden cycles.
//
// A divergent node has an arc to the last node, the sink, which represents no state. The arc has a
// label that no other arc has, so that divergence distinguishes nodes like a visible transition.
type contracted struct {
	// nodeOf[s] is the node of a reachable state; undefined for others.
	nodeOf    []uint32
	nodes     int
	divergent []bool
	// key[v] is the class of node v: only nodes with the same key may be merged.
	key  []uint32
	keys int

	row       []uint32
	hiddenEnd []uint32 // the end of the hidden arcs in each row
	source    []uint32
	target    []uint32
	label     []uint32
	// labels is the number of labels: those of visible transitions, then tau and the label of divergence.
	labels int

	incoming []uint32 // arcs by target
	inRow    []uint32
	inHidden []uint32 // the end of the hidden arcs in each incoming row
}

// tau returns the label of hidden transitions.
func (g *contracted) tau() uint32 { return uint32(g.labels - 2) }

// divergence returns the label of the arcs from divergent nodes to the sink.
func (g *contracted) divergence() uint32 { return uint32(g.labels - 1) }

// contract returns the contracted model. If keyOf is not nil, only states with the same key become one
// node. Cost O(S + T).
func contract(
	ctx context.Context,
	m *lts.LTS,
	names *renaming,
	keyOf func(lts.State) uint32,
) *contracted {
	size := m.Reachable().NumTransitions() + m.NumStates()
	if size >= math.MaxUint32 {
		abort.On(fmt.Errorf("quotient: the model has %d states and reachable transitions; at most %d are possible", size, uint32(math.MaxUint32-1)))
	}
	abort.On(resources.Ask(ctx, 8*int64(m.NumStates())))
	g := &contracted{labels: len(names.texts) + 2, nodeOf: make([]uint32, m.NumStates())}
	// There is a node for each strongly connected component of the hidden transitions between
	// reachable states with equal keys.
	members := partition{
		states: make([]lts.State, 0, m.Reachable().NumStates()),
		ends:   []uint32{0},
	}
	inert := func(s lts.State, label lts.Label, t lts.State) bool {
		return names.hidden(label) && (keyOf == nil || keyOf(s) == keyOf(t))
	}
	abort.On(scc.Within(ctx, m, inert, func(component []lts.State, cyclic bool) {
		node := members.add(ctx, component)
		for _, s := range component {
			g.nodeOf[s] = node
		}
		g.divergent = append(abort.Must(resources.Grow(ctx, g.divergent, 1)), cyclic)
	}))
	g.divergent = append(abort.Must(resources.Grow(ctx, g.divergent, 1)), false) // the sink
	g.nodes = len(g.divergent)
	g.addArcs(ctx, m, names, &members)
	g.numberKeys(ctx, func(v uint32) uint32 {
		if keyOf == nil {
			return 0
		}
		return keyOf(members.of(v)[0])
	})
	return g
}

// partition has the states of each node.
type partition struct {
	states []lts.State // node by node
	ends   []uint32    // ends[v+1] is the end of the states of node v; ends[0] is 0
}

// add adds the states of the next node, and returns the node.
func (p *partition) add(ctx context.Context, states []lts.State) (node uint32) {
	node = uint32(len(p.ends) - 1)
	p.states = append(p.states, states...)
	p.ends = append(abort.Must(resources.Grow(ctx, p.ends, 1)), uint32(len(p.states)))
	return node
}

// of returns the states of a node.
func (p *partition) of(node uint32) []lts.State {
	return p.states[p.ends[node]:p.ends[node+1]]
}

// numberKeys sets the key of each node to the number of its class. Classes are numbered in the order of
// their first nodes; the sink has a class of its own.
func (g *contracted) numberKeys(ctx context.Context, classOf func(v uint32) uint32) {
	g.key = abort.Must(resources.Make[uint32](ctx, g.nodes))
	sink := uint32(g.nodes - 1)
	var classes intern.List[uint32, struct{}]
	// The class of the previous node, and its number: neighbours mostly have the same class.
	last := uint32(0)
	lastNumber := uint32(none)
	for v := range sink {
		class := classOf(v)
		if lastNumber == none || class != last {
			last = class
			lastNumber = uint32(classes.Index(class, struct{}{}))
		}
		g.key[v] = lastNumber
	}
	g.key[sink] = uint32(len(classes.All))
	g.keys = len(classes.All) + 1
}

// addArcs fills the rows of arcs: for each node, first its hidden arcs, then its visible ones, and last the
// arc to the sink if the node is divergent.
func (g *contracted) addArcs(
	ctx context.Context,
	m *lts.LTS,
	names *renaming,
	members *partition,
) {
	arcs := g.countArcs(m, names, members)
	abort.On(resources.Ask(ctx, 8*int64(arcs)+8*int64(g.nodes)))
	g.row = make([]uint32, g.nodes+1)
	g.hiddenEnd = make([]uint32, g.nodes)
	g.target = make([]uint32, 0, arcs)
	g.label = make([]uint32, 0, arcs)
	sink := uint32(g.nodes - 1)
	for v := range sink {
		abort.IfDone(ctx, v)
		states := members.of(v)
		g.row[v] = uint32(len(g.target))
		g.addHiddenArcs(m, names, v, states)
		g.hiddenEnd[v] = uint32(len(g.target))
		g.addVisibleArcs(m, names, states)
		if g.divergent[v] {
			g.addArc(g.divergence(), sink)
		}
	}
	end := uint32(len(g.target))
	g.row[sink] = end
	g.row[sink+1] = end
	g.hiddenEnd[sink] = end
}

func (g *contracted) addArc(label, to uint32) {
	g.target = append(g.target, to)
	g.label = append(g.label, label)
}

// addHiddenArcs adds the arcs of the hidden transitions that lead from the states of node v to other nodes.
func (g *contracted) addHiddenArcs(m *lts.LTS, names *renaming, v uint32, states []lts.State) {
	for _, s := range states {
		labels, targets := m.Out(s)
		for i, t := range targets {
			w := g.nodeOf[t]
			if names.hidden(labels.At(i)) && w != v {
				g.addArc(g.tau(), w)
			}
		}
	}
}

// addVisibleArcs adds the arcs of the visible transitions from the states of a node.
func (g *contracted) addVisibleArcs(m *lts.LTS, names *renaming, states []lts.State) {
	for _, s := range states {
		labels, targets := m.Out(s)
		for i, t := range targets {
			l := labels.At(i)
			if !names.hidden(l) {
				g.addArc(uint32(names.to[l]), g.nodeOf[t])
			}
		}
	}
}

// countArcs returns the number of arcs: of the transitions that are visible or lead to another node, and
// of the divergent nodes.
func (g *contracted) countArcs(m *lts.LTS, names *renaming, members *partition) int {
	arcs := 0
	for v := range uint32(g.nodes - 1) {
		for _, s := range members.of(v) {
			labels, targets := m.Out(s)
			for i, t := range targets {
				if !names.hidden(labels.At(i)) || g.nodeOf[t] != v {
					arcs++
				}
			}
		}
		if g.divergent[v] {
			arcs++
		}
	}
	return arcs
}

// invert fills the sources, and sorts the arcs by target; among the arcs of a target, the hidden
// ones come first.
func (g *contracted) invert(ctx context.Context) {
	abort.On(resources.Ask(ctx, 16*int64(g.nodes)+8*int64(len(g.target))))
	g.source = make([]uint32, len(g.target))
	for v := range uint32(g.nodes) {
		for a := g.row[v]; a < g.row[v+1]; a++ {
			g.source[a] = v
		}
	}
	isHidden := func(a uint32) bool { return a < g.hiddenEnd[g.source[a]] }
	g.inRow = make([]uint32, g.nodes+1)
	hidden := make([]uint32, g.nodes) // the number of hidden arcs to each node
	for a, v := range g.target {
		g.inRow[v+1]++
		if isHidden(uint32(a)) {
			hidden[v]++
		}
	}
	g.inHidden = make([]uint32, g.nodes)
	for v := range g.nodes {
		g.inRow[v+1] += g.inRow[v]
		g.inHidden[v] = g.inRow[v] + hidden[v]
	}
	nextHidden := hidden // the place of the next hidden arc in each row
	copy(nextHidden, g.inRow)
	nextVisible := slices.Clone(g.inHidden)
	g.incoming = make([]uint32, len(g.target))
	for a, v := range g.target {
		next := nextVisible
		if isHidden(uint32(a)) {
			next = nextHidden
		}
		g.incoming[next[v]] = uint32(a)
		next[v]++
	}
	abort.On(ctx.Err())
}
