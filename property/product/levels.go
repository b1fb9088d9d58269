package product

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostTables is the number of bytes that tables by letter may take: see [before].
const mostTables = 1 << 24

// Levels are the places that are reached, breadth first from the initial one, by their
// distances: an [Unfolding] without transitions. For each state of the model one word has the
// states of the property with which it is reached. See [LevelsOf].
type Levels struct {
	model    *lts.LTS
	property *property.Property
	table    property.Automaton
	// states and qs are the places in their order; those of distance d begin with begins[d].
	states paged.List[lts.State]
	qs     paged.List[uint8]
	begins []int
	// bad is the first place in which a run stops that may not; negative if there is none.
	bad  int
	sets sets
}

// sets are sets of states of a property as words, one for each state of a model, of as few bits
// as there are.
type sets interface {
	explore(ctx context.Context, l *Levels, within int) error
	part(ctx context.Context, l *Levels, fin, inf property.Marks) (*Part, error)
	ends(ctx context.Context, l *Levels, fin, inf property.Marks) (bool, error)
}

// HasLevels reports whether [LevelsOf] serves for a property: it is a table of at most 64
// states, and of not too many letters. Cost O(1).
func HasLevels(p *property.Property) bool {
	if p.Steps() > 0 || p.States() > mostInSet {
		return false
	}
	width := wordBytes(p.States())
	return property.AsAutomaton(p).Columns*width*width<<8 <= mostTables
}

// wordBytes returns the least number of bytes of a word with so many bits.
func wordBytes(bits int) int {
	for width := 1; ; width *= 2 {
		if bits <= 8*width {
			return width
		}
	}
}

// LevelsOf finds the places within a distance of the initial one; no others than the first in
// which a run stops that may not, and nearer ones, if there is such a one. [HasLevels] must
// hold. It fails if ctx is done, or if there is too little memory. Cost O(n T) time for a
// property of n states, commonly little more than O(T); 5 bytes for each place, and n bits for
// each state of the model, at least 8.
func LevelsOf(ctx context.Context, m *lts.LTS, p *property.Property, within int) (*Levels, error) {
	l := newLevels(m, p)
	return l, l.sets.explore(ctx, l, within)
}

func newLevels(m *lts.LTS, p *property.Property) *Levels {
	l := &Levels{model: m, property: p, table: property.AsAutomaton(p), bad: -1}
	switch wordBytes(p.States()) {
	case 1:
		l.sets = &words[uint8]{}
	case 2:
		l.sets = &words[uint16]{}
	case 4:
		l.sets = &words[uint32]{}
	default:
		l.sets = &words[uint64]{}
	}
	return l
}

// Everywhere are all pairs of a state of a model and one of a property, whether they are reached
// or not.
type Everywhere struct{ levels *Levels }

// EverywhereIn returns all pairs, and reports whether a run may stop in whichever of them it
// has to. [HasLevels] must hold. Cost O(S).
func EverywhereIn(m *lts.LTS, p *property.Property) (e *Everywhere, stops bool) {
	e = &Everywhere{newLevels(m, p)}
	if !slices.Contains(e.levels.table.Stop, false) {
		return e, true
	}
	for s := range lts.State(m.NumStates()) {
		if m.IsDeadlock(s) {
			return e, false
		}
	}
	return e, true
}

// Ends reports whether no run, wherever it begins, can go on for ever without these colours that
// must not recur while it meets those that must, as far as a few passes tell: if so, that is
// certain. Errors as for [LevelsOf]. Cost O(T) for each pass; n bits for each state of the
// model, at least 8, for a property of n states.
func (e *Everywhere) Ends(ctx context.Context, fin, inf property.Marks) (bool, error) {
	return e.levels.sets.ends(ctx, e.levels, fin, inf)
}

// Len returns the number of places. Cost O(1).
func (l *Levels) Len() int { return l.states.Len() }

// Bad returns the nearest place in which a run stops that may not, and its distance; false if
// there is none. Cost O(1) and O(log distance).
func (l *Levels) Bad() (p Place, distance int, is bool) {
	if l.bad < 0 {
		return Place{}, 0, false
	}
	at, exact := slices.BinarySearch(l.begins, l.bad)
	if !exact {
		at--
	}
	return l.place(l.bad), at, true
}

func (l *Levels) place(i int) Place {
	return Place{*l.states.At(i), property.Q(*l.qs.At(i))}
}

func (l *Levels) add(s lts.State, q property.Q) {
	l.states.Append(s)
	l.qs.Append(uint8(q))
}

// Path returns the transitions of the model on the shortest path to a place at this distance
// that comes first: each place has the first one before it that leads there. Cost O(number of
// transitions of the nearer places).
func (l *Levels) Path(to Place, distance int) []lts.Transition {
	steps := make([]lts.Transition, distance)
	for d := distance - 1; d >= 0; d-- {
		steps[d], to = l.into(to, d)
	}
	return steps
}

// into returns the first transition to a place from one at this distance, with its source.
func (l *Levels) into(to Place, distance int) (lts.Transition, Place) {
	for i := l.begins[distance]; ; i++ {
		from := l.place(i)
		labels, targets := l.model.Out(from.State)
		for j, t := range targets {
			if t == to.State && l.next(from.Q, labels.At(j)) == to.Q {
				return lts.Transition{From: from.State, Label: labels.At(j), To: t}, from
			}
		}
	}
}

func (l *Levels) next(q property.Q, label lts.Label) property.Q {
	return l.table.Next[int(q)*l.table.Columns+int(l.table.Letters[label])]
}

// Part returns the places on which a run can go on for ever without these colours that must
// not recur, and the transitions with which it does; nil if there is none. Of the states of
// the property it has those alone of which a loop meets all colours that must recur. It fails
// if ctx is done, or if there is too little memory. Cost that of passes through the transitions
// of the model, O(T) each and commonly few; for each state of the model the memory of
// LevelsOf and 4 bytes, and for each place of the part 9 and its transitions.
func (l *Levels) Part(ctx context.Context, fin, inf property.Marks) (*Part, error) {
	return l.sets.part(ctx, l, fin, inf)
}

// Part are some places of [Levels], with some of their transitions: an [Unfolding] that serves
// for searches of loops. Its states are numbered as they come among all places.
type Part struct {
	*Unfolding
	// Distances has the distance of each state from the initial place, by which they ascend.
	Distances []uint32
}

// word is a set of states of a property.
type word interface {
	uint8 | uint16 | uint32 | uint64
}

// words are sets for each state of a model: of the states of the property with which it is
// reached.
type words[W word] struct{ reached []W }

func (x *words[W]) explore(ctx context.Context, l *Levels, within int) (err error) {
	if x.reached, err = resources.Make[W](ctx, l.model.NumStates()); err != nil {
		return err
	}
	x.reached[l.model.Initial()] |= 1 << l.property.Initial()
	l.add(l.model.Initial(), l.property.Initial())
	for l.begins = []int{0}; ; {
		first, end := l.begins[len(l.begins)-1], l.Len()
		if first == end {
			return nil
		}
		for i := first; i < end; i++ {
			if i&(1<<12-1) == 0 {
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
			if x.expand(l, i, len(l.begins) <= within); l.bad >= 0 {
				return nil
			}
		}
		if len(l.begins) > within {
			return nil
		}
		l.begins = append(l.begins, end)
	}
}

// expand adds the places to which place i leads, if it is near, or notes that a run stops there
// that may not.
func (x *words[W]) expand(l *Levels, i int, near bool) {
	p := l.place(i)
	labels, targets := l.model.Out(p.State)
	if len(targets) == 0 && !l.table.Stop[p.Q] {
		l.bad = i
	}
	if !near {
		return
	}
	letters, row := l.table.Letters, l.table.Next[int(p.Q)*l.table.Columns:]
	for j, t := range targets {
		q := row[letters[labels.At(j)]]
		if x.reached[t]>>q&1 == 0 {
			x.reached[t] |= 1 << q
			l.add(t, q)
		}
	}
}

// count returns the number of places in all sets.
func count[W word](sets []W) (places int) {
	for _, set := range sets {
		places += bits.OnesCount64(uint64(set))
	}
	return places
}
