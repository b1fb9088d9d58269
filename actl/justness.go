package actl

import (
	"errors"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// ErrNoComponents is the error of justness where it is not known which components actions need.
var ErrNoComponents = errors.New("just runs are those on which what is possible happens, or is interfered with by an action that needs a common component: say which components actions need, by lanes")

// OnComponents returns the assumptions with justness about these components. Cost O(number of
// them).
func OnComponents(all []*Assumption, of Components) []*Assumption {
	all = slices.Clone(all)
	for i, a := range all {
		if a.kind == Just {
			on := *a
			on.components = of
			all[i] = &on
		}
	}
	return all
}

// IsJust reports whether justness is among assumptions.
func IsJust(all []*Assumption) bool {
	return slices.ContainsFunc(all, func(a *Assumption) bool { return a.kind == Just })
}

// bindJust returns what justness assumes, with tasks, and labels that are done finitely often
// or may be refused. It fails with [ErrNoComponents].
func (a *Assumption) bindJust(alphabet *lts.Alphabet, tasks []property.Task, finitely, blocking []lts.Label) (*property.Fairness, error) {
	if a.components == nil {
		return nil, ErrNoComponents
	}
	j := &property.Justness{Components: make([][]uint32, alphabet.Len()), Blocking: blocking}
	number := map[string]uint32{}
	for l, text := range alphabet.All() {
		if alphabet.Plain(l) != l {
			continue
		}
		var needs []uint32
		for _, name := range a.components(text) {
			n, known := number[name]
			if !known {
				n = uint32(len(j.Names))
				number[name] = n
				j.Names = append(j.Names, name)
			}
			needs = append(needs, n)
		}
		labels := alphabet.Variants(text)
		if len(needs) == 0 && len(labels) > 1 {
			// What facts about states tell apart is one action, and interferes with itself.
			needs = append(needs, uint32(len(j.Names)))
			j.Names = append(j.Names, text)
		}
		slices.Sort(needs)
		for _, l := range labels {
			j.Components[l] = slices.Compact(needs)
		}
	}
	return property.NewJust(alphabet, tasks, finitely, j)
}
