package replay

import (
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// back goes back from the end of the log, through all places that lie on an alignment with the
// fewest deviations, and along one of these.
type back struct {
	*search
	// nodes has the layers from position base on, each from its offset on.
	base    int
	nodes   layer
	offsets []int
	// seeds are states of the position at hand that the best alignments leave it by;
	// marked are all nodes of its layer that lie on one of these.
	seeds  []lts.State
	marked []bool

	// fate is what all ends have, if it is not open; since is the first position so that from there on
	// all that is marked has it, as far as positions were looked at; ended, that it is known.
	fate  fate.Fate
	since int
	ended bool

	// path is wanted if there are deviations, all of its steps if the run is kept; at is the
	// state that it has come to.
	path, keep bool
	at         lts.State
	reversed   []step
}

// step is a step of an alignment: event 0 stands for none. An event that is skipped leads nowhere.
type step struct {
	from, to lts.State
	label    uint32
	event    int
	kind     Kind
	free     bool // an action that would not be logged
	position int
}

// run goes back through the whole log, as far as anything is to be found out.
func (b *back) run() error {
	end := b.n
	for k := len(b.checkpoints) - 1; k >= 0 && !b.finished(); k-- {
		c := b.checkpoints[k]
		b.base, b.nodes, b.offsets = c.at, append(b.nodes[:0], c.layer...), append(b.offsets[:0], 0, len(c.layer))
		b.now = append(b.now[:0], c.layer...)
		for i := c.at + 1; i <= end; i++ {
			b.advance(i)
			b.nodes = append(b.nodes, b.now...)
			b.offsets = append(b.offsets, len(b.nodes))
		}
		last := c.at + 1 // the layer at c.at is the last one of those before
		if k == 0 {
			last = 0
		}
		for i := end; i >= last && !b.finished(); i-- {
			b.position(i)
		}
		end = c.at
		if err := b.pause(); err != nil {
			return err
		}
	}
	return nil
}

// layer returns the nodes of a position.
func (b *back) layer(i int) layer { return b.nodes[b.offsets[i-b.base]:b.offsets[i-b.base+1]] }

func (b *back) finished() bool { return !b.path && (b.fate == 0 || b.ended) }

// position does one position: seeds become the states of the position before.
func (b *back) position(i int) {
	here := b.layer(i)
	b.begin()
	for p, at := range here {
		b.seen[at.state], b.place[at.state] = b.epoch, uint32(p)
	}
	b.spread(here)
	if b.fate != 0 && !b.ended {
		if b.uniform(here) {
			b.since = i
		} else {
			b.ended = true
		}
	}
	if i == 0 {
		if b.path {
			b.within(here, nil, 0)
		}
		b.path, b.ended = false, true
		return
	}
	before := b.layer(i - 1)
	if b.path {
		b.within(here, before, i)
	}
	b.seeds = b.seeds[:0]
	label := b.event(i)
	for _, at := range before {
		if b.leads(here, before, at, label) {
			b.seeds = append(b.seeds, at.state)
		}
	}
}

// spread marks the nodes of a layer that reach its seeds by the best alignments.
func (b *back) spread(here layer) {
	b.marked = append(b.marked[:0], make([]bool, len(here))...)
	for _, state := range b.seeds {
		b.marked[b.place[state]] = true
	}
	if len(here) == 1 || len(b.seeds) == len(here) {
		return
	}
	for len(b.seeds) > 0 {
		to := b.seeds[len(b.seeds)-1]
		b.seeds = b.seeds[:len(b.seeds)-1]
		cost := here[b.place[to]].cost
		labels, sources := b.m.Predecessors().In(to)
		for k, from := range sources {
			if b.seen[from] != b.epoch || b.marked[b.place[from]] {
				continue
			}
			more := uint32(1)
			if free, _ := b.isFree(from, labels.At(k)); free {
				more = 0
			}
			if p := b.place[from]; here[p].cost+more == cost {
				b.marked[p] = true
				b.seeds = append(b.seeds, from)
			}
		}
	}
}

// uniform reports whether all that is marked has the fate of the ends.
func (b *back) uniform(here layer) bool {
	for p, at := range here {
		if b.marked[p] && b.fateAt(at.state) != b.fate {
			return false
		}
	}
	return true
}

// leads reports whether a node of the layer before goes on to what is marked.
func (b *back) leads(here, before layer, at node, label uint32) bool {
	ends := func(to lts.State, cost uint32) bool {
		return b.seen[to] == b.epoch && b.marked[b.place[to]] && here[b.place[to]].cost == cost
	}
	if ends(at.state, at.cost+1) {
		return true
	}
	return label != unknown && slices.ContainsFunc(b.rows.by(at.state, label), func(to lts.State) bool { return ends(to, at.cost) })
}

// within follows the path back through a layer, and out of it to the one before. It takes
// deviations first, so that they come as late as they can, but before actions that are not logged.
func (b *back) within(here, before layer, i int) {
	for {
		p := b.place[b.at]
		cost := here[p].cost
		if skip(before, b.at, cost) && (b.canDo(before, i, cost) || !b.inside(here, p, i, cost, true)) {
			b.reversed = append(b.reversed, step{from: b.at, to: b.at, label: b.event(i), event: i, kind: InLog, position: i})
			return
		}
		if b.at != here[p].state || b.inside(here, p, i, cost, false) {
			continue
		}
		if i > 0 {
			if label := b.event(i); label != unknown && b.does(before, i, label, cost) {
				return
			}
		}
		if !b.inside(here, p, i, cost, true) {
			return // where all began
		}
	}
}

// skip reports whether a node of the layer before has the state, at a cost of one less.
func skip(before layer, state lts.State, cost uint32) bool {
	return slices.ContainsFunc(before, func(at node) bool { return at.state == state && at.cost+1 == cost })
}

// canDo reports whether the event leads from the layer before to where the path is.
func (b *back) canDo(before layer, i int, cost uint32) bool {
	label := b.event(i)
	return label != unknown && slices.ContainsFunc(before, func(from node) bool {
		return from.cost == cost && slices.Contains(b.rows.by(from.state, label), b.at)
	})
}

// inside takes a transition back to an earlier node of the same layer, if there is one.
func (b *back) inside(here layer, p uint32, i int, cost uint32, free bool) bool {
	if p == 0 {
		return false
	}
	more := uint32(1)
	if free {
		more = 0
	}
	for _, from := range here[:p] {
		if from.cost+more != cost {
			continue
		}
		if label, is := b.rows.label(from.state, b.at, free); is {
			if b.keep || !free {
				b.reversed = append(b.reversed, step{from: from.state, to: b.at, label: label, kind: InModel, free: free, position: i})
			}
			b.at = from.state
			return true
		}
	}
	return false
}

// does takes the event back to the layer before, if it was done.
func (b *back) does(before layer, i int, label, cost uint32) bool {
	for _, from := range before {
		if from.cost == cost && slices.Contains(b.rows.by(from.state, label), b.at) {
			if b.keep {
				b.reversed = append(b.reversed, step{from: from.state, to: b.at, label: label, event: i, position: i})
			}
			b.at = from.state
			return true
		}
	}
	return false
}
