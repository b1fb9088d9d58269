// Package neighbourhood finds the choices that decide whether a property holds:
// the neighbourhoods, states with neutral incoming transitions and an outgoing
// transition that is correct or incorrect (SEFM'18: Barbon, Leroy, Salaün,
// Counterexample Simplification for Liveness Property Violation, section 3.3).
//
// Whether a state is a neighbourhood depends only on the classes of its
// transitions, which package fate computes.
package neighbourhood

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Kind is the kind of a neighbourhood, given by the classes of its outgoing transitions. The value 0,
// with an empty name, is the kind of a state that is no neighbourhood.
type Kind uint8

// The kinds. SEFM'18 counts four types: CorrectChoice is its first,
// IncorrectChoice its second, the mixed ones its third and fourth.
const (
	CorrectChoice   Kind = iota + 1 // correct outgoing transitions, no incorrect ones
	IncorrectChoice                 // incorrect outgoing transitions, no correct ones
	MixedNeutral                    // correct, incorrect and neutral outgoing transitions
	Mixed                           // correct and incorrect outgoing transitions, no neutral ones
)

var kindNames = enumeration.New("kind of neighbourhood", "", "correct", "incorrect",
	"mixed-neutral", "mixed")

// Kinds returns all kinds in the order they are reported.
func Kinds() []Kind { return []Kind{CorrectChoice, IncorrectChoice, MixedNeutral, Mixed} }

func (k Kind) String() string { return kindNames.Name(uint8(k)) }

// MarshalText returns the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return kindNames.Text(uint8(k)) }

// UnmarshalText sets the kind by its name.
func (k *Kind) UnmarshalText(text []byte) error { return enumeration.Set(kindNames, k, text) }

// Reading decides which incoming transitions make a state a neighbourhood.
type Reading uint8

// The readings: All follows Definition 12; Some follows the text above that definition, and the
// CLEAR tool.
const (
	All  Reading = iota // every incoming transition is neutral, or no transition comes in
	Some                // some incoming transition is neutral, or no transition comes in
)

var readingNames = enumeration.New("neighbourhood reading", "all", "some")

func (r Reading) String() string { return readingNames.Name(uint8(r)) }

// MarshalText returns the name of the reading.
func (r Reading) MarshalText() ([]byte, error) { return readingNames.Text(uint8(r)) }

// UnmarshalText sets the reading by its name.
func (r *Reading) UnmarshalText(text []byte) error {
	return enumeration.Set(readingNames, r, text)
}

// Counts are the numbers of reachable transitions of each class. The transitions from an added
// initial state to several initial states do not count, see [lts.LTS.Begin].
type Counts struct{ Correct, Incorrect, Neutral, Excluded int }

// String returns the numbers with the names of their classes: 62 correct, 64 incorrect, 91 neutral. Excluded
// transitions are named if there are any.
func (c Counts) String() string {
	text := fmt.Sprintf("%d correct, %d incorrect, %d neutral", c.Correct, c.Incorrect, c.Neutral)
	if c.Excluded > 0 {
		text += fmt.Sprintf(", %d excluded", c.Excluded)
	}
	return text
}

// Classification holds the classes and neighbourhoods of a model.
type Classification struct {
	f       *fate.Map
	reading Reading
	counts  Counts
	states  []lts.State
	kinds   []Kind
}

// String returns the numbers of transitions of each class, and the number of neighbourhoods.
func (n *Classification) String() string {
	if n == nil {
		return "<nil>"
	}
	return fmt.Sprintf("%v; neighbourhoods: %d", n.counts, len(n.states))
}

// Classify classifies the reachable transitions of the model of f and finds its
// neighbourhoods in the given reading. It fails if ctx is done. Cost O(S + T)
// time; a property that is no chain costs O(S + T) of its product. All cores
// share the work if the model is large. While it runs, it takes a byte a state,
// and one or two bits a state for each of up to four cores.
func Classify(ctx context.Context, f *fate.Map, reading Reading) (*Classification, error) {
	return classify(ctx, f, reading, cores.For(f.LTS().NumTransitions(), mostWorkers))
}

// admits reports whether the transitions that enter a state with the given marks allow it to be a
// neighbourhood.
func (r Reading) admits(mark uint8) bool {
	onlyNeutral := mark&inDecided == 0 // also if no transition enters the state
	if r == All {
		return onlyNeutral
	}
	someNeutral := mark&inNeutral != 0
	return onlyNeutral || someNeutral
}

// kind returns the kind of a state with the given marks; false if the state is no neighbourhood.
func (r Reading) kind(mark uint8) (Kind, bool) {
	if !r.admits(mark) {
		return 0, false
	}
	switch mark & (outCorrect | outIncorrect | outNeutral) {
	case outCorrect, outCorrect | outNeutral:
		return CorrectChoice, true
	case outIncorrect, outIncorrect | outNeutral:
		return IncorrectChoice, true
	case outCorrect | outIncorrect | outNeutral:
		return MixedNeutral, true
	case outCorrect | outIncorrect:
		return Mixed, true
	}
	return 0, false
}

// Class returns the class of the reachable transition from -l-> to, see [fate.Map.Class].
func (n *Classification) Class(from lts.State, l lts.Label, to lts.State) fate.Class {
	return n.f.Class(from, l, to)
}

// Fates returns the fates from which the classes were computed.
func (n *Classification) Fates() *fate.Map { return n.f }

// Reading returns the reading in which neighbourhoods were determined.
func (n *Classification) Reading() Reading { return n.reading }

// Counts returns the number of reachable transitions of each class. Cost O(1).
func (n *Classification) Counts() Counts { return n.counts }

// States returns the neighbourhood states in ascending order. The slice must not
// be changed. Cost O(1).
func (n *Classification) States() []lts.State { return n.states }

// Kind returns the kind of the neighbourhood at s; false if s has no neighbourhood.
// Cost O(log of the number of neighbourhoods).
func (n *Classification) Kind(s lts.State) (Kind, bool) {
	i, found := slices.BinarySearch(n.states, s)
	if !found {
		return 0, false
	}
	return n.kinds[i], true
}

// Has reports whether s is a neighbourhood. Cost as [Classification.Kind].
func (n *Classification) Has(s lts.State) bool {
	_, found := slices.BinarySearch(n.states, s)
	return found
}

// mostWorkers limits the memory for marks: each goroutine needs some of its own.
const mostWorkers = 4

// The marks of a state are about the transitions that enter it (in) and leave it (out).
const (
	inNeutral = 1 << iota
	inDecided
	outCorrect
	outIncorrect
	outNeutral
)

// classify does the work of [Classify] on a given number of goroutines. Each of them classifies the
// transitions that leave a range of the states.
func classify(
	ctx context.Context,
	f *fate.Map,
	reading Reading,
	workers int,
) (*Classification, error) {
	m := f.LTS()
	states := m.NumStates()
	sets := workers
	if reading == Some {
		sets = 2 * workers
	}
	bytesForMarks := int64(states)
	bytesForSets := int64(sets) * int64(states) / 8
	if err := resources.Ask(ctx, bytesForMarks+bytesForSets); err != nil {
		return nil, err
	}
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	marks := make([]uint8, states)
	parts := make([]part, workers)
	classifyRange := func(worker int, first, end lts.State) error {
		p := &parts[worker]
		p.decided = bitset.New[lts.State](states)
		// Only the reading Some needs the set of the states with neutral
		// incoming transitions.
		if reading == Some {
			p.neutral = bitset.New[lts.State](states)
		}
		return p.classifyLeaving(ctx, f, marks, first, end)
	}
	if err := cores.TryInRanges(workers, states, classifyRange); err != nil {
		return nil, err
	}
	sum := &parts[0]
	for i := range parts[1:] {
		sum.add(&parts[i+1])
	}
	sum.markEntered(marks)
	c := &Classification{f: f, reading: reading, counts: sum.counts}
	c.addNeighbourhoods(marks)
	return c, nil
}

// addNeighbourhoods adds the states whose marks make them neighbourhoods.
func (n *Classification) addNeighbourhoods(marks []uint8) {
	for s, mark := range marks {
		kind, isNeighbourhood := n.reading.kind(mark)
		if isNeighbourhood {
			n.states = append(n.states, lts.State(s))
			n.kinds = append(n.kinds, kind)
		}
	}
}

// markEntered sets the marks of all states for the transitions that enter them.
func (p *part) markEntered(marks []uint8) {
	for i := range marks {
		s := lts.State(i)
		if p.decided.Has(s) {
			marks[i] |= inDecided
		}
		if p.neutral != nil && p.neutral.Has(s) {
			marks[i] |= inNeutral
		}
	}
}

// part is what one goroutine finds. Its sets range over all states of the model, but are small
// enough to stay in the cache.
type part struct {
	counts           Counts
	decided, neutral bitset.Set[lts.State]
}

// classifyLeaving classifies the transitions that leave the states from first to before end, and sets
// the marks of these states for them.
func (p *part) classifyLeaving(
	ctx context.Context,
	f *fate.Map,
	marks []uint8,
	first, end lts.State,
) error {
	m := f.LTS()
	reach := m.Reachable()
	work := 0
	for s := first; s < end; s++ {
		// A state that was added in front of several initial ones is no
		// neighbourhood, and its transitions are not classified.
		if !reach.Has(s) || m.IsBefore(s) {
			continue
		}
		labels, targets := m.Out(s)
		mark := uint8(0)
		for i, t := range targets {
			mark |= p.classify(f.Class(s, labels.At(i), t), t)
		}
		marks[s] = mark
		work += 1 + len(targets)
		if work >= 1<<16 {
			work = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// classify counts a transition of a class that leads to a state, and returns the mark of its source for it.
func (p *part) classify(class fate.Class, to lts.State) (mark uint8) {
	switch class {
	case fate.Correct:
		p.counts.Correct++
		p.decided.Add(to)
		return outCorrect
	case fate.Incorrect:
		p.counts.Incorrect++
		p.decided.Add(to)
		return outIncorrect
	case fate.Neutral:
		p.counts.Neutral++
		if p.neutral != nil {
			p.neutral.Add(to)
		}
		return outNeutral
	case fate.Excluded:
		p.counts.Excluded++
	}
	return 0
}

// add adds what another goroutine has found.
func (p *part) add(other *part) {
	p.counts.Correct += other.counts.Correct
	p.counts.Incorrect += other.counts.Incorrect
	p.counts.Neutral += other.counts.Neutral
	p.counts.Excluded += other.counts.Excluded
	p.decided.AddAll(other.decided)
	p.neutral.AddAll(other.neutral)
}
