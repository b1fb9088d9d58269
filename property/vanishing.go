package property

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// vanishing is an action that vanishes without interference: label is possible
// in state, but no longer after the step by, although that step needs none of
// the components of label.
type vanishing struct {
	state     lts.State
	label, by lts.Label
}

// looksForVanishing limits the search for vanishing actions: the average number
// of labels examined for each state and transition of a model.
const looksForVanishing = 32

// Misfit describes an action that vanishes without interference and is not
// blocking, in the first reachable state that has one; then the components do not
// fit the model. Without such an action justness is as in the papers, see
// [Justness]. Misfit returns "" if there is none, if f does not assume justness,
// and if the search would take too long because states have too many transitions.
// It fails if ctx is done. Cost O(S + T), times the transitions of a state.
func (f *Fairness) Misfit(ctx context.Context, m *lts.LTS) (string, error) {
	gone, err := f.findVanishing(ctx, m)
	if gone == nil || err != nil {
		return "", err
	}
	text := m.Alphabet().Text
	return fmt.Sprintf("possible actions vanish without interference in state %d (%s, when %s is taken): the lanes do not fit the model", gone.state, text(gone.label), text(gone.by)), nil
}

func (f *Fairness) findVanishing(ctx context.Context, m *lts.LTS) (*vanishing, error) {
	if f.Justness() == nil {
		return nil, nil
	}
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	at, err := resources.Make[lts.State](ctx, m.Alphabet().Len())
	if err != nil {
		return nil, err
	}
	x := vanishes{m: m, f: f, at: at, left: looksForVanishing * int64(m.NumStates()+m.NumTransitions())}
	reach := m.Reachable()
	for s := range lts.State(m.NumStates()) {
		if s&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !reach.Has(s) {
			continue
		}
		if found := x.from(s); found != nil || x.left < 0 {
			return found, nil
		}
	}
	return nil, nil
}

type vanishes struct {
	m *lts.LTS
	f *Fairness
	// at[l] is one more than the last state examined that has label l.
	at   []lts.State
	left int64
}

// from returns an action that vanishes on a transition from s; nil if there is
// none.
func (x *vanishes) from(s lts.State) *vanishing {
	labels, targets := x.m.Out(s)
	for i, t := range targets {
		if t == s {
			continue
		}
		x.note(t)
		by := labels.At(i)
		x.left -= int64(labels.Len())
		for j := range labels.Len() {
			l := labels.At(j)
			if x.at[x.m.Alphabet().Plain(l)] != t+1 && !x.f.Blocks(l) && !x.interferes(by, l) {
				return &vanishing{s, l, by}
			}
		}
		if x.left < 0 {
			return nil
		}
	}
	return nil
}

// note notes which labels are possible in t.
func (x *vanishes) note(t lts.State) {
	labels, _ := x.m.Out(t)
	x.left -= int64(labels.Len())
	for i := range labels.Len() {
		x.at[x.m.Alphabet().Plain(labels.At(i))] = t + 1
	}
}

// interferes reports whether label by meets the task of justness of l, which is
// not blocking.
func (x *vanishes) interferes(by, l lts.Label) bool {
	of := x.f.TasksOf(l)
	just := of[len(of)-1]
	for _, k := range x.f.MetBy(by) {
		if k == just {
			return true
		}
	}
	return false
}
