package counterexample

import (
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
)

// fewOpen is the part of all states that may be left, as its reciprocal, for the loops among
// them to be found at once.
const fewOpen = 4

// findLoops finds, where few states were left, their components and for each m which of them
// lie on cycles without labels of step m+1: all loops that violate the property are among
// them. So the components of the model are not needed. Cost O(n (S + T)) of the states that
// were left, and 12 bytes a state of the model.
func (d *decision) findLoops() error {
	s, n := d.shortest, d.m.NumStates()
	if s.holds || d.open.Len() > n/fewOpen {
		return nil
	}
	if err := resources.Ask(d.ctx, 4*int64(n)+int64(s.p.Len())*int64(n)/8); err != nil {
		return err
	}
	parts, err := scc.NewParts(d.ctx, d.m)
	if err != nil {
		return err
	}
	var open []lts.State
	for state := range d.open.All {
		open = append(open, state)
	}
	s.bounded.part = make([]uint32, n)
	count := uint32(0)
	err = parts.Components(open, nil, func(part []lts.State) (bool, error) {
		count++
		for _, state := range part {
			s.bounded.part[state] = count
		}
		return true, nil
	})
	for m := 0; m < s.p.Len() && err == nil; m++ {
		if s.cyclic[m] != nil {
			continue
		}
		s.cyclic[m] = bitset.New[lts.State](n)
		hidden := bitset.New[lts.Label](d.m.Alphabet().Len())
		for l := range lts.Label(d.m.Alphabet().Len()) {
			if s.p.Does(l, m+1) {
				hidden.Add(l)
			}
		}
		err = parts.Without(open, hidden, func(part []lts.State) (bool, error) {
			for _, state := range part {
				s.cyclic[m].Add(state)
			}
			return true, nil
		})
	}
	s.heads.prune(s.cyclic)
	return err
}

// prune forgets the heads that lie on no loop.
func (h *heads) prune(cyclic []bitset.Set[lts.State]) {
	if h == nil {
		return
	}
	kept, level := 0, 0
	for i, end := 0, h.list.Len(); i < end; i++ {
		for ; level < len(h.begins) && h.begins[level] == i; level++ {
			h.begins[level] = kept
		}
		if at := *h.list.At(i); cyclic[at.m].Has(at.state) {
			*h.list.At(kept) = at
			kept++
		} else {
			h.of[at.m].Remove(at.state)
		}
	}
	for ; level < len(h.begins); level++ {
		h.begins[level] = kept
	}
	h.list.Truncate(kept)
}
