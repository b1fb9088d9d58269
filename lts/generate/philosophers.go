package generate

import "context"

// maxPhilosophers bounds a model to 2 GB. With each further philosopher, a model
// takes over three times as much.
const maxPhilosophers = 14

// The phases of a meal, in their order.
const (
	thinking = iota
	holdingOne
	holdingBoth
	fed
	droppedOne
)

// The actions of a philosopher.
const (
	takes = iota
	eats
	drops
)

// table is the dining philosophers of Dijkstra (Hierarchical ordering of
// sequential processes, 1971). Fork p lies to the left of philosopher p, who
// takes the left fork first and drops it first. At an asymmetric table, one
// philosopher takes and drops the right one first.
type table struct {
	count      int
	asymmetric bool
	phase      []field
	taken      []field
}

func preparePhilosophers(ctx context.Context, s Spec) model {
	t := &table{count: s.Processes, asymmetric: s.Asymmetric}
	end := uint(0)
	for range t.count {
		var at []field
		at, end = fields(end, 3, 1)
		t.phase, t.taken = append(t.phase, at[0]), append(t.taken, at[1])
	}
	return explore(ctx, []event{takes: {"TAKE", 2, ""}, eats: {"EAT", 1, ""}, drops: {"DROP", 2, ""}}, t.next)
}

func (t *table) next(c configuration, do func(action, configuration)) {
	for p := range t.count {
		first, second := p, (p+1)%t.count
		if t.asymmetric && p == t.count-1 {
			first, second = second, first
		}
		t.step(c, p, first, second, do)
	}
}

// step calls do for each step that philosopher p can take next, who takes fork
// first before fork second.
func (t *table) step(c configuration, p, first, second int, do func(action, configuration)) {
	phase := t.phase[p].of(c)
	next := t.phase[p].set(c, (phase+1)%(droppedOne+1))
	take := func(fork int) {
		if t.taken[fork].of(c) == 0 {
			do(doing(takes, p, fork, 0), t.taken[fork].set(next, 1))
		}
	}
	drop := func(fork int) { do(doing(drops, p, fork, 0), t.taken[fork].set(next, 0)) }
	switch phase {
	case thinking:
		take(first)
	case holdingOne:
		take(second)
	case holdingBoth:
		do(doing(eats, p, 0, 0), next)
	case fed:
		drop(first)
	case droppedOne:
		drop(second)
	}
}
