package tlc

import (
	"cmp"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// numbers gives states numbers in the order in which their fingerprints are met: a hash table
// with open addressing, of 4 bytes a slot. TLC's fingerprints are spread evenly over all 64-bit
// numbers; an odd factor spreads those of a file that somebody wrote.
type numbers struct {
	fps   []int64
	slots []uint32 // the number of a state plus one, 0 if there is none; their count is a power of two
	shift uint
	last  lts.State // the one that was met last, and before
}

// of returns the number of a fingerprint, and whether it was met before.
func (n *numbers) of(fp int64) (s lts.State, known bool) {
	// The steps of a state stand together.
	if len(n.fps) > 0 && n.fps[n.last] == fp {
		return n.last, true
	}
	if 2*len(n.fps) >= len(n.slots) {
		n.grow()
	}
	at := n.slot(fp)
	if slot := n.slots[at]; slot != 0 {
		n.last = lts.State(slot - 1)
		return n.last, true
	}
	n.fps = append(n.fps, fp)
	n.slots[at] = uint32(len(n.fps))
	return lts.State(len(n.fps) - 1), false
}

// slot returns where a fingerprint is, or is to be put.
func (n *numbers) slot(fp int64) int {
	last := len(n.slots) - 1
	at := int(uint64(fp) * 0x9e3779b97f4a7c15 >> n.shift)
	for n.slots[at] != 0 && n.fps[n.slots[at]-1] != fp {
		at = (at + 1) & last
	}
	return at
}

func (n *numbers) grow() {
	size := max(64, 2*len(n.slots))
	n.slots, n.shift = make([]uint32, size), 64
	for bits := size; bits > 1; bits /= 2 {
		n.shift--
	}
	for i, fp := range n.fps {
		n.slots[n.slot(fp)] = uint32(i + 1)
	}
}

// withoutRepeats returns a model in which no transition is there twice: TLC writes a step once
// for each way in which its action comes about. The first of equal ones is kept, and the order
// of the others.
func withoutRepeats(m *lts.LTS) (*lts.LTS, error) {
	repeats := map[lts.State]bool{}
	var row []lts.Transition
	for s := range lts.State(m.NumStates()) {
		labels, targets := m.Out(s)
		row = row[:0]
		for i, to := range targets {
			row = append(row, lts.Transition{From: s, Label: labels.At(i), To: to})
		}
		if hasRepeat(row) {
			repeats[s] = true
		}
	}
	if len(repeats) == 0 {
		return m, nil
	}
	var b lts.Builder
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	met := map[lts.Transition]bool{}
	for t := range m.Transitions() {
		if repeats[t.From] {
			if met[t] {
				continue
			}
			met[t] = true
		}
		b.Add(t.From, t.Label, t.To)
	}
	return b.Build(m.Initial(), m.NumStates())
}

// hasRepeat reports whether two transitions are equal, and may change their order.
func hasRepeat(all []lts.Transition) bool {
	const few = 16
	if len(all) > few {
		slices.SortFunc(all, func(a, b lts.Transition) int { return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.To, b.To)) })
	}
	for i, t := range all {
		switch {
		case len(all) > few && i > 0 && all[i-1] == t, len(all) <= few && slices.Contains(all[:i], t):
			return true
		}
	}
	return false
}
