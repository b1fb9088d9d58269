package actl

import (
	"errors"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// errNoComponents is the error of justness if it is not known what actions need.
var errNoComponents = errors.New("just runs are those on which what is possible happens, or is interfered with by an action that needs a common component: say which components actions need, by lanes")

// On returns the assumption, if it is justness, for these actions: needs returns the names of the
// components that the action with a label needs, such as a process and a register; none for an
// action that only interferes with itself. Cost O(1).
func (a *Assumption) On(needs func(label string) []string) *Assumption {
	if a.kind != Just {
		return a
	}
	on := *a
	on.components = needs
	return &on
}

// bindJust returns what justness assumes, with tasks, and labels that are done finitely often
// or may be refused. It fails if it is not known what actions need.
func (a *Assumption) bindJust(alphabet *lts.Alphabet, tasks []property.Task, finitely, blocking []lts.Label) (*property.Fairness, error) {
	if a.components == nil {
		return nil, errNoComponents
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
	return j.Fairness(alphabet, tasks, finitely)
}
