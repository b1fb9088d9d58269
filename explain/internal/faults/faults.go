// Package faults counts how many faults, which are transitions with some labels, a violation takes.
// Every number is the smallest, from a search of the whole product of model and property.
package faults

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Faults has the least number of faults on a violating run, and the least number of faults after
// which the property is lost.
type Faults struct {
	// If Finite is set, Least is the smallest number of faults on a violating run. Otherwise each
	// violating run has infinitely many faults.
	Least  int
	Finite bool
	// If Loses is set, Lost is the smallest number of faults after which no run satisfies the
	// property.
	Lost  int
	Loses bool
}

// mostPairs is the largest number of Rabin pairs that a complement may have.
const mostPairs = 1 << 10

// Least returns the smallest number of faults on a run that counts and violates the property of
// fates. It searches breadth first by the number of faults, for one of three ends: a run ends and
// violates the property; a run is a bad prefix; or a product state is reached from which a run
// without faults violates the property. Cost O(n (S + T)) for n property states, and as for
// [product.Unfolding.Recurring] for each pair of the complement of the condition. For a property of
// few states, without fairness and colours that must recur, Least makes some passes through the
// model instead; they take three words and 4 bytes for each state of the model.
func Least(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*Faults, error) {
	found, err := inWords(ctx, fates, isFault)
	if err != nil || found != nil {
		return found, err
	}
	return inProduct(ctx, fates, isFault)
}

// inProduct is [Least] by a search of the product.
func inProduct(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*Faults, error) {
	f, err := newFaultSearch(ctx, fates, isFault)
	if err != nil {
		return nil, err
	}
	if err := f.findEnds(ctx); err != nil {
		return nil, err
	}
	if err := f.findLoops(ctx); err != nil {
		return nil, err
	}
	return f.nearest(ctx)
}

// nearest searches breadth first, by the number of faults, for the nearest target and the nearest
// product state where the property is lost.
func (f *faultSearch) nearest(ctx context.Context) (*Faults, error) {
	visited := bitset.New[lts.State](f.m.NumStates())
	found := &Faults{}
	reached := []lts.State{f.m.Initial()} // by the present number of faults
	work := 0
	for faults := 0; len(reached) > 0; faults++ {
		var level []lts.State
		for _, s := range reached {
			if !visited.Has(s) {
				visited.Add(s)
				level = append(level, s)
			}
		}
		reached = nil
		for i := 0; i < len(level); i++ { // level grows meanwhile
			work++
			if err := cores.Done(ctx, work); err != nil {
				return nil, err
			}
			s := level[i]
			at := f.u.At(s)
			if !found.Loses && f.fates.At(at.State, at.Q) == fate.Lost {
				found.Lost = faults
				found.Loses = true
			}
			if f.target.Has(s) {
				found.Least = faults
				found.Finite = true
				return found, nil
			}
			level, reached = f.addSuccessors(s, visited, level, reached)
		}
	}
	return found, nil
}

// addSuccessors adds the successors of a product state that are not visited yet: to level, which it marks as
// visited, or, where the transition is a fault, to reached.
func (f *faultSearch) addSuccessors(
	s lts.State,
	visited bitset.Set[lts.State],
	level, reached []lts.State,
) (longerLevel, longerReached []lts.State) {
	labels, targets := f.m.Out(s)
	for i, t := range targets {
		switch {
		case visited.Has(t) || !f.admits(t):
		case f.isFault(labels.At(i)):
			reached = append(reached, t)
		default:
			visited.Add(t)
			level = append(level, t)
		}
	}
	return level, reached
}

func newFaultSearch(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*faultSearch, error) {
	u, err := fates.Unfold(ctx)
	if err == nil && u == nil {
		u, err = product.Unfold(ctx, fates.LTS(), fates.Property())
	}
	if err != nil {
		return nil, err
	}
	return &faultSearch{
		u:       u,
		fates:   fates,
		m:       u.LTS(),
		isFault: isFault,
	}, nil
}

// satisfiable returns a function that reports whether a property state accepts some word. If the
// initial state accepts no word, the function always returns true, so that no prefix counts as bad.
func satisfiable(ctx context.Context, p *property.Property) (func(property.Q) bool, error) {
	words, err := product.ResidualsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	if words.CanAccept(p.Initial()) {
		return words.CanAccept, nil
	}
	return func(property.Q) bool { return true }, nil
}

// faultSearch is a search for faults in the product.
type faultSearch struct {
	u       *product.Unfolding
	fates   *fate.Map
	m       *lts.LTS
	isFault func(lts.Label) bool
	// target has the product states from which a run violates the property without a further fault.
	target bitset.Set[lts.State]
}

// findEnds finds the product states where a run ends and violates the property, and those after a
// bad prefix.
func (f *faultSearch) findEnds(ctx context.Context) error {
	n := f.m.NumStates()
	if err := resources.AskFor[uint8](ctx, n/8); err != nil {
		return err
	}
	f.target = bitset.New[lts.State](n)
	p := f.u.Property()
	canAccept, err := satisfiable(ctx, p)
	if err != nil {
		return err
	}
	for s := range lts.State(n) {
		q := f.u.At(s).Q
		violatesByEnding := f.m.IsDeadlock(s) && !p.Stops(q)
		if violatesByEnding || !canAccept(q) {
			f.target.Add(s)
		}
	}
	return nil
}

// findLoops finds the product states on loops without faults that violate the property.
func (f *faultSearch) findLoops(ctx context.Context) error {
	complement := f.u.Property().Acceptance().Not()
	pairs, few := complement.Pairs(mostPairs)
	needsColour := func(pair property.Pair) bool { return pair.Inf != 0 }
	if f.fates.Fairness() == nil && few && !slices.ContainsFunc(pairs, needsColour) {
		return f.findLoopsWithout(ctx, pairs)
	}
	fair, err := f.fairWithoutFaults()
	if err != nil {
		return err
	}
	components, err := scc.Find(ctx, f.m, "iterative")
	if err != nil {
		return err
	}
	switch {
	case fair.Full():
		return f.findFairComponents(ctx, components, fair)
	case !few:
		return property.NotChainError{
			Property: f.u.Property().String(),
			What:     "a number of faults",
		}
	}
	for _, pair := range pairs {
		part, _, err := f.u.Recurring(ctx, components, pair.Fin, pair.Inf, fair)
		if err != nil {
			return err
		}
		for s := range part {
			if part[s] > 0 {
				f.target.Add(lts.State(s))
			}
		}
	}
	return nil
}

// findFairComponents is findLoops under full fairness: a fair run takes all transitions of the component where it
// stays.
func (f *faultSearch) findFairComponents(
	ctx context.Context,
	components *scc.Components,
	fair *property.Fairness,
) error {
	complement := f.u.Property().Acceptance().Not()
	violating, err := f.u.AcceptingUnder(ctx, components, complement, fair)
	if err != nil {
		return err
	}
	for i, violates := range violating {
		if violates {
			f.addTargets(components.States(scc.Component(i)))
		}
	}
	return nil
}

// findLoopsWithout is findLoops for the case in which all runs count and no pair demands a colour.
// A loop then violates the property if it avoids the colours that some pair excludes.
func (f *faultSearch) findLoopsWithout(ctx context.Context, pairs []property.Pair) error {
	for _, pair := range pairs {
		keeps := func(from lts.State, l lts.Label, _ lts.State) bool {
			return !f.isFault(l) && f.u.Marks(from, l)&pair.Fin == 0
		}
		err := scc.Within(ctx, f.m, keeps, func(states []lts.State, cyclic bool) {
			if cyclic {
				f.addTargets(states)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *faultSearch) addTargets(states []lts.State) {
	for _, s := range states {
		f.target.Add(s)
	}
}

// fairWithoutFaults returns the fairness of the fates, with the addition that faults occur finitely
// often.
func (f *faultSearch) fairWithoutFaults() (*property.Fairness, error) {
	fairness := f.fates.Fairness()
	a := f.m.Alphabet()
	var rare []lts.Label
	for l := range a.All() {
		if f.isFault(l) || fairness != nil && fairness.Rare(l) {
			rare = append(rare, l)
		}
	}
	if fairness == nil {
		return property.NewFairness(a, false, nil, rare)
	}
	return fairness.Finitely(a, rare)
}

func (f *faultSearch) admits(t lts.State) bool {
	at := f.u.At(t)
	return f.fates.AdmitsFrom(at.State, at.Q)
}
