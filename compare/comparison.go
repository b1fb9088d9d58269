package compare

import (
	"strings"

	"github.com/inev-lts/inev/explain"
)

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
