package lts

import "context"

// Happening returns the alphabet of the LTS, which then knows which labels a run can do:
// those of transitions that leave reachable states. Where all do, it is that of
// [LTS.Alphabet]. It is found once, and fails if ctx is done. Cost that of
// [LTS.Reachable], and O(T) where some label does not happen.
func (m *LTS) Happening(ctx context.Context) (*Alphabet, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	err := within(ctx, func() { m.happenOnce.Do(func() { m.happening = m.findHappening() }) })
	if err != nil {
		return nil, err
	}
	return m.happening, nil
}

func (m *LTS) findHappening() *Alphabet {
	happens := make([]bool, m.alphabet.Len())
	left := len(happens)
	reach := m.Reachable()
	for s := State(0); int(s) < m.NumStates() && left > 0; s++ {
		if !reach.Has(s) {
			continue
		}
		labels, _ := m.Out(s)
		for i := range labels.Len() {
			if l := labels.At(i); !happens[l] {
				happens[l] = true
				left--
			}
		}
	}
	if left == 0 {
		return m.alphabet
	}
	return &Alphabet{table: m.alphabet.table, happens: happens, refined: m.alphabet.refined}
}

// Happens reports whether a run can do l, as far as the alphabet knows: that of
// [LTS.Happening] does, and any other takes it for granted. Cost O(1).
func (a *Alphabet) Happens(l Label) bool { return a.happens == nil || a.happens[l] }
