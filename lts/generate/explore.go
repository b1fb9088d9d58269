package generate

import (
	"context"
	"strconv"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
)

// configuration is a configuration of an algorithm as one number: fields of bits
// side by side; the initial one is 0.
type configuration uint64

// field is a group of bits of a configuration.
type field struct{ shift, width uint }

func (f field) of(c configuration) int { return int(c >> f.shift & (1<<f.width - 1)) }

// set returns c with this value in the field.
func (f field) set(c configuration, value int) configuration {
	return c&^(configuration(1<<f.width-1)<<f.shift) | configuration(value)<<f.shift
}

// fields returns fields of these widths, side by side from a bit on, and the
// number of the first bit behind them.
func fields(from uint, widths ...uint) (at []field, end uint) {
	for _, w := range widths {
		at = append(at, field{from, w})
		from += w
	}
	return at, from
}

// action is a label in 16 bits: the number of an event and its offers, four bits
// each.
type action uint16

func doing(event, a, b, c int) action { return action(event<<12 | a<<8 | b<<4 | c) }

// event is an action of an algorithm: its name, its number of offers, and a
// suffix that all its labels have.
type event struct {
	name   string
	offers int
	end    string
}

func (a action) text(events []event) string {
	e := events[a>>12]
	text := e.name
	for i := range e.offers {
		text += " !" + strconv.Itoa(int(a>>(8-4*i)&15))
	}
	return text + e.end
}

// successors calls do for every step that can follow a configuration.
type successors func(c configuration, do func(action, configuration))

// explored is a model that has been explored: the rows of all its transitions.
type explored struct {
	// ends has the end of the row of each state.
	ends    list[uint64]
	targets list[lts.State]
	actions list[uint16]
	names
}

func (m *explored) size() (states, transitions uint64) { return m.ends.count, m.targets.count }

func (m *explored) row(out sink, state uint64) {
	out.from(state)
	first := uint64(0)
	if state > 0 {
		first = m.ends.at(state - 1)
	}
	for i := first; i < m.ends.at(state); i++ {
		out.add(uint64(m.actions.at(i)), uint64(m.targets.at(i)))
	}
}

// explore numbers all configurations reachable from configuration 0, breadth
// first, as [lts.Explore] does. It is several times faster and smaller than
// lts.Explore, because a configuration is one word and each label is formatted
// once. Cost O(S + T) time, 8 bytes a state and 6 a transition, and up to 25
// bytes a state more while it runs.
func explore(ctx context.Context, events []event, next successors) *explored {
	meter := progress.Start(ctx, "explore", progress.States, 0)
	m := &explored{}
	seen := &numbering{ctx: ctx, slots: make([]uint32, 1<<10), shift: 64 - 10}
	seen.number(0)
	known := make([]uint16, 1<<16) // one more than the number of a label; 0 if it is new
	do := func(a action, c configuration) {
		if known[a] == 0 {
			m.names = append(m.names, a.text(events))
			known[a] = uint16(len(m.names))
		}
		m.actions.add(known[a] - 1)
		m.targets.add(seen.number(c))
	}
	for from := uint64(0); from < seen.all.count; from++ {
		if from%1024 == 0 {
			abort.On(ctx.Err())
		}
		next(seen.all.at(from), do)
		m.ends.add(m.targets.count)
		if m.ends.count%step == 0 {
			meter.Add(step)
		}
	}
	return m
}

// numbering gives numbers to configurations in the order they are first
// seen: a hash table with linear probing that holds numbers only.
type numbering struct {
	ctx   context.Context
	all   list[configuration]
	slots []uint32 // one more than a state's number; 0 if the slot is empty
	shift uint
}

func (n *numbering) number(c configuration) lts.State {
	mask := uint64(len(n.slots) - 1)
	for at := mix(uint64(c)) >> n.shift; ; at = (at + 1) & mask {
		switch slot := n.slots[at]; {
		case slot == 0:
			n.all.add(c)
			n.slots[at] = uint32(n.all.count)
			if n.all.count*4 > uint64(len(n.slots))*3 {
				n.grow()
			}
			return lts.State(n.all.count - 1)
		case n.all.at(uint64(slot)-1) == c:
			return lts.State(slot - 1)
		}
	}
}

// grow doubles the slots.
func (n *numbering) grow() {
	n.slots = make([]uint32, 2*len(n.slots))
	n.shift--
	mask := uint64(len(n.slots) - 1)
	for i := range n.all.count {
		if i%step == 0 {
			abort.On(n.ctx.Err())
		}
		at := mix(uint64(n.all.at(i))) >> n.shift
		for n.slots[at] != 0 {
			at = (at + 1) & mask
		}
		n.slots[at] = uint32(i + 1)
	}
}

// list is a slice that grows without copying its elements.
type list[T any] struct {
	pieces [][]T
	count  uint64
}

const pieceBits = 14

func (l *list[T]) add(value T) {
	at := l.count & (1<<pieceBits - 1)
	if at == 0 {
		l.pieces = append(l.pieces, make([]T, 1<<pieceBits))
	}
	l.pieces[len(l.pieces)-1][at] = value
	l.count++
}

func (l *list[T]) at(i uint64) T { return l.pieces[i>>pieceBits][i&(1<<pieceBits-1)] }
