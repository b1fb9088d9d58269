package argument

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/wmc"
)

// argueSets argues by all runs, layer by layer: they all come to where the claim is
// decided, or never to where it would be false.
func (x *Case) argueSets(a *Argument, n ctl.Node, c claim, how shape, left, right claim) error {
	found := x.layersFrom(a.State, n, c, how, left, right)
	a.Layers = found.layers
	switch {
	case how == layers && len(found.ends) > 0 && found.ends[0] == a.State && len(a.Layers) == 1:
		a.Text = a.head() + ", as can be seen there."
	case how == layers && n.Last != ctl.NoLast:
		a.Text = fmt.Sprintf("%s: after at most %s every run has made such a last transition, from %s.",
			a.head(), printable.Quantity(found.longest+1, "step"), x.some(found.ends))
	case how == layers:
		a.Text = fmt.Sprintf("%s: after at most %s every run is in %s%s.",
			a.head(), printable.Quantity(found.longest, "step"), oneOf(x.some(found.ends), len(found.ends)), x.where(right))
	case len(found.all) == 1:
		a.Text = fmt.Sprintf("%s: runs stay in this state until nothing can change it.", a.head())
	case len(found.ends) > 0:
		a.Text = fmt.Sprintf("%s: runs stay in %s until they come to where it is decided%s.",
			a.head(), x.some(found.all), x.everywhere(n, right))
	default:
		a.Text = fmt.Sprintf("%s: runs never leave %s%s.", a.head(), x.some(found.all), x.everywhere(n, right))
	}
	switch {
	case n.Last != ctl.NoLast && how == layers:
		return x.examples(a, left, found.all)
	case n.Last != ctl.NoLast:
		return x.examples(a, left, found.ends)
	case how == layers:
		if err := x.examples(a, left, found.onward); err != nil {
			return err
		}
		return x.examples(a, right, found.ends)
	}
	if err := x.examples(a, right, found.all); err != nil {
		return err
	}
	return x.examples(a, left, found.ends)
}

func oneOf(states string, n int) string {
	if n == 1 {
		return states
	}
	return "one of " + states
}

// everywhere says what is so in all states of a set.
func (x *Case) everywhere(n ctl.Node, right claim) string {
	if op := x.c.Nodes[right.f].Op; op == ctl.True || op == ctl.False || n.Last != ctl.NoLast {
		return ""
	}
	return fmt.Sprintf(", and %s %s in all of these", x.c.Nodes[right.f].Formula, agree(right.holds))
}

// unfolded is what all runs go through from a state.
type unfolded struct {
	layers            []Layer
	all, onward, ends wmc.States
	longest           int // the most steps to an end; of layers only
}

// layersFrom follows all runs up to where the claim is decided. Cost O(S + T) of what is
// visited.
func (x *Case) layersFrom(s lts.State, n ctl.Node, c claim, how shape, left, right claim) unfolded {
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
				if !x.goesOn(n, how, right, labels[i], t) {
					continue
				}
				if !labelled[labels[i]] {
					labelled[labels[i]] = true
					layer.Labels = append(layer.Labels, labels[i])
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
	if how == layers {
		u.longest = x.longest(s, n, right, onward)
	}
	return u
}

// ends reports whether runs need not go on from a state.
func (x *Case) ends(n ctl.Node, how shape, left, right claim, s lts.State) bool {
	switch {
	case n.Last != ctl.NoLast && how == layers:
		labels, targets := x.m.Out(s)
		for i, t := range targets {
			if x.goesOn(n, how, right, labels[i], t) {
				return false
			}
		}
		return true
	case n.Last != ctl.NoLast:
		return x.is(left, s)
	case how == layers:
		return x.is(right, s)
	}
	return x.is(left, s)
}

// goesOn reports whether a transition hands the claim on to its target.
func (x *Case) goesOn(n ctl.Node, how shape, right claim, label lts.Label, t lts.State) bool {
	if how == layers && n.Last != ctl.NoLast && x.has(n.Last, label) && x.is(right, t) {
		return false
	}
	return x.has(n.Labels, label)
}

// longest returns the most steps that a run takes from a state to an end: there are no
// loops between.
func (x *Case) longest(from lts.State, n ctl.Node, right claim, onward bitset.Set[lts.State]) int {
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
			if !x.goesOn(n, layers, right, labels[top.next], t) {
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
			length[top.state] += 0 // known, and 0 where nothing leads on
			path = path[:len(path)-1]
		}
	}
	return length[from]
}
