// Package stateset has sets of states of a property as words of bits, and tables
// of the images of these sets under letters. With a set for each state of a
// model, an analysis can examine the product by passes through the model, without
// building it.
//
// Bit q of a word is set iff state q of the property is in the set.
package stateset

import (
	"context"
	"iter"
	"math/bits"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Set is a set of states of a property.
type Set interface {
	uint8 | uint16 | uint32 | uint64
}

// Width returns the size in bytes of the smallest word with a bit for each state
// of an automaton; 0 if the automaton has more than 64 states, or if its [Images]
// would take more than mostBytes.
func Width(t *property.Automaton, mostBytes int) int {
	if t.States() > 64 {
		return 0
	}
	width := bytesOf(t.States())
	if t.Columns*width*width<<8 > mostBytes {
		return 0
	}
	return width
}

// bytesOf returns the size of the smallest word with this many bits.
func bytesOf(bits int) int {
	width := 1
	for 8*width < bits {
		width *= 2
	}
	return width
}

// Has reports whether a set has state q. Cost O(1).
func Has[W Set](set W, q property.Q) bool { return set>>q&1 != 0 }

// All yields the states of a set, ascending.
func All[W Set](set W) iter.Seq[property.Q] {
	return func(yield func(property.Q) bool) {
		for rest := uint64(set); rest != 0; rest &= rest - 1 { // without the lowest bit
			if !yield(property.Q(bits.TrailingZeros64(rest))) {
				return
			}
		}
	}
}

// CountBelow returns how many states below q a set has. Cost O(1).
func CountBelow[W Set](set W, q property.Q) int {
	below := uint64(1)<<q - 1
	return bits.OnesCount64(uint64(set) & below)
}

// Count returns the sum of the sizes of all sets. Cost O(sets).
func Count[W Set](sets []W) (n int) {
	for _, set := range sets {
		n += bits.OnesCount64(uint64(set))
	}
	return n
}

// Images has the image of each set under each letter.
type Images[W Set] struct {
	// table[letter·256·bytes + 256·i + b] is the image of the states in byte i of a
	// set, if the byte is b.
	table []W
	bytes int
}

// Forward returns the images of sets under the transitions for which counts returns true: the
// states to which a letter leads from the set. Cost O(256 · transitions of the automaton), and the
// size of the tables.
func Forward[W Set](
	t *property.Automaton,
	counts func(from, to property.Q, marks property.Marks) bool,
) Images[W] {
	return images[W](t, counts, func(from, to property.Q) (member, image property.Q) {
		return from, to
	})
}

// Backward returns the inverse images of sets under the transitions for which
// counts returns true: the states from which a letter leads into the set. Cost
// as for [Forward].
func Backward[W Set](
	t *property.Automaton,
	counts func(from, to property.Q, marks property.Marks) bool,
) Images[W] {
	return images[W](t, counts, func(from, to property.Q) (member, image property.Q) {
		return to, from
	})
}

// images returns the images of sets under the transitions for which counts returns true. Such a transition
// adds a state to the image of each set that has a certain member. imageOf returns this member and the
// added state.
func images[W Set](
	t *property.Automaton,
	counts func(from, to property.Q, marks property.Marks) bool,
	imageOf func(from, to property.Q) (member, image property.Q),
) Images[W] {
	width := bytesOf(t.States())
	x := Images[W]{table: make([]W, t.Columns*width<<8), bytes: width}
	for i, to := range t.Next {
		from := property.Q(i / t.Columns)
		if !counts(from, to, marks(t, i)) {
			continue
		}
		letter := i % t.Columns
		member, image := imageOf(from, to)
		firstByte := letter*width + int(member)/8
		ofByte := x.table[firstByte*256:]
		for b := range 256 {
			if Has(uint8(b), member%8) {
				ofByte[b] |= 1 << image
			}
		}
	}
	return x
}

// Of returns the image of a set under a letter. Cost O(bytes of the word).
func (x *Images[W]) Of(letter uint16, set W) (all W) {
	table := x.table[int(letter)*x.bytes<<8:]
	if x.bytes == 1 {
		return table[set&0xff]
	}
	for rest := uint64(set); rest != 0; rest >>= 8 {
		all |= table[rest&0xff]
		table = table[256:]
	}
	return all
}

func marks(t *property.Automaton, i int) property.Marks {
	if t.Marks == nil {
		return 0
	}
	return t.Marks[i]
}

// Loops returns for each state of an automaton the states that lie with it on a loop, and the set
// of all states on loops. Only loops of letters that occur in the model, and without Fin colours of
// the pair, count. A state is left out if its loops together lack an Inf colour of the pair. A loop
// of a product is also a loop of the property, so that a run can satisfy the pair only on these
// states. The automaton has at most 64 states. Cost O(n³ + n · letters) for n states.
func Loops(t *property.Automaton, pair property.Pair) (targetsOnLoop []uint64, onLoops uint64) {
	used := make([]bool, t.Columns)
	for _, c := range t.Letters {
		used[c] = true
	}
	// mayLoop reports whether a transition may lie on a loop: the model has its letter, and it has no
	// Fin colour.
	mayLoop := func(i int) bool {
		return used[i%t.Columns] && marks(t, i)&pair.Fin == 0
	}
	targetsOnLoop = sameLoop(t, mayLoop)
	met := metOnLoops(t, mayLoop, targetsOnLoop)
	for q := range targetsOnLoop {
		colours := property.Marks(0) // of all transitions on loops through q
		for other := range All(targetsOnLoop[q]) {
			colours |= met[other]
		}
		if colours&pair.Inf != pair.Inf {
			targetsOnLoop[q] = 0
		}
		if targetsOnLoop[q] != 0 {
			onLoops |= 1 << q
		}
	}
	return targetsOnLoop, onLoops
}

// metOnLoops returns for each state the colours of the transitions that leave it and lie on a loop
// through it.
func metOnLoops(
	t *property.Automaton,
	mayLoop func(transition int) bool,
	targetsOnLoop []uint64,
) []property.Marks {
	met := make([]property.Marks, t.States())
	for q := range met {
		for i := q * t.Columns; i < (q+1)*t.Columns; i++ {
			if mayLoop(i) && Has(targetsOnLoop[q], t.Next[i]) {
				met[q] |= marks(t, i)
			}
		}
	}
	return met
}

// sameLoop returns for each state of an automaton the states that lie with it on a loop of transitions
// that may be taken.
func sameLoop(t *property.Automaton, isTaken func(transition int) bool) []uint64 {
	n := t.States()
	reach := reachable(t, isTaken)
	onSameLoop := make([]uint64, n)
	for q := range n {
		for other := range n {
			if Has(reach[q], property.Q(other)) && Has(reach[other], property.Q(q)) {
				onSameLoop[q] |= 1 << other
			}
		}
	}
	return onSameLoop
}

// reachable returns for each state of an automaton the states that it reaches by at least one transition
// that may be taken. It is Warshall's algorithm: after the round of a state, paths through it count.
func reachable(t *property.Automaton, isTaken func(transition int) bool) []uint64 {
	n := t.States()
	reach := make([]uint64, n)
	for q := range n {
		for i := q * t.Columns; i < (q+1)*t.Columns; i++ {
			if isTaken(i) {
				reach[q] |= 1 << t.Next[i]
			}
		}
	}
	for via := range n {
		for q := range n {
			if Has(reach[q], property.Q(via)) {
				reach[q] |= reach[via]
			}
		}
	}
	return reach
}

// Stays returns a function that selects the transitions of an automaton that lie on the given loops and
// have no Fin colour of the pair.
func Stays(
	loops []uint64,
	pair property.Pair,
) func(from, to property.Q, marks property.Marks) bool {
	return func(from, to property.Q, marks property.Marks) bool {
		return Has(loops[from], to) && marks&pair.Fin == 0
	}
}

// Pass calls change for each state of a model of n states, from the last one down
// or from the first one up, and returns how often change returned true. A
// fixpoint needs few passes if the two directions take turns. It fails if ctx is
// done.
func Pass(
	ctx context.Context,
	n int,
	down bool,
	change func(lts.State) bool,
) (changed int, err error) {
	for i := range n {
		if i%16384 == 0 && ctx.Err() != nil {
			return changed, ctx.Err()
		}
		s := lts.State(i)
		if down {
			s = lts.State(n - 1 - i)
		}
		if change(s) {
			changed++
		}
	}
	return changed, nil
}
