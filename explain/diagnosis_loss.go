package explain

import (
	"context"
	"slices"
	"sort"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
)

// mostForDiagnosis is the number of states of a property, times that of the states and
// transitions of a model, above which [Check] makes no diagnosis of a property without
// steps: it takes the unfolded model.
const mostForDiagnosis = mostForAdvice

// diagnoseChecked makes the diagnosis of a check, which has no classes of transitions; nil if
// that would take long.
func (v violation) diagnoseChecked(ctx context.Context) (*Diagnosis, error) {
	a := v.a
	var loss *Loss
	var err error
	switch {
	case a.Fates != nil:
		loss, err = v.lossByFates(ctx)
	case a.inSteps():
		if !v.isStarvedOfLastStep() {
			loss, err = v.lossOfSteps(ctx)
		}
	case int64(a.Property.States())*(int64(a.m.NumStates())+int64(a.m.NumTransitions())) > mostForDiagnosis:
		return nil, nil
	default:
		loss, err = v.lossOfTable(ctx)
	}
	if err != nil {
		return nil, err
	}
	return v.diagnose(ctx, loss)
}

// lossOfTable finds out where the run is lost, for a property without steps; nil if it never is. Cost as for
// [fate.Losses].
func (v violation) lossOfTable(ctx context.Context) (*Loss, error) {
	var lost func(lts.State, property.Q) bool
	err := v.a.phase("enrich", func() (err error) {
		lost, err = fate.Losses(ctx, v.a.m, v.a.Property)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v.firstLoss(lost), nil
}

// firstLoss returns where the run is lost, nil if it never is: once it is, it stays so.
func (v violation) firstLoss(lost func(lts.State, property.Q) bool) *Loss {
	t := v.trace
	steps := sort.Search(t.Len()+1, func(i int) bool {
		if i == 0 {
			return lost(t.Initial(), t.At(0))
		}
		return lost(t.Step(i-1).To, t.At(i))
	})
	if steps > t.Len() {
		return nil
	}
	return &Loss{Steps: steps}
}

// lossByFates finds out where the run is lost, by the fates.
func (v violation) lossByFates(ctx context.Context) (*Loss, error) {
	steps := slices.Index(simplify.Fates(v.trace, v.a.Fates), simplify.Fated)
	if steps < 0 {
		return nil, nil
	}
	return v.lossAfter(ctx, steps)
}

// isStarvedOfLastStep reports whether the last step of a property with steps is possible on the loop, so
// that nothing is lost: what most loops show at a glance.
func (v violation) isStarvedOfLastStep() bool {
	p := v.a.Property
	start, loops := v.trace.LoopStart()
	if !loops || v.told.Done+1 < p.Steps() {
		return false
	}
	for i := start; i < v.trace.Len(); i++ {
		labels, _ := v.a.m.Out(v.trace.Step(i).From)
		if labels.Any(func(l lts.Label) bool { return p.Does(l, p.Steps()) }) {
			return true
		}
	}
	return false
}
