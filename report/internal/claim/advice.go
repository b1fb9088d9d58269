package claim

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/property"
)

// Advice says what would make the property true: that none of the transitions of Never is
// taken, and no run stays for ever in one of the parts of Leave. None does if the choices in
// the states Fair are fair; nil where no such states are known.
type Advice struct {
	Never []Never
	Leave []explain.NotForEver
	Fair  []explain.ModelState
}

// Never says that a transition must not be taken in some states, as long as the property
// has come so far and no further.
type Never struct {
	Label string
	// States are ascending.
	States []explain.ModelState
	// To is the state to which the transition leads, where others with its label leave the
	// state and may be taken; nil elsewhere, and then it is about all with the label.
	To *explain.ModelState
	// After is the step of the property, counted from 1, that is done, and Before the one
	// that is not; 0 where it does not matter. Instead, Progress are the numbers of steps
	// done where these do not tell them apart.
	After, Before int
	Progress      []int
	// While says instead, of properties without steps, what is pending, and In in which
	// states of the property that is so, where it does not tell them apart.
	While []property.Phrase
	In    []int
}

// Irreparable says that forbidding does not make the property true, and why.
type Irreparable struct{ explain.Obstacle }

func (Advice) Kind() string      { return "advice" }
func (Irreparable) Kind() string { return "irreparable" }

// advice says what to change.
func advice(e *explain.Explanation) []Claim {
	r := e.Repair
	switch {
	case r == nil:
		return nil
	case r.Solvable:
		return []Claim{Advice{Nevers(r), r.NotForEver, r.FairChoices}}
	case r.Obstacle.Transition == nil:
		return nil // no run satisfies the property, which is the verdict
	}
	return []Claim{Irreparable{*r.Obstacle}}
}

// Nevers returns what must not be taken, transitions of which the same is to be said
// together, in the order of the first of them. Cost O(n log n) for n transitions.
func Nevers(r *explain.Repair) []Never {
	var all []Never
	at := map[string]int{}
	for _, f := range r.Never {
		n := Never{Label: f.Label}
		n.setCondition(f)
		if f.Others {
			n.To = &f.To
		}
		key := fmt.Sprint(n.Label, "\x00", n.After, n.Before, n.Progress, n.While, n.In)
		if f.Others {
			key = fmt.Sprint("\x00", f.From, f.To, key)
		}
		k, known := at[key]
		if !known {
			k = len(all)
			at[key] = k
			all = append(all, n)
		}
		// They are in the order of their sources.
		if n := len(all[k].States); n == 0 || all[k].States[n-1] != f.From {
			all[k].States = append(all[k].States, f.From)
		}
	}
	return all
}

// setCondition says when a transition must not be taken, of all times that runs come to
// its source.
func (n *Never) setCondition(f explain.Forbidden) {
	if f.Pending != nil {
		if len(f.Progress) < len(f.Comes) {
			for _, words := range f.Pending {
				n.While = append(n.While, property.Phrase(words))
			}
			if f.Alike {
				n.In = f.Progress
			}
		}
		return
	}
	first, end := slices.Index(f.Comes, f.Progress[0]), slices.Index(f.Comes, f.Progress[len(f.Progress)-1])+1
	if end-first != len(f.Progress) {
		n.Progress = f.Progress
		return
	}
	if first > 0 {
		n.After = f.Progress[0]
	}
	if end < len(f.Comes) {
		n.Before = f.Progress[len(f.Progress)-1] + 1
	}
}
