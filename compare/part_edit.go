package compare

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// part returns a shortest run that parts the versions if it ends in a state whose transitions
// were changed; nil if there is none such, or none is found within the limit. Cost O(S + T).
//
// As long as a run meets no changed state, the other version can follow it through the aligned
// states, and do what it can do: so that a run that parts the versions is not shorter than
// the shortest one to a changed state, and parts them there by a label that the aligned state does
// not have.
func (a *aligner) part(ctx context.Context, limit int64) (*Parting, error) {
	parents, ends, err := a.nearest(ctx)
	if err != nil {
		return nil, err
	}
	for _, side := range []Side{New, Old} {
		open := false
		for _, s := range ends {
			only := a.only(side, s)
			if len(only) == 0 {
				continue
			}
			open = true
			run := a.runTo(parents, s)
			m := a.d.version(side.Other())
			f := &follower{m: m, hides: Options{}.hides, set: []lts.State{m.Initial()}, work: work{ctx, limit}}
			if !f.steps(run) {
				continue
			}
			could := f.could()
			for _, label := range only {
				if !slices.Contains(could, label) {
					return &Parting{Run: run, Only: side, Label: label}, nil
				}
			}
		}
		if open {
			return nil, nil // another run to such a state may part the versions
		}
	}
	return nil, nil
}

// nearest returns the changed states that are nearest to the initial one, and the states before
// those that were met on the way; all are states of the old version.
func (a *aligner) nearest(ctx context.Context) (parents, ends []lts.State, err error) {
	m := a.d.old
	if err := resources.AskFor[lts.State](ctx, 2*m.NumStates()); err != nil {
		return nil, nil, err
	}
	changed := make(map[lts.State]bool, len(a.apart))
	for _, s := range a.apart {
		old, fresh := a.rest(a.arcs(Old, s), a.arcs(New, a.to[s]))
		changed[s] = len(old)+len(fresh) > 0
	}
	parents = unalignedStates(m)
	parents[m.Initial()] = m.Initial()
	level := []lts.State{m.Initial()}
	for next := []lts.State(nil); len(level) > 0 && len(ends) == 0; level, next = next, level[:0] {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		for _, s := range level {
			if changed[s] {
				ends = append(ends, s)
				continue
			}
			_, targets := m.Out(s)
			for _, t := range targets {
				if parents[t] == unaligned {
					parents[t] = s
					next = append(next, t)
				}
			}
		}
	}
	return parents, ends, nil
}

// only returns the labels that a state of the old version, or the one aligned with it, has in one
// version only, in the order of the transitions.
func (a *aligner) only(side Side, s lts.State) []string {
	rows := map[Side][]arc{Old: a.arcs(Old, s), New: a.arcs(New, a.to[s])}
	var labels []string
	for _, x := range rows[side] {
		if !slices.ContainsFunc(rows[side.Other()], func(y arc) bool { return x.label == y.label }) {
			labels = append(labels, a.d.texts[x.label])
		}
	}
	return labels
}

// runTo returns the labels of the run that was met to a state.
func (a *aligner) runTo(parents []lts.State, s lts.State) []string {
	run := []string{}
	for s != parents[s] {
		from := parents[s]
		labels, targets := a.d.old.Out(from)
		run = append(run, a.d.old.Alphabet().Text(labels.At(slices.Index(targets, s))))
		s = from
	}
	slices.Reverse(run)
	return run
}
