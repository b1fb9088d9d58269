package compare

import (
	"cmp"
	"context"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
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
	d.divide(ctx)
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
		completed(func() { b.Run = d.partStates(ctx, o.limit()) })
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
