package counterexample

import (
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// tour makes a fair round in a set, from one duty to the nearest next one. A duty is a task that
// the rest of the round has to fulfil: a strong task that some state on the round enables must be
// done; a weak task that all states so far enable must be done or disabled.
type tour struct {
	*inside
	// due has the state of each task. open is the number of duties and of missing colours.
	due  []duty
	open int
	// missing are the colours that the round must still take.
	missing property.Marks
	// weak are the weak tasks that may still be duties.
	weak []uint32
	// seen[k] is the number of the last examined state that enables task k; examined is the number of
	// states examined so far.
	seen     []uint32
	examined uint32
	// arrived are the indices of the states of the set that the round has visited. Further visits
	// to these states do not change the duties.
	arrived bitset.Set[uint32]
	// spent is the number of transitions that searches have visited, visits the number of states.
	// When spent reaches the limit, the tour continues with trips.
	spent  int
	visits int64
	trips  *trips
	// visited[i] is the number of the last search that visited state i of the set.
	visited  []uint32
	searches uint32
	queue    []treeNode
}

type duty uint8

const (
	notDue duty = iota // the task is no duty now, but may become a duty
	due
	done // the task can never become a duty again
)

// newTour makes a set the current one, and returns a tour in it that has not begun.
func (x *inside) newTour(set fairSet) *tour {
	x.enter(set)
	tasks := len(x.f.Tasks())
	abort.On(resources.Ask(x.ctx, int64(tasks)*13+4*int64(len(set.states))))
	return &tour{
		inside:  x,
		due:     make([]duty, tasks),
		seen:    make([]uint32, tasks),
		visited: make([]uint32, len(set.states)),
		arrived: bitset.New[uint32](len(set.states)),
	}
}

// round returns a fair round from s that a run can repeat forever. It appends a path to the nearest
// duty until no duty is left, and then a path back to s. That ends: a path back to s may meet new
// duties, but all other paths fulfil a duty, which does not become a duty again.
func (t *tour) round(s lts.State) []lts.Transition {
	t.begin(s)
	var walk []lts.Transition
	current := s
	for {
		path := t.onward(current, s)
		for _, step := range path {
			t.recordTaken(step)
			t.arrive(step.To)
		}
		walk = abort.Must(resources.Grow(t.ctx, walk, len(path)))
		walk = append(walk, path...)
		current = walk[len(walk)-1].To
		if t.open == 0 && current == s {
			return walk
		}
	}
}

// begin starts the round in s: the duties are the weak tasks and the strong tasks that s enables,
// and all colours are missing.
func (t *tour) begin(s lts.State) {
	t.markEnabled(s)
	for k, task := range t.f.Tasks() {
		isEnabled := t.seen[k] == t.examined
		if isEnabled && !task.Strong {
			t.due[k] = due
			t.open++
			t.weak = append(t.weak, uint32(k))
		}
	}
	t.missing = t.pair.Inf
	t.open += t.missing.Len()
	t.arrive(s) // adds the strong tasks
}

// recordTaken updates the duties and the missing colours after a transition.
func (t *tour) recordTaken(step lts.Transition) {
	taken := t.colours(step.From, step.Label) & t.missing
	t.open -= taken.Len()
	t.missing &^= taken
	for _, k := range t.f.MetBy(step.Label) {
		if !t.belongs(k, step.From, step.To) {
			continue
		}
		if t.due[k] == due {
			t.open--
		}
		if t.due[k] == due || t.f.Tasks()[k].Strong {
			t.due[k] = done
		}
	}
}

// markEnabled sets seen for the tasks that s enables.
func (t *tour) markEnabled(s lts.State) {
	t.examined++
	t.enables(s, func(k uint32) { t.seen[k] = t.examined })
}

// arrive updates the duties after a visit to s: enabled strong tasks may become duties, and
// disabled weak tasks are done.
func (t *tour) arrive(s lts.State) {
	index := t.member[s] - 1
	if t.arrived.Has(index) {
		return
	}
	t.arrived.Add(index)
	t.markEnabled(s)
	labels, _ := t.m.Out(s)
	for i := range labels.Len() {
		for _, k := range t.f.TasksOf(labels.At(i)) {
			isEnabled := t.seen[k] == t.examined
			if t.due[k] == notDue && isEnabled && t.f.Tasks()[k].Strong {
				t.due[k] = due
				t.open++
				if t.trips != nil {
					t.trips.tasks = append(t.trips.tasks, k)
				}
			}
		}
	}
	stillWeak := t.weak[:0]
	for _, k := range t.weak {
		switch {
		case t.due[k] == done:
			continue
		case t.seen[k] == t.examined:
			stillWeak = append(stillWeak, k)
		default:
			t.due[k] = done
			t.open--
		}
	}
	t.weak = stillWeak
}

// doesDuty reports whether a transition fulfils a duty, or has a missing colour.
func (t *tour) doesDuty(x lts.Transition) bool {
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

// endsDuty reports whether a visit to a state fulfils a duty: a weak task that the state does not
// enable.
func (t *tour) endsDuty(s lts.State) bool {
	if len(t.weak) == 0 || t.arrived.Has(t.member[s]-1) {
		return false
	}
	t.markEnabled(s)
	for _, k := range t.weak {
		if t.due[k] == due && t.seen[k] != t.examined {
			return true
		}
	}
	return false
}

// onward returns a path from a state to the next duty, or to home if there is no duty. It is a
// shortest path, unless the searches have reached their limit and no colour is missing.
func (t *tour) onward(from, home lts.State) []lts.Transition {
	if t.spent < t.limits.tour || t.missing != 0 {
		return t.toNearestDuty(from, home)
	}
	if t.trips == nil {
		t.trips = t.newTrips(home)
	}
	path := t.trips.toNextDuty(from)
	if len(path) > 0 {
		return path
	}
	return t.toNearestDuty(from, home)
}

// toNearestDuty returns a shortest path from a state to the nearest duty, or to home if there is no duty.
func (t *tour) toNearestDuty(from, home lts.State) []lts.Transition {
	t.searches++
	t.visited[t.member[from]-1] = t.searches
	t.queue = append(t.queue[:0], treeNode{state: from})
	for next := 0; next < len(t.queue); next++ {
		abort.IfDone(t.ctx, next)
		at := t.queue[next].state
		labels, targets := t.m.Out(at)
		t.spent += len(targets)
		t.visits++
		for i, to := range targets {
			if !t.allows(at, labels.At(i), to) {
				continue
			}
			step := lts.Transition{From: at, Label: labels.At(i), To: to}
			isNew := t.visited[t.member[to]-1] != t.searches
			isEnd := to == home
			if t.open > 0 {
				isEnd = t.doesDuty(step) || isNew && t.endsDuty(to)
			}
			if isEnd {
				path := treePath(next, func(i int) *treeNode { return &t.queue[i] })
				return append(path, step)
			}
			if isNew {
				t.visited[t.member[to]-1] = t.searches
				t.queue = append(t.queue, treeNode{
					state:  to,
					label:  labels.At(i),
					parent: uint32(next),
				})
			}
		}
	}
	abort.On(errors.New("a fair set is not strongly connected: no path leads on to what its tour must visit"))
	return nil
}

// tourLooks is the largest number of transitions that the searches of a tour for the nearest duty
// visit. After that, the tour makes trips.
const tourLooks = 1 << 22

// trips are paths from the first state of a tour, called home, to each duty and back. Such a path
// can be longer than a path from one duty to the nearest next one, but the cost of finding it is
// only its length.
type trips struct {
	*tour
	home lts.State
	// out has, for each state of the set, the last transition of a shortest path from home to the
	// state. back has the first transition of a shortest path from the state to home.
	out, back []lts.Transition
	// duty[k] is the first transition that does task k, in the order of a search from home. taken
	// are the tasks with such a transition.
	duty  []lts.Transition
	taken bitset.Set[uint32]
	// useless[i] is the number of leading transitions of state i that no longer fulfil any duty.
	useless []uint32
	// tasks are the tasks in the order in which they became due; the tasks before index next are
	// done.
	tasks []uint32
	next  int
}

// newTrips finds the paths from home and back, and a transition for each task. Cost O(S + T) of the
// set.
func (t *tour) newTrips(home lts.State) *trips {
	abort.On(t.m.FindPredecessors(t.ctx))
	n := len(t.states)
	abort.On(resources.Ask(t.ctx, int64(n)*28+13*int64(len(t.due))))
	x := &trips{
		tour:    t,
		home:    home,
		out:     make([]lts.Transition, n),
		back:    make([]lts.Transition, n),
		duty:    make([]lts.Transition, len(t.due)),
		taken:   bitset.New[uint32](len(t.due)),
		useless: make([]uint32, n),
	}
	order := x.search(home, x.out, t.each)
	x.search(home, x.back, t.eachInto)
	for _, s := range order {
		t.each(s, x.noteTasks)
	}
	for k, d := range t.due {
		if d == due {
			x.tasks = append(x.tasks, uint32(k))
		}
	}
	abort.On(t.ctx.Err())
	return x
}

// noteTasks records a transition for each task that it does, unless the task already has a
// transition.
func (x *trips) noteTasks(step lts.Transition) {
	for _, k := range x.f.MetBy(step.Label) {
		if !x.taken.Has(k) && x.belongs(k, step.From, step.To) {
			x.taken.Add(k)
			x.duty[k] = step
		}
	}
}

// eachInto yields the transitions to a state that rounds in the set may take.
func (t *tour) eachInto(s lts.State, yield func(lts.Transition)) {
	labels, sources := t.m.Predecessors().In(s)
	for i, from := range sources {
		l := labels.At(i)
		if t.member[from] != 0 && t.allows(from, l, s) {
			yield(lts.Transition{From: from, Label: l, To: s})
		}
	}
}

// each yields the transitions from a state that rounds in the set may take.
func (t *tour) each(s lts.State, yield func(lts.Transition)) {
	labels, targets := t.m.Out(s)
	for i, to := range targets {
		l := labels.At(i)
		if t.allows(s, l, to) {
			yield(lts.Transition{From: s, Label: l, To: to})
		}
	}
}

// search searches the set breadth first from home; steps yields the transitions from, or to, a
// state. For each state it stores the transition of the search to this state in by. It returns the
// states in the order of the search.
func (x *trips) search(
	home lts.State,
	by []lts.Transition,
	steps func(s lts.State, meet func(lts.Transition)),
) []lts.State {
	x.searches++
	x.visited[x.member[home]-1] = x.searches
	order := make([]lts.State, 1, len(x.states))
	order[0] = home
	for i := 0; i < len(order); i++ {
		at := order[i]
		steps(at, func(step lts.Transition) {
			other := step.To
			if other == at {
				other = step.From
			}
			k := x.member[other] - 1
			if x.visited[k] != x.searches {
				x.visited[k] = x.searches
				by[k] = step
				order = append(order, other)
			}
		})
	}
	return order
}

// toNextDuty returns a path from a state to the next duty, or to home if there is no duty. The path is
// empty if no transition fulfils the remaining duties, or if there are none and the state is home.
func (x *trips) toNextDuty(from lts.State) []lts.Transition {
	if step, fulfilsDuty := x.dutyAt(from); fulfilsDuty {
		return []lts.Transition{step}
	}
	for ; x.next < len(x.tasks); x.next++ {
		k := x.tasks[x.next]
		hasTransition := x.taken.Has(k)
		if x.due[k] == due && hasTransition {
			step := x.duty[k]
			return append(x.throughHome(from, step.From), step)
		}
	}
	if x.open > 0 {
		return nil
	}
	return x.throughHome(from, x.home)
}

// dutyAt returns a transition from a state that fulfils a duty; false if there is none. It skips
// transitions that fulfilled no duty before, since tasks that are done stay done.
func (x *trips) dutyAt(s lts.State) (lts.Transition, bool) {
	labels, targets := x.m.Out(s)
	useless := &x.useless[x.member[s]-1]
	for ; int(*useless) < len(targets); *useless++ {
		i := int(*useless)
		step := lts.Transition{From: s, Label: labels.At(i), To: targets[i]}
		if x.allows(s, step.Label, step.To) && x.doesDuty(step) {
			return step, true
		}
	}
	return lts.Transition{}, false
}

// throughHome returns a path between two states that leads through home; if the states are equal,
// the path is empty.
func (x *trips) throughHome(from, to lts.State) []lts.Transition {
	var path []lts.Transition
	if from == to {
		return path
	}
	for at := from; at != x.home; at = path[len(path)-1].To {
		path = append(path, x.back[x.member[at]-1])
	}
	stem := len(path)
	at := to
	for at != x.home {
		step := x.out[x.member[at]-1]
		path = append(path, step)
		at = step.From
	}
	slices.Reverse(path[stem:])
	return path
}
