package lts

import "slices"

// moving says which components of a network move by each label.
type moving struct {
	names  []string
	movers [][]uint32 // by label
}

// MovingAlphabet returns the alphabet in which label i has the text texts[i] and belongs to transitions
// in which the components names[c] move, for each c in movers[i]; movers[i] must ascend. Labels with the
// same text and other movers are different labels. The slices become the alphabet's own. Cost O(total
// length of the texts).
func MovingAlphabet(texts, names []string, movers [][]uint32) *Alphabet {
	a := RepeatingAlphabet(texts)
	a.moving = &moving{names: names, movers: movers}
	return a
}

// Components returns the names of the components of a network; nil if labels do not say which
// components move. The slice must not be changed. Cost O(1).
func (a *Alphabet) Components() []string {
	if a.moving == nil {
		return nil
	}
	return a.moving.names
}

// Movers returns the numbers of the components that move by a label, ascending; nil as for
// [Alphabet.Components]. The slice must not be changed. Cost O(1).
func (a *Alphabet) Movers(l Label) []uint32 {
	if a.moving == nil || int(l) >= len(a.moving.movers) {
		return nil
	}
	return a.moving.movers[l]
}

// MoversOf returns the numbers of the components that move by some label with this text, ascending.
// Cost O(len(text) + labels with the text).
func (a *Alphabet) MoversOf(text string) (all []uint32) {
	for _, l := range a.Variants(text) {
		all = append(all, a.Movers(l)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// among returns the movers of some labels of m, in the order of these labels.
func (m *moving) among(labels []Label) *moving {
	if m == nil {
		return nil
	}
	other := &moving{names: m.names}
	for _, l := range labels {
		other.movers = append(other.movers, m.movers[l])
	}
	return other
}
