// Package compare finds the differences between two versions of a model.
//
// States of two versions have no common names, so the versions are compared by their behaviour:
// [Models] decides whether the initial states are bisimilar. If they are not, it finds a shortest
// run of both after which only one can do some label, a formula that distinguishes them, and the
// transitions that were added, removed, redirected or relabelled. [Property] compares the versions
// with respect to a property: at which step of a counterexample of one version the other cannot
// follow.
//
// The invariant that holds inside: each run and each formula that is returned distinguishes the
// versions. If the search finds none within its limit, none is returned.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/lts"
)

// By is the equivalence by which models are compared.
type By string

// The equivalences of models.
const (
	Strong    By = "strong"    // strong bisimilarity
	Branching By = "branching" // divergence-preserving branching bisimilarity
)

// These constants bound the search for a difference if the options have no limit: it visits at most
// timesTransitions times the transitions of the models, but always up to leastLimit transitions,
// and never more than defaultLimit.
const (
	defaultLimit     = 50_000_000
	leastLimit       = 1 << 20
	timesTransitions = 512
)

// Options are the settings of a comparison. The zero value is the default.
type Options struct {
	// Hides selects the labels that are internal; nil means none. With Hides, models are compared
	// by branching bisimilarity, otherwise by strong bisimilarity.
	Hides func(label string) bool
	// Limit is the largest number of transitions that the search for a difference visits. With 0,
	// the limit follows from the size of the models. The verdict does not depend on it. The search
	// also ends when it keeps more memory than an eighth of the budget of the context.
	Limit int64
	// NoStrange declares that Behaviour.Strange is not needed. Then a distinguishing run can end
	// the comparison before equivalent states are computed.
	NoStrange bool
	// worth replaces worthTransitions if it is not 0. Only tests set it.
	worth int
}

func (o Options) hides(label string) bool { return o.Hides != nil && o.Hides(label) }

func (o Options) limit() int64 {
	if o.Limit > 0 {
		return o.Limit
	}
	return defaultLimit
}

// limitFor returns the limit for two models that together have the given number of transitions.
func (o Options) limitFor(transitions int) int64 {
	if o.Limit > 0 {
		return o.Limit
	}
	return min(max(timesTransitions*int64(transitions), leastLimit), defaultLimit)
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
	// Added are the labels that only the new model does, and Gone the labels that only the old model
	// does; each list is in the order of the alphabet of its model.
	Added, Gone []string
	// Run is a shortest distinguishing run; nil if the models are equivalent, if they have the same
	// runs, or if none was found.
	Run *Parting
	// Formula holds in the old model and not in the new one, in the syntax of package ctl. It is "" if
	// the models are equivalent, or if none was found.
	Formula string
	// Depth is the nesting depth of modalities in Formula.
	Depth int
	// Edit is one way to change the old model into the new one; nil if no edit was found that is
	// small compared with the models.
	Edit *Edit
	// Strange is the number of reachable states of the new model that are equivalent to no state of
	// the old one; negative if that number is not known. If Strange is positive, the initial state
	// is such a state.
	Strange int
	// Complete reports whether the search for Run ended before its limit.
	Complete bool
}

// String returns, for people, whether the models are equivalent, or the first difference found,
// such as: not equivalent (strong): after REQ, ACK only the new model can do DROP.
func (b *Behaviour) String() string {
	if b.Alike {
		return fmt.Sprintf("equivalent (%s)", b.By)
	}
	text := fmt.Sprintf("not equivalent (%s)", b.By)
	switch {
	case b.Run != nil:
		return text + ": " + b.Run.String()
	case b.Formula != "":
		return text + ": only the old model satisfies " + b.Formula
	}
	return text
}

// String returns, for people, the run and what only one model can do next, such as: after REQ only
// the old model can do ACK.
func (p *Parting) String() string {
	difference := fmt.Sprintf("only the %s model can do %s", p.Only, printable.Text(p.Label))
	if len(p.Run) == 0 {
		return "at the start " + difference
	}
	labels := make([]string, len(p.Run))
	for i, label := range p.Run {
		labels[i] = printable.Text(label)
	}
	return "after " + strings.Join(labels, ", ") + " " + difference
}

// Parting is a shortest run of both models after which one model can do a label that the other
// model cannot do.
type Parting struct {
	Run   []string
	Only  Side
	Label string
}

// Models compares the behaviours of two versions of a model. It fails if ctx is done, or if the
// versions together have too many states. Cost: O(S + T) for a quotient of both versions together,
// and a search within Options.Limit. If the models differ only in the numbers of their states, the
// cost is O(S + T) without the search.
func Models(ctx context.Context, old, latest *lts.LTS, o Options) (*Behaviour, error) {
	d, err := begin(ctx, old, latest, o)
	if err != nil {
		return nil, err
	}
	b, err := d.behaviour(ctx, o)
	if err != nil {
		return nil, err
	}
	b.Old = sizeOf(old)
	b.New = sizeOf(latest)
	d.strip(b)
	return b, nil
}

// behaviour compares two versions that begin has brought into one form. The caller sets the sizes,
// Old and New.
func (d *divided) behaviour(ctx context.Context, o Options) (*Behaviour, error) {
	b := &Behaviour{By: Strong, Complete: true}
	if o.Hides != nil {
		b.By = Branching
	}
	same, err := d.sameInOrder(ctx)
	if err != nil {
		return nil, err
	}
	if same {
		b.Alike = true
		b.Edit = &Edit{}
		return b, nil
	}
	// The union has one more state, before the initial states.
	states := uint64(d.old.NumStates()) + uint64(d.latest.NumStates()) + 1
	if states > uint64(lts.MaxStates) {
		return nil, fmt.Errorf("the two models have %d states together, and at most %d can be compared", states-1, uint64(lts.MaxStates)-1)
	}
	d.count() // finds the labels that only one version does
	b.Added = d.latest.only
	b.Gone = d.old.only
	done, err := d.partSoon(ctx, b, o)
	if err != nil {
		return nil, err
	}
	if !done {
		err = d.partByBlocks(ctx, b)
	}
	return b, err
}

// partByBlocks compares versions by the blocks of their union.
func (d *divided) partByBlocks(ctx context.Context, b *Behaviour) error {
	if err := d.join(ctx); err != nil {
		return err
	}
	isHidden := func(l lts.Label) bool {
		return l != d.root && d.hides(d.m.Alphabet().Text(l))
	}
	q, err := quotient.New(ctx, d.m, isHidden)
	if err != nil {
		return err
	}
	d.q = q
	first := d.block(Old, d.old.Initial())
	second := d.block(New, d.latest.Initial())
	b.Alike = first == second
	var aligned *aligner
	b.Edit, aligned, err = editOf(ctx, d)
	if err != nil || b.Alike {
		return err
	}
	b.Strange = d.strange()
	if b.Run == nil {
		b.Run, b.Complete, err = d.partInBlocks(ctx, aligned)
		if err != nil {
			return err
		}
	}
	return d.formula(ctx, b, first, second)
}

// partInBlocks searches for a shortest distinguishing run in the blocks. The first search has a
// small limit, since most versions differ soon, or have the same runs in most blocks. If it reaches
// that limit, a second search heads for the transitions that were changed. complete is false if the
// second search reached its limit, too.
func (d *divided) partInBlocks(
	ctx context.Context,
	aligned *aligner,
) (run *Parting, complete bool, err error) {
	const leastSoon = 1 << 16
	old := d.block(Old, d.old.Initial())
	latest := d.block(New, d.latest.Initial())
	soon := min(d.limit, max(leastSoon, timesSoon*int64(d.m.NumTransitions())))
	run, err = d.blockParter(ctx, soon).part(ctx, old, latest)
	complete, err = completed(err)
	if err != nil || complete || soon == d.limit {
		return run, complete, err
	}
	guided := d.blockParter(ctx, d.limit)
	if aligned != nil && !guided.hides {
		run, err = aligned.part(ctx)
		if err != nil || run != nil {
			return run, true, err
		}
	}
	if aligned != nil {
		if err := guided.headFor(ctx, aligned, d.block); err != nil {
			return nil, false, err
		}
	}
	run, err = guided.part(ctx, old, latest)
	complete, err = completed(err)
	return run, complete, err
}

func (d *divided) blockParter(ctx context.Context, limit int64) *parter {
	p := &parter{g: d.q.LTS(), work: work{ctx, limit}}
	p.tau, p.hides = d.q.Tau()
	return p
}

// strange counts the states of the new version that are equivalent to no state of the old one. The
// states of a block are ascending, so a state of the old version, if any, comes first.
func (d *divided) strange() int {
	n := 0
	for s := range lts.State(d.latest.NumStates()) {
		block, isReached := d.q.Block(s + d.latest.first)
		if isReached && d.q.States(block)[0] >= d.latest.first {
			n++
		}
	}
	if d.label != "" && n > 0 {
		n-- // the state before the initial states is no state of the user's model
	}
	return n
}

// worthTransitions is the smallest number of transitions of both models together for which partSoon
// searches for a distinguishing run before blocks are computed.
const worthTransitions = 1 << 14

// partSoon searches for a distinguishing run without blocks. done reports whether the comparison is
// complete, because the options ask for nothing that needs blocks.
func (d *divided) partSoon(
	ctx context.Context,
	b *Behaviour,
	o Options,
) (done bool, err error) {
	if o.Hides != nil || d.old.NumTransitions()+d.latest.NumTransitions() < cmp.Or(o.worth,
		worthTransitions) {
		return false, nil
	}
	var edit *Edit
	if o.NoStrange {
		var a *aligner
		edit, a, err = editOf(ctx, d)
		if err != nil {
			return false, err
		}
		if edit != nil && edit.size() == 0 {
			b.Alike = true
			b.Edit = edit
			return true, nil
		}
		if edit != nil && a != nil {
			b.Run, err = a.part(ctx)
			if err != nil {
				return false, err
			}
		}
	}
	if b.Run == nil {
		b.Run, err = d.partWithoutBlocks(ctx)
		if err != nil {
			return false, err
		}
	}
	if b.Run == nil || !o.NoStrange {
		return false, nil
	}
	b.Edit = edit
	b.Strange = -1
	return true, d.formula(ctx, b, 0, 0)
}

// timesSoon limits a search that is expected to end soon: it visits at most timesSoon times the
// transitions of the models.
const timesSoon = 8

// partWithoutBlocks searches for a distinguishing run in the union. Most versions differ soon, or
// have the same runs in all new states, so it gives up after several times the size of the models,
// and returns nil.
func (d *divided) partWithoutBlocks(ctx context.Context) (*Parting, error) {
	if err := d.join(ctx); err != nil {
		return nil, err
	}
	p := &parter{g: d.m, work: work{ctx, min(d.limit, timesSoon*int64(d.m.NumTransitions()))}}
	run, err := p.part(ctx, d.old.Initial(), d.latest.Initial()+d.latest.first)
	_, err = completed(err)
	return run, err
}

func sizeOf(m *lts.LTS) Size {
	states, transitions := m.Size()
	return Size{states, transitions}
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
		oldFolder, oldRest, oldHas := strings.Cut(old, "/")
		newFolder, newRest, newHas := strings.Cut(latest, "/")
		if !oldHas || !newHas || oldFolder != newFolder {
			return old, latest
		}
		old = oldRest
		latest = newRest
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
	return v.New.Verdict == explain.Violated &&
		(v.Old.Verdict == explain.Satisfied || !v.Divergence.Follows)
}

// Cause is the change that a counterexample of the new version meets: a changed transition that the
// counterexample takes, or a transition of the old version that one of its states has lost.
type Cause struct {
	Change Change
	Step   int // the index of the step of the run; the length of the run if the change is where the run stops
}

// Cause returns the change that best explains a new violation. This is the first changed transition
// that the run takes; otherwise a transition that the state where the run stops has lost; otherwise
// a transition that any state of the run has lost. It returns false if there is no such change, or
// no property.
func (c *Comparison) Cause() (Cause, bool) {
	if c.Versions == nil || c.Behaviour.Edit == nil || c.Versions.New.Counterexample == nil {
		return Cause{}, false
	}
	run := c.Versions.New.Counterexample
	edit := c.Behaviour.Edit
	if taken, is := edit.takenBy(run); is {
		return taken, true
	}
	return edit.removedFrom(run)
}

// takenBy returns the first changed transition that a run takes. If the edit renames labels, this
// is the first transition with a renamed label.
func (e *Edit) takenBy(run *explain.Counterexample) (Cause, bool) {
	for i, step := range run.Steps {
		for old, renamed := range e.Renamed {
			if renamed == step.Label {
				change := Change{
					Kind:       Relabelled,
					Transition: arcOf(step),
					Was:        Arc{Label: old},
					At:         step.From,
				}
				return Cause{change, i}, true
			}
		}
	}
	for i, step := range run.Steps {
		for _, change := range e.Changes {
			if change.Kind != Removed && change.Transition == arcOf(step) {
				return Cause{change, i}, true
			}
		}
	}
	return Cause{}, false
}

func arcOf(step explain.Step) Arc { return Arc{step.From, step.Label, step.To} }

// removedFrom returns the first change by which the state where a run ends lost a transition; if
// there is none, the first change by which any state of the run lost one.
func (e *Edit) removedFrom(run *explain.Counterexample) (Cause, bool) {
	steps := run.Steps
	endsIn := func(s lts.State) bool {
		return len(steps) > 0 && run.LoopStart < 0 && steps[len(steps)-1].To == s
	}
	var onRun Cause
	found := false
	for _, change := range e.Changes {
		if change.Kind == Added {
			continue
		}
		if endsIn(change.At) {
			return Cause{change, len(steps)}, true
		}
		i := slices.IndexFunc(steps, func(step explain.Step) bool {
			return step.From == change.At
		})
		if i >= 0 && !found {
			onRun = Cause{change, i}
			found = true
		}
	}
	return onRun, found
}

// divided are two versions in one form, with their disjoint union and its blocks, which are the
// classes of equivalent states. The union and the blocks are made when they are needed. The union
// has an additional initial state before the initial states of the versions. The states of the old
// version keep their numbers; the numbers of the new version follow. Labels with equal texts are
// one label.
type divided struct {
	old, latest version
	hides       func(label string) bool
	limit       int64 // of transitions that a search visits
	// label is the label of the transitions from a state before the initial states of each version; "" if
	// neither version has such a state.
	label string
	texts []string  // the texts of labels, by the numbers of the labels
	m     *lts.LTS  // the union, nil until it is needed
	root  lts.Label // the label of the transitions from its initial state
	q     *quotient.Quotient
	looks int // the number of transitions visited for sketches of single states
}

// version is one of the two versions.
type version struct {
	*lts.LTS
	number []lts.Label    // the numbers in texts of its labels
	first  lts.State      // the number in the union of its state 0
	often  map[string]int // the number of its reachable transitions with each label
	only   []string       // the labels that only this version does, in the order of its alphabet
	// sketch has a number for each state that replaces the number of its block, since edits need no
	// exact blocks. It is nil until it is needed.
	sketch []uint64
}

func (d *divided) version(side Side) *version {
	if side == Old {
		return &d.old
	}
	return &d.latest
}

// begin brings two versions into one form: either both have a state before their initial states, or
// neither has one. If only one version has several initial states, the other version also gets such
// a state. Cost O(labels), and O(S + T) if a state is added.
func begin(ctx context.Context, old, latest *lts.LTS, o Options) (*divided, error) {
	d := &divided{
		old:    version{LTS: old},
		latest: version{LTS: latest},
		hides:  o.hides,
		limit:  o.limitFor(old.NumTransitions() + latest.NumTransitions()),
	}
	for _, m := range []*lts.LTS{old, latest} {
		if m.Before() > 0 {
			labels, _ := m.Out(m.Initial())
			d.label = m.Alphabet().Text(labels.At(0))
		}
	}
	var texts intern.List[string, string]
	for _, v := range []*version{&d.old, &d.latest} {
		if d.label != "" && v.Before() == 0 {
			m, err := behind(ctx, v.LTS, d.label)
			if err != nil {
				return nil, err
			}
			v.LTS = m
		}
		v.number = make([]lts.Label, v.Alphabet().Len())
		for l, text := range v.Alphabet().All() {
			v.number[l] = lts.Label(texts.Index(text, text))
		}
	}
	d.texts = texts.All
	d.latest.first = lts.State(d.old.NumStates())
	return d, nil
}

// count counts the transitions of each label, and finds the labels that only one version does. The
// transitions from a state before the initial states do not count.
func (d *divided) count() {
	hasBefore := d.label != ""
	for _, v := range []*version{&d.old, &d.latest} {
		v.often = v.transitionsByLabel(hasBefore)
	}
	d.old.only = d.old.labelsMissingIn(&d.latest)
	d.latest.only = d.latest.labelsMissingIn(&d.old)
}

// transitionsByLabel returns how many reachable transitions each label has. If hasBefore is true, those
// from the initial state do not count.
func (v *version) transitionsByLabel(hasBefore bool) map[string]int {
	counts := make([]int, v.Alphabet().Len())
	for s := range lts.State(v.NumStates()) {
		isBefore := hasBefore && s == v.Initial()
		if isBefore || !v.Reachable().Has(s) {
			continue
		}
		labels, _ := v.Out(s)
		for l := range labels.All() {
			counts[v.Alphabet().Plain(l)]++
		}
	}
	byText := map[string]int{}
	for l, text := range v.Alphabet().All() {
		if counts[l] > 0 {
			byText[text] = counts[l]
		}
	}
	return byText
}

// labelsMissingIn returns the labels that this version does and the other does not, in the order of
// the alphabet.
func (v *version) labelsMissingIn(other *version) []string {
	var missing []string
	for _, text := range v.Alphabet().All() {
		if v.often[text] > 0 && other.often[text] == 0 {
			missing = append(missing, text)
		}
	}
	return missing
}

// behind returns m with a new initial state. A transition with the given label leads from it to the
// initial state of m.
func behind(ctx context.Context, m *lts.LTS, label string) (*lts.LTS, error) {
	var b lts.Builder
	b.Grow(m.NumTransitions() + 1)
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	for s := range lts.State(m.NumStates()) {
		if err := asked(ctx, s); err != nil {
			return nil, err
		}
		for l, t := range m.From(s) {
			b.Add(s, b.Label(m.Alphabet().Text(l)), t)
		}
	}
	first := lts.State(m.NumStates())
	b.Add(first, b.Label(label), m.Initial())
	return b.Build(first, int(first)+1)
}

// asked returns the error of ctx if it is done. It checks ctx only in every 4096th round, since a
// check takes longer than most rounds do.
func asked[N ~int | ~uint32](ctx context.Context, round N) error {
	if round&(1<<12-1) != 0 {
		return nil
	}
	return ctx.Err()
}

// strip removes the states before initial states from the result of a comparison.
func (d *divided) strip(b *Behaviour) {
	if d.label == "" {
		return
	}
	step := "<" + actl.Quoted(d.label) + "> "
	if b.Run != nil && len(b.Run.Run) > 0 {
		b.Run.Run = b.Run.Run[1:]
	}
	// A formula holds in a model if it holds in each initial state. A formula about some initial
	// state cannot be written without the added state, and is dropped.
	if rest, ok := strings.CutPrefix(b.Formula, "!"+step); ok {
		b.Formula = strings.TrimPrefix("!"+rest, "!!")
		b.Depth--
	} else {
		b.Formula = ""
		b.Depth = 0
	}
	if b.Edit == nil {
		return
	}
	for i := range b.Edit.Changes {
		c := &b.Edit.Changes[i]
		from := d.latest.Initial()
		if c.Kind == Removed {
			from = d.old.Initial()
		}
		c.Begins = c.Transition.From == from
	}
}

// join builds the model of the union, unless it exists.
func (d *divided) join(ctx context.Context) error {
	if d.m != nil {
		return nil
	}
	states := d.old.NumStates() + d.latest.NumStates() + 1
	transitions := int64(d.old.NumTransitions()) + int64(d.latest.NumTransitions())
	// Memory: a target and a label for each transition, a row and an aligned state for each state.
	if err := resources.Ask(ctx, 8*transitions+12*int64(states)); err != nil {
		return err
	}
	var b lts.Builder
	b.Grow(int(transitions) + 2)
	for _, text := range d.texts {
		b.Label(text)
	}
	for _, v := range []*version{&d.old, &d.latest} {
		for s := range lts.State(v.NumStates()) {
			if err := asked(ctx, s); err != nil {
				return err
			}
			labels, targets := v.Out(s)
			for i, t := range targets {
				b.Add(s+v.first, v.number[labels.At(i)], t+v.first)
			}
		}
	}
	name := "begin"
	for slices.Contains(d.texts, name) {
		name += "'"
	}
	d.root = b.Label(name)
	first := lts.State(states - 1)
	b.Add(first, d.root, d.old.Initial())
	b.Add(first, d.root, d.latest.Initial()+d.latest.first)
	m, err := b.Build(first, states)
	if err != nil {
		return err
	}
	d.m = m
	return nil
}

func (d *divided) block(side Side, s lts.State) lts.State {
	b, _ := d.q.Block(s + d.version(side).first)
	return b
}

// sketchRounds is the length of the paths that the sketch of a state takes into account.
const sketchRounds = 4

// sketchOf returns a number for a state that is the same for equivalent states, and differs for
// most states that can soon do different labels. If it is called for many states, it computes the
// numbers of all states at once, so that all calls together cost O(S + T).
func (d *divided) sketchOf(ctx context.Context, side Side, s lts.State) (uint64, error) {
	v := d.version(side)
	if v.sketch == nil {
		if sketch, few := d.look(v, s, sketchRounds); few {
			return sketch, nil
		}
		sketches, err := v.sketches(ctx)
		if err != nil {
			return 0, err
		}
		v.sketch = sketches
	}
	return v.sketch[s], nil
}

// sketches returns the sketches of all states.
func (v *version) sketches(ctx context.Context) ([]uint64, error) {
	last, err := resources.Make[uint64](ctx, v.NumStates())
	if err != nil {
		return nil, err
	}
	next, err := resources.Make[uint64](ctx, v.NumStates())
	if err != nil {
		return nil, err
	}
	for range sketchRounds {
		for s := range lts.State(v.NumStates()) {
			if err := asked(ctx, s); err != nil {
				return nil, err
			}
			labels, targets := v.Out(s)
			x := newSketcher()
			for k, t := range targets {
				x.add(v.number[labels.At(k)], last[t])
			}
			next[s] = x.sketch()
		}
		last, next = next, last
	}
	return last, nil
}

// look returns the sketch of a state after some rounds; false if it would visit too many
// transitions.
func (d *divided) look(v *version, s lts.State, rounds int) (sketch uint64, few bool) {
	if rounds == 0 {
		return 0, true
	}
	labels, targets := v.Out(s)
	d.looks += len(targets)
	if d.looks > (d.old.NumTransitions()+d.latest.NumTransitions())/64 {
		return 0, false
	}
	next := newSketcher()
	for k, t := range targets {
		target, few := d.look(v, t, rounds-1)
		if !few {
			return 0, false
		}
		next.add(v.number[labels.At(k)], target)
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
	m.most = max(m.most, x)
	m.least = min(m.least, x)
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
