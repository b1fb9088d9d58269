package compare

import (
	"context"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// sameInOrder reports whether two models are the same but for the numbers of states: whether a
// walk from their initial states, along the first transitions of each state, the second ones and so
// on, meets the same labels, and new states in both where it meets a new one. Then each state has the
// behaviour of the one met with it, whatever is hidden. Cost O(S + T), less if they are not.
func sameInOrder(ctx context.Context, old, latest *lts.LTS) (bool, error) {
	if err := resources.AskFor[lts.State](ctx, 2*old.NumStates()+latest.NumStates()); err != nil {
		return false, err
	}
	_, number := textNumbers(old, latest)
	to, from := unalignedStates(old), unalignedStates(latest)
	queue := []lts.State{old.Initial()}
	to[old.Initial()], from[latest.Initial()] = latest.Initial(), old.Initial()
	for i := 0; i < len(queue); i++ {
		if i&0xfff == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		s := queue[i]
		labels, targets := old.Out(s)
		others, counterparts := latest.Out(to[s])
		if len(targets) != len(counterparts) {
			return false, nil
		}
		for k, t := range targets {
			u := counterparts[k]
			if number[0][labels.At(k)] != number[1][others.At(k)] {
				return false, nil
			}
			if to[t] == unaligned && from[u] == unaligned {
				to[t], from[u] = u, t
				queue = append(queue, t)
			}
			if to[t] != u || from[u] != t {
				return false, nil
			}
		}
	}
	return true, nil
}

// textNumbers numbers the texts of the labels of two models: labels with the same text have the same
// number in both.
func textNumbers(old, latest *lts.LTS) (texts []string, numbers [2][]lts.Label) {
	known := make(map[string]lts.Label)
	for i, m := range []*lts.LTS{old, latest} {
		numbers[i] = make([]lts.Label, m.Alphabet().Len())
		for l, text := range m.Alphabet().All() {
			if _, is := known[text]; !is {
				known[text] = lts.Label(len(texts))
				texts = append(texts, text)
			}
			numbers[i][l] = known[text]
		}
	}
	return texts, numbers
}

func unalignedStates(m *lts.LTS) []lts.State {
	all := make([]lts.State, m.NumStates())
	for s := range all {
		all[s] = unaligned
	}
	return all
}
