package oracle

import "github.com/inev-lts/inev/lts"

// Just is justness: which components each label needs, and which labels may be refused forever. A
// run is just if for each label that is not blocking, either the label is possible only finitely
// often, or a label that needs a common component, or the same label, happens infinitely often; a
// finite run must end where only blocking labels are possible.
type Just struct {
	Components map[lts.Label]map[int]bool
	Blocking   map[lts.Label]bool
}

// interferes reports whether label b interferes with label a.
func (j *Just) interferes(b, a lts.Label) bool {
	if a == b {
		return true
	}
	for c := range j.Components[a] {
		if j.Components[b][c] {
			return true
		}
	}
	return false
}

// isJust reports whether a run is just if it visits states with these possible labels infinitely
// often, and takes exactly the labels in the set taken infinitely often. A nil j does not assume
// justness.
func (j *Just) isJust(possible, taken map[lts.Label]bool) bool {
	if j == nil {
		return true
	}
	for a := range possible {
		interfered := j.Blocking[a]
		for b := range taken {
			interfered = interfered || j.interferes(b, a)
		}
		if !interfered {
			return false
		}
	}
	return true
}

// Ends reports whether a run that counts may end in a state with exactly these
// transitions.
func (a *Assumption) Ends(out []lts.Transition) bool {
	for _, t := range out {
		if a.Just == nil || !a.Just.Blocking[t.Label] {
			return false
		}
	}
	return true
}
