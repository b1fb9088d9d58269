package counterexample

import (
	"errors"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
)

// longRound is the length of a round above which detours are not looked for.
const longRound = 2_000

// tour finds rounds in a set of states that are fair.
type tour struct {
	*fair
	in   bitset.Set[lts.State]
	step int
}

func newTour(x *fair, set []lts.State, step int) *tour {
	t := &tour{fair: x, in: bitset.New[lts.State](x.m.NumStates()), step: step}
	for _, s := range set {
		t.in.Add(s)
	}
	return t
}

// shows reports whether a transition belongs to the set.
func (t *tour) shows(l lts.Label, to lts.State) bool {
	return t.in.Has(to) && !t.p.Does(l, t.step) && !t.f.Rare(l)
}

// round returns a round from s that a run can go for ever and be fair.
func (t *tour) round(s lts.State) ([]lts.Transition, error) {
	home := func(x lts.Transition) bool { return x.To == s }
	walk, err := t.way(s, home)
	if err != nil {
		return nil, err
	}
	for range len(t.f.Tasks()) + 1 {
		duty := t.unmet(walk)
		if duty == nil {
			return t.cut(walk), nil
		}
		there, err := t.way(s, duty)
		if err != nil {
			return nil, err
		}
		walk = append(walk, there...)
		if at := there[len(there)-1].To; at != s {
			back, err := t.way(at, home)
			if err != nil {
				return nil, err
			}
			walk = append(walk, back...)
		}
	}
	return nil, errors.New("a fair round does not end")
}

// way returns a shortest way from s within the set to and with a transition that is
// wanted.
func (t *tour) way(s lts.State, wanted func(lts.Transition) bool) ([]lts.Transition, error) {
	type node struct {
		step   lts.Transition
		parent int
	}
	met := bitset.New[lts.State](t.m.NumStates())
	met.Add(s)
	queue := []node{{lts.Transition{To: s}, -1}}
	for next := 0; next < len(queue); next++ {
		if next&(1<<12-1) == 0 && t.ctx.Err() != nil {
			return nil, t.ctx.Err()
		}
		at := queue[next].step.To
		labels, targets := t.m.Out(at)
		for i, to := range targets {
			if !t.shows(labels[i], to) {
				continue
			}
			step := lts.Transition{From: at, Label: labels[i], To: to}
			if wanted(step) {
				var back []lts.Transition
				for k := next; queue[k].parent >= 0; k = queue[k].parent {
					back = append(back, queue[k].step)
				}
				steps := make([]lts.Transition, 0, len(back)+1)
				for k := len(back) - 1; k >= 0; k-- {
					steps = append(steps, back[k])
				}
				return append(steps, step), nil
			}
			if !met.Has(to) {
				met.Add(to)
				queue = append(queue, node{step, next})
			}
		}
	}
	return nil, errors.New("a fair set does not reach what it holds")
}

// unmet returns what to look for so that a run which goes the walk for ever is fair; nil
// where it is.
func (t *tour) unmet(walk []lts.Transition) func(lts.Transition) bool {
	taken := make([]bool, len(t.f.Tasks()))
	enabled := make([]int, len(taken)) // in how many states of the walk, each time counted
	for _, step := range walk {
		for _, k := range t.f.TasksOf(step.Label) {
			if t.belongs(k, step) {
				taken[k] = true
			}
		}
		for k := range t.enabledIn(step.From) {
			enabled[k]++
		}
	}
	for k, task := range t.f.Tasks() {
		switch {
		case taken[k]:
		case task.Strong && enabled[k] > 0:
			return t.takes(uint32(k))
		case !task.Strong && enabled[k] == len(walk):
			takes := t.takes(uint32(k))
			return func(x lts.Transition) bool { return takes(x) || !t.enabledIn(x.To)[uint32(k)] }
		}
	}
	return nil
}

// belongs reports whether a transition is one of task k.
func (t *tour) belongs(k uint32, x lts.Transition) bool {
	return !(x.From == x.To && t.f.Tasks()[k].Nonstuttering)
}

// takes selects the transitions of task k.
func (t *tour) takes(k uint32) func(lts.Transition) bool {
	return func(x lts.Transition) bool {
		for _, of := range t.f.TasksOf(x.Label) {
			if of == k && t.belongs(k, x) {
				return true
			}
		}
		return false
	}
}

// enabledIn returns the tasks that some transition of the model leaves s with.
func (t *tour) enabledIn(s lts.State) map[uint32]bool {
	enabled := map[uint32]bool{}
	labels, targets := t.m.Out(s)
	for i, l := range labels {
		for _, k := range t.f.TasksOf(l) {
			if t.belongs(k, lts.Transition{From: s, Label: l, To: targets[i]}) {
				enabled[k] = true
			}
		}
	}
	return enabled
}

// cut leaves out of a round the detours without which it is fair, too: parts that come
// back to where they begin. The first and longest ones go first.
func (t *tour) cut(walk []lts.Transition) []lts.Transition {
	for from := 0; len(walk) <= longRound && from < len(walk); from++ {
		for to := len(walk); to > from; to-- {
			if to-from == len(walk) || walk[to-1].To != walk[from].From {
				continue
			}
			shorter := append(append([]lts.Transition{}, walk[:from]...), walk[to:]...)
			if t.unmet(shorter) == nil {
				walk = shorter
				from--
				break
			}
		}
	}
	return walk
}
