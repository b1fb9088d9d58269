package replay

import (
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// back goes backwards through the log: it visits all states that lie on an alignment with the
// fewest deviations, and follows one such alignment.
type back struct {
	*search
	block
	// shown is the position of the layer whose nodes the index named before has; -1 if it has none.
	shown int
	// seeds are the states of the current position from where a best alignment leads to the next
	// position; marked are all nodes of the layer on a best alignment.
	seeds  []lts.State
	marked []bool

	// fate is the fate of all ends, unless it is open; since is the first position, of those
	// visited, from where on all marked nodes have this fate; ended reports that since is final.
	fate  fate.Fate
	since int
	ended bool

	// path reports whether steps are wanted: the deviations, or all steps if the run is kept. at is
	// the state that the path has reached on its way back.
	path, keep bool
	at         lts.State
	reversed   []step
}

// step is a step of an alignment; event is 0 if the step does no event. A skipped event is a step
// without a target.
type step struct {
	from, to lts.State
	label    uint32
	event    int
	kind     Kind
	free     bool // whether the step is an action that would not be logged
	position int
}

// block has the layers from position base on; the nodes of each layer begin at its offset.
type block struct {
	base    int
	nodes   []node
	offsets []int
	most    []uint32
}

func (b *block) begin(i int, l *layer) {
	b.base, b.nodes, b.offsets, b.most = i, b.nodes[:0], append(b.offsets[:0], 0), b.most[:0]
	b.add(l)
}

func (b *block) add(l *layer) {
	b.nodes = append(b.nodes, l.nodes...)
	b.offsets, b.most = append(b.offsets, len(b.nodes)), append(b.most, l.most)
}

// layer returns the layer of a position.
func (b *block) layer(i int) layer {
	i -= b.base
	return layer{b.nodes[b.offsets[i]:b.offsets[i+1]], b.most[i]}
}

// run goes backwards through the log until nothing more is to be found out.
func (b *back) run() {
	for end := b.n; !b.finished(); end = b.base {
		b.load(max(0, end-1), end)
		for i := end; (i > b.base || i == 0) && !b.finished(); {
			if b.position(i) {
				i--
				continue
			}
			b.again += b.load(b.widen(i, false), i)
		}
	}
}

// load computes again the layers of the positions between two bounds, and counts their nodes. Then
// the block has the layers from the last checkpoint on.
func (b *back) load(from, end int) (met int) {
	at := b.goBack(from)
	b.begin(at, &b.now)
	for i := at + 1; i <= end; i++ {
		b.advance(i)
		met += len(b.now.nodes)
		if b.remember(i) && i < end {
			b.begin(i, &b.now)
		} else {
			b.add(&b.now)
		}
	}
	b.shown = -1
	b.pause()
	return met
}

func (b *back) finished() bool { return !b.path && (b.fate == 0 || b.ended) }

// position processes one position: seeds become the states of the previous position. It returns
// false without doing anything if a guess may lie on an alignment with the fewest deviations.
func (b *back) position(i int) (certain bool) {
	here := b.layer(i)
	if b.shown == i {
		b.here, b.before = b.before, b.here
	} else {
		b.here.fill(here.nodes)
	}
	var before layer
	if b.before.clear(); i > 0 {
		before = b.layer(i - 1)
		b.before.fill(before.nodes)
	}
	b.shown = i - 1
	if b.fate != 0 && !b.ended {
		if !b.spread(here) {
			return false
		}
		seeds, certain := b.sources(here, before, i)
		switch {
		case !certain:
			return false
		case !b.uniform(here):
			b.ended = true
		default:
			b.since, b.seeds = i, seeds
		}
	}
	if b.path {
		b.within(here, before, i)
	}
	if i == 0 {
		b.path, b.ended = false, true
	}
	return true
}

// spread marks the nodes of a layer that lead to its seeds on a best alignment. It returns false if
// a guess may lead there, too.
func (b *back) spread(here layer) (certain bool) {
	b.marked = append(b.marked[:0], make([]bool, len(here.nodes))...)
	work := make([]uint32, 0, len(b.seeds))
	for _, state := range b.seeds {
		p, _ := b.here.at(state)
		b.marked[p] = true
		work = append(work, p)
	}
	certain = true
	for len(work) > 0 && certain {
		to := here.nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		b.into(&b.here, here.nodes, to.state, func(p uint32, _ uint32, free bool) {
			more := uint32(1)
			if free {
				more = 0
			}
			switch from := here.nodes[p]; {
			case b.marked[p] || from.cost()+more != to.cost():
			case from.guessed():
				certain = false
			default:
				b.marked[p] = true
				work = append(work, p)
			}
		})
	}
	return certain
}

// into calls do for each transition from a node of a layer to a state.
func (b *back) into(x *index, nodes []node, to lts.State, do func(place, label uint32, free bool)) {
	if len(nodes) == 1 && nodes[0].state == to {
		return // a self-loop changes nothing within a layer
	}
	labels, sources := b.m.Predecessors().In(to)
	if len(sources) > 2*len(nodes) {
		for p, from := range nodes {
			for i := b.rows.first[from.state]; i < b.rows.first[from.state+1]; i++ {
				if b.rows.targets[i] == to {
					do(uint32(p), b.rows.labels[i], i < b.rows.logged[from.state])
				}
			}
		}
		return
	}
	for k, from := range sources {
		if p, is := x.at(from); is {
			free, first := b.isFree(from, labels.At(k))
			label := uint32(b.model.Alphabet().Plain(labels.At(k)))
			if first {
				label = begins
			}
			do(p, label, free)
		}
	}
}

// sources returns the states of the previous layer that lead to marked nodes on a best alignment.
// It returns false if a guess may lead there, too.
func (b *back) sources(here, before layer, i int) (states []lts.State, certain bool) {
	if i == 0 {
		return nil, true
	}
	label := b.event(i)
	taken := make([]bool, len(before.nodes))
	certain = true
	take := func(p uint32) {
		if before.nodes[p].guessed() {
			certain = false
		} else if !taken[p] {
			taken[p] = true
			states = append(states, before.nodes[p].state)
		}
	}
	for p, at := range here.nodes {
		if !b.marked[p] {
			continue
		}
		if q, is := b.before.at(at.state); is && before.nodes[q].cost()+1 == at.cost() {
			take(q)
		}
		b.doing(before, at.state, label, func(q uint32) {
			if before.nodes[q].cost() == at.cost() {
				take(q)
			}
		})
		certain = certain && (at.cost() <= before.most || !b.unseen(at.state, label))
	}
	return states, certain
}

// doing calls do for the nodes of the previous layer from where an event leads to a state.
func (b *back) doing(before layer, to lts.State, label uint32, do func(place uint32)) {
	if label == unknown {
		return
	}
	labels, sources := b.m.Predecessors().In(to)
	if len(sources) > 2*len(before.nodes) {
		for p, from := range before.nodes {
			if slices.Contains(b.rows.by(from.state, label), to) {
				do(uint32(p))
			}
		}
		return
	}
	for k, from := range sources {
		if p, is := b.before.at(from); is && b.does(from, labels.At(k), label) {
			do(p)
		}
	}
}

// does reports whether a transition does an event.
func (b *back) does(from lts.State, l lts.Label, label uint32) bool {
	if uint32(b.model.Alphabet().Plain(l)) != label {
		return false
	}
	_, begins := b.isFree(from, l)
	return !begins
}

// unseen reports whether an event leads to a state from a state that has no node in the previous
// layer.
func (b *back) unseen(to lts.State, label uint32) bool {
	if label == unknown {
		return false
	}
	labels, sources := b.m.Predecessors().In(to)
	for k, from := range sources {
		if !b.before.has(from) && b.does(from, labels.At(k), label) {
			return true
		}
	}
	return false
}

// uniform reports whether all marked nodes have the fate of the ends.
func (b *back) uniform(here layer) bool {
	for p, at := range here.nodes {
		// What stands before the initial states is not passed: a run begins behind it.
		if b.marked[p] && b.fateAt(at.state) != b.fate && !b.model.IsBefore(b.search.state(at.state)) {
			return false
		}
	}
	return true
}

// within follows the path backwards through a layer, and into the previous layer. It prefers
// deviations, so that they come as late as possible, but before actions that are not logged.
func (b *back) within(here, before layer, i int) {
	for {
		p, _ := b.here.at(b.at)
		cost := here.nodes[p].cost()
		done, does := b.done(before, i, cost)
		if b.skip(before, cost) && (does || !b.inside(here, i, cost, true)) {
			b.reversed = append(b.reversed, step{from: b.at, to: b.at, label: b.event(i), event: i, kind: InLog, position: i})
			return
		}
		switch {
		case b.at != here.nodes[p].state: // the step undone is an action that is not logged
		case b.inside(here, i, cost, false):
		case does:
			if b.keep {
				b.reversed = append(b.reversed, step{from: done, to: b.at, label: b.event(i), event: i, position: i})
			}
			b.at = done
			return
		case !b.inside(here, i, cost, true):
			return // the path has reached a state where runs begin
		}
	}
}

// skip reports whether the previous layer has the current state of the path at a cost of one less.
func (b *back) skip(before layer, cost uint32) bool {
	p, is := b.before.at(b.at)
	return is && before.nodes[p].key+2 == 2*cost
}

// done returns the first state of the previous layer from where the event leads to the current
// state of the path.
func (b *back) done(before layer, i int, cost uint32) (from lts.State, is bool) {
	if i == 0 {
		return 0, false
	}
	first := uint32(len(before.nodes))
	b.doing(before, b.at, b.event(i), func(p uint32) {
		if before.nodes[p].key == 2*cost {
			first = min(first, p)
		}
	})
	if int(first) == len(before.nodes) {
		return 0, false
	}
	return before.nodes[first].state, true
}

// inside takes the first transition from an earlier node of the same layer, if there is one.
func (b *back) inside(here layer, i int, cost uint32, free bool) bool {
	p, _ := b.here.at(b.at)
	more := uint32(1)
	if free {
		more = 0
	}
	first := p
	b.into(&b.here, here.nodes, b.at, func(q, _ uint32, isFree bool) {
		if isFree == free && here.nodes[q].key+2*more == 2*cost {
			first = min(first, q)
		}
	})
	if first == p {
		return false
	}
	from := here.nodes[first].state
	if b.keep || !free {
		label, _ := b.rows.label(from, b.at, free)
		b.reversed = append(b.reversed, step{from: from, to: b.at, label: label, kind: InModel, free: free, position: i})
	}
	b.at = from
	return true
}
