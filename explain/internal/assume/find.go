package assume

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Question is what [Find] is asked about a violated property.
type Question struct {
	// Conditions are the conditions that the formula joins, whose products are smaller than the
	// product of the property, or not needed; nil without such conditions.
	Conditions []*property.Property
	// Just is justness; nil if the components that an action needs are not known.
	Just *property.Fairness
	// Sets asks for assumptions within Limits.
	Sets   bool
	Limits Limits
	// Size is the largest number of states and transitions that one question may visit at least,
	// Unfolded the largest number of transitions of products that may have to be made.
	Size, Unfolded int64
}

// Answers are which assumptions make a property true.
type Answers struct {
	// Deadlock reports whether a run into a deadlock violates the property: then no assumption helps.
	Deadlock bool
	// The property holds on all runs that are weakly or strongly fair to each label, fully fair, and
	// just.
	Weak, Strong, Full, Just bool
	// Doomed is the nearest product state from where almost no run satisfies the property; nil with
	// Full, and if it is not known.
	Doomed *Doomed
	// Finitely has the minimal sets of labels that must be done finitely often, StrongSets and WeakSets
	// have the minimal sets that fairness must be about.
	Finitely, StrongSets, WeakSets Found
	// Choices are nil if full fairness is not enough, and for a property that is no chain.
	Choices *Choices
}

// ErrUnfolded reports that the products that Find needs are too large.
var ErrUnfolded = errors.New("assume: the products are too large")

// Find returns which assumptions would make the property of some fates true; nil if one question
// would visit more than q.Size. All runs must count for the fates. It fails with [ErrUnfolded], if
// ctx is done, and with the errors of q.Conditions. Cost as for [Search.Violates], and for each kind of
// assumption as much as its limit.
func Find(ctx context.Context, fates *fate.Map, q Question) (_ *Answers, err error) {
	defer abort.Caught(&err)
	joined := violatedParts(ctx, fates, q)
	unfolded := int64(0)
	for _, part := range joined {
		if !InModel(part) {
			unfolded += UnfoldedSize(part)
		}
	}
	if unfolded > q.Unfolded {
		return nil, ErrUnfolded
	}
	search, err := Of(ctx, joined...)
	switch {
	case errors.Is(err, ErrDeadlock):
		return &Answers{Deadlock: true}, nil
	case errors.Is(err, ErrManyPairs):
		return nil, nil
	case err != nil || search.Size() > q.Size:
		return nil, err
	}
	return search.Answers(fates, q)
}

// violatedParts returns the fates of properties such that a run violates one of them if and only if
// it violates the property of fates. They are fates alone, if the violations can be found in the
// model; otherwise the fates of the conditions that do not hold. Cost as for [fate.Compute] for each
// condition.
func violatedParts(ctx context.Context, fates *fate.Map, q Question) (joined []*fate.Map) {
	if InModel(fates) {
		return []*fate.Map{fates}
	}
	for _, p := range q.Conditions {
		if part := abort.Must(fate.Compute(ctx, fates.Components(), p, enrich.Options{})); !part.Holds() {
			joined = append(joined, part)
		}
	}
	if len(joined) == 0 {
		joined = append(joined, fates)
	}
	return joined
}

// UnfoldedSize returns the number of transitions of the product; 0 if the product exists already, or
// is not needed. Cost O(S).
func UnfoldedSize(fates *fate.Map) (transitions int64) {
	if _, known := fates.Unfolding(); known {
		return 0
	}
	for s := range lts.State(fates.LTS().NumStates()) {
		reached, _, _ := fates.Histories(s)
		first, end := fates.LTS().Row(s)
		transitions += int64(reached) * int64(end-first)
	}
	return transitions
}

// Answers answers all questions of [Find].
func (v *Search) Answers(fates *fate.Map, q Question) (_ *Answers, err error) {
	defer abort.Caught(&err)
	a := &Answers{}
	isChain := fates.Property().Steps() > 0
	v.notions(a)
	a.Just = a.Full && q.Just != nil && !v.violates(q.Just)
	if !a.Full {
		a.Doomed = v.doomed()
		switch {
		case a.Doomed != nil || UnfoldedSize(fates) > q.Unfolded:
		case isChain:
			a.Doomed = doomedOnChain(v.ctx, fates)
		default:
			a.Doomed = doomedInProduct(v.ctx, fates)
		}
	}
	if !q.Sets {
		return a, nil
	}
	a.Finitely = abort.Must(v.Finitely(q.Limits))
	if a.Strong {
		a.StrongSets = abort.Must(v.FairLabels(true, q.Limits))
	}
	if a.Weak {
		a.WeakSets = abort.Must(v.FairLabels(false, q.Limits))
	}
	if a.Full && isChain {
		choices := abort.Must(v.FairChoices(q.Limits))
		a.Choices = &choices
	}
	return a, nil
}

// notions finds the verdict under each notion of fairness. A property that fails under one notion
// fails under all weaker ones.
func (v *Search) notions(a *Answers) {
	labels := v.alphabet()
	each := func(strong bool) []property.Task {
		tasks := make([]property.Task, labels.Len())
		for l := range labels.All() {
			tasks[l] = property.Task{Labels: []lts.Label{l}, Strong: strong}
		}
		return tasks
	}
	for _, notion := range []struct {
		full  bool
		tasks []property.Task
		holds *bool
	}{{true, nil, &a.Full}, {false, each(true), &a.Strong}, {false, each(false), &a.Weak}} {
		if v.violates(abort.Must(property.NewFairness(labels, notion.full, notion.tasks, nil))) {
			return
		}
		*notion.holds = true
	}
}
