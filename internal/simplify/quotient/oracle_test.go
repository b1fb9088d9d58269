package quotient_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// bisimulation is a relation between the reachable states of a small model.
type bisimulation struct {
	m          *lts.LTS
	hidden     func(lts.Label) bool
	divergence bool
	related    [][]bool
}

// bisimilar returns the coarsest divergence-preserving branching bisimulation,
// with divergence unset the coarsest branching bisimulation, in the plainest way.
// From the relation of all pairs (with equal keys), it removes those of which one
// state can do something within its class that the other cannot, until nothing
// changes. No bisimilar states are ever parted: what one does through states of
// its class, the other does through states bisimilar to these, which are in the
// class still. That what remains is a bisimulation is checked against the
// definition (van Glabbeek, Luttik, Trčka: Branching bisimilarity with explicit
// divergence, Fundamenta Informaticae 93, 2009).
func bisimilar(m *lts.LTS, hidden func(lts.Label) bool, divergence bool, apart func(lts.State) uint32) ([][]bool, error) {
	n := m.NumStates()
	x := &bisimulation{m: m, hidden: hidden, divergence: divergence, related: newRelation(n)}
	each := func(do func(s, t lts.State)) {
		for s := range n {
			for t := range n {
				do(lts.State(s), lts.State(t))
			}
		}
	}
	each(func(s, t lts.State) {
		x.related[s][t] = m.Reachable().Has(s) && m.Reachable().Has(t) && (apart == nil || apart(s) == apart(t))
	})
	for changed := true; changed; {
		changed = false
		finer := newRelation(n)
		each(func(s, t lts.State) {
			finer[s][t] = x.related[s][t] && maps.Equal(x.abilities(s), x.abilities(t))
			changed = changed || finer[s][t] != x.related[s][t]
		})
		x.related = finer
	}
	var err error
	each(func(s, t lts.State) {
		if x.related[s][t] && !x.simulates(s, t) {
			err = fmt.Errorf("the oracle relates %d to %d, which cannot do the same", s, t)
		}
	})
	return x.related, err
}

func newRelation(n int) [][]bool {
	r := make([][]bool, n)
	for s := range r {
		r[s] = make([]bool, n)
	}
	return r
}

// ability is to go by a label to a state of the class whose smallest state is to;
// hidden labels are all one, divergence is another.
type ability struct {
	label int
	to    int
}

const (
	hiddenAbility     = -1
	divergenceAbility = -2
)

// abilities returns what s can do after hidden transitions within its class, but
// for those.
func (x *bisimulation) abilities(s lts.State) map[ability]bool {
	in := func(u lts.State) bool { return x.related[s][u] }
	can := make(map[ability]bool)
	for _, u := range x.hiddenWithin(s, in) {
		labels, targets := x.m.Out(u)
		for i, t := range targets {
			to := slices.Index(x.related[t], true)
			hidden := x.hidden(labels.At(i))
			switch {
			case hidden && !in(t):
				can[ability{hiddenAbility, to}] = true
			case !hidden:
				can[ability{int(labels.At(i)), to}] = true
			}
		}
	}
	if x.divergence && x.diverges(s, s) {
		can[ability{label: divergenceAbility}] = true
	}
	return can
}

// simulates reports whether t can do what s can, by the definition.
func (x *bisimulation) simulates(s, t lts.State) bool {
	// t comes to these by hidden transitions through states related to s.
	through := x.hiddenWithin(t, func(u lts.State) bool { return x.related[s][u] })
	labels, targets := x.m.Out(s)
	for i, next := range targets {
		if x.hidden(labels.At(i)) && x.related[next][t] {
			continue
		}
		if !slices.ContainsFunc(through, func(u lts.State) bool { return x.answers(u, labels.At(i), next) }) {
			return false
		}
	}
	return !x.divergence || !x.diverges(s, s) || x.diverges(t, s)
}

func (x *bisimulation) answers(u lts.State, l lts.Label, next lts.State) bool {
	labels, targets := x.m.Out(u)
	for i, to := range targets {
		if (labels.At(i) == l || x.hidden(l) && x.hidden(labels.At(i))) && x.related[next][to] {
			return true
		}
	}
	return false
}

// hiddenWithin returns t and the states that it comes to by hidden transitions
// through states of which in is true.
func (x *bisimulation) hiddenWithin(t lts.State, in func(lts.State) bool) []lts.State {
	met := []lts.State{t}
	for i := 0; i < len(met); i++ {
		labels, targets := x.m.Out(met[i])
		for j, u := range targets {
			if x.hidden(labels.At(j)) && in(u) && !slices.Contains(met, u) {
				met = append(met, u)
			}
		}
	}
	return met
}

// diverges reports whether hidden transitions lead from t forever through states
// related to s.
func (x *bisimulation) diverges(t, s lts.State) bool {
	in := func(u lts.State) bool { return x.related[s][u] }
	for _, u := range x.hiddenWithin(t, in) {
		labels, targets := x.m.Out(u)
		for i, v := range targets {
			if x.hidden(labels.At(i)) && in(v) && slices.Contains(x.hiddenWithin(v, in), u) {
				return true
			}
		}
	}
	return false
}
