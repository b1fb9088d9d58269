package compare

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// renamedEdit returns the edit that only renames labels, each everywhere; nil if the versions
// differ in more, or no numbering of states was found under which they do not. Names are
// paired by how many transitions have them, then in the order of the alphabets. Cost
// O(S + T log T), and nothing if both versions have the same labels.
func renamedEdit(ctx context.Context, d *divided) (*Edit, error) {
	gone, added := d.gone, slices.Clone(d.added)
	if len(gone) == 0 || len(gone) != len(added) || sizeOf(d.old) != sizeOf(d.latest) {
		return nil, nil
	}
	often := counts(d.old)
	nowOften := counts(d.latest)
	e := &Edit{Renamed: make(map[string]string)}
	names := make(map[lts.Label]lts.Label)
	for _, from := range gone {
		i := slices.IndexFunc(added, func(to string) bool { return nowOften[to] == often[from] })
		if i < 0 {
			return nil, nil
		}
		was, is := slices.Index(d.texts, from), slices.Index(d.texts, added[i])
		e.Renamed[from], names[lts.Label(was)] = added[i], lts.Label(is)
		added = slices.Delete(added, i, i+1)
	}
	byNumber := newAligner(d)
	byNumber.names = names
	byNumber.alignNumbers()
	walking := newAligner(d)
	walking.names = names
	for _, a := range []*aligner{byNumber, walking} {
		found, err := a.edit(ctx)
		if err != nil {
			return nil, err
		}
		if found != nil && found.size() == 0 {
			e.Changes = a.relabelled(names)
			return e, nil
		}
	}
	return nil, nil
}

// counts returns how many reachable transitions have each label.
func counts(m *lts.LTS) map[string]int {
	n := make([]int, m.Alphabet().Len())
	for s := range lts.State(m.NumStates()) {
		if m.Reachable().Has(s) {
			labels, _ := m.Out(s)
			for l := range labels.All() {
				n[m.Alphabet().Plain(l)]++
			}
		}
	}
	all := make(map[string]int)
	for l, text := range m.Alphabet().All() {
		all[text] += n[l]
	}
	return all
}

// relabelled returns the first transitions that have another name, where all states are aligned.
func (a *aligner) relabelled(names map[lts.Label]lts.Label) []Change {
	var all []Change
	a.names = nil
	for s := range lts.State(len(a.to)) {
		t := a.to[s]
		if t == unaligned {
			continue
		}
		row := a.arcs(Old, s)
		slices.SortStableFunc(row, func(x, y arc) int { return cmp.Compare(x.label, y.label) })
		for _, x := range row {
			is, named := names[x.label]
			if !named {
				continue
			}
			if len(all) == mostChanges {
				return all
			}
			all = append(all, Change{Relabelled, a.named(t, arc{is, a.to[x.to]}), a.named(s, x), t})
		}
	}
	return all
}
