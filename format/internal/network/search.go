package network

import (
	"slices"

	"github.com/inev-lts/inev/lts"
)

// unknown is the number of a state that the table does not have yet.
const unknown = 1<<32 - 1

// search finds the transitions of some states of a network, for one goroutine.
type search struct {
	x *explorer
	// counts has the number of transitions of each state, found has the transitions, and keys and
	// hashes those of all their targets.
	counts []uint32
	found  []transition
	keys   []uint64
	hashes []uint64
	slots  []uint64 // of a block of transitions
	labels []lts.Label

	key   []uint64    // of the state
	at    []lts.State // the states of its components
	to    []uint64
	ranks []ranking
	begin int // where the transitions of the state begin in found
}

// transition is a transition of the network.
type transition struct {
	label uint32
	to    uint32 // unknown if the table does not have the target
}

// ranking has, for a priority, the classes with a move that is possible in a state.
type ranking struct {
	known    bool
	possible []bool
}

func newSearch(x *explorer) *search {
	s := &search{
		x:   x,
		key: make([]uint64, x.table.words),
		at:  make([]lts.State, len(x.automata)),
		to:  make([]uint64, x.table.words),
	}
	for _, p := range x.priorities {
		s.ranks = append(s.ranks, ranking{possible: make([]bool, len(p.above))})
	}
	return s
}

// run finds the transitions of the states from first to end.
func (s *search) run(first, end int) {
	s.counts = s.counts[:0]
	s.found = s.found[:0]
	s.keys = s.keys[:0]
	s.hashes = s.hashes[:0]
	for state := first; state < end; state++ {
		s.expand(state)
	}
	s.resolve()
}

// block is the number of transitions whose slots in the table are read at once: reading many at a
// time hides the latency of memory.
const block = 64

// resolve finds the numbers of the targets that the table has.
func (s *search) resolve() {
	t := &s.x.table
	if t.direct != nil {
		for i, key := range s.keys {
			s.found[i].to = t.direct[key] - 1
		}
		return
	}
	words := t.words
	mask := uint64(len(t.slots) - 1)
	s.slots = slices.Grow(s.slots[:0], block)[:block]
	for begin := 0; begin < len(s.found); begin += block {
		end := min(begin+block, len(s.found))
		for i := begin; i < end; i++ {
			s.slots[i-begin] = t.slots[s.hashes[i]>>32&mask]
		}
		for i := begin; i < end; i++ {
			slot := s.slots[i-begin]
			hash := s.hashes[i]
			key := s.keys[i*words : (i+1)*words]
			if slot != 0 && slot>>32 == t.tag(hash, key) && t.isAt(uint32(slot)-1, key) {
				s.found[i].to = uint32(slot) - 1
			} else {
				s.found[i].to = t.find(hash, key)
			}
		}
	}
}

// expand finds the transitions of a state.
func (s *search) expand(state int) {
	x := s.x
	copy(s.key, x.table.key(state))
	for i := range x.automata {
		s.at[i] = x.automata[i].stateOf(s.key)
	}
	for i := range s.ranks {
		s.ranks[i].known = false
	}
	s.begin = len(s.found)
	for i := range x.automata {
		a := &x.automata[i]
		leads := x.leads[i]
		for g := a.begin[s.at[i]]; g < a.begin[s.at[i]+1]; g++ {
			group := &a.groups[g]
			for _, number := range leads[group.label] {
				m := &x.moves[number]
				if s.isPossible(m.parts[1:]) && s.isFirst(m.yields) {
					s.do(m, group.targets)
				}
			}
		}
	}
	s.counts = append(s.counts, uint32(len(s.found)-s.begin))
}

// isPossible reports whether the components can do their parts.
func (s *search) isPossible(parts []part) bool {
	for _, p := range parts {
		if s.x.automata[p.component].targetsOf(s.at[p.component], p.label) == nil {
			return false
		}
	}
	return true
}

// isFirst reports whether nothing with priority over a move is possible.
func (s *search) isFirst(yields []yield) bool {
	for _, y := range yields {
		possible := s.possible(y.priority)
		for _, above := range s.x.priorities[y.priority].above[y.class] {
			if possible[above] {
				return false
			}
		}
	}
	return true
}

// possible returns, for each class of a priority, whether a move of this class is possible.
func (s *search) possible(number int) []bool {
	r := &s.ranks[number]
	if r.known {
		return r.possible
	}
	clear(r.possible)
	p := &s.x.priorities[number]
	for i := range p.moves {
		class := p.classes[i]
		if !r.possible[class] && s.isPossible(p.moves[i].parts) &&
			s.isFirst(p.moves[i].yields) {
			r.possible[class] = true
		}
	}
	r.known = true
	return r.possible
}

// do adds the transitions of a move in which the first component goes to one of these states.
func (s *search) do(m *compiled, targets []lts.State) {
	copy(s.to, s.key)
	if len(m.parts) == 1 && !m.shares {
		a := &s.x.automata[m.parts[0].component]
		for _, to := range targets {
			a.set(s.to, to)
			s.append(m.label)
		}
		return
	}
	s.doPart(m, 0, targets)
}

func (s *search) doPart(m *compiled, i int, targets []lts.State) {
	a := &s.x.automata[m.parts[i].component]
	for _, to := range targets {
		a.set(s.to, to)
		if i+1 < len(m.parts) {
			next := m.parts[i+1]
			s.doPart(m, i+1,
				s.x.automata[next.component].targetsOf(s.at[next.component], next.label))
			continue
		}
		if !m.shares || !s.has(m.label) {
			s.append(m.label)
		}
	}
}

// append adds a transition with this label to the state whose key is in s.to.
func (s *search) append(label uint32) {
	s.found = append(s.found, transition{label: label})
	s.keys = append(s.keys, s.to...)
	s.hashes = append(s.hashes, hash(s.to))
}

// has reports whether the state has a transition with the label to the target already.
func (s *search) has(label uint32) bool {
	words := len(s.to)
	for i := s.begin; i < len(s.found); i++ {
		if s.found[i].label == label && slices.Equal(s.keys[i*words:(i+1)*words], s.to) {
			return true
		}
	}
	return false
}
