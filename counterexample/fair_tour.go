package counterexample

import (
	"errors"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
)

// tour finds a fair round in a set, from one duty to the nearest next one. A duty is a
// strong task that some state on the round enables, to be taken, or a weak task that all
// states so far enable, to be taken or met disabled.
type tour struct {
	*inside
	// due[k] says what is left to be done for task k, open for how many something is.
	due  []duty
	open int
	// missing has the colours that are still to be met.
	missing property.Marks
	// weak lists the weak tasks that may still be due.
	weak []uint32
	// seen[k] is the number of the last look at a state that enables task k.
	seen  []uint32
	looks uint32
	// arrived has the states of the set, by their index, that the round has met: what they
	// make due, or done, is known.
	arrived bitset.Set[uint32]
	// spent counts the transitions that searches look at; then trips are made, if not nil.
	spent int
	trips *trips
	// met[i] is the number of the last search that met state i of the set.
	met      []uint32
	searches uint32
	queue    []tourNode
}

type duty uint8

const (
	notDue duty = iota // and may become so
	due
	done // for good
)

type tourNode struct {
	state  lts.State
	label  lts.Label
	parent uint32
}

// approximate looks for a lasso through the nearest state of a set, which becomes the best one
// if it is shorter.
func (x *inside) approximate(set fairSet, best *lasso) error {
	x.enter(set)
	tasks := len(x.f.Tasks())
	if err := resources.Ask(x.ctx, int64(tasks)*13+4*int64(len(set.states))); err != nil {
		return err
	}
	t := &tour{inside: x, due: make([]duty, tasks), seen: make([]uint32, tasks), met: make([]uint32, len(set.states)), arrived: bitset.New[uint32](len(set.states))}
	loop, err := t.round(x.nodes.At(set.near).state)
	if err != nil {
		return err
	}
	if loop, err = x.cut(loop); err != nil {
		return err
	}
	stem := x.path(set.near)
	if n := len(stem) + len(loop); n < best.length {
		*best = lasso{append(stem, loop...), len(stem), n}
	}
	return nil
}

// round returns a round from s that a run can go for ever and be fair. Each way but those
// back to s does something for good, and so it comes to an end.
func (t *tour) round(s lts.State) ([]lts.Transition, error) {
	t.look(s)
	for k, task := range t.f.Tasks() {
		if !task.Strong && t.seen[k] == t.looks {
			t.due[k] = due
			t.open++
			t.weak = append(t.weak, uint32(k))
		}
	}
	t.missing = t.pair.Inf
	t.open += t.missing.Len()
	t.arrive(s)
	var walk []lts.Transition
	for at := s; t.open > 0 || at != s || len(walk) == 0; at = walk[len(walk)-1].To {
		way, err := t.onward(at, s)
		if err != nil {
			return nil, err
		}
		for _, step := range way {
			t.take(step)
			t.arrive(step.To)
		}
		if walk, err = resources.Grow(t.ctx, walk, len(way)); err != nil {
			return nil, err
		}
		walk = append(walk, way...)
	}
	return walk, nil
}

// look notes which tasks s enables.
func (t *tour) look(s lts.State) {
	t.looks++
	labels, targets := t.m.Out(s)
	for i := range labels.Len() {
		l := labels.At(i)
		for _, k := range t.f.TasksOf(l) {
			if t.belongs(k, s, targets[i]) {
				t.seen[k] = t.looks
			}
		}
	}
}

// arrive notes what comes to be due, and what no longer is, in a state of the round.
func (t *tour) arrive(s lts.State) {
	i := t.member[s] - 1
	if t.arrived.Has(i) {
		return
	}
	t.arrived.Add(i)
	t.look(s)
	labels, _ := t.m.Out(s)
	for i := range labels.Len() {
		l := labels.At(i)
		for _, k := range t.f.TasksOf(l) {
			if t.due[k] == notDue && t.seen[k] == t.looks && t.f.Tasks()[k].Strong {
				t.due[k] = due
				t.open++
				if t.trips != nil {
					t.trips.tasks = append(t.trips.tasks, k)
				}
			}
		}
	}
	left := t.weak[:0]
	for _, k := range t.weak {
		switch {
		case t.due[k] == done:
		case t.seen[k] == t.looks:
			left = append(left, k)
		default:
			t.due[k] = done
			t.open--
		}
	}
	t.weak = left
}

// take notes what a transition does.
func (t *tour) take(x lts.Transition) {
	met := t.colours(x.From, x.Label) & t.missing
	t.open -= met.Len()
	t.missing &^= met
	for _, k := range t.f.MetBy(x.Label) {
		if t.belongs(k, x.From, x.To) {
			if t.due[k] == due {
				t.open--
			}
			if t.due[k] == due || t.f.Tasks()[k].Strong {
				t.due[k] = done
			}
		}
	}
}

// helps reports whether a transition does something that is due; arrives, whether its
// target does.
func (t *tour) helps(x lts.Transition) bool {
	if t.colours(x.From, x.Label)&t.missing != 0 {
		return true
	}
	for _, k := range t.f.MetBy(x.Label) {
		if t.due[k] == due && t.belongs(k, x.From, x.To) {
			return true
		}
	}
	return false
}

func (t *tour) arrives(s lts.State) bool {
	if len(t.weak) == 0 || t.arrived.Has(t.member[s]-1) {
		return false
	}
	t.look(s)
	for _, k := range t.weak {
		if t.due[k] == due && t.seen[k] != t.looks {
			return true
		}
	}
	return false
}

// onward returns a way from a state to what is due, or home where nothing is: a shortest one
// until searches have looked at enough, and while what is due is not to be taken.
func (t *tour) onward(from, home lts.State) ([]lts.Transition, error) {
	if t.spent < t.most.tour || t.missing != 0 {
		return t.way(from, home)
	}
	if t.trips == nil {
		if err := t.m.FindPredecessors(t.ctx); err != nil {
			return nil, err
		}
		var err error
		if t.trips, err = newTrips(t, home); err != nil {
			return nil, err
		}
	}
	if way, err := t.trips.way(from); len(way) > 0 || err != nil {
		return way, err
	}
	return t.way(from, home)
}

// way returns a shortest way from a state to what is due, or home where nothing is.
func (t *tour) way(from, home lts.State) ([]lts.Transition, error) {
	t.searches++
	t.met[t.member[from]-1] = t.searches
	t.queue = append(t.queue[:0], tourNode{state: from})
	for next := 0; next < len(t.queue); next++ {
		if next&(1<<12-1) == 0 && t.ctx.Err() != nil {
			return nil, t.ctx.Err()
		}
		at := t.queue[next].state
		labels, targets := t.m.Out(at)
		t.spent += len(targets)
		for i, to := range targets {
			if !t.shows(at, labels.At(i), to) {
				continue
			}
			step := lts.Transition{From: at, Label: labels.At(i), To: to}
			fresh := t.met[t.member[to]-1] != t.searches
			if t.open == 0 && to == home || t.open > 0 && (t.helps(step) || fresh && t.arrives(to)) {
				return t.back(next, step), nil
			}
			if fresh {
				t.met[t.member[to]-1] = t.searches
				t.queue = append(t.queue, tourNode{to, labels.At(i), uint32(next)})
			}
		}
	}
	return nil, errors.New("a fair set does not reach what it holds")
}

// back returns the transitions to a node of the queue, and one more.
func (t *tour) back(node int, last lts.Transition) []lts.Transition {
	n := 1
	for k := node; k != 0; k = int(t.queue[k].parent) {
		n++
	}
	steps := make([]lts.Transition, n)
	steps[n-1] = last
	for k := node; k != 0; k = int(t.queue[k].parent) {
		n--
		steps[n-1] = lts.Transition{From: t.queue[t.queue[k].parent].state, Label: t.queue[k].label, To: t.queue[k].state}
	}
	return steps
}
