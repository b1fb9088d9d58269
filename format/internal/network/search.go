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
	// counts has the number of transitions of each state, found has the transitions, and targetKeys and
	// targetHashes those of all their targets.
	counts       []uint32
	found        []transition
	targetKeys   []uint64
	targetHashes []uint64
	blockSlots   []uint64 // of a block of transitions
	labels       []lts.Label

	// For the state that is being expanded:
	stateKey        []uint64
	componentStates []lts.State
	targetKey       []uint64 // the key of the target that is being put together
	rankings        []ranking
	rowStart        int // where its transitions begin in found
}

// isPreempted reports whether something with priority over a move is possible.
func (s *search) isPreempted(yields []yield) bool {
	for _, y := range yields {
		possible := s.possibleClasses(y.priority)
		for _, above := range s.x.priorities[y.priority].above[y.class] {
			if possible[above] {
				return true
			}
		}
	}
	return false
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

// newSearch returns a search for one goroutine. Its slices are used again for each batch of states.
func newSearch(x *explorer) *search {
	s := &search{
		x:               x,
		stateKey:        make([]uint64, x.table.words),
		componentStates: make([]lts.State, len(x.automata)),
		targetKey:       make([]uint64, x.table.words),
	}
	for _, p := range x.priorities {
		s.rankings = append(s.rankings, ranking{possible: make([]bool, len(p.above))})
	}
	return s
}

// run finds the transitions of the states from first to end.
func (s *search) run(first, end int) {
	s.counts = s.counts[:0]
	s.found = s.found[:0]
	s.targetKeys = s.targetKeys[:0]
	s.targetHashes = s.targetHashes[:0]
	for state := first; state < end; state++ {
		s.expand(state)
	}
	s.resolveTargets()
}

// block is the number of transitions whose slots in the table are read at once: reading many at a
// time hides the latency of memory.
const block = 64

// resolveTargets finds the numbers of the targets that the table has.
func (s *search) resolveTargets() {
	t := &s.x.table
	if t.direct != nil {
		for i, key := range s.targetKeys {
			s.found[i].to = t.direct[key] - 1
		}
		return
	}
	words := t.words
	mask := uint64(len(t.slots) - 1)
	s.blockSlots = slices.Grow(s.blockSlots[:0], block)[:block]
	for begin := 0; begin < len(s.found); begin += block {
		end := min(begin+block, len(s.found))
		for i := begin; i < end; i++ {
			s.blockSlots[i-begin] = t.slots[s.targetHashes[i]>>32&mask]
		}
		for i := begin; i < end; i++ {
			slot := s.blockSlots[i-begin]
			hash := s.targetHashes[i]
			key := s.targetKeys[i*words : (i+1)*words]
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
	copy(s.stateKey, x.table.key(state))
	for i := range x.automata {
		s.componentStates[i] = x.automata[i].stateOf(s.stateKey)
	}
	for i := range s.rankings {
		s.rankings[i].known = false
	}
	s.rowStart = len(s.found)
	for i := range x.automata {
		a := &x.automata[i]
		leads := x.movesLedBy[i]
		for g := a.firstGroup[s.componentStates[i]]; g < a.firstGroup[s.componentStates[i]+1]; g++ {
			group := &a.groups[g]
			for _, number := range leads[group.label] {
				m := &x.moves[number]
				if s.isPossible(m.parts[1:]) && !s.isPreempted(m.yields) {
					s.addTransitionsOf(m, group.targets)
				}
			}
		}
	}
	s.counts = append(s.counts, uint32(len(s.found)-s.rowStart))
}

// isPossible reports whether the components can do their parts.
func (s *search) isPossible(parts []part) bool {
	for _, p := range parts {
		if s.x.automata[p.component].targetsOf(s.componentStates[p.component], p.label) == nil {
			return false
		}
	}
	return true
}

// possibleClasses returns, for each class of a priority, whether a move of this class is possible.
func (s *search) possibleClasses(priority int) []bool {
	r := &s.rankings[priority]
	if r.known {
		return r.possible
	}
	clear(r.possible)
	p := &s.x.priorities[priority]
	for i, class := range p.classes {
		m := &p.moves[i]
		if !r.possible[class] && s.isPossible(m.parts) && !s.isPreempted(m.yields) {
			r.possible[class] = true
		}
	}
	r.known = true
	return r.possible
}

// addTransitionsOf adds the transitions of a move in which the first component goes to one of these states.
func (s *search) addTransitionsOf(m *searchMove, targets []lts.State) {
	copy(s.targetKey, s.stateKey)
	if len(m.parts) == 1 && !m.shares {
		a := &s.x.automata[m.parts[0].component]
		for _, to := range targets {
			a.set(s.targetKey, to)
			s.addTransition(m.label)
		}
		return
	}
	s.addFromPart(m, 0, targets)
}

// addFromPart adds the transitions of a move in which the component of part i goes to one of these states. The
// earlier components have gone to theirs.
func (s *search) addFromPart(m *searchMove, i int, targets []lts.State) {
	a := &s.x.automata[m.parts[i].component]
	for _, to := range targets {
		a.set(s.targetKey, to)
		if i+1 < len(m.parts) {
			next := m.parts[i+1]
			nextTargets := s.x.automata[next.component].targetsOf(s.componentStates[next.component], next.label)
			s.addFromPart(m, i+1, nextTargets)
			continue
		}
		if !m.shares || !s.hasTransition(m.label) {
			s.addTransition(m.label)
		}
	}
}

// addTransition adds a transition with this label to the state whose key is in s.targetKey.
func (s *search) addTransition(label uint32) {
	s.found = append(s.found, transition{label: label})
	s.targetKeys = append(s.targetKeys, s.targetKey...)
	s.targetHashes = append(s.targetHashes, hash(s.targetKey))
}

// hasTransition reports whether the state has a transition with the label to the target already.
func (s *search) hasTransition(label uint32) bool {
	words := len(s.targetKey)
	for i := s.rowStart; i < len(s.found); i++ {
		if s.found[i].label == label && slices.Equal(s.targetKeys[i*words:(i+1)*words], s.targetKey) {
			return true
		}
	}
	return false
}
