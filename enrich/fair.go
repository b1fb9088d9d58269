package enrich

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/fairset"
)

// FairSets finds where a run can stay for ever under a fairness assumption: the
// strongly connected sets of transitions that a fair run can take infinitely
// often. It is for one goroutine.
type FairSets struct {
	ctx   context.Context
	c     *scc.Components
	f     *property.Fairness
	parts *scc.Parts
	tasks *fairset.Tasks
	// bottom[i] reports whether no transition leaves component i; it is only set
	// under full fairness.
	bottom []bool
}

// NewFairSets returns a search in the model of c under f. It uses the search
// parts, which must not be in use elsewhere; nil makes a new one. It fails if the
// budget of ctx is used up. Cost O(S).
func NewFairSets(ctx context.Context, c *scc.Components, f *property.Fairness, parts *scc.Parts) (_ *FairSets, err error) {
	defer abort.Caught(&err)
	if parts == nil {
		parts = abort.Must(scc.NewParts(ctx, c.LTS()))
	}
	tasks := abort.Must(fairset.NewTasks(ctx, c.LTS(), f, parts, nil))
	x := &FairSets{ctx: ctx, c: c, f: f, parts: parts, tasks: tasks}
	if f.Full() {
		x.findBottom()
	}
	return x, nil
}

func (x *FairSets) findBottom() {
	x.bottom = make([]bool, x.c.Len())
	for i := range x.bottom {
		x.bottom[i] = true
		for _, s := range x.c.States(scc.Component(i)) {
			if x.c.Leaves(s) {
				x.bottom[i] = false
				break
			}
		}
	}
}

// Hidden returns the labels for which the function hides returns true, and the
// labels assumed to occur finitely often. Cost one call a label.
func (x *FairSets) Hidden(hides func(lts.Label) bool) bitset.Set[lts.Label] {
	hidden := bitset.New[lts.Label](x.c.LTS().Alphabet().Len())
	for l := range x.c.LTS().Alphabet().All() {
		if x.f.Rare(l) || hides(l) {
			hidden.Add(l)
		}
	}
	return hidden
}

// In yields the largest fair strongly connected sets of states of component i,
// one at a time, until yield returns false. Transitions with hidden labels, as
// [FairSets.Hidden] returns them, do not count. states are all states of the
// component. It fails if the context is done.
//
// Refinement: without the hidden transitions the component falls into parts. If
// all states of a part enable a weak task that the part does not take, the part
// is dropped, since no subset is fair. States that enable a strong task that
// their part does not take are removed, with the consequences, and the remaining
// states are searched again. Cost O((k+1)(S + T)) for k strong tasks.
func (x *FairSets) In(i scc.Component, states []lts.State, hidden bitset.Set[lts.Label], yield func([]lts.State) (more bool)) (err error) {
	defer abort.Caught(&err)
	shows := func(_ lts.State, l lts.Label, _ lts.State) bool { return !hidden.Has(l) }
	if x.f.Full() {
		x.full(i, states, shows, yield)
		return nil
	}
	work := [][]lts.State{abort.Must(x.tasks.WithoutHidden(states, hidden))}
	for len(work) > 0 {
		part := work[len(work)-1]
		work = work[:len(work)-1]
		for set := range abort.Must(x.parts.Without(part, hidden)) {
			if !x.tasks.Count(set, shows) {
				continue
			}
			left, given, err := x.tasks.Shrink(set, shows)
			abort.On(err)
			switch {
			case given:
			case len(left) == len(set):
				if !yield(set) {
					return nil
				}
			case len(left) > 0:
				work = append(work, left)
			}
		}
	}
	return nil
}

// full is [FairSets.In] under full fairness: a run that is fully fair takes every
// transition of a bottom component infinitely often.
func (x *FairSets) full(i scc.Component, states []lts.State, shows func(lts.State, lts.Label, lts.State) bool, yield func([]lts.State) bool) {
	if !x.bottom[i] || !x.c.IsCyclic(i) {
		return
	}
	for _, s := range x.c.States(i) {
		labels, targets := x.c.LTS().Out(s)
		for j, t := range targets {
			if !shows(s, labels.At(j), t) {
				return
			}
		}
	}
	yield(states)
}

// fairSuffixes is MINSUFFIXLOOP under fairness: every state of a component gets the
// least m such that it lies in a fair strongly connected set without labels of step
// n-m; n where there is none.
type fairSuffixes struct {
	*pass
	sets *FairSets
	// hidden[m] are the labels of step n-m, as [FairSets.Hidden] returns them;
	// nil until they are needed.
	hidden []bitset.Set[lts.Label]
}

func (x *fairSuffixes) minSuffixLoop(i scc.Component, cs *levels) {
	left := x.c.States(i)
	x.stepsInside(left)
	for m := 0; m < x.n && len(left) > 0; m++ {
		if x.hidden[m] == nil {
			x.hidden[m] = x.sets.Hidden(func(l lts.Label) bool { return x.p.Does(l, x.n-m) })
		}
		abort.On(x.sets.In(i, left, x.hidden[m], func(set []lts.State) bool {
			for _, s := range set {
				cs.set(s, m)
			}
			return true
		}))
		if !x.present[x.n-m] {
			return // all sets have been found: other steps only leave fewer transitions
		}
		var rest []lts.State
		for _, s := range left {
			if cs.at(s) == x.n {
				rest = append(rest, s)
			}
		}
		left = rest
	}
}

// admit finds the components from which some run counts: it reaches a deadlock,
// or a fair set without the labels assumed to occur finitely often. It returns
// nil if all do.
func admit(ctx context.Context, c *scc.Components, f *property.Fairness) []bool {
	if f == nil || !f.Excludes() {
		return nil
	}
	sets := abort.Must(NewFairSets(ctx, c, f, nil))
	admitted := make([]bool, c.Len())
	rare := sets.Hidden(func(lts.Label) bool { return false })
	for i := c.Len() - 1; i >= 0; i-- {
		states := c.States(scc.Component(i))
		for _, s := range states {
			_, targets := c.LTS().Out(s)
			admitted[i] = admitted[i] || f.MayEnd(c.LTS(), s)
			for _, t := range targets {
				to, _ := c.Of(t)
				admitted[i] = admitted[i] || int(to) != i && admitted[to]
			}
		}
		if !admitted[i] && c.IsCyclic(scc.Component(i)) {
			abort.On(sets.In(scc.Component(i), states, rare, func([]lts.State) bool {
				admitted[i] = true
				return false
			}))
		}
	}
	return admitted
}

// Admits reports whether some run of the model of c counts under f: true unless
// labels are assumed to occur finitely often. It fails if ctx is done. Cost as
// for [FairSets.In].
func Admits(ctx context.Context, c *scc.Components, f *property.Fairness) (is bool, err error) {
	defer abort.Caught(&err)
	admitted := admit(ctx, c, f)
	i, _ := c.Of(c.LTS().Initial())
	return admitted == nil || admitted[i], nil
}
