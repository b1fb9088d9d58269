package compare

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// By is an equivalence of models.
type By string

// The equivalences.
const (
	Strong    By = "strong"    // strong bisimilarity
	Branching By = "branching" // divergence-preserving branching bisimilarity
)

// DefaultLimit is how many steps of work are spent on finding what parts two models, if the
// options do not say.
const defaultLimit = 50_000_000

// Options say how models are compared. The zero value is the default.
type Options struct {
	// Hides selects the labels that are internal; nil for none. With any the models are
	// compared by branching bisimilarity, else by strong bisimilarity.
	Hides func(label string) bool
	// Limit bounds the search for what parts the models, in transitions looked at; 0 is
	// [DefaultLimit]. The verdict does not depend on it.
	Limit int64
	// NoStrange reports that nobody asks for Behaviour.Strange: models that a run parts can then be
	// compared without finding out which states are equivalent.
	NoStrange bool
	// worth is worthStates, but in tests.
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

// Side is one of two versions.
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

// Size is how large a version is, as far as it can be reached.
type Size struct {
	States, Transitions int
}

// Behaviour is how the behaviour of two models differs.
type Behaviour struct {
	By    By
	Alike bool
	Old   Size
	New   Size
	// Added and Gone are the labels that only the new, only the old model does, in the order
	// of their alphabets.
	Added, Gone []string
	// Run is nil if the models are alike, and where no run parts them or none was found.
	Run *Parting
	// Formula holds in the old model and not in the new one, in the syntax of package ctl; ""
	// if they are alike, and where none was found.
	Formula string
	// Depth is how many modalities of Formula stand within each other.
	Depth int
	// Edit is one way to get the new model from the old one; nil if none was found that is
	// shorter than to tell both models.
	Edit *Edit
	// Strange is how many reachable states of the new model are equivalent to no state of the
	// old one; one of them is the initial state, if there are any. It is negative if it was not
	// found out.
	Strange int
	// Complete is false if the search for Run was cut off.
	Complete bool
}

// Parting is a shortest run that both models can do, after which one of them can do a label
// and the other cannot.
type Parting struct {
	Run   []string
	Only  Side
	Label string
}

// Models compares the behaviour of two versions of a model. It fails if ctx is done, or if
// the versions together have too many states. The cost is that of a quotient of both together,
// then O(S + T), and what Options.Limit allows; O(S + T) in all if the models are the same but for
// the numbers of states.
func Models(ctx context.Context, old, latest *lts.LTS, o Options) (*Behaviour, error) {
	x, err := begin(ctx, old, latest)
	if err != nil {
		return nil, err
	}
	b, err := models(ctx, x, o)
	if err != nil {
		return nil, err
	}
	b.Old, b.New = sizeOf(old), sizeOf(latest)
	x.strip(b)
	return b, nil
}

// models is [Models], from what stands before the states where runs begin; without sizes.
func models(ctx context.Context, x begun, o Options) (*Behaviour, error) {
	old, latest := x.old, x.latest
	if same, err := sameInOrder(ctx, old, latest); err != nil || same {
		return &Behaviour{By: o.by(), Alike: true, Edit: &Edit{}, Complete: true}, err
	}
	u, err := newUnion(x)
	if err != nil {
		return nil, err
	}
	b := &Behaviour{By: o.by(), Complete: true}
	b.Added, b.Gone = u.added, u.gone
	d := &divided{union: u, by: b.By, hides: o.hides}
	if parted, err := d.partSoon(ctx, b, o); err != nil || parted {
		return b, err
	}
	if err := d.divide(ctx); err != nil {
		return nil, err
	}
	first, second := d.block(Old, old.Initial()), d.block(New, latest.Initial())
	b.Alike = first == second
	if b.Edit, _, err = editOf(ctx, d); err != nil {
		return nil, err
	}
	if b.Alike {
		return b, nil
	}
	b.Strange = d.strange()
	if x.label != "" && b.Strange > 0 {
		b.Strange-- // what stands before the initial states, which part the models
	}
	if b.Run == nil {
		b.Run, err = d.part(ctx, first, second, o.limit())
	}
	switch {
	case errors.Is(err, errLimit):
		b.Complete = false
	case err != nil:
		return nil, err
	}
	return b, d.formula(ctx, b, first, second, o.limit())
}

// worthStates is a number of transitions of both models: if there are as many, a run that parts them is
// looked for before blocks are.
const worthStates = 1 << 14

// partSoon looks for a run that parts the models without their blocks, and completes the comparison
// if that is all that is asked for.
func (d *divided) partSoon(ctx context.Context, b *Behaviour, o Options) (done bool, err error) {
	if o.Hides != nil || d.old.NumTransitions()+d.latest.NumTransitions() < cmp.Or(o.worth, worthStates) {
		return false, nil
	}
	var edit *Edit
	if o.NoStrange {
		var a *aligner
		if edit, a, err = editOf(ctx, d); err != nil {
			return false, err
		}
		if edit != nil && edit.size() == 0 {
			b.Alike, b.Edit = true, edit
			return true, nil
		}
		if edit != nil && a != nil {
			if b.Run, err = a.part(ctx, o.limit()); err != nil {
				return false, err
			}
		}
	}
	if b.Run == nil {
		b.Run, err = d.partStates(ctx, o.limit())
		if err != nil && !errors.Is(err, errLimit) {
			return false, err
		}
	}
	if b.Run == nil || !o.NoStrange {
		return false, nil
	}
	b.Edit, b.Strange = edit, -1
	return true, d.formula(ctx, b, 0, 0, o.limit())
}

func sizeOf(m *lts.LTS) Size {
	states, transitions := m.Size()
	return Size{states, transitions}
}

// done returns the texts of the labels of reachable transitions, in the order of the
// alphabet, but for those that lead to where runs begin.
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

// missing returns the labels that one version does and another one does not.
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

// Comparison is all that a report says about two versions.
type Comparison struct {
	// OldFile and NewFile are the names of the models.
	OldFile, NewFile string
	Behaviour        *Behaviour
	// Formula is the property as it was written, and Versions what they have to do with it; ""
	// and nil if none was asked about.
	Formula  string
	Versions *Versions
	Warnings []string
	Timings  explain.Phases
	Cost     *explain.Cost
}

// Names returns the names of the models without the folders that both begin with.
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

// Matters reports whether the versions differ in what was asked: without a property, in their
// behaviour; else whether the new version violates it, and the old one satisfies it or cannot
// do the counterexample.
func (c *Comparison) Matters() bool {
	if c.Versions == nil {
		return !c.Behaviour.Alike
	}
	v := c.Versions
	return v.New.Verdict == explain.Violated && (v.Old.Verdict == explain.Satisfied || !v.Divergence.Follows)
}

// Cause is a change that the counterexample of the new version meets: a step that is one of
// the changed transitions, or a stop in a state that lost one.
type Cause struct {
	Change Change
	Step   int // the index of the step, the length of the run at a stop
}

// Cause returns the change that explains a new violation best: the first changed transition on
// the run, else a transition that is gone where the run stops, else one that is gone in a
// state of the run; false if there is none such, or no property.
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

// renamed returns the first step that has another name in the old version.
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
