package argument

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/ctl/internal/logic"
	"github.com/inev-lts/inev/ctl/wmc"
	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// argueSets argues by all runs, layer by layer: they all come to where the claim is
// decided, or never to where it would be false.
func (x *Case) argueSets(a *Argument, n logic.Node, c claim, how shape, left, right claim) error {
	u := x.layersFrom(a.State, n, c, how, left, right)
	a.sets = true
	if how == set {
		a.Set = u.all
		a.Text = a.head() + x.setText(a.State, &u, n, left, right)
		return x.becauseOfSet(a, &u, n, left, right)
	}
	a.Layers = u.layers
	a.Text = a.head() + x.layersText(a.State, &u, n, left, right)
	if n.Last != logic.NoLast {
		if err := x.examples(a, left, u.all); err != nil {
			return err
		}
		return x.examples(a, right, x.lastTargets(n, right, u.all))
	}
	if err := x.examples(a, left, u.onward); err != nil {
		return err
	}
	return x.examples(a, right, u.ends)
}

func (x *Case) becauseOfSet(a *Argument, u *unfolded, n logic.Node, left, right claim) error {
	met := u.all
	if n.Last != logic.NoLast {
		met = x.lastTargets(n, right, u.onward)
	}
	if err := x.examples(a, right, met); err != nil {
		return err
	}
	return x.examples(a, left, u.ends)
}

// layersText tells of all runs that they come to where it is decided.
func (x *Case) layersText(s lts.State, u *unfolded, n logic.Node, left, right claim) string {
	alone := x.allowed(n.Labels)
	if n.Last != logic.NoLast {
		if alone != "" {
			alone = ", before that " + alone
		}
		return fmt.Sprintf(": after at most %s every run has taken a transition by %s%s, from %s%s%s.", printable.Quantity(u.longest+1, "step"),
			x.labels(n.Last), strings.Replace(x.where(right), ", where", " to where", 1), x.oneOf(x.lastSources(n, right, u.all)), alone, x.through(left))
	}
	if len(u.ends) == 1 && u.ends[0] == s {
		return x.there(right)
	}
	if alone != "" {
		alone = ", " + alone
	}
	return fmt.Sprintf(": after at most %s every run is in %s%s%s%s.", printable.Quantity(u.longest, "step"),
		x.oneOf(u.ends), x.where(right), alone, x.through(left))
}

// setText tells of all runs that they never come to where it would be otherwise.
func (x *Case) setText(s lts.State, u *unfolded, n logic.Node, left, right claim) string {
	last := n.Last != logic.NoLast
	along := func(states string) string {
		if last {
			return x.noLast(n, right, "the transitions "+states)
		}
		if len(u.all) == 1 && !x.isConstant(right) {
			return fmt.Sprintf(", and %s there", x.claimed(right))
		}
		return x.inStates(right, states)
	}
	if len(u.ends) == 1 && u.ends[0] == s {
		if last {
			return x.there(left)
		}
		return x.there(left, right)
	}
	alone := x.allowed(n.Labels)
	if alone != "" {
		alone += ", "
	}
	these := "these"
	switch {
	case last && len(u.all) == 1:
		these = "from there"
	case last:
		these = "from these"
	}
	if len(u.ends) == 0 {
		return fmt.Sprintf(": %sruns never leave %s%s.", alone, x.some(u.all), along(these))
	}
	if last {
		these = "from those before"
	}
	return fmt.Sprintf(": %sruns stay in %s at least until they are in %s%s%s.", alone, x.some(u.all), x.oneOf(u.ends), x.where(left), along(these))
}

// lastSources returns the states of a set with a transition that can be the last one,
// lastTargets where those by such labels lead to with what is claimed there.
func (x *Case) lastSources(n logic.Node, right claim, states wmc.States) wmc.States {
	var sources wmc.States
	for _, s := range states {
		if len(x.lastTargets(n, right, wmc.States{s})) > 0 {
			sources = append(sources, s)
		}
	}
	return sources
}

func (x *Case) lastTargets(n logic.Node, right claim, states wmc.States) wmc.States {
	var found wmc.States
	for _, s := range states {
		labels, targets := x.m.Out(s)
		for i, t := range targets {
			if x.has(n.Last, labels.At(i)) && x.is(right, t) && x.counts(t) {
				found = append(found, t)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// unfolded is what all runs go through from a state.
type unfolded struct {
	layers            []Layer
	all, onward, ends wmc.States
	longest           int // the most steps to an end; of layers only
}

// layersFrom follows all runs up to where the claim is decided. Cost O(S + T) of what is
// visited.
func (x *Case) layersFrom(s lts.State, n logic.Node, c claim, how shape, left, right claim) unfolded {
	var u unfolded
	seen, onward := bitset.New[lts.State](x.m.NumStates()), bitset.New[lts.State](x.m.NumStates())
	ends := bitset.New[lts.State](x.m.NumStates())
	seen.Add(s)
	for front := (wmc.States{s}); len(front) > 0; {
		layer := Layer{States: front}
		var after []lts.State
		labelled := map[lts.Label]bool{}
		for _, at := range front {
			if x.ends(n, how, left, right, at) {
				layer.Done++
				ends.Add(at)
				continue
			}
			onward.Add(at)
			labels, targets := x.m.Out(at)
			for i, t := range targets {
				if !x.goesOn(n, how, right, labels.At(i), t) || !x.counts(t) {
					continue
				}
				if !labelled[labels.At(i)] {
					labelled[labels.At(i)] = true
					layer.Labels = append(layer.Labels, labels.At(i))
				}
				if !seen.Has(t) {
					seen.Add(t)
					after = append(after, t)
				}
			}
		}
		u.layers = append(u.layers, layer)
		slices.Sort(after)
		front = after
	}
	for at := range seen.All {
		u.all = append(u.all, at)
	}
	for at := range onward.All {
		u.onward = append(u.onward, at)
	}
	for at := range ends.All {
		u.ends = append(u.ends, at)
	}
	if how == layers && x.fair == nil {
		u.longest = x.longest(s, n, right, onward)
	}
	return u
}

// ends reports whether runs need not go on from a state.
func (x *Case) ends(n logic.Node, how shape, left, right claim, s lts.State) bool {
	switch {
	case n.Last != logic.NoLast && how == layers:
		labels, targets := x.m.Out(s)
		for i, t := range targets {
			if x.counts(t) && x.goesOn(n, how, right, labels.At(i), t) {
				return false
			}
		}
		return true
	case n.Last != logic.NoLast:
		return x.is(left, s)
	case how == layers:
		return x.is(right, s)
	}
	return x.is(left, s)
}

// goesOn reports whether a transition hands the claim on to its target.
func (x *Case) goesOn(n logic.Node, how shape, right claim, label lts.Label, t lts.State) bool {
	if how == layers && n.Last != logic.NoLast && x.has(n.Last, label) && x.is(right, t) {
		return false
	}
	return x.has(n.Labels, label)
}

// longest returns the most steps that a run takes from a state to an end: there are no
// loops between.
func (x *Case) longest(from lts.State, n logic.Node, right claim, onward bitset.Set[lts.State]) int {
	length := map[lts.State]int{}
	type at struct {
		state lts.State
		next  int
	}
	path := []at{{from, 0}}
	for len(path) > 0 {
		top := &path[len(path)-1]
		labels, targets := x.m.Out(top.state)
		if !onward.Has(top.state) {
			targets = nil
		}
		down := false
		for ; top.next < len(targets); top.next++ {
			t := targets[top.next]
			if !x.goesOn(n, layers, right, labels.At(top.next), t) {
				continue
			}
			steps, known := length[t]
			if !known {
				path, down = append(path, at{t, 0}), true
				break
			}
			length[top.state] = max(length[top.state], steps+1)
		}
		if !down {
			length[top.state] += 0 // known, and 0 if nothing leads on
			path = path[:len(path)-1]
		}
	}
	return length[from]
}
