// Package compare finds the differences between two versions of a model.
//
// States of two versions have no common names, so the versions are compared by their behaviour:
// [Models] decides whether the initial states are bisimilar. If they are not, it finds a shortest
// run of both after which only one can do some label, a formula that distinguishes them, and the
// transitions that were added, removed, redirected or relabelled. [Property] compares the versions
// with respect to a property: at which step of a counterexample of one version the other cannot
// follow.
//
// The invariant that holds inside: a run or a formula that is returned distinguishes the versions;
// if none was found within the limit, none is returned.
package compare

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/quotient"
)

// By is the equivalence by which models are compared.
type By string

// The equivalences of models.
const (
	Strong    By = "strong"    // strong bisimilarity
	Branching By = "branching" // divergence-preserving branching bisimilarity
)

// defaultLimit is the limit of the search for a difference if the options have no limit.
const defaultLimit = 50_000_000

// Options are the settings of a comparison. The zero value is the default.
type Options struct {
	// Hides selects the labels that are internal; nil means none. With Hides, models are compared
	// by branching bisimilarity, otherwise by strong bisimilarity.
	Hides func(label string) bool
	// Limit bounds the transitions that the search for a difference visits; 0 means defaultLimit.
	// The verdict does not depend on it.
	Limit int64
	// NoStrange declares that Behaviour.Strange is not needed. Then models that differ in their
	// runs can be compared without computing which states are equivalent.
	NoStrange bool
	// worth, if it is not 0, replaces worthTransitions: tests set it.
	worth int
}

func (o Options) by() By {
	if o.Hides != nil {
		return Branching
	}
	return Strong
}

func (o Options) hides(label string) bool { return o.Hides != nil && o.Hides(label) }

func (o Options) limit() int64 {
	if o.Limit > 0 {
		return o.Limit
	}
	return defaultLimit
}

// Side is one of the two versions.
type Side string

// The versions.
const (
	Old Side = "old"
	New Side = "new"
)

// Other returns the other version.
func (s Side) Other() Side {
	if s == Old {
		return New
	}
	return Old
}

// Size is the size of the reachable part of a version.
type Size struct {
	States, Transitions int
}

// Behaviour is the result of comparing the behaviours of two models.
type Behaviour struct {
	By    By
	Alike bool
	Old   Size
	New   Size
	// Added are the labels that only the new model does, Gone the labels that only the old model
	// does, in the order of their alphabets.
	Added, Gone []string
	// Run is a shortest distinguishing run; nil if the models are alike, if they have the same
	// runs, or if none was found.
	Run *Parting
	// Formula holds in the old model and not in the new one, in the syntax of package ctl; "" if
	// the models are alike, or if none was found.
	Formula string
	// Depth is the nesting depth of modalities in Formula.
	Depth int
	// Edit is one way to change the old model into the new one; nil if no edit was found that is
	// small compared with the models.
	Edit *Edit
	// Strange is the number of reachable states of the new model that are equivalent to no state of
	// the old one; negative if it is not known. If Strange is positive, the initial state is such a
	// state.
	Strange int
	// Complete is false if the search for Run reached its limit.
	Complete bool
}

// Parting is a shortest run of both models after which one model can do a label that the other
// model cannot do.
type Parting struct {
	Run   []string
	Only  Side
	Label string
}

// Models compares the behaviour of two versions of a model. It fails if ctx is done, or if the
// versions together have too many states. Cost: a quotient of both together, O(S + T), and a search
// within Options.Limit; only O(S + T) if the models differ in nothing but the numbers of states.
func Models(ctx context.Context, old, latest *lts.LTS, o Options) (_ *Behaviour, err error) {
	defer abort.Caught(&err)
	x := begin(ctx, old, latest)
	b := models(ctx, x, o)
	b.Old, b.New = sizeOf(old), sizeOf(latest)
	x.strip(b)
	return b, nil
}

// models is [Models] for versions in one form; it does not set the sizes.
func models(ctx context.Context, x begun, o Options) *Behaviour {
	old, latest := x.old, x.latest
	if sameInOrder(ctx, old, latest) {
		return &Behaviour{By: o.by(), Alike: true, Edit: &Edit{}, Complete: true}
	}
	u := newUnion(x)
	b := &Behaviour{By: o.by(), Complete: true}
	b.Added, b.Gone = u.added, u.gone
	d := &divided{union: u, by: b.By, hides: o.hides}
	if d.partSoon(ctx, b, o) {
		return b
	}
	d.join(ctx)
	d.q = abort.Must(quotient.New(ctx, d.m, func(l lts.Label) bool { return l != d.root && d.hides(d.m.Alphabet().Text(l)) }))
	first, second := d.block(Old, old.Initial()), d.block(New, latest.Initial())
	b.Alike = first == second
	b.Edit, _ = editOf(ctx, d)
	if b.Alike {
		return b
	}
	b.Strange = d.strange()
	if x.label != "" && b.Strange > 0 {
		b.Strange-- // the state before the initial states, which distinguish the models
	}
	if b.Run == nil {
		b.Complete = completed(func() { b.Run = d.part(ctx, first, second, o.limit()) })
	}
	d.formula(ctx, b, first, second, o.limit())
	return b
}

// worthTransitions is the number of transitions of both models together from which on partSoon searches
// for a distinguishing run before blocks are computed.
const worthTransitions = 1 << 14

// partSoon searches for a distinguishing run without blocks. If the options ask for nothing that
// needs blocks, it completes the comparison and returns true.
func (d *divided) partSoon(ctx context.Context, b *Behaviour, o Options) (done bool) {
	if o.Hides != nil || d.old.NumTransitions()+d.latest.NumTransitions() < cmp.Or(o.worth, worthTransitions) {
		return false
	}
	var edit *Edit
	if o.NoStrange {
		var a *aligner
		edit, a = editOf(ctx, d)
		if edit != nil && edit.size() == 0 {
			b.Alike, b.Edit = true, edit
			return true
		}
		if edit != nil && a != nil {
			b.Run = a.part(ctx, o.limit())
		}
	}
	if b.Run == nil {
		// It gives up after several times the size of the models: most versions differ soon, or have the
		// same runs in all new states.
		completed(func() {
			d.join(ctx)
			p := &parter{g: d.m, work: work{ctx, min(o.limit(), 8*int64(d.m.NumTransitions()))}}
			b.Run = p.part(ctx, d.state(Old, d.old.Initial()), d.state(New, d.latest.Initial()))
		})
	}
	if b.Run == nil || !o.NoStrange {
		return false
	}
	b.Edit, b.Strange = edit, -1
	d.formula(ctx, b, 0, 0, o.limit())
	return true
}

func sizeOf(m *lts.LTS) Size {
	states, transitions := m.Size()
	return Size{states, transitions}
}

// done returns the texts of the labels of reachable transitions, in the order of the alphabet. With
// begins, the transitions of the initial state do not count.
func done(m *lts.LTS, begins bool) []string {
	a, r := m.Alphabet(), m.Reachable()
	happens := make([]bool, a.Len())
	for s := range lts.State(m.NumStates()) {
		if r.Has(s) && !(begins && s == m.Initial()) {
			labels, _ := m.Out(s)
			for l := range labels.All() {
				happens[a.Plain(l)] = true
			}
		}
	}
	var texts []string
	for l, text := range a.All() {
		if happens[l] {
			texts = append(texts, text)
		}
	}
	return texts
}

// missing returns the labels of one version that the other one does not have.
func missing(one, other []string) []string {
	has := make(map[string]bool)
	for _, text := range other {
		has[text] = true
	}
	var texts []string
	for _, text := range one {
		if !has[text] {
			texts = append(texts, text)
		}
	}
	return texts
}

// Comparison is the comparison of two versions, as a report shows it.
type Comparison struct {
	// OldFile and NewFile are the names of the models.
	OldFile, NewFile string
	Behaviour        *Behaviour
	// Formula is the property as the user wrote it, and Versions the comparison with respect to it;
	// "" and nil without a property.
	Formula  string
	Versions *Versions
	Warnings []string
	Timings  explain.Phases
	Cost     *explain.Cost
}

// Names returns the names of the models without their common leading folders.
func (c *Comparison) Names() (old, latest string) {
	old, latest = c.OldFile, c.NewFile
	for {
		folder, rest, is := strings.Cut(old, "/")
		other, otherRest, also := strings.Cut(latest, "/")
		if !is || !also || folder != other {
			return old, latest
		}
		old, latest = rest, otherRest
	}
}

// Matters reports whether the difference matters. With a property, the difference matters if the
// new version violates the property, and the old version satisfies it or cannot do the
// counterexample; without a property, if the behaviours differ.
func (c *Comparison) Matters() bool {
	if c.Versions == nil {
		return !c.Behaviour.Alike
	}
	v := c.Versions
	return v.New.Verdict == explain.Violated && (v.Old.Verdict == explain.Satisfied || !v.Divergence.Follows)
}

// Cause is the change that a counterexample of the new version meets: a changed transition that the
// counterexample takes, or a transition removed from one of its states.
type Cause struct {
	Change Change
	Step   int // the index of the step of the run; the length of the run if the change is where the run stops
}

// Cause returns the change that best explains a new violation: the first changed transition on the
// run, else a removed transition from the state where the run stops, else a removed transition from
// any state of the run. Cause returns false if there is no such change, or no property.
func (c *Comparison) Cause() (Cause, bool) {
	if c.Versions == nil || c.Behaviour.Edit == nil || c.Versions.New.Counterexample == nil {
		return Cause{}, false
	}
	run := c.Versions.New.Counterexample
	if c.Behaviour.Edit.Renamed != nil {
		if cause, found := c.renamed(run.Steps); found {
			return cause, true
		}
	}
	for i, step := range run.Steps {
		for _, change := range c.Behaviour.Edit.Changes {
			if change.Kind != Removed && change.Transition == (Arc{step.From, step.Label, step.To}) {
				return Cause{change, i}, true
			}
		}
	}
	removed, found := Cause{}, false
	for _, change := range c.Behaviour.Edit.Changes {
		if change.Kind == Added {
			continue
		}
		for i, step := range run.Steps {
			if step.From == change.At && !found {
				removed, found = Cause{change, i}, true
			}
		}
		if last := len(run.Steps) - 1; last >= 0 && run.Steps[last].To == change.At && run.LoopStart < 0 {
			return Cause{change, len(run.Steps)}, true
		}
	}
	return removed, found
}

// renamed returns the first step with a renamed label.
func (c *Comparison) renamed(steps []explain.Step) (Cause, bool) {
	for i, step := range steps {
		for was, is := range c.Behaviour.Edit.Renamed {
			if is == step.Label {
				now := Arc{step.From, step.Label, step.To}
				return Cause{Change{Kind: Relabelled, Transition: now, Was: Arc{Label: was}, At: step.From}, i}, true
			}
		}
	}
	return Cause{}, false
}

// begun are two versions in one form: either both have a state before their initial states, or
// neither has. If only one version has several initial states, the other one gets such a state,
// too.
type begun struct {
	old, latest *lts.LTS
	// label is the label of the transitions from this state to the initial states; "" if neither
	// version has such a state.
	label string
}

// begin brings two versions into one form, so that they can be compared. Cost O(1), and O(S + T) if
// only one of them has several initial states.
func begin(ctx context.Context, old, latest *lts.LTS) begun {
	b := begun{old, latest, ""}
	several := [2]bool{old.Before() > 0, latest.Before() > 0}
	for i, m := range []*lts.LTS{old, latest} {
		if labels, _ := m.Out(m.Initial()); several[i] {
			b.label = m.Alphabet().Text(labels.At(0))
		}
	}
	switch several {
	case [2]bool{true, false}:
		b.latest = behind(ctx, latest, b.label)
	case [2]bool{false, true}:
		b.old = behind(ctx, old, b.label)
	}
	return b
}

// behind returns m with a new initial state, and a transition with this label from the new initial
// state to the old one.
func behind(ctx context.Context, m *lts.LTS, label string) *lts.LTS {
	var b lts.Builder
	b.Grow(m.NumTransitions() + 1)
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	for s := range lts.State(m.NumStates()) {
		if s&0xfff == 0 {
			abort.On(ctx.Err())
		}
		labels, targets := m.Out(s)
		for i, t := range targets {
			b.Add(s, b.Label(m.Alphabet().Text(labels.At(i))), t)
		}
	}
	first := lts.State(m.NumStates())
	b.Add(first, b.Label(label), m.Initial())
	return abort.Must(b.Build(first, int(first)+1))
}

// strip removes the states before initial states from the result of a comparison.
func (x begun) strip(b *Behaviour) {
	if x.label == "" {
		return
	}
	step := "<" + actl.Quoted(x.label) + "> "
	if b.Run != nil && len(b.Run.Run) > 0 {
		b.Run.Run = b.Run.Run[1:]
	}
	// A formula holds in a model if it holds in each initial state. So a formula that says "in some
	// initial state" is dropped.
	if rest, is := strings.CutPrefix(b.Formula, "!"+step); is {
		b.Formula, b.Depth = negated(rest), b.Depth-1
	} else {
		b.Formula, b.Depth = "", 0
	}
	if b.Edit == nil {
		return
	}
	for i := range b.Edit.Changes {
		c := &b.Edit.Changes[i]
		from := x.latest.Initial()
		if c.Kind == Removed {
			from = x.old.Initial()
		}
		c.Begins = c.Transition.From == from
	}
}

// negated returns the negation of a formula.
func negated(text string) string {
	if rest, is := strings.CutPrefix(text, "!"); is {
		return rest
	}
	return "!" + text
}

// union is the disjoint union of two models, with an initial state before the initial states of the
// models. The states of the old version keep their numbers; the states of the new version have the
// numbers after them. Labels with equal texts are one label.
type union struct {
	m           *lts.LTS // nil until it is needed
	old, latest *lts.LTS
	texts       []string       // the texts of labels, by the numbers of the labels
	numbers     [2][]lts.Label // the numbers in texts of the labels of the old and of the new version
	added, gone []string       // labels of the new version alone, and of the old version alone
	root        lts.Label      // the label of the transitions from the union's initial state
}

func newUnion(x begun) *union {
	old, latest := x.old, x.latest
	if states := uint64(old.NumStates()) + uint64(latest.NumStates()) + 1; states > uint64(lts.MaxStates) {
		abort.On(fmt.Errorf("the two models have %d states together, and at most %d can be compared", states-1, uint64(lts.MaxStates)-1))
	}
	u := &union{old: old, latest: latest}
	u.texts, u.numbers = textNumbers(old, latest)
	was, is := done(old, x.label != ""), done(latest, x.label != "")
	u.added, u.gone = missing(is, was), missing(was, is)
	return u
}

// join builds the model of the union, unless it exists.
func (u *union) join(ctx context.Context) {
	if u.m != nil {
		return
	}
	states := u.old.NumStates() + u.latest.NumStates() + 1
	transitions := int64(u.old.NumTransitions()) + int64(u.latest.NumTransitions())
	// Memory: a target and a label for each transition, a row and an aligned state for each state.
	abort.On(resources.Ask(ctx, 8*transitions+12*int64(states)))
	var b lts.Builder
	b.Grow(int(transitions) + 2)
	for _, text := range u.texts {
		b.Label(text)
	}
	for _, side := range []Side{Old, New} {
		m, number := u.version(side), u.numbersOf(side)
		for s := range lts.State(m.NumStates()) {
			if s&0xfff == 0 {
				abort.On(ctx.Err())
			}
			labels, targets := m.Out(s)
			for i, t := range targets {
				b.Add(u.state(side, s), number[labels.At(i)], u.state(side, t))
			}
		}
	}
	name := "begin"
	for has(u.old, name) || has(u.latest, name) {
		name += "'"
	}
	u.root = b.Label(name)
	first := lts.State(states - 1)
	b.Add(first, u.root, u.state(Old, u.old.Initial()))
	b.Add(first, u.root, u.state(New, u.latest.Initial()))
	u.m = abort.Must(b.Build(first, states))
}

func has(m *lts.LTS, text string) bool {
	_, is := m.Alphabet().Lookup(text)
	return is
}

func (u *union) numbersOf(side Side) []lts.Label {
	if side == Old {
		return u.numbers[0]
	}
	return u.numbers[1]
}

func (u *union) version(side Side) *lts.LTS {
	if side == Old {
		return u.old
	}
	return u.latest
}

// state returns the state of the union for a state of a version.
func (u *union) state(side Side, s lts.State) lts.State {
	if side == Old {
		return s
	}
	return s + lts.State(u.old.NumStates())
}

// sameLabels reports whether a state of the old version and one of the new have the same labels in
// the same order.
func (u *union) sameLabels(s, t lts.State) bool {
	labels, targets := u.old.Out(s)
	others, counterparts := u.latest.Out(t)
	if len(targets) != len(counterparts) {
		return false
	}
	for k := range targets {
		if u.numbers[0][labels.At(k)] != u.numbers[1][others.At(k)] {
			return false
		}
	}
	return true
}

// divided is a union with its blocks, the classes of equivalent states, which are computed when
// they are needed.
type divided struct {
	*union
	by    By
	hides func(label string) bool
	q     *quotient.Quotient
	// sketch has, for each version, numbers of states in place of blocks: edits need no exact
	// blocks. It is nil until it is needed.
	sketch *[2][]uint64
	looks  int // the number of transitions visited for sketches of single states
}

func (d *divided) block(side Side, s lts.State) lts.State {
	b, _ := d.q.Block(d.state(side, s))
	return b
}

// strange counts the states of the new version that are equivalent to no state of the old one.
// States of a block are ascending, so one of the old version would come first.
func (d *divided) strange() int {
	n, old := 0, lts.State(d.old.NumStates())
	for s := range lts.State(d.latest.NumStates()) {
		if b, reached := d.q.Block(d.state(New, s)); reached && d.q.States(b)[0] >= old {
			n++
		}
	}
	return n
}

// numbering numbers the classes of a round in the order of their first blocks.
type numbering struct {
	known map[string]uint32
	key   []byte
}

// of returns the number of the class of the blocks that were in this class in the last round and
// have these moves; moves are ascending.
func (n *numbering) of(class uint32, moves []move) uint32 {
	n.key = binary.BigEndian.AppendUint32(n.key[:0], class)
	for _, m := range moves {
		n.key = binary.BigEndian.AppendUint64(n.key, uint64(m))
	}
	number, is := n.known[string(n.key)]
	if !is {
		number = uint32(len(n.known))
		n.known[string(n.key)] = number
	}
	return number
}

// sketchRounds is the length of the paths from a state on which its sketch depends.
const sketchRounds = 4

// sketchOf returns a number for a state that is the same for equivalent states, and differs for
// most states that can soon do different labels. Once it was called for many states, it computes
// the numbers of all: cost O(S + T) in all.
func (d *divided) sketchOf(ctx context.Context, side Side, s lts.State) uint64 {
	if d.sketch == nil {
		if number, few := d.look(side, s, sketchRounds); few {
			return number
		}
		var both [2][]uint64
		for i, side := range []Side{Old, New} {
			m := d.version(side)
			now := abort.Must(resources.Make[uint64](ctx, m.NumStates()))
			next := abort.Must(resources.Make[uint64](ctx, m.NumStates()))
			for range sketchRounds {
				number := d.numbersOf(side)
				for s := range lts.State(m.NumStates()) {
					if s&(1<<14-1) == 0 {
						abort.On(ctx.Err())
					}
					labels, targets := m.Out(s)
					x := newSketcher()
					for k, t := range targets {
						x.add(number[labels.At(k)], now[t])
					}
					next[s] = x.sketch()
				}
				now, next = next, now
			}
			both[i] = now
		}
		d.sketch = &both
	}
	if side == Old {
		return d.sketch[0][s]
	}
	return d.sketch[1][s]
}

// look returns the sketch of a state after some rounds; false if it would visit too many
// transitions.
func (d *divided) look(side Side, s lts.State, rounds int) (sketch uint64, few bool) {
	if rounds == 0 {
		return 0, true
	}
	labels, targets := d.version(side).Out(s)
	d.looks += len(targets)
	if d.looks > (d.old.NumTransitions()+d.latest.NumTransitions())/64 {
		return 0, false
	}
	number := d.numbersOf(side)
	next := newSketcher()
	for k, t := range targets {
		target, few := d.look(side, t, rounds-1)
		if !few {
			return 0, false
		}
		next.add(number[labels.At(k)], target)
	}
	return next.sketch(), true
}

// sketcher computes the sketch of a state from its moves. Equivalent states may have the same move
// a different number of times, so it combines the largest and the smallest hash, not the sum.
type sketcher struct{ most, least uint64 }

func newSketcher() sketcher { return sketcher{0, ^uint64(0)} }

// add adds a label and the sketch of the state that it leads to.
func (m *sketcher) add(l lts.Label, target uint64) {
	x := mix(target + uint64(l)<<32)
	m.most, m.least = max(m.most, x), min(m.least, x)
}

func (m *sketcher) sketch() uint64 { return mix(m.most ^ mix(m.least)) }

// mix scatters the bits of a number (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
