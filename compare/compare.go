// Package compare finds the differences between two versions of a model.
//
// States of two versions have no common names, so the versions are compared by their behaviour:
// [Models] decides whether the initial states are bisimilar. If they are not, it finds a shortest
// run of both after which only one can do some label, a formula that distinguishes them, and the
// transitions that were added, removed, redirected or relabelled. [Property] compares the versions
// with respect to a property: it finds the first step of a counterexample of one version that the
// other version cannot follow.
//
// Each run and each formula that is returned distinguishes the versions. If the search finds none
// within its limit, none is returned.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/required"
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
// searchFactor times the transitions of the models, but always up to leastLimit transitions,
// and never more than defaultLimit.
const (
	defaultLimit = 50_000_000
	leastLimit   = 1 << 20
	searchFactor = 512
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
	return min(max(searchFactor*int64(transitions), leastLimit), defaultLimit)
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

func (s Size) String() string {
	return printable.Quantity(s.States, "state") + ", " + printable.Quantity(s.Transitions, "transition")
}

// Behaviour is the result of comparing the behaviours of two models.
type Behaviour struct {
	By    By
	Alike bool
	Old   Size
	New   Size
	// Added are the labels that only the new model does, and Gone are the labels that only the old
	// model does; each list is in the order of the alphabet of its model.
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
	if b == nil {
		return "<nil>"
	}
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
	if p == nil {
		return "<nil>"
	}
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
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("old", old),
		required.Argument("latest", latest),
	); err != nil {
		return nil, err
	}
	d, err := newDisjointUnion(ctx, old, latest, o)
	if err != nil {
		return nil, err
	}
	b, err := d.behaviour(ctx, o)
	if err != nil {
		return nil, err
	}
	b.Old = sizeOf(old)
	b.New = sizeOf(latest)
	d.removeAddedStates(b)
	return b, nil
}

// behaviour compares two versions that are in one form. The caller sets the sizes,
// Old and New.
func (d *disjointUnion) behaviour(ctx context.Context, o Options) (*Behaviour, error) {
	b := &Behaviour{By: Strong, Complete: true}
	if o.Hides != nil {
		b.By = Branching
	}
	isRenumbered, err := d.sameInOrder(ctx)
	if err != nil {
		return nil, err
	}
	if isRenumbered {
		b.Alike = true
		b.Edit = &Edit{}
		return b, nil
	}
	// The union has one more state, before the initial states.
	states := uint64(d.old.NumStates()) + uint64(d.latest.NumStates()) + 1
	if states > uint64(lts.MaxStates) {
		return nil, fmt.Errorf("the two models have %d states together, and at most %d can be compared", states-1, uint64(lts.MaxStates)-1)
	}
	d.countLabels()
	b.Added = d.latest.ownLabels
	b.Gone = d.old.ownLabels
	isComplete, err := d.searchBeforeBlocks(ctx, b, o)
	if err != nil {
		return nil, err
	}
	if isComplete {
		return b, nil
	}
	err = d.compareByBlocks(ctx, b)
	return b, err
}

// compareByBlocks decides by the blocks of the union whether the versions are equivalent. It sets all
// results that are not set yet.
func (d *disjointUnion) compareByBlocks(ctx context.Context, b *Behaviour) error {
	if err := d.buildUnion(ctx); err != nil {
		return err
	}
	isHidden := func(l lts.Label) bool {
		return l != d.rootLabel && d.hides(d.union.Alphabet().Text(l))
	}
	blocks, err := quotient.New(ctx, d.union, isHidden)
	if err != nil {
		return err
	}
	d.blocks = blocks
	old := d.block(Old, d.old.Initial())
	latest := d.block(New, d.latest.Initial())
	b.Alike = old == latest
	var aligned *aligner
	b.Edit, aligned, err = editOf(ctx, d)
	if err != nil || b.Alike {
		return err
	}
	b.Strange = d.countStrange()
	if b.Run == nil {
		b.Run, b.Complete, err = d.searchBlocks(ctx, aligned)
		if err != nil {
			return err
		}
	}
	if b.Run != nil {
		d.setFormulaOfRun(b)
		return nil
	}
	return d.setFormulaOfBlocks(ctx, b, old, latest)
}

// searchBlocks searches for a shortest distinguishing run in the blocks. The first search has a
// small limit, since most versions differ soon, or have the same runs in most blocks. If it reaches
// that limit, a second search heads for the transitions that were changed. complete is false if the
// second search reached its limit, too.
func (d *disjointUnion) searchBlocks(
	ctx context.Context,
	aligned *aligner,
) (run *Parting, complete bool, err error) {
	const leastLimitOfFirst = 1 << 16
	old := d.block(Old, d.old.Initial())
	latest := d.block(New, d.latest.Initial())
	limitOfFirst := max(leastLimitOfFirst, shortSearchFactor*int64(d.union.NumTransitions()))
	limitOfFirst = min(limitOfFirst, d.limit)
	run, err = d.newBlockSearch(ctx, limitOfFirst).distinguishingRun(ctx, old, latest)
	complete, err = completed(err)
	if err != nil || complete || limitOfFirst == d.limit {
		return run, complete, err
	}
	guided := d.newBlockSearch(ctx, d.limit)
	if aligned != nil && !guided.hides {
		run, err = aligned.distinguishingRun(ctx)
		if err != nil || run != nil {
			return run, true, err
		}
	}
	if aligned != nil {
		if err := guided.headFor(ctx, aligned, d.block); err != nil {
			return nil, false, err
		}
	}
	run, err = guided.distinguishingRun(ctx, old, latest)
	complete, err = completed(err)
	return run, complete, err
}

// newBlockSearch returns a search in the graph of the blocks, without guides.
func (d *disjointUnion) newBlockSearch(ctx context.Context, limit int64) *pairSearch {
	p := &pairSearch{g: d.blocks.LTS(), work: work{ctx, limit}}
	p.tau, p.hides = d.blocks.Tau()
	return p
}

// countStrange counts the states of the new version that are equivalent to no state of the old one. The
// states of a block are ascending, so a state of the old version, if any, comes first.
func (d *disjointUnion) countStrange() int {
	n := 0
	for s := range lts.State(d.latest.NumStates()) {
		block, isReached := d.blocks.Block(s + d.latest.offset)
		if isReached && d.blocks.States(block)[0] >= d.latest.offset {
			n++
		}
	}
	if d.beforeLabel != "" && n > 0 {
		n-- // the state before the initial states is no state of the user's model
	}
	return n
}

// worthTransitions is the smallest number of transitions of both models together for which searchBeforeBlocks
// searches for a distinguishing run before blocks are computed.
const worthTransitions = 1 << 14

// searchBeforeBlocks searches large models for a distinguishing run without blocks, if no label is
// hidden. done reports whether the comparison is complete: it is if the options ask for nothing
// that needs blocks.
func (d *disjointUnion) searchBeforeBlocks(
	ctx context.Context,
	b *Behaviour,
	o Options,
) (done bool, err error) {
	worth := cmp.Or(o.worth, worthTransitions)
	isSmall := d.old.NumTransitions()+d.latest.NumTransitions() < worth
	if o.Hides != nil || isSmall {
		return false, nil
	}
	var edit *Edit
	if o.NoStrange {
		var aligned *aligner
		edit, aligned, err = editOf(ctx, d)
		if err != nil {
			return false, err
		}
		if edit != nil && edit.size() == 0 {
			b.Alike = true
			b.Edit = edit
			return true, nil
		}
		if edit != nil && aligned != nil {
			b.Run, err = aligned.distinguishingRun(ctx)
			if err != nil {
				return false, err
			}
		}
	}
	if b.Run == nil {
		b.Run, err = d.searchUnion(ctx)
		if err != nil {
			return false, err
		}
	}
	if b.Run == nil || !o.NoStrange {
		return false, nil
	}
	b.Edit = edit
	b.Strange = -1
	d.setFormulaOfRun(b)
	return true, nil
}

// shortSearchFactor limits a search that is expected to end soon: such a search visits at most this
// many times the transitions of the models.
const shortSearchFactor = 8

// searchUnion searches for a distinguishing run in the union. Most versions differ soon, or
// have the same runs in all new states, so it gives up after several times the size of the models,
// and returns nil.
func (d *disjointUnion) searchUnion(ctx context.Context) (*Parting, error) {
	if err := d.buildUnion(ctx); err != nil {
		return nil, err
	}
	limit := min(d.limit, shortSearchFactor*int64(d.union.NumTransitions()))
	p := &pairSearch{g: d.union, work: work{ctx, limit}}
	run, err := p.distinguishingRun(ctx, d.old.Initial(), d.latest.Initial()+d.latest.offset)
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
	// Formula is the property as the user wrote it, and Versions is the comparison with respect to
	// it; "" and nil without a property.
	Formula  string
	Versions *Versions
	Warnings []string
	Timings  explain.Phases
	Cost     *explain.Cost
}

// Names returns the names of the files of the models, without their folders if the names differ, and otherwise
// without the leading folders that both have.
func (c *Comparison) Names() (old, latest string) {
	old = path.Base(c.OldFile)
	latest = path.Base(c.NewFile)
	if old != latest {
		return old, latest
	}
	old = c.OldFile
	latest = c.NewFile
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
		return c.Behaviour != nil && !c.Behaviour.Alike
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

// String returns the number of the step, from 1, and the change, such as: step 2: removed 1 -ACK-> 2.
func (c Cause) String() string { return fmt.Sprintf("step %d: %v", c.Step+1, c.Change) }

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
	oldNames := make(map[string]string, len(e.Renamed))
	for old, renamed := range e.Renamed {
		oldNames[renamed] = old
	}
	for i, step := range run.Steps {
		if old, isRenamed := oldNames[step.Label]; isRenamed {
			change := Change{
				Kind:       Relabelled,
				Transition: arcOf(step),
				Was:        Arc{Label: old},
				At:         step.From,
			}
			return Cause{change, i}, true
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

// disjointUnion holds two versions in one form: either both have a state before their initial states,
// or neither has one. It builds the disjoint union of their models and the blocks of the union, the
// classes of equivalent states, when they are needed. The union has an additional initial state before
// the initial states of the versions. The states of the old version keep their numbers; the numbers of
// the new version follow. Labels with equal texts are one label.
type disjointUnion struct {
	old, latest version
	hides       func(label string) bool
	limit       int64 // the largest number of transitions that a search visits
	// beforeLabel is the label of the transitions from a state before the initial states of each version;
	// "" if neither version has such a state.
	beforeLabel string
	texts       []string           // the texts of labels, by the numbers of the labels
	union       *lts.LTS           // the model of the union, nil until it is needed
	rootLabel   lts.Label          // the label of the transitions from the initial state of the union
	blocks      *quotient.Quotient // the quotient of the union, nil until it is needed
	sketchWork  int                // the number of transitions visited for sketches of single states
}

// version is one of the two versions.
type version struct {
	*lts.LTS
	labelNumber []lts.Label    // the number in texts of each label of this version
	offset      lts.State      // the number that state 0 of this version has in the union
	occurrences map[string]int // the number of its reachable transitions with each label
	ownLabels   []string       // the labels that only this version does, in the order of its alphabet
	// sketch has, for each state, a number that replaces the number of its block, since edits need no
	// exact blocks. It is nil until it is needed.
	sketch []uint64
}

func (d *disjointUnion) version(side Side) *version {
	if side == Old {
		return &d.old
	}
	return &d.latest
}

// newDisjointUnion brings two versions into one form, before their union is built. If only one version
// has several initial states, and so a state before them, it adds such a state to the other version.
// Cost O(labels), and O(S + T) if a state is added.
func newDisjointUnion(ctx context.Context, old, latest *lts.LTS, o Options) (*disjointUnion, error) {
	d := &disjointUnion{
		old:    version{LTS: old},
		latest: version{LTS: latest},
		hides:  o.hides,
		limit:  o.limitFor(old.NumTransitions() + latest.NumTransitions()),
	}
	for _, m := range []*lts.LTS{old, latest} {
		if m.Before() > 0 {
			labels, _ := m.Out(m.Initial())
			d.beforeLabel = m.Alphabet().Text(labels.At(0))
		}
	}
	var texts intern.List[string, string]
	for _, v := range []*version{&d.old, &d.latest} {
		if d.beforeLabel != "" && v.Before() == 0 {
			m, err := withStateBefore(ctx, v.LTS, d.beforeLabel)
			if err != nil {
				return nil, err
			}
			v.LTS = m
		}
		v.labelNumber = make([]lts.Label, v.Alphabet().Len())
		for l, text := range v.Alphabet().All() {
			v.labelNumber[l] = lts.Label(texts.Index(text, text))
		}
	}
	d.texts = texts.All
	d.latest.offset = lts.State(d.old.NumStates())
	return d, nil
}

// countLabels counts the transitions of each label, and finds the labels that only one version does. The
// transitions from a state before the initial states do not count.
func (d *disjointUnion) countLabels() {
	hasBefore := d.beforeLabel != ""
	for _, v := range []*version{&d.old, &d.latest} {
		v.occurrences = v.transitionsByLabel(hasBefore)
	}
	d.old.ownLabels = d.old.labelsMissingIn(&d.latest)
	d.latest.ownLabels = d.latest.labelsMissingIn(&d.old)
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
		if v.occurrences[text] > 0 && other.occurrences[text] == 0 {
			missing = append(missing, text)
		}
	}
	return missing
}

// withStateBefore returns m with a new initial state. A transition with the given label leads from it to the
// initial state of m.
func withStateBefore(ctx context.Context, m *lts.LTS, label string) (*lts.LTS, error) {
	var b lts.Builder
	b.Grow(m.NumTransitions() + 1)
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	for s := range lts.State(m.NumStates()) {
		if err := checkContext(ctx, s); err != nil {
			return nil, err
		}
		for l, t := range m.From(s) {
			b.Add(s, b.Label(m.Alphabet().Text(l)), t)
		}
	}
	before := lts.State(m.NumStates())
	b.Add(before, b.Label(label), m.Initial())
	return b.Build(before, int(before)+1)
}

// checkContext returns the error of ctx if it is done. It looks only in every 4096th round, since this
// takes longer than most rounds do.
func checkContext[N ~int | ~uint32](ctx context.Context, round N) error {
	if round%4096 != 0 {
		return nil
	}
	return ctx.Err()
}

// removeAddedStates removes the states before initial states from the result of a comparison.
func (d *disjointUnion) removeAddedStates(b *Behaviour) {
	if d.beforeLabel == "" {
		return
	}
	// The run and the formula begin with the label that leads to the initial states.
	firstStep := "<" + actl.Quoted(d.beforeLabel) + "> "
	if b.Run != nil && len(b.Run.Run) > 0 {
		b.Run.Run = b.Run.Run[1:]
	}
	// A formula holds in a model if it holds in each initial state. A formula about some initial
	// state cannot be written without the added state, and is dropped.
	if rest, ok := strings.CutPrefix(b.Formula, "!"+firstStep); ok {
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
		added := d.latest.Initial()
		if c.Kind == Removed {
			added = d.old.Initial()
		}
		c.Begins = c.Transition.From == added
	}
}

// buildUnion builds the model of the union unless it is built already.
func (d *disjointUnion) buildUnion(ctx context.Context) error {
	if d.union != nil {
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
			if err := checkContext(ctx, s); err != nil {
				return err
			}
			labels, targets := v.Out(s)
			for i, t := range targets {
				b.Add(s+v.offset, v.labelNumber[labels.At(i)], t+v.offset)
			}
		}
	}
	rootText := "begin"
	for slices.Contains(d.texts, rootText) {
		rootText += "'"
	}
	d.rootLabel = b.Label(rootText)
	root := lts.State(states - 1)
	b.Add(root, d.rootLabel, d.old.Initial())
	b.Add(root, d.rootLabel, d.latest.Initial()+d.latest.offset)
	m, err := b.Build(root, states)
	if err != nil {
		return err
	}
	d.union = m
	return nil
}

func (d *disjointUnion) block(side Side, s lts.State) lts.State {
	b, _ := d.blocks.Block(s + d.version(side).offset)
	return b
}

// sketchRounds is the length of the paths that the sketch of a state takes into account.
const sketchRounds = 4

// sketchOf returns a number for a state that is the same for equivalent states, and differs for
// most states that can soon do different labels. If it is called for many states, it computes the
// numbers of all states at once, so that all calls together cost O(S + T).
func (d *disjointUnion) sketchOf(ctx context.Context, side Side, s lts.State) (uint64, error) {
	v := d.version(side)
	if v.sketch == nil {
		if sketch, few := d.sketchOfOne(v, s, sketchRounds); few {
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

// sketches returns the sketches of all states. After each round, the sketch of a state takes into account
// paths that are one transition longer.
func (v *version) sketches(ctx context.Context) ([]uint64, error) {
	current, err := resources.Make[uint64](ctx, v.NumStates())
	if err != nil {
		return nil, err
	}
	next, err := resources.Make[uint64](ctx, v.NumStates())
	if err != nil {
		return nil, err
	}
	for range sketchRounds {
		for s := range lts.State(v.NumStates()) {
			if err := checkContext(ctx, s); err != nil {
				return nil, err
			}
			labels, targets := v.Out(s)
			x := newSketcher()
			for k, t := range targets {
				x.add(v.labelNumber[labels.At(k)], current[t])
			}
			next[s] = x.sketch()
		}
		current, next = next, current
	}
	return current, nil
}

// sketchOfOne returns the sketch of one state after the given number of rounds. It visits the paths of
// this length from the state. few is false if all calls together have visited too many transitions.
func (d *disjointUnion) sketchOfOne(v *version, s lts.State, rounds int) (sketch uint64, few bool) {
	if rounds == 0 {
		return 0, true
	}
	labels, targets := v.Out(s)
	d.sketchWork += len(targets)
	if d.sketchWork > (d.old.NumTransitions()+d.latest.NumTransitions())/64 {
		return 0, false
	}
	next := newSketcher()
	for k, t := range targets {
		target, few := d.sketchOfOne(v, t, rounds-1)
		if !few {
			return 0, false
		}
		next.add(v.labelNumber[labels.At(k)], target)
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
